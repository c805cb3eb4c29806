import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { Intake } from '../../src/broker/intake/intake.ts';
import { ROW_STRIDE } from '../../src/core/ports.ts';
import { Tap, readSlot, startCluster } from './intake-cluster.ts';
import type { Cluster } from './intake-cluster.ts';

const RECORDS = 6;
let cluster: Cluster;
let tap: Tap;
before(async () => {
  cluster = await startCluster();
  await cluster.produce(
    'odd',
    Array.from({ length: RECORDS }, () => ({ partition: 0, key: 'key', value: 'v'.repeat(97) })),
  );
  tap = await Tap.open(cluster, {}, { handleLimit: RECORDS });
  tap.assign('odd', [0]);
});
after(async () => {
  await tap.close();
  await cluster.stop();
});

/** Calls a method past the type checker. */
const call = (name: string, ...values: unknown[]): unknown => {
  const intake = tap.intake as unknown as Record<string, (...values: unknown[]) => unknown>;
  return intake[name]?.(...values);
};
const refused = (name: string, values: unknown[], kind: ErrorConstructor, detail: RegExp): void => {
  assert.throws(
    () => call(name, ...values),
    (error) => {
      assert(error instanceof kind, `${name}: ${String(error)}`);
      assert.match(error.message, detail);
      return true;
    },
  );
};
const int = (...values: number[]): Int32Array => Int32Array.from(values);

test('numbers that are none, or are out of range, are refused by every method', () => {
  const numbersOf: [string, (value: unknown) => unknown[]][] = [
    ['registerBuffer', (value) => [new SharedArrayBuffer(64), value, 0]],
    ['registerBuffer', (value) => [new SharedArrayBuffer(64), 0, value]],
    ['unregisterBuffer', (value) => [value]],
    ['split', (value) => [value, 'odd', 3]],
    ['split', (value) => [1, 'odd', value]],
    ['unsplit', (value) => [value]],
    ['queueLength', (value) => [value]],
    ['watermarks', (value) => [value]],
    ['take', (value) => [value, 1, tap.rows]],
    ['take', (value) => [0, value, tap.rows]],
    ['fill', (value) => [value, int(), int(), int(), int()]],
    ['free', (value) => [value]],
    ['park', (value) => [value]],
    ['parkFromSlot', (value) => [value, 0, -1]],
    ['exitNow', (value) => [value]],
  ];
  const outOfRange = [-2, 0.5, NaN, Infinity, -Infinity, 2 ** 31, 2 ** 53, -(2 ** 53)];
  for (const [name, values] of numbersOf) {
    for (const value of outOfRange) refused(name, values(value), RangeError, /must be an integer/);
    for (const value of [null, '1', {}, [], 1n, Symbol('s'), () => 1])
      refused(name, values(value), TypeError, /must be a number/);
  }
  assert.deepEqual(tap.intake.counts(), { handles: 0, parked: 0, queues: 1, buffers: 0 });
});

test('arrays of another type, and memory that is not shared, are refused', () => {
  for (const rows of [
    undefined,
    {},
    [],
    new Float32Array(8),
    new BigInt64Array(8),
    Buffer.alloc(64),
  ])
    refused('take', [0, 1, rows], TypeError, /rows must be a Float64Array/);
  for (const out of [undefined, [], new Uint32Array(8), new DataView(new ArrayBuffer(8))])
    refused('ready', [out], TypeError, /out must be an Int32Array/);
  const good: unknown[] = [0, int(), int(), int(), int()];
  for (const at of [1, 2, 3, 4])
    refused('fill', good.with(at, [1]), TypeError, /must be an Int32Array/);
  for (const memory of [undefined, {}, new ArrayBuffer(64), new Uint8Array(8)])
    refused('registerBuffer', [memory], TypeError, /SharedArrayBuffer/);
  for (const topic of [undefined, null, 7, {}]) refused('split', [1, topic, 0], TypeError, /topic/);
});

test('a topic name that Kafka would not allow is refused', () => {
  for (const topic of ['', 'a'.repeat(250), 'ü'.repeat(125), 'a\0b'])
    refused('split', [1, topic, 0], RangeError, /topic must have/);
});

