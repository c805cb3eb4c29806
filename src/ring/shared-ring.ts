/**
 * Main's side of one worker's shared memory: which slots are free, what lies in the others, what was
 * published and what came back. Main thread only; it lives as long as the thread it was made for (S6).
 * Keeps S1 (main's half), S4 and S5: a slot goes back on the free list only through
 * {@link SharedRing.free}, which wants its completion to have been taken.
 */
import { invariant } from '../contract/invariant.ts';
import { Doorbell } from './doorbell.ts';
import { RingReader, RingWriter } from './index-ring.ts';
import { Control, SlotFlag, SlotState, SlotWord } from './layout.ts';
import type { RingMemory } from './slot.ts';

/** In {@link SharedRing.rows}: no record of the core lies in the slot. */
export const NO_ROW = -1;

/** What main writes into a slot's header. */
export interface SlotClaim {
  readonly row: number;
  readonly lane: number;
  readonly attempt: number;
  readonly partition: number;
  readonly generation: number;
}

export class SharedRing {
  readonly memory: RingMemory;
  readonly bell: Doorbell;
  readonly completions: RingReader;
  /** The core's row in each slot. A slot that was recalled has none, though it is not free yet. */
  readonly rows: Int32Array;
  /** Submission position of each slot's present occupant: tells stale ring entries from live ones. */
  readonly #positions: Int32Array;
  readonly #submissions: RingWriter;
  /** A stack, so that the slots used last, still in the cache, are used next. */
  readonly #free: Int32Array;
  #freeCount: number;
  /** 1 from claim to free. */
  readonly #claimed: Uint8Array;

  constructor(memory: RingMemory) {
    const { words, submissions, completions, layout } = memory;
    this.memory = memory;
    this.bell = new Doorbell(words, Control.workerSleeps);
    this.#submissions = new RingWriter(words, Control.submissionTail, submissions);
    this.completions = new RingReader(
      words,
      Control.completionTail,
      Control.completionHead,
      completions,
    );
    this.rows = new Int32Array(layout.slots).fill(NO_ROW);
    this.#positions = new Int32Array(layout.slots);
    this.#claimed = new Uint8Array(layout.slots);
    this.#free = new Int32Array(layout.slots);
    for (let slot = 0; slot < layout.slots; slot++) this.#free[slot] = layout.slots - 1 - slot;
    this.#freeCount = layout.slots;
  }

  get freeSlots(): number {
    return this.#freeCount;
  }

  /** Slots that hold something, recalled ones included. */
  get usedSlots(): number {
    return this.memory.layout.slots - this.#freeCount;
  }

  /** Records claimed and not yet published. */
  get staged(): number {
    return this.#submissions.unpublished;
  }

  /** Takes a free slot for a record and writes main's words of its header. Returns the slot. */
  claim(record: SlotClaim, buffer: number, laneReopens: boolean): number {
    if (this.#freeCount === 0) invariant(false, 'S4', 'a record was submitted without a free slot');
    const slot = this.#free[--this.#freeCount] as number;
    const { words } = this.memory;
    const at = this.memory.wordOf(slot);
    words[at + SlotWord.state] = SlotState.filling;
    words[at + SlotWord.row] = record.row;
    words[at + SlotWord.lane] = record.lane;
    words[at + SlotWord.attempt] = record.attempt;
    words[at + SlotWord.partition] = record.partition;
    words[at + SlotWord.generation] = record.generation;
    words[at + SlotWord.buffer] = buffer;
    words[at + SlotWord.flags] = laneReopens ? SlotFlag.laneReopens : 0;
    this.rows[slot] = record.row;
    this.#claimed[slot] = 1;
    this.#positions[slot] = this.#submissions.tail;
    this.#submissions.push(slot);
    return slot;
  }

  /** Publishes what was claimed and has been filled since (S2), then wakes the worker. */
  publish(): void {
    const { words } = this.memory;
    const submissions = this.#submissions;
    for (let left = submissions.unpublished; left > 0; left--) {
      const slot = submissions.entryAt((submissions.tail - left) | 0);
      words[this.memory.wordOf(slot) + SlotWord.state] = SlotState.submitted;
    }
    submissions.publish();
    this.bell.ring();
  }

  /** Gives a slot back whose completion was taken from the ring (S5). */
  free(slot: number): void {
    if (this.#claimed[slot] !== 1)
      invariant(false, 'S5', `slot ${String(slot)} came back although it was free`);
    this.#claimed[slot] = 0;
    this.rows[slot] = NO_ROW;
    this.memory.words[this.memory.wordOf(slot) + SlotWord.state] = SlotState.free;
    this.#free[this.#freeCount++] = slot;
  }

  /**
   * Takes submitted records back, the latest first, so that within a lane they are a suffix: a record
   * that the worker has started shuts off no earlier one that it has not, because it starts those of a
   * lane in order. Writes their slots and rows; returns how many. The worker passes the slots later,
   * and they hold no row from now on.
   */
  recall(max: number, slots: Int32Array, rows: Int32Array): number {
    const submissions = this.#submissions;
    let count = 0;
    let left = this.usedSlots;
    for (let back = 1; left > 0 && back <= this.rows.length && count < max; back++) {
      const position = (submissions.tail - back) | 0;
      const slot = submissions.entryAt(position);
      if (this.#claimed[slot] === 0 || this.#positions[slot] !== position) continue;
      left--;
      if (!this.memory.claim(slot, SlotState.recalled)) continue;
      slots[count] = slot;
      rows[count++] = this.rows[slot] as number;
      this.rows[slot] = NO_ROW;
    }
    return count;
  }

  /** Keeps what has not started of a generation from starting (G1). Its rows stay to be reported. */
  abort(partition: number, generation: number): void {
    const { words } = this.memory;
    for (let slot = 0; slot < this.rows.length; slot++) {
      if (this.rows[slot] === NO_ROW) continue;
      const at = this.memory.wordOf(slot);
      if (words[at + SlotWord.partition] !== partition) continue;
      if (words[at + SlotWord.generation] !== generation) continue;
      this.memory.claim(slot, SlotState.recalled);
    }
  }
}
