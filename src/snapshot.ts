/**
 * Builds the snapshot that observers read, from core, consumer and pool. On demand, main thread;
 * changes nothing.
 */
import type { Consumer } from './broker/consumer.ts';
import type { Settings } from './contract/settings.ts';
import type { PartitionSnapshot, RuntimeSnapshot } from './contract/snapshot.ts';
import { RecordState } from './core/in-flight.ts';
import type { Partition } from './core/partition.ts';
import { Tally } from './core/tally.ts';
import type { Histogram } from './core/tally.ts';
import type { Core } from './core/turn.ts';
import type { Pool } from './pool/pool.ts';

/** What a snapshot is made of; core and pool are null until they have been built. */
export interface SnapshotSources {
  readonly settings: Settings;
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly failed: boolean;
  readonly core: Core | null;
  readonly consumer: Consumer;
  readonly pool: Pool | null;
  /** When the loop last turned and the consumer was last polled, of `performance.now()`. */
  readonly turnedAt: number;
  readonly polledAt: number;
  readonly turnDuration: Histogram;
  readonly errors: RuntimeSnapshot['lastErrors'];
  readonly workerRestarts: RuntimeSnapshot['workerRestarts'];
}

const NOTHING_COUNTED = new Tally();

export function runtimeSnapshot(sources: SnapshotSources): RuntimeSnapshot {
  const { core, consumer, pool } = sources;
  const now = performance.now();
  const partitions: PartitionSnapshot[] = [];
  if (core !== null)
    for (const partition of core.state.partitions)
      if (partition !== undefined)
        partitions.push(partitionSnapshot(partition, core, consumer, now));
  return {
    state: sources.failed ? 'failed' : (core?.lifecycle ?? 'starting'),
    version: sources.version,
    startedAt: sources.startedAt,
    ordering: sources.settings.ordering,
    joined: consumer.joined,
    connected: consumer.connected,
    sinceTurnMs: now - sources.turnedAt,
    sincePollMs: now - sources.polledAt,
    partitions,
    workers: pool?.snapshot() ?? [],
    inFlightRecords: core?.state.inFlight ?? 0,
    inFlightBytes: core?.state.bytes ?? 0,
    ...countsOf(core?.state.tally ?? NOTHING_COUNTED),
    workerRestarts: sources.workerRestarts,
    turnDuration: sources.turnDuration.snapshot(),
    lastErrors: sources.errors,
  };
}

/** Series and status of one partition. `now` is the clock of the turns. */
function partitionSnapshot(
  partition: Partition,
  core: Core,
  consumer: Consumer,
  now: number,
): PartitionSnapshot {
  const { topic, partition: number } = consumer.partitions.nameOf(partition.index);
  const { rows } = core.state;
  const position = partition.watermark.position;
  const committed = partition.committed >= 0 ? partition.committed : null;
  const [low, known] = consumer.logEnds(partition.index);
  // The client's cache is refreshed by fetches: the position may be ahead of it.
  const logEnd = known === null && position < 0 ? null : Math.max(known ?? 0, position);
  const oldest = partition.watermark.oldestRow;
  const submitted = oldest >= 0 && rows.state[oldest] === RecordState.submitted;
  return {
    topic,
    partition: number,
    generation: partition.generation,
    state: partition.state,
    watermark: position >= 0 ? position : null,
    committed,
    logEnd,
    lag: logEnd === null ? null : Math.max(0, logEnd - Math.max(committed ?? 0, low ?? 0)),
    inFlight: partition.inFlight,
    inFlightBytes: partition.bytes,
    replayIfCrashed:
      partition.submitted + partition.watermark.settledAbove() + uncommitted(partition),
    heldBack:
      core.state.draining || partition.state === 'revoking'
        ? ['draining']
        : partition.heldBack === null
          ? []
          : [partition.heldBack],
    oldest:
      oldest < 0
        ? null
        : {
            offset: rows.offset[oldest] as number,
            ageSeconds: Math.max(0, now - (rows.takenAt[oldest] as number)) / 1000,
            attempt: rows.attempt[oldest] as number,
            worker: submitted ? (rows.worker[oldest] as number) : null,
          },
  };
}

/** Settled below the watermark but not yet acknowledged, in offsets: gaps count, so it is an upper bound. */
function uncommitted(partition: Partition): number {
  const { position } = partition.watermark;
  if (position < 0 || partition.committed < 0) return 0;
  return Math.max(0, position - partition.committed);
}

function countsOf(
  tally: Tally,
): Pick<
  RuntimeSnapshot,
  'topics' | 'commits' | 'rebalances' | 'drainDuration' | 'drainTimeouts' | 'staleCompletions'
> {
  return {
    topics: tally.topics(),
    commits: { ok: tally.commitsOk, error: tally.commitsError },
    rebalances: { assigned: tally.assigned, revoked: tally.revoked, lost: tally.lost },
    drainDuration: {
      rebalance: tally.drainRebalance.snapshot(),
      shutdown: tally.drainShutdown.snapshot(),
    },
    drainTimeouts: tally.drainTimeouts,
    staleCompletions: tally.staleCompletions,
  };
}
