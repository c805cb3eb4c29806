import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import type { Message } from 'kafkajs';
import { ringLayout } from '../../src/ring/layout.ts';
import { NULL_HEADER, Tap, readSlot, startCluster } from './intake-cluster.ts';
import type { Cluster } from './intake-cluster.ts';

const END_OF_PARTITION = -191;
const UNKNOWN_TOPIC = 3;

let cluster: Cluster;
before(async () => {
  cluster = await startCluster();
});
after(() => cluster.stop());

const numbered = (count: number, partition = 0, from = 0): Message[] =>
  Array.from({ length: count }, (_, i) => ({
    partition,
    key: `key-${String(i)}`,
    value: String(from + i),
  }));

test('a record’s bytes arrive exactly as produced, null apart from empty', async () => {
  const binary = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
  const empty = Buffer.alloc(0);
  const headers = {
    a: [binary, 'second'],
    empty,
    [NULL_HEADER]: '',
    '': 'no name',
    ü: 'ü',
  } as object;
  const sent = [
    { key: null, value: null },
    { key: empty, value: empty },
    { key: binary, value: Buffer.concat([binary, binary]), headers },
    { key: 'only a key', value: null, timestamp: '1700000000123' },
  ];
  await cluster.produce(
    'exact',
    sent.map((message) => ({ ...message, partition: 0 }) as Message),
    true,
  );
  const tap = await Tap.open(cluster);
  tap.assign('exact', [0]);
  const rows = await tap.collect(0, sent.length);
  const { slotsAt, slotBytes, totalBytes } = ringLayout(4, 2048);
  const memory = new SharedArrayBuffer(totalBytes);
  const buffer = tap.intake.registerBuffer(memory, slotsAt, slotBytes);
  tap.intake.fill(
    4,
    Int32Array.from(rows, (row) => row.handle),
    new Int32Array(4).fill(buffer),
    Float64Array.from(rows, (_, i) => slotsAt + i * slotBytes),
    new Int32Array(4).fill(-1),
  );
  const got = rows.map((_, i) => readSlot(memory, slotsAt + i * slotBytes));
  assert.deepEqual(
    got.map(({ key, value }) => ({ key, value })),
    sent.map(({ key, value }) => ({
      key: typeof key === 'string' ? Buffer.from(key) : key,
      value,
    })),
  );
  assert.deepEqual(got[2]?.headers, [
    ['a', binary],
    ['a', Buffer.from('second')],
    ['empty', empty],
    [NULL_HEADER, null],
    ['', Buffer.from('no name')],
    ['ü', Buffer.from('ü')],
  ]);
  assert.deepEqual(got[0]?.headers, []);
  assert.deepEqual(
    got.map(({ offset }) => offset),
    [0, 1, 2, 3],
  );
  assert.equal(got[3]?.timestamp, 1700000000123);
  assert.equal(got[3].timestampType, 1);
  assert.deepEqual(
    rows.map(({ error, keyBytes, timestamp }) => ({ error, keyBytes, timestamp })),
    got.map(({ key, timestamp }) => ({ error: 0, keyBytes: key?.length ?? -1, timestamp })),
  );
  assert.deepEqual(
    rows.map((row) => row.payloadBytes),
    [0, 0, 256 + 512 + 6 * 8 + (1 + 256) + (1 + 6) + 5 + NULL_HEADER.length + 7 + (2 + 2), 10],
  );
  assert.equal(tap.intake.counts().handles, 0);
  await tap.close();
});

test('equal keys have equal hashes, null hashes to zero, and similar keys differ', async () => {
  const keys = [null, '', '\0', '\0\0', 'a', 'b', 'key-00000001', 'key-00000002', 'x'.repeat(500)];
  const messages = [...keys, ...keys].map((key) => ({ key, value: 'v', partition: 0 }));
  await cluster.produce('hash', messages);
  const tap = await Tap.open(cluster);
  tap.assign('hash', [0]);
  const rows = await tap.collect(0, messages.length);
  const hashes = rows.map((row) => `${String(row.keyHashHigh)}/${String(row.keyHashLow)}`);
  assert.deepEqual(hashes.slice(0, keys.length), hashes.slice(keys.length));
  assert.equal(hashes[0], '0/0');
  assert.equal(new Set(hashes).size, keys.length);
  assert(rows.every((row) => row.keyHashLow === (row.keyHashLow | 0)));
  await tap.close();
});

