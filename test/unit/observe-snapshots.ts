/** Snapshots for tests of src/observe, each number different so that a mix-up shows. */
import { HISTOGRAM_BOUNDS } from '../../src/contract/snapshot.ts';
import type {
  HistogramSnapshot,
  PartitionSnapshot,
  RuntimeSnapshot,
  TopicCounts,
  WorkerSnapshot,
} from '../../src/contract/snapshot.ts';

/** One value in each bucket whose index is given. */
export function histogram(...indexes: readonly number[]): HistogramSnapshot {
  const buckets = Array<number>(HISTOGRAM_BOUNDS.length + 1).fill(0);
  for (const index of indexes) buckets[index] = (buckets[index] ?? 0) + 1;
  return { buckets, sum: indexes.length * 0.5, count: indexes.length };
}

export function partition(overrides: Partial<PartitionSnapshot> = {}): PartitionSnapshot {
  return {
    topic: 'orders',
    partition: 3,
    generation: 1,
    state: 'active',
    watermark: 101,
    committed: 90,
    logEnd: 140,
    lag: 50,
    inFlight: 7,
    inFlightBytes: 1400,
    replayIfCrashed: 13,
    heldBack: [],
    oldest: { offset: 101, ageSeconds: 2.5, attempt: 1, worker: 0 },
    ...overrides,
  };
}

export function worker(overrides: Partial<WorkerSnapshot> = {}): WorkerSnapshot {
  return {
    worker: 0,
    incarnation: 1,
    state: 'ready',
    slotsUsed: 5,
    slots: 64,
    running: [{ topic: 'orders', partition: 3, offset: 101, attempt: 1 }],
    eventLoopUtilization: 0.25,
    ...overrides,
  };
}

export function topicCounts(overrides: Partial<TopicCounts> = {}): TopicCounts {
  return {
    topic: 'orders',
    consumed: 1000,
    settled: { ok: 900, skipped: 11, dead_lettered: 0, retry_topic: 0, abandoned: 12 },
    runs: { ok: 901, error: 2, timeout: 0, crash: 3, returned: 4 },
    handlerDuration: histogram(3, 3, 23),
    queueDuration: histogram(1),
    recordLatency: histogram(10, 11),
    ...overrides,
  };
}

export function snapshotOf(overrides: Partial<RuntimeSnapshot> = {}): RuntimeSnapshot {
  return {
    state: 'running',
    version: '1.2.3',
    startedAt: Date.parse('2026-01-02T03:04:05Z'),
    ordering: 'key',
    joined: true,
    connected: true,
    sinceTurnMs: 5,
    sincePollMs: 6,
    partitions: [partition()],
    workers: [worker()],
    topics: [topicCounts()],
    inFlightRecords: 7,
    inFlightBytes: 1400,
    commits: { ok: 31, error: 1 },
    rebalances: { assigned: 2, revoked: 1, lost: 0 },
    drainDuration: { rebalance: histogram(12), shutdown: histogram() },
    drainTimeouts: 1,
    staleCompletions: 17,
    workerRestarts: { exit: 1, error: 2, out_of_memory: 3, stuck: 0, recycled: 0 },
    turnDuration: histogram(2, 2, 5),
    lastErrors: [],
    ...overrides,
  };
}
