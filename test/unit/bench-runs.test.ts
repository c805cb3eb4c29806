import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { roundsFor } from '../../bench/calibrate.ts';
import { BenchProcess } from '../../bench/child.ts';
import { bucketsOf, difference, quantile, valueOf } from '../../bench/exposition.ts';
import { joinMs } from '../../bench/figures.ts';
import { Ledger, LedgerCell } from '../../bench/handlers/ledger.ts';
import { parseOptions } from '../../bench/options.ts';
import { answerIn } from '../../bench/peers/job.ts';
import type { RunResult } from '../../bench/peers/job.ts';
import { Meter, between } from '../../bench/peers/meter.ts';

const script = (code: string): BenchProcess => new BenchProcess({ args: ['-e', code], job: {} });

describe('the meter', () => {
  const job = { records: 100, warmup: 10, limitMs: 60_000 };

  it('counts from the end of the warm-up to the last record', () => {
    const results: RunResult[] = [];
    const meter = new Meter(job, (result) => results.push(result));
    for (let record = 0; record < 100; record++) meter.add();
    assert.deepEqual(
      results.map(({ records, cut }) => ({ records, cut })),
      [{ records: 90, cut: false }],
    );
  });

  it('takes late readings as they are and answers once', () => {
    const results: RunResult[] = [];
    const meter = new Meter(job, (result) => results.push(result));
    for (const count of [0, 3, 25, 60, 130, 150]) meter.finished(count);
    assert.deepEqual(
      results.map(({ records }) => records),
      [105],
    );
  });

  it('divides by the time and the records between its readings', () => {
    const start = { count: 10, at: 1000, cpuMicros: 500, mainMicros: 100, rss: 100 };
    const end = { count: 110, at: 1500, cpuMicros: 900, mainMicros: 300, rss: 150 };
    const { rate, cpuMicrosPerRecord, mainMicrosPerRecord, rssGrowth } = between(start, end, false);
    assert.deepEqual(
      { rate, cpuMicrosPerRecord, mainMicrosPerRecord, rssGrowth },
      { rate: 200, cpuMicrosPerRecord: 4, mainMicrosPerRecord: 2, rssGrowth: 1.5 },
    );
  });
});

describe('the ledger', () => {
  it('adds up the cells of all threads', () => {
    const ledger = new Ledger();
    assert.equal(ledger.firstAt(), null);
    const cells = [new LedgerCell(ledger.memory), new LedgerCell(ledger.memory)];
    for (const cell of cells) cell.finished();
    cells[1]?.finishedAt(7);
    cells[0]?.finishedAt(9);
    assert.equal(ledger.finished(), 4);
    assert.equal(ledger.lastAt(), 9);
  });
});

describe('a process of the bench', () => {
  it('answers with its marked line among others', async () => {
    const child = script(`console.log('noise'); console.log('{"bench":{"rate":7}}');`);
    assert.deepEqual(await child.answer(60_000), { rate: 7 });
    await child.end();
    assert.deepEqual(child.lines, ['noise']);
  });

  it('is an error with the reason when it dies without an answer', async () => {
    const child = script(`throw new Error('no broker there')`);
    await assert.rejects(child.answer(60_000), /ended early \(1\): Error: no broker there/);
  });

  it('is an error when it does not answer in time', async () => {
    const child = script('setInterval(() => {}, 1000)');
    await assert.rejects(child.answer(1), /no answer/);
    await child.end();
  });

  it('ignores lines that only look alike', () => {
    assert.equal(answerIn('{"level":"info","bench":1}'), undefined);
  });
});

describe('an exposition', () => {
  const text = [
    '# TYPE x_seconds histogram',
    'x_seconds_bucket{topic="a",le="0.1"} 10',
    'x_seconds_bucket{le="0.2",topic="a"} 30',
    'x_seconds_bucket{topic="a",le="+Inf"} 40',
    'x_seconds_bucket{topic="b",le="0.1"} 0',
    'x_seconds_bucket{topic="b",le="0.2"} 10',
    'x_seconds_bucket{topic="b",le="+Inf"} 10',
    'process_cpu_seconds_total 1.5',
  ].join('\n');

  it('is read with all series of a histogram together', () => {
    assert.deepEqual(bucketsOf(text, 'x_seconds'), [
      [0.1, 10],
      [0.2, 40],
      [Infinity, 50],
    ]);
    assert.equal(valueOf(text, 'process_cpu_seconds_total'), 1.5);
    assert.throws(() => valueOf(text, 'nothing'), /nothing/);
  });

  it('gives quantiles interpolated within a bucket, of what came in between', () => {
    const after = bucketsOf(text, 'x_seconds');
    assert.ok(Math.abs((quantile(after, 0.5) ?? 0) - 0.15) < 1e-9);
    assert.equal(quantile(after, 0.99), 0.2);
    assert.equal(quantile(difference(after, after), 0.5), null);
  });
});

describe('the time of a join', () => {
  const at = (event: string, seconds: number, partitions?: unknown[]): string =>
    JSON.stringify({ event, time: new Date(seconds * 1000).toISOString(), partitions });

  it('runs from being started to the first partitions', () => {
    const lines = [at('started', 2), at('assigned', 3, []), at('assigned', 5, ['t/0'])];
    assert.equal(joinMs(lines), 3000);
  });

  it('is nothing when partitions were there first', () => {
    assert.equal(joinMs([at('assigned', 1, ['t/0']), at('started', 2)]), 0);
  });
});

describe('options of the bench', () => {
  it('default to three rounds of everything, one when quick', () => {
    const options = parseOptions([]);
    assert.equal(options.rounds, 3);
    assert.equal(options.workloads, null);
    assert.equal(parseOptions(['--quick']).rounds, 1);
    assert.equal(parseOptions(['--quick', '--rounds', '2']).rounds, 2);
  });

  it('refuse what is not known, and say what is', () => {
    assert.throws(() => parseOptions(['--workloads', 'noop,sleep']), /no "sleep", only noop/);
    assert.throws(() => parseOptions(['--contenders', 'kafak']), /no "kafak"/);
    assert.throws(() => parseOptions(['--rounds', '0']), /--rounds 0/);
    assert.throws(() => parseOptions(['--fast']), /--fast/);
  });
});

describe('the calibration', () => {
  it('goes by the fastest try', () => {
    let clock = 0;
    let tries = 0;
    const work = (rounds: number): void => {
      // One try in three is undisturbed: a round takes 0.01 then.
      clock += rounds * (tries++ % 3 === 1 ? 0.01 : 0.04);
    };
    assert.equal(
      roundsFor(work, 1, () => clock),
      100,
    );
  });
});
