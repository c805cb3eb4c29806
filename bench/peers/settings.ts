/**
 * Settings of tidemark for a job: as a configuration file's content for tidemark itself, and as the
 * settings from which the librdkafka contenders derive the same fetch properties.
 */
import type { Settings } from '../../src/contract/settings.ts';
import type { BenchHandlerOptions } from '../handlers/bench-handler.ts';
import type { Job } from './job.ts';

/** Properties all contenders on librdkafka have in common, so that the joins of fresh groups do too. */
const PROPERTIES = { 'session.timeout.ms': 10_000, 'heartbeat.interval.ms': 1000 };

export interface TidemarkJob extends Job {
  readonly ordering: Settings['ordering'];
  readonly coldOnly: boolean;
  readonly startFrom: 'earliest' | 'latest';
  /** Null for no HTTP. */
  readonly httpPort: number | null;
  readonly logLevel: 'info' | 'warn';
}

/** A configuration file, only keys that differ from the defaults. */
export function tidemarkConfig(job: TidemarkJob, handlerModule: string): Record<string, unknown> {
  const { brokers, groupId, topic, settings, work, coldOnly, startFrom, httpPort, logLevel } = job;
  return {
    kafka: { brokers, groupId, topics: [topic], startFrom, properties: PROPERTIES },
    handler: { module: handlerModule, options: { work, coldOnly } satisfies BenchHandlerOptions },
    workers: { threads: settings.threads, concurrency: settings.concurrency },
    ordering: job.ordering,
    http: httpPort === null ? { enabled: false } : { port: httpPort },
    log: { level: logLevel },
  };
}

/** What `consumerProperties` reads of the settings, at tidemark's defaults; the rest plays no part. */
export function settingsFor(job: Job): Settings {
  return {
    kafka: {
      brokers: job.brokers.split(','),
      groupId: job.groupId,
      topics: [job.topic],
      properties: PROPERTIES,
      connectTimeoutMs: 30_000,
      startFrom: 'earliest',
    },
    handler: { module: '', options: {} },
    workers: { threads: 1, concurrency: 1, slots: 1024, slotBytes: 512 },
    ordering: 'key',
    window: {
      records: 10_000,
      bytes: 64 * 1024 * 1024,
      span: 100_000,
      totalBytes: 512 * 1024 * 1024,
    },
    commit: { intervalMs: 1000 },
    rebalance: { drainTimeoutMs: 10_000 },
    shutdown: { drainTimeoutMs: 25_000, forceTimeoutMs: 30_000 },
    http: { enabled: false, host: '127.0.0.1', port: 0 },
    log: { level: 'warn', format: 'json' },
  };
}
