/** The body of `/status`: the snapshot as people and scripts read it. Pure. */
import type { RuntimeSnapshot, TopicCounts } from '../contract/snapshot.ts';
import { bounded } from './bounded.ts';
import { healthz, readyz } from './health.ts';

/** Histograms are left to `/metrics`; times are ISO texts. */
export interface Status extends Omit<
  RuntimeSnapshot,
  'startedAt' | 'topics' | 'lastErrors' | 'drainDuration' | 'turnDuration'
> {
  readonly startedAt: string;
  readonly uptimeSeconds: number;
  readonly healthy: boolean;
  readonly ready: boolean;
  readonly topics: readonly Pick<TopicCounts, 'topic' | 'consumed' | 'settled' | 'runs'>[];
  /** Newest first. */
  readonly lastErrors: unknown;
  /** Secrets masked. */
  readonly config: unknown;
}

/** `config` comes masked; `now` is milliseconds since the epoch. */
export function statusOf(snapshot: RuntimeSnapshot, config: unknown, now: number): Status {
  const { startedAt, topics, lastErrors } = snapshot;
  return {
    state: snapshot.state,
    version: snapshot.version,
    startedAt: new Date(startedAt).toISOString(),
    uptimeSeconds: Math.max(0, Math.round((now - startedAt) / 1000)),
    healthy: healthz(snapshot).ok,
    ready: readyz(snapshot).ok,
    connected: snapshot.connected,
    joined: snapshot.joined,
    ordering: snapshot.ordering,
    sinceTurnMs: snapshot.sinceTurnMs,
    sincePollMs: snapshot.sincePollMs,
    inFlightRecords: snapshot.inFlightRecords,
    inFlightBytes: snapshot.inFlightBytes,
    partitions: snapshot.partitions,
    workers: snapshot.workers,
    topics: topics.map(({ topic, consumed, settled, runs }) => ({
      topic,
      consumed,
      settled,
      runs,
    })),
    commits: snapshot.commits,
    rebalances: snapshot.rebalances,
    drainTimeouts: snapshot.drainTimeouts,
    staleCompletions: snapshot.staleCompletions,
    workerRestarts: snapshot.workerRestarts,
    lastErrors: bounded(
      lastErrors.map(({ at, ...error }) => ({ at: new Date(at).toISOString(), ...error })),
    ),
    config,
  };
}
