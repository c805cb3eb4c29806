/**
 * How much each worker may hold: its concurrency plus what it finishes in a few milliseconds, by the
 * rate it has shown. So fast handlers get deep pipelines and little ever waits behind a slow record.
 * Pure; owned by the main thread's turn.
 */
import type { WorkersPort } from './ports.ts';

const AHEAD_MS = 5;
const AHEAD_RECORDS = 16;
/** Rates are read over at least so long, because completions come in batches. */
const RATE_MS = 1;

export class WorkerLoad {
  readonly #workers: WorkersPort;
  readonly #concurrency: number;
  /** Records at each worker, abandoned ones included. */
  readonly outstanding: Int32Array;
  /** Records each worker may take now; set by {@link refresh}, counted down by {@link submitted}. */
  readonly room: Int32Array;
  /** When the worker last finished something, or first got something after being empty. */
  readonly progressAt: Float64Array;
  /**
   * 1 after records were taken back from a worker that had not started them, until it finishes one:
   * it gets nothing meanwhile, else they would go back and forth.
   */
  readonly #blocked: Uint8Array;
  readonly #finished: Int32Array;
  readonly #perMs: Float64Array;
  readonly #ratedAt: Float64Array;
  #rotate = 0;
  /** Sum of `room` over all workers. */
  total = 0;
  /** Records the workers hold when all are as full as they may be. */
  depth = 0;

  constructor(workers: WorkersPort, concurrency: number) {
    this.#workers = workers;
    this.#concurrency = concurrency;
    const count = workers.workers;
    this.outstanding = new Int32Array(count);
    this.room = new Int32Array(count);
    this.progressAt = new Float64Array(count);
    this.#blocked = new Uint8Array(count);
    this.#finished = new Int32Array(count);
    this.#perMs = new Float64Array(count);
    this.#ratedAt = new Float64Array(count);
  }

  /** Counts room anew, at the start of a scheduling run. */
  refresh(now: number): void {
    this.total = 0;
    this.depth = 0;
    for (let worker = 0; worker < this.room.length; worker++) {
      const elapsed = now - (this.#ratedAt[worker] as number);
      if (elapsed >= RATE_MS) {
        const shown = (this.#finished[worker] as number) / elapsed;
        const before = this.#perMs[worker] as number;
        this.#perMs[worker] = shown > before ? shown : (before + shown) / 2;
        this.#finished[worker] = 0;
        this.#ratedAt[worker] = now;
      }
      const ahead = Math.max(AHEAD_RECORDS, (this.#perMs[worker] as number) * AHEAD_MS) | 0;
      const depth = this.#concurrency + ahead;
      const free = this.#workers.freeSlots(worker);
      const wanted = this.#blocked[worker] === 1 ? 0 : depth - (this.outstanding[worker] as number);
      const room = Math.max(0, Math.min(free, wanted));
      this.room[worker] = room;
      this.total += room;
      this.depth += Math.min(depth, free + (this.outstanding[worker] as number));
    }
  }

  /** The worker with most room; equals take turns. -1 when none has any. */
  pick(): number {
    let best = -1;
    let most = 0;
    const count = this.room.length;
    for (let step = 0; step < count; step++) {
      const worker = (this.#rotate + step) % count;
      const room = this.room[worker] as number;
      if (room > most) {
        most = room;
        best = worker;
      }
    }
    this.#rotate = (this.#rotate + 1) % count;
    return best;
  }

  submitted(worker: number, now: number): void {
    if (this.outstanding[worker] === 0) this.progressAt[worker] = now;
    this.outstanding[worker] = (this.outstanding[worker] as number) + 1;
    this.room[worker] = (this.room[worker] as number) - 1;
    this.total--;
  }

  finished(worker: number, now: number): void {
    this.outstanding[worker] = (this.outstanding[worker] as number) - 1;
    this.#finished[worker] = (this.#finished[worker] as number) + 1;
    this.progressAt[worker] = now;
    this.#blocked[worker] = 0;
  }

  /** A record left the worker without running to its end there. */
  left(worker: number): void {
    this.outstanding[worker] = (this.outstanding[worker] as number) - 1;
    if (this.outstanding[worker] === 0) this.#blocked[worker] = 0;
  }

  /** Records were taken back from it. */
  block(worker: number): void {
    this.#blocked[worker] = 1;
  }
}