test('a take is bounded, and what it leaves stays in order for the next', async () => {
  await cluster.produce('limits', numbered(100));
  const tap = await Tap.open(cluster);
  tap.assign('limits', [0]);
  await tap.until(() => tap.intake.queueLength(0) === 100);
  assert.deepEqual(tap.take(0, 0), []);
  const offsets = [7, 1, 50, 1000].map((max) => tap.take(0, max).map((row) => row.offset));
  assert.deepEqual(
    offsets.map((list) => list.length),
    [7, 1, 50, 42],
  );
  assert.deepEqual(
    offsets.flat(),
    Array.from({ length: 100 }, (_, i) => i),
  );
  assert.deepEqual(tap.take(0, 10), []);
  await tap.close();
});

test('a partition is told as ready when its empty queue gets records, and only then', async () => {
  await cluster.produce('ready', [...numbered(3, 0), ...numbered(3, 2)]);
  const tap = await Tap.open(cluster);
  tap.assign('ready', [0, 1, 2, 3]);
  const out = new Int32Array(8);
  assert.deepEqual(Array.from(out.subarray(0, tap.intake.ready(out))), [0, 1, 2, 3]);
  await tap.collect(0, 3);
  await tap.collect(2, 3);
  for (const partition of [0, 1, 2, 3]) assert.deepEqual(tap.take(partition, 8), []);
  tap.intake.ready(out);
  const wakes = tap.wakes;
  await cluster.produce('ready', numbered(3, 3));
  await tap.until(() => tap.wakes > wakes && tap.intake.queueLength(3) > 0);
  assert.deepEqual(Array.from(out.subarray(0, tap.intake.ready(out))), [3]);
  assert.equal(tap.intake.ready(out), 0);
  assert.equal((await tap.collect(3, 3)).length, 3);
  await tap.close();
});

test('ready partitions that do not fit stay for the next call, each told once', async () => {
  const tap = await Tap.open(cluster);
  for (let i = 0; i < 200; i++) tap.intake.split(i, 'wide', i);
  const out = new Int32Array(7);
  const told: number[] = [];
  for (let count = tap.intake.ready(out); count > 0; count = tap.intake.ready(out))
    told.push(...out.subarray(0, count));
  assert.deepEqual(
    told.toSorted((a, b) => a - b),
    Array.from({ length: 200 }, (_, i) => i),
  );
  assert.equal(tap.intake.ready(new Int32Array(0)), 0);
  await tap.close();
});

test('records that strayed onto the main queue come first and in order', async () => {
  await cluster.produce('strays', numbered(50));
  const tap = await Tap.open(cluster, { 'enable.partition.eof': true });
  await fetched(tap, 'strays', 50);
  tap.intake.split(0, 'strays', 0);
  const first = tap.take(0, 20);
  assert.equal(first.length, 20, 'the strays are there without a poll');
  await cluster.produce('strays', numbered(10, 0, 50));
  const rest = await tap.collect(0, 42);
  const rows = [...first, ...rest];
  assert.deepEqual(
    rows.filter((row) => row.error === 0).map((row) => row.offset),
    Array.from({ length: 60 }, (_, i) => i),
  );
  assert.deepEqual(
    rows
      .filter((row) => row.error !== 0)
      .map(({ error, offset, handle }) => [error, offset, handle]),
    [
      [END_OF_PARTITION, 50, -1],
      [END_OF_PARTITION, 60, -1],
    ],
  );
  await tap.close();
});

test('records of partitions that are not split are freed by the main queue', async () => {
  await cluster.produce('unknown', numbered(20));
  const tap = await Tap.open(cluster);
  await fetched(tap, 'unknown', 20);
  await tap.until(
    () => tap.client.position([{ topic: 'unknown', partition: 0 }])[0]?.offset === 20,
  );
  assert.equal(tap.intake.counts().handles, 0);
  await tap.close();
});

test('a partition given again delivers from its new position and nothing of the old assignment', async () => {
  await cluster.produce('again', numbered(100));
  const tap = await Tap.open(cluster);
  tap.assign('again', [0]);
  await tap.until(() => tap.intake.queueLength(0) > 0);
  assert.equal(tap.take(0, 5).length, 5);
  tap.intake.unsplit(0);
  tap.client.unassign();
  assert.throws(() => tap.take(0, 5), /partition 0 is not split/);
  tap.client.assign([{ topic: 'again', partition: 0, offset: 90 }]);
  tap.intake.split(3, 'again', 0);
  const rows = await tap.collect(3, 10);
  assert.deepEqual(
    rows.map((row) => row.offset),
    Array.from({ length: 10 }, (_, i) => 90 + i),
  );
  assert.equal(tap.intake.counts().handles, 15, 'handles outlive their partition');
  await tap.close();
});

test('the end of a partition is a row without a handle, at its offset', async () => {
  await cluster.produce('eof', numbered(3));
  const tap = await Tap.open(cluster, { 'enable.partition.eof': true });
  tap.assign('eof', [0]);
  const rows = await tap.collect(0, 4);
  assert.deepEqual(rows[3], {
    handle: -1,
    offset: 3,
    timestamp: -1,
    keyHashLow: 0,
    keyHashHigh: 0,
    keyBytes: -1,
    payloadBytes: 0,
    error: END_OF_PARTITION,
  });
  assert.deepEqual(tap.intake.watermarks(0), [0, 3]);
  await tap.close();
});