test('a partition is split once, under one number, and unsplit once', () => {
  refused('split', [0, 'odd', 1], RangeError, /partition 0 is split already/);
  refused('split', [1, 'odd', 0], RangeError, /partition 0 is split already/);
  tap.intake.split(1, 'odd', 1);
  tap.intake.unsplit(1);
  refused('unsplit', [1], RangeError, /partition 1 is not split/);
  for (const name of ['take', 'queueLength', 'watermarks'])
    refused(name, [1, 1, tap.rows], RangeError, /partition 1 is not split/);
});

test('arrays over shared, detached or no memory are safe', async () => {
  await tap.until(() => tap.intake.queueLength(0) === RECORDS);
  refused('take', [0, 1, new Float64Array(ROW_STRIDE - 1)], RangeError, /max .* to 0, not 1/);
  const shared = new Float64Array(new SharedArrayBuffer(8 * ROW_STRIDE));
  assert.equal(tap.intake.take(0, 1, shared), 1);
  assert.equal(shared[1], 0);
  const handle = shared[0] ?? -1;
  const memory = new ArrayBuffer(64);
  const view = new Float64Array(memory);
  structuredClone(memory, { transfer: [memory] });
  refused('take', [0, 1, view], RangeError, /max/);
  assert.equal(tap.intake.take(0, 0, view), 0);
  assert.equal(tap.intake.ready(new Int32Array(0)), 0);
  tap.intake.free(handle);
});

test('a take beyond the handles that are left changes nothing', () => {
  refused(
    'take',
    [0, RECORDS + 1, tap.rows],
    RangeError,
    /max must be an integer from 0 to 6, not 7/,
  );
  const handles = tap.take(0, RECORDS).map((row) => row.handle);
  assert.equal(handles.length, RECORDS - 1, 'one was taken before');
  const ring = tap.intake.registerBuffer(new SharedArrayBuffer(512));
  tap.fill(handles[0] ?? -1, ring, 0);
  tap.intake.parkFromSlot(ring, 0, -1);
  tap.intake.parkFromSlot(ring, 0, -1);
  refused('parkFromSlot', [ring, 0, -1], RangeError, /all 6 handles are in use/);
  refused('take', [0, 1, tap.rows], RangeError, /from 0 to 0, not 1/);
  assert.equal(tap.intake.counts().handles, RECORDS);
  for (const handle of handles.slice(3)) tap.intake.free(handle);
  tap.intake.unregisterBuffer(ring);
});

test('a handle that was freed is refused, also when its place is used again', () => {
  const ring = tap.intake.registerBuffer(new SharedArrayBuffer(512));
  const first = tap.intake.parkFromSlot(ring, 0, -1);
  tap.intake.free(first);
  const second = tap.intake.parkFromSlot(ring, 0, -1);
  for (const handle of [first, 2 ** 31 - 1, 2 ** 22 - 1, -1])
    for (const name of ['free', 'park']) refused(name, [handle], RangeError, /is not known/);
  tap.intake.free(second);
  for (const id of [-1, ring + 1, 1000])
    refused('unregisterBuffer', [id], RangeError, /is not known/);
  tap.intake.unregisterBuffer(ring);
});

