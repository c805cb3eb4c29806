/**
 * What goes beside the rings: the task that starts a worker, and the messages of its side channel.
 * Types only, loaded on both sides. Nothing here is sent per record, except a failed run's error.
 */
import type { RunError } from '../contract/outcome.ts';
import type { MessagePort } from 'node:worker_threads';

/** The one, endless task of a thread. */
export interface WorkerTask {
  readonly kind: 'work';
  readonly worker: number;
  readonly memory: SharedArrayBuffer;
  /** One word: 1 while main sleeps. Shared by all workers. */
  readonly mainBell: SharedArrayBuffer;
  readonly port: MessagePort;
  readonly module: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly concurrency: number;
  /** What `process.hrtime` showed when main's `performance.now()` was 0, in milliseconds. */
  readonly clockZero: number;
  /** Partitions announced before this thread was there. */
  readonly partitions: readonly PartitionName[];
}

export interface PartitionName {
  readonly index: number;
  readonly topic: string;
  readonly partition: number;
}

/** Main to worker. */
export type ToWorker =
  | ({ readonly kind: 'partition' } & PartitionName)
  /** An overflow buffer's number is never used again for another one. */
  | { readonly kind: 'buffer'; readonly id: number; readonly memory: SharedArrayBuffer }
  | { readonly kind: 'buffer-gone'; readonly id: number }
  | { readonly kind: 'abort'; readonly partition: number; readonly generation: number };

/** A line that a handler logged. */
export interface HandlerLogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Absent in `setup` and `teardown`. */
  readonly record?: {
    readonly topic: string;
    readonly partition: number;
    readonly offset: number;
  };
}

/** What a handler counted or observed under one name and set of labels since the last message. */
export interface HandlerMetric {
  readonly kind: 'count' | 'observe';
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** One sum for a counter; each value for a histogram. */
  readonly values: readonly number[];
}

/** Worker to main. */
export type FromWorker =
  /** The thread has begun the task; nothing of the handler has run. */
  | { readonly kind: 'hello'; readonly threadId: number }
  | { readonly kind: 'ready' }
  | { readonly kind: 'setup-failed'; readonly error: RunError }
  /** Posted before the completion with outcome `error` is published. */
  | { readonly kind: 'run-failed'; readonly slot: number; readonly error: RunError }
  | { readonly kind: 'log'; readonly lines: readonly HandlerLogLine[] }
  | { readonly kind: 'metrics'; readonly metrics: readonly HandlerMetric[] };

/** What a probe thread found. */
export type ProbeResult =
  | { readonly kind: 'ok' }
  | { readonly kind: 'invalid'; readonly message: string; readonly cause: RunError | null };
