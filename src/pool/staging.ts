/**
 * The records of one turn, of all workers, that still have to be copied into their slots: the columns
 * of one native call. Main thread.
 */
import type { PayloadMemory } from './memory.ts';

export class Staging {
  count = 0;
  readonly handles: Int32Array;
  readonly buffers: Int32Array;
  readonly offsets: Float64Array;
  readonly payloadBuffers: Int32Array;

  /** `capacity`: slots of all workers together. */
  constructor(capacity: number) {
    this.handles = new Int32Array(capacity);
    this.buffers = new Int32Array(capacity);
    this.offsets = new Float64Array(capacity);
    this.payloadBuffers = new Int32Array(capacity);
  }

  add(handle: number, buffer: number, offset: number, payloadBuffer: number): void {
    const at = this.count++;
    this.handles[at] = handle;
    this.buffers[at] = buffer;
    this.offsets[at] = offset;
    this.payloadBuffers[at] = payloadBuffer;
  }

  /** Copies everything that is staged, in one call. */
  fill(memory: PayloadMemory): void {
    if (this.count === 0) return;
    memory.fill(this.count, this.handles, this.buffers, this.offsets, this.payloadBuffers);
    this.count = 0;
  }
}
