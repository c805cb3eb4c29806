import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { SLOT_HEADER_BYTES, SlotWord } from '../../src/ring/layout.ts';
import { endRecord, WorkerRecord } from '../../workers/record.ts';
import { fakeRecord, payloadOf } from '../concurrency/fake-memory.ts';
import type { FakeRecord } from '../concurrency/fake-memory.ts';

const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
const nullable = fc.option(bytes, { nil: null });
const header = fc.tuple(fc.string({ unit: 'grapheme', maxLength: 20 }), nullable);

function make(parts: Partial<FakeRecord>): { record: WorkerRecord; shared: SharedArrayBuffer } {
  const written = fakeRecord(parts);
  const payload = payloadOf(written);
  const shared = new SharedArrayBuffer(SLOT_HEADER_BYTES + payload.length);
  const words = new Int32Array(shared, 0, SLOT_HEADER_BYTES / 4);
  words[SlotWord.keyBytes] = written.key?.length ?? -1;
  words[SlotWord.valueBytes] = written.value?.length ?? -1;
  words[SlotWord.headerCount] = written.headers.length;
  words[SlotWord.headersBytes] =
    payload.length - (written.key?.length ?? 0) - (written.value?.length ?? 0);
  const bytes = Buffer.from(shared);
  bytes.set(payload, SLOT_HEADER_BYTES);
  const floats = new Float64Array(shared, 0, SLOT_HEADER_BYTES / 8);
  const name = { topic: 't', partition: 1 };
  return {
    record: new WorkerRecord(name, words, floats, 0, bytes, SLOT_HEADER_BYTES),
    shared,
  };
}

test('key, value and headers are read as they were written, and stay when the slot is used again', () => {
  fc.assert(
    fc.property(nullable, nullable, fc.array(header, { maxLength: 20 }), (key, value, headers) => {
      const { record, shared } = make({ key, value, headers });
      assert.equal(record.text(), value?.toString() ?? '');
      const read = [record.key, record.value, record.headers] as const;
      endRecord(record);
      Buffer.from(shared).fill(0xee);
      assert.deepEqual(read, [key, value, headers]);
      assert.deepEqual([record.key, record.value, record.headers], [key, value, headers]);
      assert.equal(record.text(), value?.toString() ?? '');
      for (const [name] of headers)
        assert.deepEqual(record.header(name), headers.findLast((entry) => entry[0] === name)?.[1]);
      assert.equal(record.header('not there at all, too long'), undefined);
    }),
  );
});

test('what was not read before the run ended is refused, never read from another record', () => {
  const parts = { key: Buffer.from('k'), value: Buffer.from('v'), headers: [['h', null]] as const };
  const { record } = make({ ...parts, headers: [...parts.headers] });
  endRecord(record);
  for (const read of [
    () => record.key,
    () => record.value,
    () => record.headers,
    () => record.header('h'),
    () => record.text(),
    () => record.json(),
  ])
    assert.throws(read, /of t\[1\]@0 was first read after its run had ended/);
  assert.deepEqual(record.origin, { topic: 't', partition: 1, offset: 0, timestamp: 0 });
});

test('null and empty need no bytes, also after the run', () => {
  const { record } = make({});
  endRecord(record);
  assert.deepEqual([record.key, record.value, record.text()], [null, null, '']);
  assert.deepEqual(record.headers, []);
});

test('json() parses the value, gives null for a tombstone, throws SyntaxError for what is none', () => {
  assert.deepEqual(make({ value: Buffer.from('{"a":[1]}') }).record.json(), { a: [1] });
  assert.equal(make({ value: null }).record.json(), null);
  assert.throws(() => make({ value: Buffer.from('{') }).record.json(), SyntaxError);
  assert.throws(() => make({ value: Buffer.alloc(0) }).record.json(), SyntaxError);
});

test('copies lie in ordinary memory, and small ones cannot take their neighbours along', () => {
  const first = make({ value: Buffer.from('first') }).record.value;
  const second = make({ value: Buffer.from('second') }).record.value;
  assert.ok(first !== null && second !== null);
  assert.ok(first.buffer instanceof ArrayBuffer);
  try {
    structuredClone(first, { transfer: [first.buffer] });
  } catch {
    // Newer versions of Node refuse, older ones copy: either way nobody loses bytes.
  }
  assert.equal(second.toString(), 'second');
});
