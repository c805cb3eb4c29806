/**
 * The benchmarks' topics and what is in them. Contents depend on the record's number alone, so every
 * broker gets the same. Loads nothing: the handlers know this file too.
 */

/** The one key of most records of the hot topics. Lies on partition 0. */
export const HOT_KEY = 'hot';
const KEYS = 10_000;
/** Quick runs use topics of their own, this much smaller. */
export const QUICK_SHARE = 0.1;
const SMALL_BYTES = 5_000_000;

export interface TopicSpec {
  readonly name: string;
  readonly partitions: number;
  readonly records: number;
  readonly valueBytes: number;
  /** Headers per record, of 16 bytes each. */
  readonly headers: number;
  /** Share of records with {@link HOT_KEY}. */
  readonly hotShare: number;
  /** Leaves out the records with the hot key, so that the rest is the same as in another topic. */
  readonly coldOnly: boolean;
}

function topic(name: string, partitions: number, records: number, rest: Partial<TopicSpec> = {}) {
  const usual = { valueBytes: 200, headers: 0, hotShare: 0, coldOnly: false };
  return { name, partitions, records, ...usual, ...rest } satisfies TopicSpec;
}

export const TOPICS: readonly TopicSpec[] = [
  topic('bench16', 16, 1_000_000),
  topic('bench1', 1, 200_000),
  topic('hot16', 16, 100_000, { hotShare: 0.9 }),
  topic('hot16-10k', 16, 10_000, { hotShare: 0.9 }),
  topic('cold16', 16, 10_000, { hotShare: 0.9, coldOnly: true }),
  topic('headers16', 16, 1_000_000, { headers: 4 }),
  topic('large10k', 16, 30_000, { valueBytes: 10_000 }),
  topic('large1m', 16, 400, { valueBytes: 1_000_000 }),
  topic('idle16', 16, 0),
  topic('latency16', 16, 0),
];

export function topicNamed(name: string): TopicSpec {
  const spec = TOPICS.find((candidate) => candidate.name === name);
  if (spec === undefined) throw new Error(`there is no bench topic ${name}`);
  return spec;
}

/** The topic as it is on the broker. Small topics are the same in quick runs. */
export function scaled(spec: TopicSpec, quick: boolean): TopicSpec {
  if (!quick || spec.records * spec.valueBytes <= SMALL_BYTES) return spec;
  const records = Math.round(spec.records * QUICK_SHARE);
  return { ...spec, name: `${spec.name}-quick`, records };
}

export interface BenchRecord {
  readonly partition: number;
  readonly key: string;
  readonly value: Buffer;
  readonly headers: Record<string, string>[];
}

/** Record number `index` of a topic; null where the topic leaves it out. */
export function recordAt(spec: TopicSpec, index: number): BenchRecord | null {
  const random = scramble(index);
  // The top digits choose between hot and cold, so that cold keys stay evenly spread.
  const hot = random / 2 ** 32 < spec.hotShare;
  if (hot && spec.coldOnly) return null;
  const keyNumber = scramble(index ^ 0x5bd1e995) % KEYS;
  const key = hot ? HOT_KEY : `key-${String(keyNumber)}`;
  const partition = hot ? 0 : keyNumber % spec.partitions;
  const headers: Record<string, string>[] = [];
  for (let header = 0; header < spec.headers; header++)
    headers.push({ [`h${String(header)}`]: String(random).padStart(16, '0') });
  return { partition, key, value: valueOf(index, key, random, spec.valueBytes), headers };
}

/** JSON of exactly `bytes` bytes. */
function valueOf(index: number, key: string, random: number, bytes: number): Buffer {
  const head = `{"id":${String(index)},"key":"${key}","amount":${String(random % 100_000)},"pad":"`;
  return Buffer.from(`${head}${'x'.repeat(Math.max(0, bytes - head.length - 2))}"}`);
}

/** A 32-bit finaliser: neighbours become unlike each other. */
function scramble(number: number): number {
  let x = Math.imul(number + 1, 0x9e3779b1);
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}

/** How many records a topic holds in the end. */
export function countOf(spec: TopicSpec): number {
  if (!spec.coldOnly) return spec.records;
  let count = 0;
  for (let index = 0; index < spec.records; index++) if (recordAt(spec, index) !== null) count++;
  return count;
}
