import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HISTOGRAM_BOUNDS } from '../../src/contract/snapshot.ts';
import type { RuntimeSnapshot } from '../../src/contract/snapshot.ts';
import { METRICS, METRIC_PREFIX } from '../../src/observe/catalog.ts';
import { createMetrics } from '../../src/observe/metrics.ts';
import { parseExposition } from './observe-exposition.ts';
import type { Family, Series } from './observe-exposition.ts';
import { histogram, partition, snapshotOf, topicCounts, worker } from './observe-snapshots.ts';

const OWN = new Set(Object.keys(METRICS).map((name) => METRIC_PREFIX + name));

async function scrape(snapshot: RuntimeSnapshot): Promise<Map<string, Family>> {
  const metrics = createMetrics(
    () => snapshot,
    () => undefined,
  );
  return parseExposition(await metrics.render());
}

function seriesOf(families: ReadonlyMap<string, Family>, name: string): readonly Series[] {
  const family = families.get(METRIC_PREFIX + name);
  assert.ok(family, `${name} is in the exposition`);
  return family.series;
}

/** Label values and value of each series, as text. */
function linesOf(families: ReadonlyMap<string, Family>, name: string): string[] {
  return seriesOf(families, name).map(
    ({ labels, value }) => `${[...labels.values()].join(' ')} ${String(value)}`,
  );
}

test('the exposition holds every metric of the catalogue, with its type, help and labels, and no other', async () => {
  const families = await scrape(snapshotOf());
  for (const [name, { type, help, labels }] of Object.entries(METRICS)) {
    const family = families.get(METRIC_PREFIX + name);
    assert.equal(family?.type, type, name);
    assert.equal(family.help, help, name);
    assert.notEqual(family.series.length, 0, `${name} has series`);
    for (const series of family.series) {
      const shown = [...series.labels.keys()].filter((label) => label !== 'le');
      assert.deepEqual(shown, [...labels], name);
    }
  }
  const others = [...families.keys()].filter((name) => !OWN.has(name));
  assert.deepEqual(
    others.filter((name) => name.startsWith(METRIC_PREFIX)),
    [],
  );
  assert.ok(others.includes('process_cpu_seconds_total'), "node's own metrics are there");
});

test('each metric shows the number that its name says', async () => {
  const families = await scrape(snapshotOf());
  const expected: Readonly<Record<string, readonly string[]>> = {
    build_info: [`1.2.3 ${process.versions.node} 1`],
    records_consumed_total: ['orders 1000'],
    records_settled_total: [
      'orders ok 900',
      'orders skipped 11',
      'orders dead_lettered 0',
      'orders retry_topic 0',
      'orders abandoned 12',
    ],
    handler_runs_total: [
      'orders ok 901',
      'orders error 2',
      'orders timeout 0',
      'orders crash 3',
      'orders returned 4',
    ],
    in_flight_records: ['orders 3 7'],
    in_flight_bytes: [' 1400'],
    watermark_offset: ['orders 3 101'],
    committed_offset: ['orders 3 90'],
    log_end_offset: ['orders 3 140'],
    lag_records: ['orders 3 50'],
    oldest_in_flight_seconds: ['orders 3 2.5'],
    replay_if_crashed_records: ['orders 3 13'],
    commits_total: ['ok 31', 'error 1'],
    rebalances_total: ['assigned 2', 'revoked 1', 'lost 0'],
    drain_timeouts_total: [' 1'],
    stale_completions_total: [' 17'],
    assigned_partitions: [' 1'],
    workers: ['starting 0', 'ready 1', 'draining 0', 'terminating 0', 'exited 0'],
    worker_restarts_total: ['exit 1', 'error 2', 'out_of_memory 3', 'stuck 0', 'recycled 0'],
    worker_event_loop_utilization: ['0 0.25'],
    slots_used: ['0 5'],
    handler_metrics_refused_total: ['invalid 0', 'limit 0'],
  };
  for (const [name, lines] of Object.entries(expected))
    assert.deepEqual(linesOf(families, name), lines, name);
  const count = (name: string) => seriesOf(families, name).at(-1)?.value;
  assert.equal(count('handler_duration_seconds'), 3);
  assert.equal(count('queue_duration_seconds'), 1);
  assert.equal(count('record_latency_seconds'), 2);
  assert.equal(count('turn_duration_seconds'), 3);
});

