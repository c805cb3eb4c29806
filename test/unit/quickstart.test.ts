import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { OrderCheck } from '../../src/quickstart/order-check.ts';
import { OrderStream } from '../../src/quickstart/orders.ts';
import { Overlap } from '../../src/quickstart/overlap.ts';
import { summarize } from '../../src/quickstart/summary.ts';
import type { Findings } from '../../src/quickstart/summary.ts';

type Row = readonly [customer: number, sequence: number, startedAt: number, endedAt: number];

function checkOf(...rows: readonly Row[]): OrderCheck {
  const check = new OrderCheck();
  for (const row of rows) check.take(Float64Array.from(row));
  return check;
}

test('orders that ran one after another in sequence pass, in whatever order the reports come', () => {
  const runs = [0, 1, 2, 3, 4, 5].map((sequence): Row => [
    7,
    sequence,
    sequence * 10,
    sequence * 10 + 10,
  ]);
  fc.assert(
    fc.property(fc.shuffledSubarray(runs, { minLength: runs.length }), (shuffled) => {
      const check = checkOf(...shuffled);
      assert.deepEqual([check.handled, check.breaches, check.withGap], [6, 0, 0]);
    }),
  );
});

test('an order that started before the one in front of it ended is a breach, also when reported first', () => {
  assert.equal(checkOf([1, 1, 5, 15], [1, 0, 0, 10]).breaches, 1);
  assert.match(checkOf([1, 0, 0, 10], [1, 1, 5, 15]).firstBreach ?? '', /order 1 of customer 1/);
});

test('orders swapped in time are a breach', () => {
  assert.equal(checkOf([1, 1, 0, 10], [1, 0, 10, 20]).breaches, 1);
});

test('orders of different customers may overlap', () => {
  assert.equal(checkOf([1, 0, 0, 10], [2, 0, 0, 10]).breaches, 0);
});

test('a missing order shows as orders behind a gap', () => {
  assert.equal(checkOf([1, 0, 0, 10], [1, 2, 20, 30]).withGap, 1);
});

test('an order that runs again counts as repeated and not as handled', () => {
  const check = checkOf([1, 0, 0, 10], [1, 0, 30, 40], [1, 2, 50, 60], [1, 2, 70, 80]);
  assert.deepEqual([check.handled, check.repeated], [2, 2]);
});

test('the overlap is the highest number of runs at one instant, and touching runs do not overlap', () => {
  const overlap = new Overlap();
  for (const [from, to] of [
    [0, 10],
    [10, 20],
    [5, 15],
    [12, 13],
  ] as const)
    overlap.add(from, to);
  overlap.advance(11);
  assert.equal(overlap.peak, 2);
  overlap.advance(Infinity);
  assert.equal(overlap.peak, 3);
});

test('sample orders number each customer without a gap and are the same on every run', () => {
  const stream = new OrderStream(10);
  const next = new Map<number, number>();
  for (let count = 0; count < 1000; count++) {
    const { customer, sequence, amount } = stream.next();
    assert.equal(sequence, next.get(customer) ?? 0);
    assert.ok(customer >= 0 && customer < 10 && amount > 0);
    next.set(customer, sequence + 1);
  }
  assert.equal(next.size, 10);
  assert.deepEqual(new OrderStream(10).next(), new OrderStream(10).next());
});

const GOOD: Findings = {
  produced: 2,
  refused: 0,
  seconds: 1,
  check: checkOf([1, 0, 0, 10], [1, 1, 10, 20]),
  peak: 1,
  threads: 2,
  progress: [
    { partition: 0, committed: 2, logEnd: 2 },
    { partition: 1, committed: null, logEnd: 0 },
  ],
};

test('a run in which everything held has a summary that says so', () => {
  assert.equal(summarize(GOOD).holds, true);
});

for (const [what, change] of [
  ['an order was not handled', { produced: 3 }],
  ['the broker refused an order', { refused: 1 }],
  ['the order of a customer was broken', { check: checkOf([1, 0, 0, 10], [1, 1, 5, 20]) }],
  ['the commit is behind the end', { progress: [{ partition: 0, committed: 1, logEnd: 2 }] }],
  ['the commit is past the end', { progress: [{ partition: 0, committed: 3, logEnd: 2 }] }],
  [
    'the log does not hold what was produced',
    { progress: [{ partition: 0, committed: 1, logEnd: 1 }] },
  ],
] as const)
  test(`the summary does not hold when ${what}`, () => {
    const { holds, lines } = summarize({ ...GOOD, ...change });
    assert.equal(holds, false);
    assert.ok(lines.some((line) => line.includes('✗')));
  });
