/**
 * Tells people what happens: turns events of core, consumer and pool into log lines, and keeps what
 * `/status` shows of them (last errors, worker restarts). Main thread; decides nothing.
 */
import type { TopicPartition } from './broker/partitions.ts';
import type { RunError } from './contract/outcome.ts';
import type { Settings } from './contract/settings.ts';
import type { RuntimeSnapshot } from './contract/snapshot.ts';
import type { CoreEvent, EventsPort } from './core/ports.ts';
import type { Log } from './observe/log.ts';
import { toRunError } from './ring/run-error.ts';
import type { HandlerLogLine, HandlerMetric } from './ring/messages.ts';

export interface RuntimeObserver {
  readonly log: Log;
  /** What a handler counted or observed. */
  handlerMetric(metric: HandlerMetric): void;
}

type RecentError = RuntimeSnapshot['lastErrors'][number];
type Restarts = RuntimeSnapshot['workerRestarts'];

const ERRORS_KEPT = 20;

export class Narrator implements EventsPort {
  readonly #observer: RuntimeObserver;
  readonly #log: Log;
  readonly #nameOf: (index: number) => TopicPartition;
  /** The error of the run whose completion comes next. */
  #runError: RunError | null = null;
  /** Newest first. */
  recentErrors: readonly RecentError[] = [];
  workerRestarts: Restarts = { exit: 0, error: 0, out_of_memory: 0, stuck: 0, recycled: 0 };

  constructor(observer: RuntimeObserver, nameOf: (index: number) => TopicPartition) {
    this.#observer = observer;
    this.#log = observer.log;
    this.#nameOf = nameOf;
  }

  emit(event: CoreEvent): void {
    switch (event.kind) {
      case 'assigned':
      case 'revoked':
      case 'lost':
        this.#log.event(event.kind, { partitions: this.#names(event.partitions) });
        return;
      case 'drained': {
        const { cause, durationMs, leftOver } = event;
        this.#log.event('drained', { cause, durationMs: Math.round(durationMs), leftOver });
        return;
      }
      case 'record-failed':
      case 'record-crashed':
        this.#recordFailed(event);
        return;
      case 'partition-error':
        this.#log.throttled('partition_error', {
          ...this.#nameOf(event.partition),
          code: event.error,
        });
        return;
      case 'commit-failed':
        this.#log.throttled('commit_failed', { code: event.error, partitions: event.partitions });
        return;
    }
  }

  /** Comes right before the completion that makes the core emit `record-failed`. */
  runFailed(error: RunError): void {
    this.#runError = error;
  }

  started({ kafka, ordering, workers }: Settings): void {
    this.#log.event('started', {
      brokers: kafka.brokers,
      groupId: kafka.groupId,
      topics: kafka.topics,
      ordering,
      threads: workers.threads,
      concurrency: workers.concurrency,
    });
  }

  stopping(cause: string): void {
    this.#log.event('stopping', { cause });
  }

  hurried(cause: string): void {
    this.#log.event('stop_hurried', { cause });
  }

  forced(): void {
    this.#log.event('stop_forced', {});
  }

  stopped(exitCode: number): void {
    this.#log.event('stopped', { exitCode });
  }

  failed(thrown: unknown): void {
    const error = toRunError(thrown);
    this.#remember(error);
    this.#log.event('failed', { error });
  }

  clientError(message: string, code: number): void {
    this.#log.throttled('kafka_error', { code, message });
  }

  clientLog(severity: number, facility: string, message: string): void {
    this.#log.throttled('kafka_log', { severity, facility, message });
  }

  workerReady(worker: number, incarnation: number): void {
    this.#log.event('worker_ready', { worker, incarnation });
  }

  workerDied(worker: number, incarnation: number, reason: keyof Restarts, error: RunError): void {
    this.workerRestarts = {
      ...this.workerRestarts,
      [reason]: this.workerRestarts[reason] + 1,
    };
    this.#runError = error;
    this.#remember(error);
    this.#log.event('worker_died', { worker, incarnation, reason, error });
  }

  handlerLog(worker: number, { level, message, fields, record }: HandlerLogLine): void {
    this.#log.handler(level, message, { ...fields, worker, ...record });
  }

  handlerMetric(metric: HandlerMetric): void {
    this.#observer.handlerMetric(metric);
  }

  #recordFailed(event: Extract<CoreEvent, { kind: 'record-failed' | 'record-crashed' }>): void {
    const { kind, partition, offset, attempt, worker } = event;
    const error = this.#runError ?? { name: 'Error', message: 'unknown', stack: '' };
    this.#runError = null;
    const at = { ...this.#nameOf(partition), offset };
    this.#remember({ ...error, ...at });
    this.#log.event(kind === 'record-failed' ? 'record_failed' : 'record_crashed', {
      ...at,
      attempt,
      worker,
      error,
    });
  }

  #names(indexes: readonly number[]): string[] {
    return indexes.map((index) => {
      const { topic, partition } = this.#nameOf(index);
      return `${topic}/${String(partition)}`;
    });
  }

  #remember(error: Omit<RecentError, 'at'>): void {
    this.recentErrors = [
      { ...error, at: Date.now() },
      ...this.recentErrors.slice(0, ERRORS_KEPT - 1),
    ];
  }
}
