/**
 * The watermark of one partition in one generation: which offsets are tracked, which are still in
 * flight, and the position that may be committed. Pure; owned by the main thread's turn.
 *
 * Keeps W1 (never decreases), W2 (everything tracked below it is settled), W3 (tracked in strictly
 * increasing order, gaps legal), W4 (an offset settles once) and W6 (offsets are safe integers).
 *
 * A ring of (offset, row) pairs in tracking order. Settling marks an entry and moves the head over
 * settled entries, so each entry is written once and passed once: O(1) amortised in any order of
 * completion. Sequence numbers run modulo 2^32, entries in the ring are far fewer.
 */
import { invariant } from '../contract/invariant.ts';
import { isOffset } from '../contract/ids.ts';

const SETTLED = -1;
const INITIAL_CAPACITY = 16;

export class Watermark {
  #offsets = new Float64Array(INITIAL_CAPACITY);
  #rows = new Int32Array(INITIAL_CAPACITY);
  #mask = INITIAL_CAPACITY - 1;
  #head: number;
  #tail: number;
  /** One past the highest tracked offset; -1 before the first. */
  #next = -1;

  /** `firstSequence`: the number of the first entry, for tests of the wrap at 2^32. */
  constructor(firstSequence = 0) {
    this.#head = firstSequence;
    this.#tail = firstSequence;
  }

  /** Entries from the lowest in-flight offset on, the settled ones among them included. */
  get span(): number {
    return (this.#tail - this.#head) >>> 0;
  }

  /** The position to commit: lowest in-flight offset, else one past the highest tracked; -1 before any. */
  get position(): number {
    return this.#head === this.#tail
      ? this.#next
      : (this.#offsets[this.#head & this.#mask] as number);
  }

  /** One past the highest tracked offset, -1 before any. */
  get next(): number {
    return this.#next;
  }

  /** Row of the lowest in-flight offset, -1 when nothing is in flight. */
  get oldestRow(): number {
    return this.#head === this.#tail ? -1 : (this.#rows[this.#head & this.#mask] as number);
  }

  /** Puts `offset` in flight under `row` and returns the sequence number to settle it by. */
  track(offset: number, row: number): number {
    if (!isOffset(offset)) invariant(false, 'W6', `offset ${String(offset)} is no safe integer`);
    if (offset < this.#next)
      invariant(false, 'W3', `offset ${String(offset)} tracked after ${String(this.#next - 1)}`);
    if (this.span > this.#mask) this.#grow();
    const sequence = this.#tail;
    this.#offsets[sequence & this.#mask] = offset;
    this.#rows[sequence & this.#mask] = row;
    this.#tail = (sequence + 1) >>> 0;
    this.#next = offset + 1;
    return sequence;
  }

  /** Settles a tracked offset by its sequence number. */
  settle(sequence: number): void {
    const known = (sequence - this.#head) >>> 0 < this.span;
    if (!known || this.#rows[sequence & this.#mask] === SETTLED)
      invariant(false, 'W4', `sequence ${String(sequence)} settles a second time`);
    this.#rows[sequence & this.#mask] = SETTLED;
    while (this.#head !== this.#tail && this.#rows[this.#head & this.#mask] === SETTLED)
      this.#head = (this.#head + 1) >>> 0;
  }

  /**
   * The log is known to hold nothing for us below `offset` (end of partition behind transaction
   * markers or compacted records). Never moves back.
   */
  advanceTo(offset: number): void {
    invariant(isOffset(offset), 'W6', `position ${String(offset)} is no safe integer`);
    if (offset > this.#next) this.#next = offset;
  }

  /** Calls `visit` with the row of every in-flight offset, lowest first, until it returns false. */
  forEachInFlight(visit: (row: number, offset: number) => boolean): void {
    for (let at = this.#head; at !== this.#tail; at = (at + 1) >>> 0) {
      const row = this.#rows[at & this.#mask] as number;
      if (row !== SETTLED && !visit(row, this.#offsets[at & this.#mask] as number)) return;
    }
  }

  /** The highest offset that is settled or whose row matches; -1 for none. Walks the ring downwards. */
  highest(matches: (row: number) => boolean): number {
    for (let at = this.#tail; at !== this.#head;) {
      at = (at - 1) >>> 0;
      const row = this.#rows[at & this.#mask] as number;
      if (row === SETTLED || matches(row)) return this.#offsets[at & this.#mask] as number;
    }
    return -1;
  }

  /** Offsets settled above the lowest one in flight. Walks the ring; for observers. */
  settledAbove(): number {
    let settled = 0;
    for (let at = this.#head; at !== this.#tail; at = (at + 1) >>> 0)
      if (this.#rows[at & this.#mask] === SETTLED) settled++;
    return settled;
  }

  #grow(): void {
    const capacity = (this.#mask + 1) * 2;
    const offsets = new Float64Array(capacity);
    const rows = new Int32Array(capacity);
    for (let at = this.#head; at !== this.#tail; at = (at + 1) >>> 0) {
      offsets[at & (capacity - 1)] = this.#offsets[at & this.#mask] as number;
      rows[at & (capacity - 1)] = this.#rows[at & this.#mask] as number;
    }
    this.#offsets = offsets;
    this.#rows = rows;
    this.#mask = capacity - 1;
  }
}
