/**
 * `/metrics`. Main thread. The program counts in plain numbers of its own, because they change with
 * every record; here they are read from one snapshot per scrape, so that all lines of a scrape agree
 * and series of what is gone disappear by themselves. The only importer of prom-client.
 */
import { Registry, collectDefaultMetrics } from 'prom-client';
import type { Metric } from 'prom-client';
import { HISTOGRAM_BOUNDS } from '../contract/snapshot.ts';
import type { HistogramSnapshot, RuntimeSnapshot, WorkerState } from '../contract/snapshot.ts';
import { METRICS, METRIC_PREFIX } from './catalog.ts';
import type { MetricName } from './catalog.ts';
import { HandlerMetrics } from './handler-metrics.ts';
import type { HandlerFamily, HandlerMeasurement, OnRefused } from './handler-metrics.ts';
import { histogramSamples } from './histogram.ts';
import type { Sample } from './histogram.ts';

export interface Metrics {
  /** The exposition, Prometheus text format. */
  render(): Promise<string>;
  readonly contentType: string;
  /** Takes over what a handler counted or observed. Never throws. */
  handlerMetric(measurement: HandlerMeasurement): void;
}

/** One series of a reading; a value of null means that there is none at the moment. */
interface Reading {
  readonly labels: readonly (string | number)[];
  readonly value: number | HistogramSnapshot | null;
}
type Reader = (snapshot: RuntimeSnapshot, handler: HandlerMetrics) => readonly Reading[];

const one = (value: Reading['value']): Reading[] => [{ labels: [], value }];

const byName = (values: Readonly<Record<string, number | HistogramSnapshot>>): Reading[] =>
  Object.entries(values).map(([name, value]) => ({ labels: [name], value }));

const perTopic =
  (value: (topic: RuntimeSnapshot['topics'][number]) => number | HistogramSnapshot): Reader =>
  ({ topics }) =>
    topics.map((counts) => ({ labels: [counts.topic], value: value(counts) }));

const perTopicAnd =
  (
    values: (topic: RuntimeSnapshot['topics'][number]) => Readonly<Record<string, number>>,
  ): Reader =>
  ({ topics }) =>
    topics.flatMap((counts) =>
      Object.entries(values(counts)).map(([name, value]) => ({
        labels: [counts.topic, name],
        value,
      })),
    );

const perPartition =
  (value: (partition: RuntimeSnapshot['partitions'][number]) => number | null): Reader =>
  ({ partitions }) =>
    partitions.map((each) => ({ labels: [each.topic, each.partition], value: value(each) }));

const perWorker =
  (value: (worker: RuntimeSnapshot['workers'][number]) => number): Reader =>
  ({ workers }) =>
    workers.map((each) => ({ labels: [each.worker], value: value(each) }));

/** How often each name occurs; those of `known` also when they do not. */
function occurrences(known: readonly string[], names: readonly string[]): Reading[] {
  const counts = new Map(known.map((name) => [name, 0]));
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, value]) => ({ labels: [name], value }));
}

const WORKER_STATES: readonly WorkerState[] = [
  'starting',
  'ready',
  'draining',
  'terminating',
  'exited',
];

