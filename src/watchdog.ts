/**
 * The watchdog: a thread that ends the process with SIGKILL once the main event loop has not turned,
 * or a stop has not ended, for the given time. The last resort behind every deadline that needs a
 * turning loop. Main thread.
 */
import { Worker } from 'node:worker_threads';

const BEAT_MS = 250;

export class Watchdog {
  readonly #words = new Int32Array(new SharedArrayBuffer(12));
  readonly #thread: Worker;
  readonly #timer: NodeJS.Timeout;

  /** `limitMs`: how long the loop may stand still. */
  constructor(limitMs: number) {
    this.#thread = new Worker(new URL('../workers/watchdog.js', import.meta.url), {
      workerData: { words: this.#words, limitMs },
      resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
    });
    this.#thread.unref();
    this.#timer = setInterval(() => {
      Atomics.add(this.#words, 0, 1);
    }, BEAT_MS);
    this.#timer.unref();
  }

  /** A stop has begun: the process must be gone within `ms`, whether or not the loop turns. */
  killAfter(ms: number): void {
    Atomics.store(this.#words, 2, ms);
  }

  /** Ends the thread: everything was closed in time. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    Atomics.store(this.#words, 1, 1);
    Atomics.notify(this.#words, 1);
    await this.#thread.terminate();
  }
}
