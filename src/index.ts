/**
 * What handler and configuration modules import from `tidemark`. Loaded on worker threads and by
 * configuration modules alike, so it brings no package with it.
 */
export { defineConfig } from './config/define-config.ts';
export type { Configuration } from './config/schema.ts';
export { SkipError, StopError } from './contract/errors.ts';
export type { HandlerErrorMark } from './contract/errors.ts';
export { defineHandler } from './contract/handler.ts';
export type {
  Fence,
  HandleFunction,
  Handler,
  HandlerContext,
  HandlerLog,
  HandlerMetrics,
  SetupContext,
} from './contract/handler.ts';
export type { KafkaRecord, RecordHeader, RecordOrigin } from './contract/record.ts';
