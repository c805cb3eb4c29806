/**
 * One worker: a number that survives its threads. Starts incarnation after incarnation, notices their
 * ends, buries them and waits between deaths. Main thread. Keeps S6: nothing of a dead thread's ring
 * is reported before the thread's exit was seen.
 */
import { TidemarkError } from '../contract/errors.ts';
import type { RunError } from '../contract/outcome.ts';
import type { WorkerState } from '../contract/snapshot.ts';
import type { CompletionSink, DeadRow } from '../core/ports.ts';
import type { FromWorker, HandlerLogLine, HandlerMetric } from '../ring/messages.ts';
import { toRunError } from '../ring/run-error.ts';
import type { Incarnation, LateCompletion } from './incarnation.ts';
import type { DeathReason, Thread, ThreadEnd } from './threads.ts';

const BACKOFF_FIRST_MS = 100;
const BACKOFF_MAX_MS = 5000;
/** A thread that lived so long died by chance: the next one starts at once. */
const ALIVE_MS = 10_000;
/** So many threads in a row that never became ready: the handler cannot start any more. */
const FAILED_STARTS_MAX = 5;

/** Legal moves of a worker's state; {@link PoolWorker} has the one setter. */
export const WORKER_MOVES: Readonly<Record<WorkerState, readonly WorkerState[]>> = {
  starting: ['ready', 'draining', 'exited'],
  ready: ['draining', 'terminating', 'exited'],
  draining: ['exited'],
  terminating: ['exited'],
  exited: ['starting'],
};

/** What the pool tells its owner. Called on the main thread; may be called between turns. */
export interface PoolEvents {
  /** Something may have to be done: completions, a worker that is ready or has died. At any rate. */
  wake(): void;
  workerReady(worker: number, incarnation: number): void;
  /** The thread is gone. Its rows are the owner's again, except those that still come by `drain`. */
  workerDied(
    worker: number,
    incarnation: number,
    reason: DeathReason,
    rows: readonly DeadRow[],
    error: RunError,
  ): void;
  /** Comes right before the `error` completion of that row. */
  runFailed(worker: number, row: number, error: RunError): void;
  log(worker: number, line: HandlerLogLine): void;
  metric(metric: HandlerMetric): void;
  /** The handler cannot be started any more. */
  unavailable(error: TidemarkError): void;
}

/** What a worker needs of its pool. */
export interface PoolWorkerHost {
  readonly events: PoolEvents;
  incarnation(receive: (message: FromWorker) => void): Incarnation;
  /** Runs the task on some idle thread; settles when the task or its thread ends. */
  run(worker: number, incarnation: Incarnation): Promise<unknown>;
  claimThread(threadId: number): Thread | null;
}

export class PoolWorker {
  readonly number: number;
  /** Threads this worker has had. */
  incarnation = 0;
  /** The present thread's life; null while there is none. */
  life: Incarnation | null = null;
  thread: Thread | null = null;
  #state: WorkerState = 'exited';
  readonly #host: PoolWorkerHost;
  #late: readonly LateCompletion[] = [];
  #readyAt = 0;
  #deaths = 0;
  #failedStarts = 0;
  #setupError: RunError | null = null;
  #timer: NodeJS.Timeout | null = null;
  #stopping = false;
  #lifeEnded: Promise<void> = Promise.resolve();
  #firstStart: { readonly resolve: () => void; readonly reject: (error: Error) => void } | null =
    null;
  readonly #runFailed: (row: number, error: RunError) => void;

