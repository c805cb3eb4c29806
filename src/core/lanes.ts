/**
 * Lanes: FIFOs in which at most one record runs. Pure; owned by the main thread's turn. Keeps L1 and
 * L2 together with the worker, which runs the records of a lane one after another.
 *
 * A lane exists while it has records in flight. Ordered lanes are found by (partition, 64-bit key
 * hash) in an open-addressing table of typed arrays; a record without order gets a lane of its own
 * that is in no table. Two keys with the same hash share a lane, which costs time and nothing else.
 */
import { invariant } from '../contract/invariant.ts';
import type { InFlightTable } from './in-flight.ts';

const NONE = -1;
const INITIAL_LANES = 256;

export class Lanes {
  partition = new Int32Array(INITIAL_LANES);
  /** First and last row of the queue; -1 when it is empty. */
  first = new Int32Array(INITIAL_LANES);
  last = new Int32Array(INITIAL_LANES);
  queued = new Int32Array(INITIAL_LANES);
  /** Records of this lane in a worker's slots, and that worker. */
  submitted = new Int32Array(INITIAL_LANES);
  worker = new Int32Array(INITIAL_LANES);
  /** How many records of it may be at its worker at once; the scheduler's. */
  share = new Int32Array(INITIAL_LANES);
  /** 1 for lanes found by key, 0 for a record of its own. */
  ordered = new Uint8Array(INITIAL_LANES);
  /** 1 once a record of it failed for good: nothing of it starts any more. */
  blocked = new Uint8Array(INITIAL_LANES);
  /** 1 while the scheduler's ready list names it. */
  listed = new Uint8Array(INITIAL_LANES);
  /** 1 when it was given up while the ready list still names it. */
  #gone = new Uint8Array(INITIAL_LANES);
  #hashLow = new Int32Array(INITIAL_LANES);
  #hashHigh = new Int32Array(INITIAL_LANES);

  #free = new Int32Array(INITIAL_LANES);
  #freeCount = 0;
  #capacity = 0;
  #table = new Int32Array(INITIAL_LANES * 2).fill(NONE);
  #tableMask = INITIAL_LANES * 2 - 1;
  readonly #rows: InFlightTable;

  constructor(rows: InFlightTable) {
    this.#rows = rows;
    this.#addLanes(INITIAL_LANES);
  }

  /** Lanes with records in flight. */
  get size(): number {
    return this.#capacity - this.#freeCount;
  }

