/**
 * The program's state as observers read it: metrics, `/status`, `/healthz`, `/readyz`. Built on
 * demand by runtime.ts; plain data, safe to keep.
 */
import type { RunError } from './outcome.ts';

export type RuntimeState = 'starting' | 'running' | 'draining' | 'stopped' | 'failed';
export type WorkerState = 'starting' | 'ready' | 'draining' | 'terminating' | 'exited';
/** Why nothing is taken from a partition. */
export type HeldBackReason =
  'window' | 'total' | 'retry' | 'budget' | 'dead_letter' | 'admin' | 'draining';

export interface PartitionSnapshot {
  readonly topic: string;
  readonly partition: number;
  readonly generation: number;
  readonly state: 'active' | 'revoking';
  /** The number to commit; null before the first record or end of partition was seen. */
  readonly watermark: number | null;
  /** Last acknowledged commit of this group; null where there is none. */
  readonly committed: number | null;
  /** End of the log as the client knows it; null before it is known. */
  readonly logEnd: number | null;
  readonly lag: number | null;
  readonly inFlight: number;
  readonly inFlightBytes: number;
  /** Records that would run again if the process died now: finished or running above `committed`. */
  readonly replayIfCrashed: number;
  readonly heldBack: readonly HeldBackReason[];
  readonly oldest: {
    readonly offset: number;
    readonly ageSeconds: number;
    readonly attempt: number;
    /** Null while it waits for a worker. */
    readonly worker: number | null;
  } | null;
}

export interface WorkerSnapshot {
  readonly worker: number;
  readonly incarnation: number;
  readonly state: WorkerState;
  /** Records running or waiting in its slots. */
  readonly slotsUsed: number;
  readonly slots: number;
  readonly running: readonly {
    readonly topic: string;
    readonly partition: number;
    readonly offset: number;
    readonly attempt: number;
  }[];
  /** Share of time its event loop was busy since the last reading, 0 to 1. */
  readonly eventLoopUtilization: number;
}

/** Cumulative counts since start, by topic where a record is meant. */
export interface TopicCounts {
  readonly topic: string;
  readonly consumed: number;
  readonly settled: Readonly<
    Record<'ok' | 'skipped' | 'dead_lettered' | 'retry_topic' | 'abandoned', number>
  >;
  readonly runs: Readonly<Record<'ok' | 'error' | 'timeout' | 'crash' | 'returned', number>>;
  readonly handlerDuration: HistogramSnapshot;
  readonly queueDuration: HistogramSnapshot;
  readonly recordLatency: HistogramSnapshot;
}

/** `buckets[i]` counts the values not above `HISTOGRAM_BOUNDS[i]`, not cumulative; the last entry is +Inf. */
export interface HistogramSnapshot {
  readonly buckets: readonly number[];
  readonly sum: number;
  readonly count: number;
}

/** Upper bounds in seconds of all duration histograms: 10 µs to 300 s. */
export const HISTOGRAM_BOUNDS: readonly number[] = [
  0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
  0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300,
];

export interface RuntimeSnapshot {
  readonly state: RuntimeState;
  readonly version: string;
  readonly startedAt: number;
  readonly ordering: 'key' | 'partition' | 'none';
  /** Connected and joined, zero partitions included. */
  readonly joined: boolean;
  readonly connected: boolean;
  /** Milliseconds since the main loop last turned, and since the consumer was last polled. */
  readonly sinceTurnMs: number;
  readonly sincePollMs: number;
  readonly partitions: readonly PartitionSnapshot[];
  readonly workers: readonly WorkerSnapshot[];
  readonly topics: readonly TopicCounts[];
  readonly inFlightRecords: number;
  readonly inFlightBytes: number;
  readonly commits: Readonly<Record<'ok' | 'error', number>>;
  readonly rebalances: Readonly<Record<'assigned' | 'revoked' | 'lost', number>>;
  readonly drainDuration: Readonly<Record<'rebalance' | 'shutdown', HistogramSnapshot>>;
  readonly drainTimeouts: number;
  readonly staleCompletions: number;
  readonly workerRestarts: Readonly<
    Record<'exit' | 'error' | 'out_of_memory' | 'stuck' | 'recycled', number>
  >;
  readonly turnDuration: HistogramSnapshot;
  readonly lastErrors: readonly (RunError & {
    readonly at: number;
    readonly topic?: string;
    readonly partition?: number;
    readonly offset?: number;
  })[];
}