  constructor(number: number, host: PoolWorkerHost) {
    this.number = number;
    this.#host = host;
    this.#runFailed = (row, error) => {
      host.events.runFailed(number, row, error);
    };
  }

  get state(): WorkerState {
    return this.#state;
  }

  get ready(): boolean {
    return this.#state === 'ready';
  }

  /** Starts the first thread. Rejects when its handler cannot be set up. */
  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#firstStart = { resolve, reject };
      this.#launch();
    });
  }

  drain(sink: CompletionSink): void {
    if (this.#late.length > 0) {
      const late = this.#late;
      this.#late = [];
      for (const { row, outcome, startedAt, durationMs, error } of late) {
        if (error !== null) this.#runFailed(row, error);
        sink.completion(row, outcome, startedAt, durationMs, -1);
      }
    }
    this.life?.drain(sink, this.#runFailed);
  }

  /** True when the next drain would report something. */
  hasCompletions(): boolean {
    return this.#late.length > 0 || (this.life?.ring.completions.refresh() ?? 0) > 0;
  }

  /** Lets the thread finish what it has, and leave. Resolves when it has ended, whatever way. */
  stop(): Promise<void> {
    this.#stopping = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#state === 'ready' || this.#state === 'starting') this.#move('draining');
    this.life?.leave();
    return this.#lifeEnded;
  }

  #move(to: WorkerState): void {
    if (!WORKER_MOVES[this.#state].includes(to))
      throw new Error(`worker ${String(this.number)} cannot go from ${this.#state} to ${to}`);
    this.#state = to;
  }

  #launch(): void {
    this.#move('starting');
    this.incarnation++;
    this.thread = null;
    this.#setupError = null;
    const life = this.#host.incarnation((message) => {
      this.#receive(message);
    });
    this.life = life;
    this.#lifeEnded = this.#watch(life);
  }

  async #watch(life: Incarnation): Promise<void> {
    let failure: RunError | null = null;
    let result: unknown;
    try {
      result = await this.#host.run(this.number, life);
    } catch (error) {
      failure = toRunError(error);
    }
    life.pump();
    if (result === 'left') {
      this.#end(life, null);
      return;
    }
    // A task can end before its thread does; and a thread that is alive although its task failed, or
    // whose handler was set up halfway, is not used again.
    void this.thread?.worker.terminate();
    const end = await this.thread?.ended;
    if (result === 'setup-failed') {
      this.#end(life, null);
      return;
    }
    const error = failure ?? { name: 'Exit', message: 'the thread ended', stack: '' };
    this.#end(life, end ?? { reason: 'error', error });
  }

  /** `death` is null for a thread that has left in order or whose setup failed. */
  #end(life: Incarnation, death: ThreadEnd | null): void {
    const wasReady = this.#state === 'ready';
    const error = this.#setupError ?? death?.error ?? STOPPED;
    const first = this.#firstStart;
    this.life = null;
    this.#move('exited');
    if (this.#stopping || first !== null) {
      life.close();
      first?.reject(startError(error));
      return;
    }
    const { dead, late } = life.bury();
    this.#late = [...this.#late, ...late];
    const { events } = this.#host;
    if (death !== null)
      events.workerDied(this.number, this.incarnation, death.reason, dead, death.error);
    this.#scheduleNext(wasReady, error);
    events.wake();
  }

  #scheduleNext(wasReady: boolean, error: RunError): void {
    if (wasReady && performance.now() - this.#readyAt >= ALIVE_MS) this.#deaths = 0;
    this.#failedStarts = wasReady ? 0 : this.#failedStarts + 1;
    if (this.#failedStarts >= FAILED_STARTS_MAX) {
      this.#host.events.unavailable(
        new TidemarkError(
          'TIDEMARK_WORKERS_UNAVAILABLE',
          `worker ${String(this.number)} could not be started ${String(FAILED_STARTS_MAX)} times in a row; ` +
            `the last time: ${error.name}: ${error.message}`,
          { cause: error },
        ),
      );
      return;
    }
    const waitMs = Math.min(BACKOFF_FIRST_MS * 2 ** this.#deaths, BACKOFF_MAX_MS);
    this.#deaths++;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#launch();
    }, waitMs);
  }

  #receive(message: FromWorker): void {
    const { events } = this.#host;
    switch (message.kind) {
      case 'hello':
        this.thread = this.#host.claimThread(message.threadId);
        return;
      case 'ready':
        if (this.#state !== 'starting') return;
        this.#move('ready');
        this.#readyAt = performance.now();
        this.#firstStart?.resolve();
        this.#firstStart = null;
        events.workerReady(this.number, this.incarnation);
        events.wake();
        return;
      case 'setup-failed':
        this.#setupError = message.error;
        return;
      case 'log':
        for (const line of message.lines) events.log(this.number, line);
        return;
      case 'metrics':
        for (const metric of message.metrics) events.metric(metric);
        return;
      case 'run-failed':
        return;
    }
  }
}

const STOPPED: RunError = { name: 'Error', message: 'the pool was stopped', stack: '' };

/** At the first start a handler that cannot be set up is a mistake of its author. */
function startError(error: RunError): TidemarkError {
  return new TidemarkError(
    'TIDEMARK_HANDLER_INVALID',
    `the handler could not be started: ${error.name}: ${error.message}` +
      (error.stack === '' ? '' : `\n${error.stack}`),
    { cause: error },
  );
}
