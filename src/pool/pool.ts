/**
 * The pool: worker threads by Piscina, one endless task each, fed through shared-memory rings instead
 * of one message per record. Main thread; implements the core's {@link WorkersPort}. Piscina makes,
 * replaces and ends the threads; which records are where is known here alone.
 *
 * Piscina 5: `atomics: 'disabled'` because its own wait would block the event loop between tasks;
 * `idleTimeout: Infinity` because a thread without a task is one that waits for its next incarnation.
 */
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { Settings } from '../contract/settings.ts';
import type { WorkerSnapshot } from '../contract/snapshot.ts';
import type { CompletionSink, Submission, WorkersPort } from '../core/ports.ts';
import { Doorbell } from '../ring/doorbell.ts';
import type { PartitionName, WorkerTask } from '../ring/messages.ts';
import { Incarnation } from './incarnation.ts';
import type { PayloadMemory } from './memory.ts';
import { PoolWorker } from './pool-worker.ts';
import type { PoolEvents } from './pool-worker.ts';
import { WorkerReadings } from './readings.ts';
import { Staging } from './staging.ts';
import { Threads } from './threads.ts';

export { probeHandler } from './probe.ts';
export type { PayloadMemory } from './memory.ts';
export type { PoolEvents } from './pool-worker.ts';
export type { DeathReason } from './threads.ts';

/** Named by URL only: nothing in `src` imports from `workers`. */
export const WORKER_ENTRY = fileURLToPath(new URL('../../workers/main.js', import.meta.url));

/** How long the threads may take to be gone after they were told to end at once. */
const DESTROY_MS = 1000;

export type PoolSettings = Pick<Settings, 'workers' | 'handler'>;

export class Pool implements WorkersPort {
  readonly workers: number;
  readonly #settings: PoolSettings;
  readonly #memory: PayloadMemory;
  readonly #piscina: Piscina<WorkerTask, unknown>;
  readonly #threads = new Threads();
  readonly #staging: Staging;
  readonly #mainBellMemory = new SharedArrayBuffer(4);
  readonly #mainBell = new Doorbell(new Int32Array(this.#mainBellMemory), 0);
  readonly #partitions = new Map<number, PartitionName>();
  readonly #pool: readonly PoolWorker[];
  readonly #readings = new WorkerReadings(this.#partitions);
  readonly #wake: () => void;

  /** Makes the threads; {@link start} gives them their work. */
  constructor(settings: PoolSettings, memory: PayloadMemory, events: PoolEvents) {
    const { threads, slots, maxHeapMb } = settings.workers;
    this.workers = threads;
    this.#settings = settings;
    this.#memory = memory;
    this.#staging = new Staging(threads * slots);
    this.#wake = () => {
      events.wake();
    };
    this.#piscina = new Piscina<WorkerTask, unknown>({
      filename: WORKER_ENTRY,
      minThreads: threads,
      maxThreads: threads,
      concurrentTasksPerWorker: 1,
      idleTimeout: Infinity,
      atomics: 'disabled',
      recordTiming: false,
      ...(maxHeapMb === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } }),
    });
    // An error of a thread that has no task is seen through the thread itself.
    this.#piscina.on('error', () => undefined);
    this.#piscina.on('workerCreate', () => {
      this.#threads.watch(this.#piscina.threads);
    });
    this.#pool = Array.from(
      { length: threads },
      (_, number) =>
        new PoolWorker(number, {
          events,
          incarnation: (receive) =>
            new Incarnation(settings.workers, memory, this.#staging, receive),
          run: (worker, life) => this.#run(worker, life),
          claimThread: (threadId) => this.#threads.claim(threadId),
        }),
    );
  }

  /** Resolves when every worker is ready. Rejects with TIDEMARK_HANDLER_INVALID when one cannot be. */
  async start(): Promise<void> {
    await Promise.all(this.#pool.map((worker) => worker.start()));
  }

  /** Makes a partition's number known to all workers, now and to come; before its first record. */
  announce(index: number, topic: string, partition: number): void {
    const name = { index, topic, partition };
    this.#partitions.set(index, name);
    for (const worker of this.#pool) worker.life?.announce(name);
  }

  drain(sink: CompletionSink): void {
    this.#mainBell.getUp();
    for (const worker of this.#pool) worker.drain(sink);
  }

  freeSlots(worker: number): number {
    const found = this.#at(worker);
    return found.ready && found.life !== null ? found.life.ring.freeSlots : 0;
  }

  submit(worker: number, submission: Submission): void {
    this.#living(worker).submit(submission);
  }

  flush(): void {
    if (this.#staging.count === 0) return;
    this.#staging.fill(this.#memory);
    for (const { life } of this.#pool)
      if (life !== null && life.ring.staged > 0) life.ring.publish();
  }

  recall(worker: number, max: number, rows: Int32Array, handles: Int32Array): number {
    return this.#at(worker).life?.recall(max, rows, handles) ?? 0;
  }

  /** See {@link WorkersPort.abort}. The `returned` completions name no bytes: nobody runs them again. */
  abort(partition: number, generation: number): void {
    for (const { life } of this.#pool) life?.abort(partition, generation);
  }

  /** Main has nothing to do: from now on a completion calls `wake`, at once if there is one already. */
  sleep(): void {
    this.#mainBell.lieDown();
    if (this.hasCompletions()) this.#wake();
    else this.#mainBell.listen(this.#wake);
  }

  /** True when the next drain would report something. */
  hasCompletions(): boolean {
    return this.#pool.some((worker) => worker.hasCompletions());
  }

  /** On demand, for observers. */
  snapshot(): WorkerSnapshot[] {
    return this.#pool.map((worker) => this.#readings.read(worker));
  }

  /**
   * Threads finish what they were given, run `teardown` and end; after `deadlineMs` they are ended.
   * True when all left in time. The records' memory must still be there.
   */
  async stop(deadlineMs: number): Promise<boolean> {
    const left = Promise.all(this.#pool.map((worker) => worker.stop()));
    const inTime = await within(left, deadlineMs);
    const destroyed = this.#piscina.destroy();
    await within(Promise.all([left, destroyed]), DESTROY_MS);
    return inTime;
  }

  #at(worker: number): PoolWorker {
    const found = this.#pool[worker];
    if (found === undefined) throw new RangeError(`there is no worker ${String(worker)}`);
    return found;
  }

  #living(worker: number): Incarnation {
    const { life } = this.#at(worker);
    if (life === null) throw new RangeError(`worker ${String(worker)} has no thread`);
    return life;
  }

  #run(worker: number, life: Incarnation): Promise<unknown> {
    const { handler, workers } = this.#settings;
    const task: WorkerTask = {
      kind: 'work',
      worker,
      memory: life.ring.memory.buffer,
      mainBell: this.#mainBellMemory,
      port: life.workerPort,
      module: handler.module,
      options: handler.options,
      concurrency: workers.concurrency,
      clockZero: hrtimeMs() - performance.now(),
      partitions: [...this.#partitions.values()],
    };
    return this.#piscina.run(task, { transferList: [life.workerPort] });
  }
}

/** The clock that all threads of the process share, in milliseconds. */
function hrtimeMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

/** True when the promise settles within `ms`; a rejection counts as settled. */
async function within(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => {
      resolve(false);
    }, ms);
  });
  const settled = promise.then(
    () => true,
    () => true,
  );
  const result = await Promise.race([settled, late]);
  clearTimeout(timer);
  return result;
}