test('the ends of a log that was never fetched are null', async () => {
  const tap = await Tap.open(cluster);
  tap.intake.split(0, 'cold', 0);
  assert.deepEqual(tap.intake.watermarks(0), [null, null]);
  await tap.close();
});

test('an error that belongs to no partition comes back from the main queue', async () => {
  const tap = await Tap.open(cluster, { 'allow.auto.create.topics': false });
  tap.client.subscribe(['no-such-topic']);
  await tap.until(() => tap.errors.length > 0);
  const [first] = tap.errors;
  assert.deepEqual([first?.error, first?.topic], [UNKNOWN_TOPIC, 'no-such-topic']);
  assert.match(first?.message ?? '', /no-such-topic/);
  await tap.close();
});

test('a parked record keeps its handle and its bytes', async () => {
  const headers = { h: ['1', Buffer.from([0, 255])] };
  await cluster.produce('park', [{ partition: 0, key: 'k', value: 'v'.repeat(300), headers }]);
  await cluster.produce('park', [{ partition: 0, key: null, value: null }]);
  const tap = await Tap.open(cluster);
  tap.assign('park', [0]);
  const [full, bare] = (await tap.collect(0, 2)).map((row) => row.handle);
  assert(full !== undefined && bare !== undefined);
  for (const handle of [full, bare, full]) tap.intake.park(handle);
  assert.deepEqual(tap.intake.counts(), { handles: 2, parked: 2, queues: 1, buffers: 0 });
  const memory = new SharedArrayBuffer(1024);
  const buffer = tap.intake.registerBuffer(memory);
  tap.fill(full, buffer, 0);
  const slot = readSlot(memory, 0);
  assert.deepEqual(
    [slot.key, slot.value, slot.headers],
    [
      Buffer.from('k'),
      Buffer.from('v'.repeat(300)),
      [
        ['h', Buffer.from('1')],
        ['h', Buffer.from([0, 255])],
      ],
    ],
  );
  tap.fill(bare, buffer, 0);
  assert.deepEqual([readSlot(memory, 0).key, readSlot(memory, 0).value], [null, null]);
  assert.equal(tap.intake.counts().parked, 0);
  await tap.close();
});

test('a record parked from its slot fills another slot with the same content', async () => {
  const headers = { h: 'x' };
  await cluster.produce('slot', [
    { partition: 0, key: 'k', value: 'small', headers, timestamp: '1700000000000' },
    { partition: 0, key: Buffer.alloc(0), value: 'L'.repeat(5000) },
  ]);
  const tap = await Tap.open(cluster);
  tap.assign('slot', [0]);
  const rows = await tap.collect(0, 2);
  const [memory, overflow] = [new SharedArrayBuffer(1024), new SharedArrayBuffer(5000)];
  const [ring, big] = [
    tap.intake.registerBuffer(memory, 0, 512),
    tap.intake.registerBuffer(overflow),
  ];
  tap.fill(rows[0]?.handle ?? -1, ring, 0);
  tap.fill(rows[1]?.handle ?? -1, ring, 512, big);
  const before = [readSlot(memory, 0), readSlot(memory, 512, overflow)];
  const again = [
    tap.intake.parkFromSlot(ring, 0, -1),
    tap.intake.parkFromSlot(ring, 512, big),
  ] as const;
  assert.deepEqual(tap.intake.counts(), { handles: 2, parked: 2, queues: 1, buffers: 2 });
  new Uint8Array(memory).fill(0xee);
  new Uint8Array(overflow).fill(0xee);
  tap.fill(again[0], ring, 512);
  tap.fill(again[1], ring, 0, big);
  const repeated = [readSlot(memory, 512), readSlot(memory, 0, overflow)];
  assert.deepEqual(repeated, before);
  assert.equal(before[1]?.value?.length, 5000);
  await tap.close();
});

test('an ordinary assignment is not lost', async () => {
  const tap = await Tap.open(cluster);
  assert.equal(tap.intake.assignmentLost(), false);
  await tap.close();
});

/** Waits, without serving the main queue, until librdkafka has put a partition's records there. */
async function fetched(tap: Tap, topic: string, end: number): Promise<void> {
  const { wakes } = tap;
  tap.client.assign([{ topic, partition: 0, offset: 0 }]);
  await tap.until(() => {
    const { highOffset } = tap.client.getWatermarkOffsets(topic, 0);
    return tap.wakes > wakes && highOffset === end;
  }, false);
}
