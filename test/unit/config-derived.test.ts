import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDerived } from '../../src/config/derived.ts';
import type { PlainObject } from '../../src/config/plain.ts';

const CASES: readonly [title: string, given: PlainObject, expected: PlainObject][] = [
  [
    'a short max.poll.interval.ms shortens the drain and the session',
    { kafka: { properties: { 'max.poll.interval.ms': 10_000 } } },
    {
      kafka: { properties: { 'max.poll.interval.ms': 10_000, 'session.timeout.ms': 10_000 } },
      rebalance: { drainTimeoutMs: 5000 },
    },
  ],
  [
    'under the consumer protocol the broker decides on the session',
    { kafka: { properties: { 'max.poll.interval.ms': 9000, 'group.protocol': 'consumer' } } },
    {
      kafka: { properties: { 'max.poll.interval.ms': 9000, 'group.protocol': 'consumer' } },
      rebalance: { drainTimeoutMs: 4500 },
    },
  ],
  [
    'a short shutdown.forceTimeoutMs shortens the drain',
    { shutdown: { forceTimeoutMs: 6000 } },
    { shutdown: { forceTimeoutMs: 6000, drainTimeoutMs: 5000 } },
  ],
  [
    'a long shutdown.drainTimeoutMs lengthens the force timeout',
    { shutdown: { drainTimeoutMs: 60_000 } },
    { shutdown: { drainTimeoutMs: 60_000, forceTimeoutMs: 65_000 } },
  ],
  [
    'what was set stays, even where the relation is broken',
    { shutdown: { drainTimeoutMs: 60_000, forceTimeoutMs: 5000 } },
    { shutdown: { drainTimeoutMs: 60_000, forceTimeoutMs: 5000 } },
  ],
  ['values that are no numbers derive nothing', { shutdown: 'soon' }, { shutdown: 'soon' }],
  ['nothing given derives nothing', {}, {}],
];

for (const [title, given, expected] of CASES)
  test(title, () => {
    const data = structuredClone(given);
    addDerived(data);
    assert.deepEqual(data, expected);
  });
