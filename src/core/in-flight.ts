/**
 * The in-flight table: one row of numbers per record between taking and settling. Pure; owned by the
 * main thread's turn. Keeps the record state machine (src/README.md): {@link RECORD_MOVES} is its
 * only source, and {@link InFlightTable.move} its only setter.
 */
import { invariant } from '../contract/invariant.ts';

/** States of a record's row. */
export const RecordState = {
  /** The row holds no record. */
  free: 0,
  /** In its lane, not at a worker. */
  queued: 1,
  /** In a worker's slot. */
  submitted: 2,
  /** Failed for good in this process: stays in flight, never runs here again. */
  failed: 3,
  /** Its partition is gone; a worker still has it. */
  abandoned: 4,
} as const;
export type RecordStateCode = (typeof RecordState)[keyof typeof RecordState];

/** Legal moves. `settled` is the move to `free` out of `submitted`. */
export const RECORD_MOVES: Readonly<Record<RecordStateCode, readonly RecordStateCode[]>> = {
  [RecordState.free]: [RecordState.queued],
  [RecordState.queued]: [RecordState.submitted, RecordState.free],
  [RecordState.submitted]: [
    RecordState.free,
    RecordState.queued,
    RecordState.failed,
    RecordState.abandoned,
  ],
  [RecordState.failed]: [RecordState.free],
  [RecordState.abandoned]: [RecordState.free],
};

const STATES = 5;
const LEGAL = new Uint8Array(STATES * STATES);
for (const [from, targets] of Object.entries(RECORD_MOVES))
  for (const to of targets) LEGAL[Number(from) * STATES + to] = 1;

const INITIAL_ROWS = 1024;

/** Columns are public and read freely; `state` is written by {@link move} alone. */
export class InFlightTable {
  partition = new Int32Array(INITIAL_ROWS);
  generation = new Int32Array(INITIAL_ROWS);
  sequence = new Uint32Array(INITIAL_ROWS);
  offset = new Float64Array(INITIAL_ROWS);
  timestamp = new Float64Array(INITIAL_ROWS);
  takenAt = new Float64Array(INITIAL_ROWS);
  handle = new Int32Array(INITIAL_ROWS);
  bytes = new Int32Array(INITIAL_ROWS);
  lane = new Int32Array(INITIAL_ROWS);
  /** Next row of the same lane's queue, -1 at its end. */
  next = new Int32Array(INITIAL_ROWS);
  worker = new Int32Array(INITIAL_ROWS);
  attempt = new Int32Array(INITIAL_ROWS);
  /** Threads that died while this record ran. */
  deaths = new Uint8Array(INITIAL_ROWS);
  state = new Uint8Array(INITIAL_ROWS);

  #free = new Int32Array(INITIAL_ROWS);
  #freeCount = 0;
  #capacity = 0;

  constructor() {
    this.#addRows(INITIAL_ROWS);
  }

  /** Rows that hold a record, abandoned ones included. */
  get size(): number {
    return this.#capacity - this.#freeCount;
  }

  /** A free row, moved to `queued`. */
  allocate(): number {
    if (this.#freeCount === 0) this.#grow();
    const row = this.#free[--this.#freeCount] as number;
    this.move(row, RecordState.queued);
    return row;
  }

  /** Moves a row to `free` and gives it back. */
  release(row: number): void {
    this.move(row, RecordState.free);
    this.#free[this.#freeCount++] = row;
  }

  /** The one setter of a record's state. */
  move(row: number, to: RecordStateCode): void {
    const from = this.state[row] as number;
    if (LEGAL[from * STATES + to] !== 1)
      invariant(
        false,
        'R2',
        `row ${String(row)} cannot go from state ${String(from)} to ${String(to)}`,
      );
    this.state[row] = to;
  }

  #grow(): void {
    const capacity = this.#capacity * 2;
    const copy = <A extends Int32Array | Uint32Array | Uint8Array | Float64Array>(
      to: A,
      from: A,
    ): A => {
      to.set(from);
      return to;
    };
    this.partition = copy(new Int32Array(capacity), this.partition);
    this.generation = copy(new Int32Array(capacity), this.generation);
    this.sequence = copy(new Uint32Array(capacity), this.sequence);
    this.offset = copy(new Float64Array(capacity), this.offset);
    this.timestamp = copy(new Float64Array(capacity), this.timestamp);
    this.takenAt = copy(new Float64Array(capacity), this.takenAt);
    this.handle = copy(new Int32Array(capacity), this.handle);
    this.bytes = copy(new Int32Array(capacity), this.bytes);
    this.lane = copy(new Int32Array(capacity), this.lane);
    this.next = copy(new Int32Array(capacity), this.next);
    this.worker = copy(new Int32Array(capacity), this.worker);
    this.attempt = copy(new Int32Array(capacity), this.attempt);
    this.deaths = copy(new Uint8Array(capacity), this.deaths);
    this.state = copy(new Uint8Array(capacity), this.state);
    this.#free = copy(new Int32Array(capacity), this.#free);
    this.#addRows(capacity);
  }

  /** Low rows lie on top of the free list, so that a small working set stays in the cache. */
  #addRows(capacity: number): void {
    for (let row = capacity - 1; row >= this.#capacity; row--) this.#free[this.#freeCount++] = row;
    this.#capacity = capacity;
  }
}
