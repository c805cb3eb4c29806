/**
 * The core's doors with nothing behind them: a source that never runs dry, workers that finish the
 * oldest record as soon as they hold more than they are told to hold, a group that accepts each commit.
 */
import { Outcome } from '../../src/contract/outcome.ts';
import { ROW_STRIDE, Row } from '../../src/core/ports.ts';
import type {
  CommitEntry,
  CompletionSink,
  EventsPort,
  GroupPort,
  SourcePort,
  Submission,
  WorkersPort,
} from '../../src/core/ports.ts';

const VALUE_BYTES = 200;

export class EndlessSource implements SourcePort {
  readonly #keys: number;
  readonly #next: Float64Array;

  constructor(partitions: number, keys: number) {
    this.#keys = keys;
    this.#next = new Float64Array(partitions);
  }

  take(partition: number, max: number, rows: Float64Array): number {
    const first = this.#next[partition] ?? 0;
    for (let row = 0; row < max; row++) {
      const at = row * ROW_STRIDE;
      const key = Math.imul(first + row + 1, 0x9e3779b1) >>> 0;
      rows[at + Row.handle] = row;
      rows[at + Row.offset] = first + row;
      rows[at + Row.timestamp] = 0;
      rows[at + Row.keyHashLow] = Math.imul((key % this.#keys) + 1, 0x85ebca6b);
      rows[at + Row.keyHashHigh] = key % this.#keys;
      rows[at + Row.keyBytes] = 8;
      rows[at + Row.payloadBytes] = VALUE_BYTES;
      rows[at + Row.error] = 0;
    }
    this.#next[partition] = first + max;
    return max;
  }

  free(): void {
    return;
  }

  park(): void {
    return;
  }
}

export class HoldingWorkers implements WorkersPort {
  readonly workers: number;
  finished = 0;
  readonly #hold: number;
  readonly #slots: number;
  /** Rings of rows, one per worker. */
  readonly #rows: Int32Array[];
  readonly #heads: number[];
  readonly #tails: number[];

  /** Each holds `hold` records at a time; `slots` is a power of two above it. */
  constructor(workers: number, slots: number, hold: number) {
    this.workers = workers;
    this.#hold = hold;
    this.#slots = slots;
    this.#rows = Array.from({ length: workers }, () => new Int32Array(slots));
    this.#heads = new Array<number>(workers).fill(0);
    this.#tails = new Array<number>(workers).fill(0);
  }

  drain(sink: CompletionSink): void {
    for (let worker = 0; worker < this.workers; worker++) {
      const rows = this.#rows[worker] ?? new Int32Array(0);
      const until = (this.#tails[worker] ?? 0) - this.#hold;
      let head = this.#heads[worker] ?? 0;
      for (; head < until; head++) {
        this.finished++;
        sink.completion(rows[head & (this.#slots - 1)] ?? 0, Outcome.ok, 0, 0, -1);
      }
      this.#heads[worker] = head;
    }
  }

  freeSlots(worker: number): number {
    return this.#slots - this.outstanding(worker);
  }

  outstanding(worker: number): number {
    return (this.#tails[worker] ?? 0) - (this.#heads[worker] ?? 0);
  }

  submit(worker: number, { row }: Submission): void {
    const tail = this.#tails[worker] ?? 0;
    const rows = this.#rows[worker];
    if (rows !== undefined) rows[tail & (this.#slots - 1)] = row;
    this.#tails[worker] = tail + 1;
  }

  flush(): void {
    return;
  }

  recall(): number {
    return 0;
  }

  abort(): void {
    return;
  }
}

export class AcceptingGroup implements GroupPort {
  accepted: number | null = null;

  commit(id: number, _entries: readonly CommitEntry[]): void {
    this.accepted = id;
  }

  release(): void {
    return;
  }
}

export const noEvents: EventsPort = {
  emit: () => undefined,
};
