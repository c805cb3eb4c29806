/**
 * Shared counts of finished records: each worker thread has a cell of its own, the main thread of the
 * same process adds them up. Handed to threads as environment data, which every thread started later
 * inherits, so that the program under test need not know of it.
 *
 * Counts are plain stores, because a barrier per record would be part of what is measured; the reader
 * sees them a moment late, and never too high.
 */
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';

const NAME = 'bench-ledger';
/** Cells of different threads stand on cache lines of their own, and off each other's prefetch. */
const CELL_BYTES = 128;
const CELLS_MAX = 64;
const WORDS = CELL_BYTES / 4;
const FLOATS = CELL_BYTES / 8;
/** In a cell: the count as its first word, times as its second and third float; 0 for none. */
const FIRST_AT = 1;
const LAST_AT = 2;

/** Milliseconds of the clock that all threads of the machine share. */
export function sharedNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** One thread's cell. */
export class LedgerCell {
  readonly #words: Int32Array;
  readonly #floats: Float64Array;

  constructor(memory: SharedArrayBuffer) {
    const cell = Atomics.add(new Int32Array(memory), 0, 1) + 1;
    if (cell > CELLS_MAX) throw new Error(`more than ${String(CELLS_MAX)} threads`);
    this.#words = new Int32Array(memory, cell * CELL_BYTES, WORDS);
    this.#floats = new Float64Array(memory, cell * CELL_BYTES, FLOATS);
  }

  /** The cell of this thread in the ledger of this process; null where there is none. */
  static join(): LedgerCell | null {
    const memory: unknown = getEnvironmentData(NAME);
    return memory instanceof SharedArrayBuffer ? new LedgerCell(memory) : null;
  }

  started(): void {
    if (this.#floats[FIRST_AT] === 0) this.#floats[FIRST_AT] = sharedNow();
  }

  finished(): void {
    this.#words[0] = (this.#words[0] ?? 0) + 1;
  }

  /** For few and slow records: keeps the time too. */
  finishedAt(now: number): void {
    this.#floats[LAST_AT] = now;
    this.finished();
  }
}

/** The whole, as the main thread reads it. */
export class Ledger {
  readonly #memory = new SharedArrayBuffer((CELLS_MAX + 1) * CELL_BYTES);
  readonly #words = new Int32Array(this.#memory);
  readonly #floats = new Float64Array(this.#memory);

  get memory(): SharedArrayBuffer {
    return this.#memory;
  }

  /** Every thread started from now on finds it. */
  publish(): void {
    setEnvironmentData(NAME, this.#memory);
  }

  finished(): number {
    let sum = 0;
    for (let cell = 1; cell <= Atomics.load(this.#words, 0); cell++)
      sum += this.#words[cell * WORDS] ?? 0;
    return sum;
  }

  /** When the first record was handed over; null before. */
  firstAt(): number | null {
    const times = this.#times(FIRST_AT);
    return times.length === 0 ? null : Math.min(...times);
  }

  /** When the last of those that keep times was finished; null before. */
  lastAt(): number | null {
    const times = this.#times(LAST_AT);
    return times.length === 0 ? null : Math.max(...times);
  }

  #times(at: number): number[] {
    const times: number[] = [];
    for (let cell = 1; cell <= Atomics.load(this.#words, 0); cell++) {
      const time = this.#floats[cell * FLOATS + at] ?? 0;
      if (time > 0) times.push(time);
    }
    return times;
  }
}
