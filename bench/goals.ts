/** The figures to reach, and how they come out of the rows. Ratios are of medians within one run. */
import { align } from './report.ts';
import type { Row } from './report.ts';

/** `least` and `most` are the bounds of the goal. */
interface Goal {
  readonly id: string;
  readonly what: string;
  readonly least?: number;
  readonly most?: number;
}

export const GOALS: readonly Goal[] = [
  { id: 'P1.rdkafka', what: 'noop, key order, against rdkafka', least: 3.5 },
  { id: 'P1.kafkajs', what: '… kafkajs', least: 3 },
  { id: 'P2.rdkafka', what: 'four headers, one read, against rdkafka', least: 6 },
  { id: 'P3.rdkafka', what: '200 µs of JavaScript, against rdkafka', least: 1.85 },
  { id: 'P3.handler-only', what: '… two processes with only the handler', least: 0.93 },
  { id: 'P4.rdkafka', what: '200 µs of SHA-256, against rdkafka', least: 1.75 },
  { id: 'P5.ideal', what: '5 ms waits, 1,024 at once, against the ideal', least: 0.8 },
  { id: 'P5.ideal64', what: '… 64 at once', least: 0.95 },
  { id: 'P6', what: '5 ms waits on one partition, against P5', least: 0.9 },
  { id: 'P7', what: 'noop on a hot key, against P1', least: 0.8 },
  { id: 'P8', what: 'time of the cold keys beside a hot one, against without', most: 1.2 },
  { id: 'P9.partition', what: 'noop, partition order, against key order', least: 1 },
  { id: 'P9.none', what: '… no order', least: 1 },
  { id: 'P10', what: 'CPU per record in P1, µs', most: 2.5 },
  { id: 'P10.main', what: '… of the main thread', most: 1.2 },
  { id: 'P11', what: 'peak resident memory in P1, MB', most: 200 },
  { id: 'P12.partitions', what: 'cost in the core with 2,000 partitions, against 16', most: 1.3 },
  { id: 'P12.keys', what: '… 1,000,000 keys, against 10,000', most: 1.3 },
  { id: 'P12.inFlight', what: '… 100,000 in flight, against 1,000', most: 1.3 },
  { id: 'P13.start.p50ms', what: '2,000/s, intake to handler start, median, ms', most: 0.2 },
  { id: 'P13.start.p99ms', what: '… 99 %', most: 1 },
  { id: 'P14', what: 'CPU while idle in a group, share of a core', most: 0.005 },
  { id: 'P15.10k.rdkafka', what: 'values of 10 KB, against rdkafka', least: 1.3 },
  { id: 'P15.1m.rdkafka', what: 'values of 1 MB, against rdkafka', least: 1.3 },
  { id: 'P16', what: 'start to first record, without the group join, s', most: 1.5 },
];

const HANDLERS_AT_ONCE = 1024;
const WAIT_SECONDS = 0.005;

type Values = Record<string, number>;

function medianOf(
  rows: readonly Row[],
  workload: string,
  topic: string,
  contender: string,
  concurrency?: number,
): number | null {
  const row = rows.find(
    (candidate) =>
      candidate.workload === workload &&
      candidate.topic === topic &&
      candidate.contender === contender &&
      (concurrency === undefined || candidate.settings.concurrency === concurrency),
  );
  return row?.median ?? null;
}

/** Only those whose both sides ran. */
export function ratiosOf(rows: readonly Row[]): Values {
  const values: Values = {};
  const put = (id: string, over: number | null, under: number | null): void => {
    if (over !== null && under !== null && under > 0) values[id] = round(over / under);
  };
  const ours = 'tidemark-key';
  const against = (id: string, workload: string, topic: string, peers: readonly string[]): void => {
    const own = medianOf(rows, workload, topic, ours);
    for (const peer of peers) put(`${id}.${peer}`, own, medianOf(rows, workload, topic, peer));
  };
  against('P1', 'noop', 'bench16', ['rdkafka', 'kafkajs', 'piscina']);
  against('P2', 'headers', 'headers16', ['rdkafka', 'kafkajs']);
  against('P3', 'cpu', 'bench16', ['rdkafka', 'kafkajs', 'piscina', 'handler-only']);
  against('P4', 'hash', 'bench16', ['rdkafka', 'kafkajs', 'piscina']);
  against('P15.10k', 'large', 'large10k', ['rdkafka']);
  against('P15.1m', 'large', 'large1m', ['rdkafka']);
  const io5 = medianOf(rows, 'io5', 'bench16', ours, HANDLERS_AT_ONCE / 2);
  put('P5.ideal', io5, HANDLERS_AT_ONCE / WAIT_SECONDS);
  put('P5.ideal64', medianOf(rows, 'io5', 'bench16', ours, 32), 64 / WAIT_SECONDS);
  put('P6', medianOf(rows, 'io5', 'bench1', ours), io5);
  const noop = medianOf(rows, 'noop', 'bench16', ours);
  put('P7', medianOf(rows, 'noop', 'hot16', ours), noop);
  // Rates of the same number of records: their ratio upside down is that of the times.
  put('P8', medianOf(rows, 'cold', 'cold16', ours), medianOf(rows, 'cold', 'hot16-10k', ours));
  put('P9.partition', medianOf(rows, 'noop', 'bench16', 'tidemark-partition'), noop);
  put('P9.none', medianOf(rows, 'noop', 'bench16', 'tidemark-none'), noop);
  return values;
}

/** Figures that come out of the rows; others are measured by runs of their own. */
export function figuresOf(rows: readonly Row[]): Values {
  const row = rows.find(
    ({ workload, topic, contender }) =>
      workload === 'noop' && topic === 'bench16' && contender === 'tidemark-key',
  );
  const values: Values = {};
  const put = (id: string, value: number | null | undefined): void => {
    if (value !== null && value !== undefined) values[id] = round(value);
  };
  put('P10', row?.cpuMicrosPerRecord);
  put('P10.main', row?.mainMicrosPerRecord);
  put('P11', row?.peakRssMb);
  put('P11.growth', row?.rssGrowth);
  return values;
}

/** Three digits: more would be noise. */
export function round(value: number): number {
  return Number(value.toPrecision(3));
}

/** Each goal that was measured, and whether it was met; empty when none was. */
export function verdicts(values: Readonly<Values>): string {
  const lines = GOALS.flatMap(({ id, what, least, most }) => {
    const value = values[id];
    if (value === undefined) return [];
    const met = value >= (least ?? -Infinity) && value <= (most ?? Infinity);
    const goal = least === undefined ? `≤ ${String(most)}` : `≥ ${String(least)}`;
    return [[id, String(value), goal, met ? 'met' : 'missed', what]];
  });
  return lines.length === 0 ? '' : align([['goal', 'value', 'wanted', '', 'what'], ...lines]);
}
