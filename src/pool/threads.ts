/**
 * Watches the threads that Piscina makes. Main thread. Piscina settles a task on the first sign of
 * trouble, and with `undefined` when that was thrown; only `exit` proves that a thread is gone (S6).
 */
import type { Worker } from 'node:worker_threads';
import type { RunError } from '../contract/outcome.ts';
import { toRunError } from '../ring/run-error.ts';

export type DeathReason = 'exit' | 'error' | 'out_of_memory';

export interface ThreadEnd {
  readonly reason: DeathReason;
  readonly error: RunError;
}

export interface Thread {
  readonly worker: Worker;
  readonly ended: Promise<ThreadEnd>;
}

export class Threads {
  readonly #seen = new WeakSet<Worker>();
  readonly #unclaimed = new Map<number, Thread>();

  /** Begins to watch those that are new. */
  watch(workers: readonly Worker[]): void {
    for (const worker of workers) {
      if (this.#seen.has(worker)) continue;
      this.#seen.add(worker);
      this.#unclaimed.set(worker.threadId, { worker, ended: endOf(worker) });
    }
  }

  /** The thread of that number, dead or alive, for the one who runs a task on it. */
  claim(threadId: number): Thread | null {
    const thread = this.#unclaimed.get(threadId) ?? null;
    this.#unclaimed.delete(threadId);
    return thread;
  }
}

function endOf(worker: Worker): Promise<ThreadEnd> {
  return new Promise((resolve) => {
    let failure: ThreadEnd | null = null;
    worker.once('error', (thrown: unknown) => {
      const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
      const reason = code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'out_of_memory' : 'error';
      failure = { reason, error: toRunError(thrown) };
    });
    worker.once('exit', (code) => {
      const message = `the handler ended its thread with exit code ${String(code)}`;
      resolve(failure ?? { reason: 'exit', error: { name: 'Exit', message, stack: message } });
    });
  });
}