  /** The lane of a key in a partition, made when there is none. */
  ofKey(partition: number, low: number, high: number): number {
    let at = mix(partition, low, high) & this.#tableMask;
    for (;;) {
      const lane = this.#table[at] as number;
      if (lane === NONE) break;
      if (
        this.#hashLow[lane] === low &&
        this.#hashHigh[lane] === high &&
        this.partition[lane] === partition
      )
        return lane;
      at = (at + 1) & this.#tableMask;
    }
    const before = this.#capacity;
    const lane = this.#allocate(partition, 1);
    this.#hashLow[lane] = low;
    this.#hashHigh[lane] = high;
    // Growing moved the table, so the place found above is stale then.
    if (this.#capacity !== before) this.#insert(lane);
    else this.#table[at] = lane;
    return lane;
  }

  /** A lane for one record without order. */
  ofOne(partition: number): number {
    return this.#allocate(partition, 0);
  }

  append(lane: number, row: number): void {
    this.#rows.next[row] = NONE;
    this.#rows.lane[row] = lane;
    const last = this.last[lane] as number;
    if (last === NONE) this.first[lane] = row;
    else this.#rows.next[last] = row;
    this.last[lane] = row;
    this.queued[lane] = (this.queued[lane] as number) + 1;
  }

  /** Puts a row that comes back unrun, or runs again, before all queued rows above its offset (L2). */
  insert(lane: number, row: number): void {
    const offset = this.#rows.offset[row] as number;
    let before = NONE;
    let after = this.first[lane] as number;
    while (after !== NONE && (this.#rows.offset[after] as number) < offset) {
      before = after;
      after = this.#rows.next[after] as number;
    }
    this.#rows.next[row] = after;
    this.#rows.lane[row] = lane;
    if (before === NONE) this.first[lane] = row;
    else this.#rows.next[before] = row;
    if (after === NONE) this.last[lane] = row;
    this.queued[lane] = (this.queued[lane] as number) + 1;
  }

  /** Takes the first row off the queue. */
  shift(lane: number): number {
    const row = this.first[lane] as number;
    if (row === NONE) invariant(false, 'L2', `lane ${String(lane)} has no queued record`);
    const next = this.#rows.next[row] as number;
    this.first[lane] = next;
    if (next === NONE) this.last[lane] = NONE;
    this.queued[lane] = (this.queued[lane] as number) - 1;
    return row;
  }

  /** Ends a lane that has nothing queued and nothing submitted. */
  endIfEmpty(lane: number): void {
    if (this.queued[lane] === 0 && this.submitted[lane] === 0 && this.blocked[lane] === 0)
      this.end(lane);
  }

  /** Ends a lane, whatever it holds; its rows are the caller's. */
  end(lane: number): void {
    if (this.ordered[lane] === 1) this.#remove(lane);
    this.partition[lane] = NONE;
    // The ready list cannot be searched: the number comes free when the list lets go of it.
    if (this.listed[lane] === 1) this.#gone[lane] = 1;
    else this.#free[this.#freeCount++] = lane;
  }

  /** The ready list let go of the lane; true while the lane still lives. */
  unlist(lane: number): boolean {
    this.listed[lane] = 0;
    if (this.#gone[lane] === 0) return true;
    this.#gone[lane] = 0;
    this.#free[this.#freeCount++] = lane;
    return false;
  }

  #allocate(partition: number, ordered: 0 | 1): number {
    if (this.#freeCount === 0) this.#grow();
    const lane = this.#free[--this.#freeCount] as number;
    this.partition[lane] = partition;
    this.first[lane] = NONE;
    this.last[lane] = NONE;
    this.queued[lane] = 0;
    this.submitted[lane] = 0;
    this.worker[lane] = NONE;
    this.share[lane] = 0;
    this.ordered[lane] = ordered;
    this.blocked[lane] = 0;
    return lane;
  }

  #home(lane: number): number {
    return (
      mix(
        this.partition[lane] as number,
        this.#hashLow[lane] as number,
        this.#hashHigh[lane] as number,
      ) & this.#tableMask
    );
  }

  #insert(lane: number): void {
    let at = this.#home(lane);
    while (this.#table[at] !== NONE) at = (at + 1) & this.#tableMask;
    this.#table[at] = lane;
  }

  /** Removes and closes the hole by moving later entries back, so that no tombstones gather. */
  #remove(lane: number): void {
    let hole = this.#home(lane);
    while (this.#table[hole] !== lane) {
      if (this.#table[hole] === NONE) invariant(false, 'L1', `lane ${String(lane)} is in no table`);
      hole = (hole + 1) & this.#tableMask;
    }
    let at = hole;
    for (;;) {
      at = (at + 1) & this.#tableMask;
      const other = this.#table[at] as number;
      if (other === NONE) break;
      const fromHome = (at - this.#home(other)) & this.#tableMask;
      if (fromHome >= ((at - hole) & this.#tableMask)) {
        this.#table[hole] = other;
        hole = at;
      }
    }
    this.#table[hole] = NONE;
  }

  #grow(): void {
    const capacity = this.#capacity * 2;
    const wider = <A extends Int32Array | Uint8Array>(to: A, from: A): A => {
      to.set(from);
      return to;
    };
    this.partition = wider(new Int32Array(capacity), this.partition);
    this.first = wider(new Int32Array(capacity), this.first);
    this.last = wider(new Int32Array(capacity), this.last);
    this.queued = wider(new Int32Array(capacity), this.queued);
    this.submitted = wider(new Int32Array(capacity), this.submitted);
    this.worker = wider(new Int32Array(capacity), this.worker);
    this.share = wider(new Int32Array(capacity), this.share);
    this.ordered = wider(new Uint8Array(capacity), this.ordered);
    this.blocked = wider(new Uint8Array(capacity), this.blocked);
    this.listed = wider(new Uint8Array(capacity), this.listed);
    this.#gone = wider(new Uint8Array(capacity), this.#gone);
    this.#hashLow = wider(new Int32Array(capacity), this.#hashLow);
    this.#hashHigh = wider(new Int32Array(capacity), this.#hashHigh);
    this.#free = wider(new Int32Array(capacity), this.#free);
    const entries = this.#table;
    this.#table = new Int32Array(capacity * 2).fill(NONE);
    this.#tableMask = capacity * 2 - 1;
    for (const lane of entries) if (lane !== NONE) this.#insert(lane);
    this.#addLanes(capacity);
  }

  #addLanes(capacity: number): void {
    for (let lane = capacity - 1; lane >= this.#capacity; lane--)
      this.#free[this.#freeCount++] = lane;
    this.#capacity = capacity;
  }
}

/** The key hash is well mixed already; the partition is spread over it by a multiplicative step. */
function mix(partition: number, low: number, high: number): number {
  const spread = Math.imul(partition + 1, 0x9e3779b1);
  return low ^ (high >>> 7) ^ spread ^ (spread >>> 15);
}