test('one bad row of a fill is named and nothing is written', async () => {
  await cluster.produce('rows', [
    { partition: 0, key: 'key', value: 'v'.repeat(97) },
    { partition: 0, key: 'key', value: 'w'.repeat(97) },
  ]);
  const other = await Tap.open(cluster);
  other.assign('rows', [0]);
  const [first, second] = (await other.collect(0, 2)).map((row) => row.handle);
  assert(first !== undefined && second !== undefined);
  const { intake } = other;
  const memory = new SharedArrayBuffer(128 + 3 * 256);
  const ring = intake.registerBuffer(memory, 128, 256);
  const plain = intake.registerBuffer(new SharedArrayBuffer(227));
  const bad: [row: number[], detail: RegExp][] = [
    [[-1, ring, 128, -1], /handle -1 is not known/],
    [[first, ring, 128, -1], /is named twice/],
    [[second, -1, 128, -1], /buffer -1 is not known/],
    [[second, plain + 1, 128, -1], /buffer 2 is not known/],
    [[second, ring, 128, plain + 1], /payload buffer 2 is not known/],
    [[second, ring, 128, -2], /payload buffer -2 is not known/],
    [[second, ring, 0, -1], /no slot begins at offset 0/],
    [[second, ring, 136, -1], /no slot begins at offset 136/],
    [[second, ring, 896, -1], /from 0 to 640, not 896/],
    [[second, ring, -128, -1], /from 0 to 640, not -128/],
    [[second, ring, NaN, -1], /slot offset/],
    [[second, ring, 2 ** 60, -1], /slot offset/],
    [[second, plain, 4, -1], /no slot begins/],
    [[second, plain, 0, -1], /100 bytes does not fit into 99/],
    [[second, plain, 104, -1], /from 0 to 99/],
  ];
  for (const [[handle = 0, buffer = 0, offset = 0, payload = 0], detail] of bad) {
    assert.throws(
      () => {
        intake.fill(
          2,
          int(first, handle),
          int(ring, buffer),
          Float64Array.of(384, offset),
          int(-1, payload),
        );
      },
      new RegExp(`^RangeError: row 1: .*${detail.source}`),
    );
  }
  assert(new Uint8Array(memory).every((byte) => byte === 0));
  assert.equal(intake.counts().handles, 2);
  assert.throws(() => {
    intake.fill(3, int(first, second), int(0, 0, 0), int(0, 0, 0), int(0, 0, 0));
  }, /count must be an integer from 0 to 2, not 3/);
  intake.fill(2, int(first, second), int(ring, ring), int(384, 128), int(-1, -1));
  assert.deepEqual(
    [readSlot(memory, 384).value?.[0], readSlot(memory, 128).value?.[0]],
    [0x76, 0x77],
  );
  assert.equal(
    new Uint8Array(memory, 640).every((byte) => byte === 0),
    true,
  );
  await other.close();
});

test('a slot that contradicts itself or its buffer is not copied', () => {
  const memory = new SharedArrayBuffer(512);
  const ring = tap.intake.registerBuffer(memory, 0, 256);
  const words = new Int32Array(memory);
  const floats = new Float64Array(memory);
  const [keyBytes, valueBytes, headerCount, headersBytes] = [8, 9, 10, 11];
  const spoil: [() => void, RegExp][] = [
    [() => (words[keyBytes] = -2), /holds no record/],
    [() => (words[valueBytes] = -5), /holds no record/],
    [() => (words[headerCount] = -1), /holds no record/],
    [() => (words[headersBytes] = -1), /holds no record/],
    [() => (floats[8] = NaN), /holds no record/],
    [() => (floats[8] = 2 ** 53), /holds no record/],
    [() => (floats[9] = Infinity), /holds no record/],
    [() => (words[valueBytes] = 129), /129 bytes does not fit into 128/],
    [() => words.fill(2 ** 31 - 1, keyBytes, headersBytes + 1), /does not fit into 128/],
  ];
  for (const [change, detail] of spoil) {
    words.fill(0);
    change();
    refused('parkFromSlot', [ring, 0, -1], RangeError, detail);
  }
  refused('parkFromSlot', [ring, 8, -1], RangeError, /no slot begins/);
  refused('parkFromSlot', [ring, '0', -1], TypeError, /slotOffset/);
  tap.intake.unregisterBuffer(ring);
});

test('memory without room for what it claims to hold is refused', () => {
  const memory = new SharedArrayBuffer(1024);
  refused('registerBuffer', [new SharedArrayBuffer(0)], RangeError, /must not be empty/);
  refused('registerBuffer', [memory, 1032, 256], RangeError, /slotsAt .* to 1024, not 1032/);
  refused('registerBuffer', [memory, 0, 2048], RangeError, /slotBytes/);
  for (const [slotsAt, slotBytes] of [
    [4, 256],
    [0, 250],
    [0, 64],
  ])
    refused('registerBuffer', [memory, slotsAt, slotBytes], RangeError, /multiples of 8/);
});

test('methods called on anything else than an intake throw', () => {
  const { take } = Intake.load().Intake.prototype as { take: (...values: unknown[]) => unknown };
  for (const other of [undefined, {}, tap.client.getClient(), new Map()])
    assert.throws(() => take.call(other, 0, 1, tap.rows), TypeError);
});
