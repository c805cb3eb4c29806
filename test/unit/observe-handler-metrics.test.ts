import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  HANDLER_BOUNDS,
  NAMES_MAX,
  SERIES_MAX,
  SERIES_PER_NAME_MAX,
} from '../../src/observe/handler-metrics.ts';
import type { HandlerMeasurement } from '../../src/observe/handler-metrics.ts';
import { createMetrics } from '../../src/observe/metrics.ts';
import { parseExposition } from './observe-exposition.ts';
import type { Series } from './observe-exposition.ts';
import { snapshotOf } from './observe-snapshots.ts';

type Labels = HandlerMeasurement['labels'];

function setUp() {
  const refusals: string[] = [];
  const metrics = createMetrics(
    () => snapshotOf(),
    (name, reason) => refusals.push(`${name} ${reason}`),
  );
  const families = async () => parseExposition(await metrics.render());
  return {
    refusals,
    count: (name: string, by = 1, labels: Labels = {}): void => {
      metrics.handlerMetric({ kind: 'count', name, labels, values: [by] });
    },
    observe: (name: string, values: readonly number[], labels: Labels = {}): void => {
      metrics.handlerMetric({ kind: 'observe', name, labels, values });
    },
    series: async (name: string): Promise<readonly Series[]> =>
      (await families()).get(`tidemark_handler_${name}`)?.series ?? [],
    refused: async (reason: string): Promise<number> => {
      const counts = (await families()).get('tidemark_handler_metrics_refused_total');
      return counts?.series.find(({ labels }) => labels.get('reason') === reason)?.value ?? -1;
    },
  };
}

test('counts add up by labels, whatever the order in which the labels are named', async () => {
  const { count, series } = setUp();
  count('orders', 2, { shop: 'a', kind: 'x' });
  count('orders', 3, { kind: 'x', shop: 'a' });
  count('orders', 4, { shop: 'b', kind: 'x' });
  const values = (await series('orders')).map(({ labels, value }) => [labels.get('shop'), value]);
  assert.deepEqual(values, [
    ['a', 5],
    ['b', 4],
  ]);
});

test('calls that name different labels have series of their own', async () => {
  const { count, series, refusals } = setUp();
  count('orders');
  count('orders', 1, { shop: 'a' });
  count('orders', 1, { shop: 'a', kind: 'x' });
  assert.deepEqual(
    (await series('orders')).map(({ labels }) => labels.size),
    [0, 1, 2],
  );
  assert.deepEqual(refusals, []);
});

test('observed values fall into the first bucket that is not below them', async () => {
  const { observe, series } = setUp();
  observe('cents', [1, 1.5, 2_000_000_000]);
  const lines = await series('cents');
  const upTo = (bound: string) => lines.find(({ labels }) => labels.get('le') === bound)?.value;
  assert.deepEqual([upTo('0.5'), upTo('1'), upTo('2.5'), upTo('1000000000')], [0, 1, 2, 2]);
  assert.equal(upTo('+Inf'), 3);
  assert.deepEqual(
    lines.slice(-2).map(({ value }) => value),
    [2_000_000_002.5, 3],
  );
});

test('the bounds of handler histograms ascend', () => {
  assert.deepEqual(
    [...HANDLER_BOUNDS].sort((a, b) => a - b),
    HANDLER_BOUNDS,
  );
  assert.deepEqual([HANDLER_BOUNDS[0], HANDLER_BOUNDS.at(-1)], [1e-5, 1e9]);
});

test('label values with quotes, backslashes and line breaks survive the exposition', async () => {
  const { count, series } = setUp();
  const odd = 'a"b\\c\nd}{,=é\\n';
  count('orders', 1, { shop: odd });
  const [only] = await series('orders');
  assert.equal(only?.labels.get('shop'), odd);
});

