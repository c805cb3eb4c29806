import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HOT_KEY, TOPICS, countOf, recordAt, scaled, topicNamed } from '../../bench/contents.ts';
import type { BenchRecord } from '../../bench/contents.ts';

function some(name: string, count: number): BenchRecord[] {
  const spec = topicNamed(name);
  const indexes = Array.from({ length: count }, (_, index) => index);
  return indexes.map((index) => recordAt(spec, index)).filter((record) => record !== null);
}

describe('records of the bench topics', () => {
  it('have values of exactly the size of their topic, in JSON', () => {
    for (const spec of TOPICS.filter(({ records }) => records > 0)) {
      const records = some(spec.name, 50);
      assert.ok(records.length > 0, spec.name);
      for (const { value } of records) {
        assert.equal(value.length, spec.valueBytes, spec.name);
        assert.doesNotThrow(() => void JSON.parse(value.toString()), spec.name);
      }
    }
  });

  it('lie on one partition per key', () => {
    const partitions = new Map<string, number>();
    for (const { key, partition } of some('hot16', 20_000)) {
      assert.equal(partitions.get(key) ?? partition, partition, key);
      partitions.set(key, partition);
    }
  });

  it('spread 10,000 keys evenly over the partitions', () => {
    const records = some('bench16', 100_000);
    const keys = new Set(records.map(({ key }) => key));
    assert.ok(keys.size > 9900 && keys.size <= 10_000, String(keys.size));
    const counts = new Array<number>(16).fill(0);
    for (const { partition } of records) counts[partition] = (counts[partition] ?? 0) + 1;
    for (const count of counts) assert.ok(Math.abs(count - 6250) < 1000, counts.join(' '));
  });

  it('have the hot key in nine of ten', () => {
    const records = some('hot16', 10_000);
    const hot = records.filter(({ key }) => key === HOT_KEY).length;
    assert.ok(Math.abs(hot - 9000) < 200, String(hot));
  });

  it('are the same in the cold topic but for the hot key', () => {
    const cold = some('hot16-10k', 10_000).filter(({ key }) => key !== HOT_KEY);
    assert.deepEqual(some('cold16', 10_000), cold);
    assert.equal(countOf(topicNamed('cold16')), cold.length);
  });

  it('carry headers of 16 bytes', () => {
    const [record] = some('headers16', 1);
    assert.deepEqual(
      record?.headers.map((header) =>
        Object.entries(header).map(([name, { length }]) => [name, length]),
      ),
      [[['h0', 16]], [['h1', 16]], [['h2', 16]], [['h3', 16]]],
    );
  });
});

describe('quick topics', () => {
  it('have names of their own, so that a full run never finds a small topic', () => {
    for (const spec of TOPICS) {
      const quick = scaled(spec, true);
      assert.equal(quick.records === spec.records, quick.name === spec.name, spec.name);
      assert.deepEqual(scaled(spec, false), spec);
    }
  });
});