test('buckets are cumulative and end with the count', async () => {
  const families = await scrape(snapshotOf({ turnDuration: histogram(0, 2, 2, 23) }));
  const series = seriesOf(families, 'turn_duration_seconds');
  const buckets = series.filter(({ name }) => name.endsWith('_bucket'));
  assert.deepEqual(
    buckets.map(({ labels }) => Number(labels.get('le')?.replace('+Inf', 'Infinity'))),
    [...HISTOGRAM_BOUNDS, Infinity],
  );
  assert.deepEqual(
    buckets.map(({ value }) => value),
    [1, 1, ...Array<number>(21).fill(3), 4],
  );
  const [sum, count] = series.slice(-2);
  assert.deepEqual([sum?.name, sum?.value], ['tidemark_turn_duration_seconds_sum', 2]);
  assert.deepEqual([count?.name, count?.value], ['tidemark_turn_duration_seconds_count', 4]);
});

test('the series of a partition disappear with its assignment, those of its topic stay', async () => {
  let snapshot = snapshotOf({ partitions: [partition(), partition({ partition: 4 })] });
  const metrics = createMetrics(
    () => snapshot,
    () => undefined,
  );
  const before = parseExposition(await metrics.render());
  assert.equal(seriesOf(before, 'lag_records').length, 2);
  snapshot = snapshotOf({ partitions: [partition({ partition: 4 })] });
  const after = parseExposition(await metrics.render());
  for (const [name, { labels }] of Object.entries(METRICS)) {
    if (!labels.some((label) => label === 'partition')) continue;
    const partitions = seriesOf(after, name).map((series) => series.labels.get('partition'));
    assert.deepEqual(partitions, ['4'], name);
  }
  assert.deepEqual(linesOf(after, 'records_consumed_total'), ['orders 1000']);
});

test('what is not known yet has no series, and a partition without work is 0 seconds old', async () => {
  const unknown = { watermark: null, committed: null, logEnd: null, lag: null, oldest: null };
  const families = await scrape(snapshotOf({ partitions: [partition(unknown)] }));
  for (const name of ['watermark_offset', 'committed_offset', 'log_end_offset', 'lag_records'])
    assert.deepEqual(linesOf(families, name), [], name);
  assert.deepEqual(linesOf(families, 'oldest_in_flight_seconds'), ['orders 3 0']);
});

test('no value is negative or not a number', async () => {
  const families = await scrape(
    snapshotOf({
      partitions: [partition({ lag: -4, inFlight: Number.NaN })],
      workers: [worker({ eventLoopUtilization: Number.NaN })],
    }),
  );
  assert.deepEqual(linesOf(families, 'lag_records'), ['orders 3 0']);
  assert.deepEqual(linesOf(families, 'in_flight_records'), []);
  assert.deepEqual(linesOf(families, 'worker_event_loop_utilization'), []);
  for (const [name, { series }] of families)
    if (OWN.has(name)) for (const { value } of series) assert.ok(value >= 0, name);
});

test('offsets beyond 2^32 and large counts are shown to the last digit', async () => {
  const watermark = Number.MAX_SAFE_INTEGER;
  const families = await scrape(snapshotOf({ partitions: [partition({ watermark })] }));
  assert.deepEqual(linesOf(families, 'watermark_offset'), [`orders 3 ${String(watermark)}`]);
});

test('partitions that are held back are counted by reason, and a reason without any shows 0', async () => {
  const families = await scrape(
    snapshotOf({
      partitions: [
        partition({ partition: 0, heldBack: ['window'] }),
        partition({ partition: 1, heldBack: ['window'] }),
        partition({ partition: 2, heldBack: ['admin'] }),
      ],
    }),
  );
  assert.deepEqual(linesOf(families, 'held_back_partitions'), [
    'window 2',
    'total 0',
    'draining 0',
    'admin 1',
  ]);
});

test('one snapshot serves a whole scrape', async () => {
  let asked = 0;
  const metrics = createMetrics(
    () => {
      asked++;
      return snapshotOf({ topics: [topicCounts({ consumed: asked })], drainTimeouts: asked });
    },
    () => undefined,
  );
  const texts = await Promise.all([metrics.render(), metrics.render()]);
  assert.equal(asked, 2);
  for (const text of texts) {
    const families = parseExposition(text);
    const [consumed] = seriesOf(families, 'records_consumed_total');
    const [drains] = seriesOf(families, 'drain_timeouts_total');
    assert.equal(consumed?.value, drains?.value);
  }
});
