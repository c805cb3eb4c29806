/**
 * What a handler is given beside the record. Worker thread. One object per run; what is rarely used is
 * made when it is asked for.
 */
import type { Fence, HandlerContext, HandlerLog, HandlerMetrics } from '../src/contract/handler.ts';
import type { Outbox } from './outbox.ts';
import { endRecord } from './record.ts';
import type { WorkerRecord } from './record.ts';

/** The same for all runs of a thread. */
export interface ThreadContext {
  readonly worker: number;
  readonly options: Readonly<Record<string, unknown>>;
  readonly outbox: Outbox;
}

// What the loop may do with a run and a handler may not.
/** The record that goes with the context. */
export let recordOf: (context: RunContext) => WorkerRecord;
/** The run has ended; see {@link endRecord}. */
export let endRun: (context: RunContext) => void;
/** Aborts the signal, also for a handler that asks for it later. */
export let abortRun: (context: RunContext, reason: Error) => void;

export class RunContext implements HandlerContext {
  readonly attempt: number;
  readonly #thread: ThreadContext;
  readonly #record: WorkerRecord;
  readonly #generation: number;
  #abort: AbortController | null = null;
  #log: HandlerLog | null = null;

  static {
    recordOf = (context) => context.#record;
    endRun = (context) => {
      endRecord(context.#record);
    };
    abortRun = (context, reason) => {
      (context.#abort ??= new AbortController()).abort(reason);
    };
  }

  constructor(thread: ThreadContext, record: WorkerRecord, attempt: number, generation: number) {
    this.attempt = attempt;
    this.#thread = thread;
    this.#record = record;
    this.#generation = generation;
  }

  get worker(): number {
    return this.#thread.worker;
  }

  get options(): Readonly<Record<string, unknown>> {
    return this.#thread.options;
  }

  get metrics(): HandlerMetrics {
    return this.#thread.outbox.metrics;
  }

  get log(): HandlerLog {
    const { topic, partition, offset } = this.#record;
    return (this.#log ??= this.#thread.outbox.logFor({ topic, partition, offset }));
  }

  get signal(): AbortSignal {
    return (this.#abort ??= new AbortController()).signal;
  }

  get fence(): Fence {
    const { topic, partition, offset } = this.#record;
    return { topic, partition, generation: this.#generation, offset };
  }
}