/** Where each metric of the catalogue is read. */
const READERS: Readonly<Record<MetricName, Reader>> = {
  build_info: ({ version }) => [{ labels: [version, process.versions.node], value: 1 }],
  records_consumed_total: perTopic(({ consumed }) => consumed),
  records_settled_total: perTopicAnd(({ settled }) => settled),
  handler_runs_total: perTopicAnd(({ runs }) => runs),
  handler_duration_seconds: perTopic(({ handlerDuration }) => handlerDuration),
  queue_duration_seconds: perTopic(({ queueDuration }) => queueDuration),
  record_latency_seconds: perTopic(({ recordLatency }) => recordLatency),
  in_flight_records: perPartition(({ inFlight }) => inFlight),
  in_flight_bytes: ({ inFlightBytes }) => one(inFlightBytes),
  watermark_offset: perPartition(({ watermark }) => watermark),
  committed_offset: perPartition(({ committed }) => committed),
  log_end_offset: perPartition(({ logEnd }) => logEnd),
  lag_records: perPartition(({ lag }) => lag),
  oldest_in_flight_seconds: perPartition(({ oldest }) => oldest?.ageSeconds ?? 0),
  replay_if_crashed_records: perPartition(({ replayIfCrashed }) => replayIfCrashed),
  commits_total: ({ commits }) => byName(commits),
  rebalances_total: ({ rebalances }) => byName(rebalances),
  drain_duration_seconds: ({ drainDuration }) => byName(drainDuration),
  drain_timeouts_total: ({ drainTimeouts }) => one(drainTimeouts),
  stale_completions_total: ({ staleCompletions }) => one(staleCompletions),
  held_back_partitions: ({ partitions }) =>
    occurrences(
      ['window', 'total', 'draining'],
      partitions.flatMap(({ heldBack }) => heldBack),
    ),
  assigned_partitions: ({ partitions }) => one(partitions.length),
  workers: ({ workers }) =>
    occurrences(
      WORKER_STATES,
      workers.map(({ state }) => state),
    ),
  worker_restarts_total: ({ workerRestarts }) => byName(workerRestarts),
  worker_event_loop_utilization: perWorker(({ eventLoopUtilization }) => eventLoopUtilization),
  slots_used: perWorker(({ slotsUsed }) => slotsUsed),
  turn_duration_seconds: ({ turnDuration }) => one(turnDuration),
  handler_metrics_refused_total: (_, { refused }) => byName(refused),
};

/** At prom-client's 10 ms the timer behind the lag of the event loop took half a percent of a core. */
const LAG_PRECISION_MS = 50;

export function createMetrics(snapshot: () => RuntimeSnapshot, onRefused: OnRefused): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_PRECISION_MS });
  const handler = new HandlerMetrics((family) => {
    registerFamily(registry, family);
  }, onRefused);
  let current: RuntimeSnapshot | null = null;
  for (const [key, { type, help, labels }] of Object.entries(METRICS)) {
    const name = METRIC_PREFIX + key;
    const read = READERS[key as MetricName];
    register(registry, name, type, help, () =>
      current === null ? [] : samplesOf(name, labels, read(current, handler)),
    );
  }
  return {
    contentType: registry.contentType,
    async render() {
      current = snapshot();
      // All readers run before this call returns its promise, so no other scrape comes in between.
      const text = await registry.metrics();
      // prom-client 15 writes "Nan" (of the event loop's lag before its first reading), which not
      // every parser takes.
      return text.replace(/ Nan$/gm, ' NaN');
    },
    handlerMetric(measurement) {
      handler.add(measurement);
    },
  };
}

function registerFamily(registry: Registry, family: HandlerFamily): void {
  const type = family.kind === 'count' ? 'counter' : 'histogram';
  register(registry, family.name, type, "The handler's own.", () => family.samples());
}

/**
 * prom-client's own classes can only be counted up one by one, so the registry is given what it asks
 * of a metric: its name, and `get()` with the samples.
 */
function register(
  registry: Registry,
  name: string,
  type: 'counter' | 'gauge' | 'histogram',
  help: string,
  samples: () => readonly Sample[],
): void {
  const get = () => Promise.resolve({ name, help, type, values: samples(), aggregator: 'sum' });
  registry.registerMetric({ name, help, type, get } as unknown as Metric);
}

/** A gap is better than a line that says what cannot be: no NaN, nothing below zero. */
function samplesOf(
  name: string,
  labelNames: readonly string[],
  readings: readonly Reading[],
): Sample[] {
  return readings.flatMap(({ labels: values, value }) => {
    const labels = Object.fromEntries(
      labelNames.map((label, index) => [label, String(values[index] ?? '')]),
    );
    if (value === null) return [];
    if (typeof value === 'object') return histogramSamples(name, labels, HISTOGRAM_BOUNDS, value);
    if (!Number.isFinite(value)) return [];
    return [{ metricName: name, labels, value: Math.max(0, value) }];
  });
}
