/**
 * A worker's shared memory, mapped: control words, the two rings, slot headers and payloads. Loaded on
 * both sides; this file only knows where things lie and how a slot changes hands.
 *
 * S1: a slot has one owner. Main owns it until its index is published, the worker from the moment its
 * compare-and-exchange `submitted -> running` succeeded until it publishes the completion. Between the
 * two either side may win that exchange: main with `submitted -> recalled`.
 */
import { TidemarkError } from '../contract/errors.ts';
import { Control, LAYOUT_VERSION, SlotState, SlotWord, ringLayout } from './layout.ts';
import type { RingLayout, SlotStateCode } from './layout.ts';

export class RingMemory {
  readonly buffer: SharedArrayBuffer;
  readonly layout: RingLayout;
  /** The whole memory as words; control words lie at their {@link Control} indexes. */
  readonly words: Int32Array;
  readonly floats: Float64Array;
  readonly bytes: Buffer;
  readonly submissions: Int32Array;
  readonly completions: Int32Array;
  readonly #slotsAt: number;
  readonly #slotBytes: number;

  /** New memory for a new thread (S6). `slots` and `slotBytes` as in {@link ringLayout}. */
  static create(slots: number, slotBytes: number): RingMemory {
    const layout = ringLayout(slots, slotBytes);
    const buffer = new SharedArrayBuffer(layout.totalBytes);
    const words = new Int32Array(buffer);
    words[Control.version] = LAYOUT_VERSION;
    words[Control.slots] = slots;
    words[Control.slotBytes] = slotBytes;
    return new RingMemory(buffer);
  }

  /** Maps memory that {@link create} made, on any thread. */
  constructor(buffer: SharedArrayBuffer) {
    const words = new Int32Array(buffer);
    const version = words[Control.version];
    if (version !== LAYOUT_VERSION)
      throw new TidemarkError(
        'TIDEMARK_WORKERS_UNAVAILABLE',
        `shared memory has layout ${String(version)}, this thread knows ${String(LAYOUT_VERSION)}: ` +
          'files of two versions of tidemark are mixed; install it anew',
      );
    this.buffer = buffer;
    this.layout = ringLayout(words[Control.slots] ?? 0, words[Control.slotBytes] ?? 0);
    this.words = words;
    this.floats = new Float64Array(buffer);
    this.bytes = Buffer.from(buffer);
    const { submissionAt, completionAt, slotsAt, slots, slotBytes } = this.layout;
    this.submissions = new Int32Array(buffer, submissionAt, slots);
    this.completions = new Int32Array(buffer, completionAt, slots);
    this.#slotsAt = slotsAt;
    this.#slotBytes = slotBytes;
  }

  /** Byte offset of a slot's header. */
  byteOf(slot: number): number {
    return this.#slotsAt + slot * this.#slotBytes;
  }

  /** Index of a slot's first header word in `words`; floats begin at half of it in `floats`. */
  wordOf(slot: number): number {
    return (this.#slotsAt + slot * this.#slotBytes) >>> 2;
  }

  stateOf(slot: number): SlotStateCode {
    return Atomics.load(this.words, this.wordOf(slot) + SlotWord.state) as SlotStateCode;
  }

  /** Moves a slot from `submitted`; false when the other side was faster. */
  claim(slot: number, to: SlotStateCode): boolean {
    const at = this.wordOf(slot) + SlotWord.state;
    return Atomics.compareExchange(this.words, at, SlotState.submitted, to) === SlotState.submitted;
  }
}
