/**
 * What the pool asks of whoever knows the records' bytes (the intake). All synchronous, main thread.
 */
/** In place of an overflow buffer: the payload lies in the slot. */
export const NO_BUFFER = -1;

export interface PayloadMemory {
  /**
   * Makes memory known under a number, and keeps it alive. With `slotsAt` and `slotBytes` it holds
   * slots from that byte on, and what is no slot's beginning can be refused.
   */
  registerBuffer(memory: SharedArrayBuffer, slotsAt?: number, slotBytes?: number): number;
  unregisterBuffer(id: number): void;
  /**
   * Writes the intake's words of the slot header and the payload of each handle, and frees the
   * handles. `buffers` and `payloadBuffers` are numbers of {@link registerBuffer} (the latter -1 for a
   * payload behind its header), `offsets` the slot header's byte in its buffer.
   */
  fill(
    count: number,
    handles: Int32Array,
    buffers: Int32Array,
    offsets: Float64Array,
    payloadBuffers: Int32Array,
  ): void;
  /** Copies a filled slot's record out; the new handle names the copy. */
  parkFromSlot(buffer: number, slotOffset: number, payloadBuffer: number): number;
}
