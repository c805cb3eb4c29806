/** The handler module's side of the contract: what a user exports and what it is given. */
import type { KafkaRecord } from './record.ts';

/** Writes lines to the process's log, bound to the record's topic, partition and offset. */
export interface HandlerLog {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

/** The handler's own metrics, exported under `tidemark_handler_`. */
export interface HandlerMetrics {
  /** Adds `by` (default 1, never negative) to a counter. */
  count(name: string, by?: number, labels?: Record<string, string>): void;
  /** Puts `value` into a histogram. */
  observe(name: string, value: number, labels?: Record<string, string>): void;
}

/** For conditional writes downstream: a later generation of the partition outranks this one. */
export interface Fence {
  readonly topic: string;
  readonly partition: number;
  readonly generation: number;
  readonly offset: number;
}

/** Given to `setup`. */
export interface SetupContext {
  /** The worker's number, from 0. */
  readonly worker: number;
  /** `handler.options` of the configuration. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly log: HandlerLog;
  readonly metrics: HandlerMetrics;
}

/** Given to `handle` with each record. */
export interface HandlerContext extends SetupContext {
  /** 1 for the first run. */
  readonly attempt: number;
  /** Aborted when the result cannot count any more: loss, a drain that ran out of time. */
  readonly signal: AbortSignal;
  readonly fence: Fence;
}

export type HandleFunction = (record: KafkaRecord, context: HandlerContext) => unknown;

/** A handler module's default export, or the short form: the `handle` function alone. */
export interface Handler {
  /** Once per thread, before the first record. A throw is exit 78 at start. */
  setup?(context: SetupContext): unknown;
  /** One record. Returning (or a promise that resolves) is success, throwing is failure. */
  handle: HandleFunction;
  /** Once per thread, at drain. */
  teardown?(): unknown;
}

/** Gives a handler its types; returns it unchanged. */
export function defineHandler(handler: Handler): Handler;
export function defineHandler(handle: HandleFunction): HandleFunction;
export function defineHandler(handler: Handler | HandleFunction): Handler | HandleFunction {
  return handler;
}
