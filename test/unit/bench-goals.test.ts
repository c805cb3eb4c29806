import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GOALS, figuresOf, ratiosOf, verdicts } from '../../bench/goals.ts';
import { median, tableOf } from '../../bench/report.ts';
import type { Row } from '../../bench/report.ts';
import { rowOf } from '../../bench/runs.ts';
import { CASES } from '../../bench/workloads.ts';

function row(workload: string, topic: string, contender: string, rate: number | null): Row {
  return {
    workload,
    topic,
    contender,
    records: 1000,
    rates: rate === null ? [] : [rate],
    median: rate,
    cpuMicrosPerRecord: rate === null ? null : 2,
    mainMicrosPerRecord: rate === null ? null : 1,
    peakRssMb: rate === null ? null : 150,
    rssGrowth: rate === null ? null : 1.1,
    settings: { threads: 2, concurrency: 16, outstanding: 64, cut: false },
    skipped: rate === null ? 'not here' : null,
  };
}

const withConcurrency = (of: Row, concurrency: number): Row => ({
  ...of,
  settings: { ...of.settings, concurrency },
});

describe('ratios of a bench', () => {
  it('put tidemark over its peer', () => {
    const rows = [
      row('noop', 'bench16', 'tidemark-key', 900),
      row('noop', 'bench16', 'rdkafka', 300),
    ];
    assert.deepEqual(ratiosOf(rows), { 'P1.rdkafka': 3 });
  });

  it('leave out what has no other side', () => {
    const rows = [
      row('noop', 'bench16', 'tidemark-key', 900),
      row('noop', 'bench16', 'kafkajs', null),
    ];
    assert.deepEqual(ratiosOf(rows), {});
  });

  it('do not mix topics of one workload', () => {
    const rows = [
      row('noop', 'hot16', 'tidemark-key', 450),
      row('noop', 'bench16', 'tidemark-key', 900),
      row('noop', 'hot16', 'rdkafka', 1),
    ];
    assert.deepEqual(ratiosOf(rows), { P7: 0.5 });
  });

  it('compare waits with the ideal of their own concurrency', () => {
    const rows = [
      withConcurrency(row('io5', 'bench16', 'tidemark-key', 12_160), 32),
      withConcurrency(row('io5', 'bench16', 'tidemark-key', 184_320), 512),
      withConcurrency(row('io5', 'bench1', 'tidemark-key', 92_160), 512),
    ];
    assert.deepEqual(ratiosOf(rows), { 'P5.ideal': 0.9, 'P5.ideal64': 0.95, P6: 0.5 });
  });

  it('give P8 as times: above 1 when the hot key slows the cold ones', () => {
    const rows = [
      row('cold', 'hot16-10k', 'tidemark-key', 500),
      row('cold', 'cold16', 'tidemark-key', 1000),
    ];
    assert.deepEqual(ratiosOf(rows), { P8: 2 });
  });

  it('come with the figures of the no-op row', () => {
    assert.deepEqual(figuresOf([row('noop', 'bench16', 'tidemark-key', 900)]), {
      P10: 2,
      'P10.main': 1,
      P11: 150,
      'P11.growth': 1.1,
    });
  });
});

describe('verdicts', () => {
  it('hold least goals from below and most goals from above', () => {
    const text = verdicts({ 'P1.rdkafka': 3.4, P8: 1.2, P10: 2.6 });
    assert.match(text, /P1\.rdkafka +3\.4 .*missed/);
    assert.match(text, /P8 +1\.2 .*met/);
    assert.match(text, /P10 +2\.6 .*missed/);
  });

  it('know a bound for every goal', () => {
    for (const { id, least, most } of GOALS)
      assert.ok((least === undefined) !== (most === undefined), `${id} has one bound`);
  });
});

describe('a row', () => {
  const result = {
    rate: 100.4,
    records: 950,
    seconds: 9.5,
    cpuMicrosPerRecord: 3,
    mainMicrosPerRecord: null,
    peakRssMb: 100,
    rssGrowth: 1,
    cut: false,
  };
  const [plan] = CASES;
  assert.ok(plan !== undefined);

  it('has no rates when one of the rounds failed', () => {
    const failed = rowOf(plan, 'rdkafka', [result], 'died');
    assert.deepEqual(failed.rates, []);
    assert.equal(failed.median, null);
    assert.equal(failed.skipped, 'died');
  });

  it('keeps all rates and their median', () => {
    const results = [9, 1, 5].map((rate) => ({ ...result, rate }));
    const good = rowOf(plan, 'rdkafka', results, undefined);
    assert.deepEqual(good.rates, [9, 1, 5]);
    assert.equal(good.median, 5);
    assert.equal(good.mainMicrosPerRecord, null);
    assert.equal(good.skipped, null);
  });

  it('says in the table why it has no rates', () => {
    assert.match(tableOf([row('noop', 'bench16', 'java', null)]), /java +- .*skipped: not here/);
  });
});

describe('median', () => {
  it('is the middle, or between the two middles', () => {
    assert.equal(median([10, 9, 100]), 10);
    assert.equal(median([4, 1, 3, 2]), 2.5);
    assert.throws(() => median([]), RangeError);
  });
});