const REFUSED: readonly [what: string, measurement: HandlerMeasurement][] = [
  ['an empty name', { kind: 'count', name: '', labels: {}, values: [1] }],
  ['a dot in the name', { kind: 'count', name: 'a.b', labels: {}, values: [1] }],
  ['a line break in the name', { kind: 'count', name: 'a\nb', labels: {}, values: [1] }],
  ['a name that is too long', { kind: 'count', name: 'a'.repeat(201), labels: {}, values: [1] }],
  ['a label with a dash', { kind: 'count', name: 'a', labels: { 'b-c': '' }, values: [1] }],
  ['a reserved label', { kind: 'count', name: 'a', labels: { __name__: '' }, values: [1] }],
  ['the label le', { kind: 'observe', name: 'a', labels: { le: '1' }, values: [1] }],
  ['a counter that would fall', { kind: 'count', name: 'a', labels: {}, values: [-1] }],
  ['not a number', { kind: 'observe', name: 'a', labels: {}, values: [Number.NaN] }],
  ['infinity', { kind: 'count', name: 'a', labels: {}, values: [Infinity] }],
  ['a name of the program', { kind: 'count', name: 'runs_total', labels: {}, values: [1] }],
  [
    'a line of the program',
    { kind: 'count', name: 'duration_seconds_sum', labels: {}, values: [1] },
  ],
];

for (const [what, measurement] of REFUSED)
  test(`${what} is dropped, counted each time and told once`, async () => {
    const refusals: string[] = [];
    const metrics = createMetrics(
      () => snapshotOf(),
      (name, reason) => refusals.push(`${name} ${reason}`),
    );
    metrics.handlerMetric(measurement);
    metrics.handlerMetric(measurement);
    const families = parseExposition(await metrics.render());
    const refused = families.get('tidemark_handler_metrics_refused_total')?.series[0];
    assert.deepEqual([refused?.labels.get('reason'), refused?.value], ['invalid', 2]);
    assert.deepEqual(refusals, [`${measurement.name.slice(0, 200)} invalid`]);
  });

test('a name that is counted cannot be observed, nor one whose lines would meet another', async () => {
  const { count, observe, refusals, series } = setUp();
  count('a');
  observe('a', [1]);
  observe('b', [1]);
  count('b_count');
  count('c_sum');
  observe('c', [1]);
  assert.deepEqual(refusals, ['a invalid', 'b_count invalid', 'c invalid']);
  assert.equal((await series('a')).length, 1);
});

test('a good value beside a bad one counts', async () => {
  const { observe, series } = setUp();
  observe('a', [Number.NaN, 3]);
  assert.equal((await series('a')).at(-1)?.value, 1);
});

test('series per name are limited, and known ones go on counting', async () => {
  const { count, series, refused, refusals } = setUp();
  for (let at = 0; at <= SERIES_PER_NAME_MAX; at++) count('a', 1, { id: String(at) });
  count('a', 1, { id: '0' });
  count('b');
  const lines = await series('a');
  assert.equal(lines.length, SERIES_PER_NAME_MAX);
  assert.equal(lines[0]?.value, 2);
  assert.equal(await refused('limit'), 1);
  assert.deepEqual(refusals, ['a limit']);
  assert.equal((await series('b')).length, 1);
});

test('names are limited', async () => {
  const { count, series, refusals } = setUp();
  for (let at = 0; at <= NAMES_MAX; at++) count(`n${String(at)}`);
  assert.deepEqual(refusals, [`n${String(NAMES_MAX)} limit`]);
  assert.equal((await series('n0')).length, 1);
  assert.equal((await series(`n${String(NAMES_MAX)}`)).length, 0);
});

test('series over all names are limited', async () => {
  const { count, refused } = setUp();
  const perName = SERIES_PER_NAME_MAX / 2;
  for (let at = 0; at < SERIES_MAX + 5; at++)
    count(`n${String(Math.floor(at / perName))}`, 1, { id: String(at) });
  assert.equal(await refused('limit'), 5);
});

test('refusals of ever new names are counted, but not told without end', async () => {
  const { count, refused, refusals } = setUp();
  for (let at = 0; at < 3000; at++) count(`bad.${String(at)}`);
  assert.equal(await refused('invalid'), 3000);
  assert.equal(refusals.length, 1000);
});
