import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Data } from './config-support.ts';
import { assertProblems, loadData, refusal, valid } from './config-support.ts';

const POLL = 'max.poll.interval.ms';
const SESSION = 'session.timeout.ms';
const HEARTBEAT = 'heartbeat.interval.ms';

function properties(given: Data): Data {
  return { kafka: { properties: given } };
}

/** Just inside, just outside, and the two keys that the message must name. */
const RELATIONS: readonly (readonly [
  inside: Data,
  outside: Data,
  key: string,
  other: string,
  value: string,
])[] = [
  [
    { rebalance: { drainTimeoutMs: 299_999 } },
    { rebalance: { drainTimeoutMs: 300_000 } },
    'rebalance.drainTimeoutMs',
    `kafka.properties.${POLL}`,
    '300000',
  ],
  [
    { ...properties({ [POLL]: 10_001, [SESSION]: 6000 }), rebalance: { drainTimeoutMs: 10_000 } },
    { ...properties({ [POLL]: 10_000, [SESSION]: 6000 }), rebalance: { drainTimeoutMs: 10_000 } },
    'rebalance.drainTimeoutMs',
    `kafka.properties.${POLL}`,
    'which is 10000',
  ],
  [
    { shutdown: { drainTimeoutMs: 30_000, forceTimeoutMs: 30_000 } },
    { shutdown: { drainTimeoutMs: 30_001, forceTimeoutMs: 30_000 } },
    'shutdown.drainTimeoutMs',
    'shutdown.forceTimeoutMs',
    'which is 30000',
  ],
  [
    { workers: { slots: 16 } },
    { workers: { slots: 8 } },
    'workers.slots',
    'workers.concurrency',
    'which is 16',
  ],
  [
    { workers: { slots: 65_536, slotBytes: 16_384 } },
    { workers: { slots: 65_536, slotBytes: 16_448 } },
    'workers.slotBytes',
    'workers.slots',
    '1 GiB',
  ],
  [
    { window: { bytes: 1000, totalBytes: 1000 } },
    { window: { bytes: 1001, totalBytes: 1000 } },
    'window.bytes',
    'window.totalBytes',
    'which is 1000',
  ],
  [
    properties({ [POLL]: 45_000, [SESSION]: 45_000 }),
    properties({ [POLL]: 44_999, [SESSION]: 45_000 }),
    `kafka.properties.${SESSION}`,
    `kafka.properties.${POLL}`,
    'which is 44999',
  ],
  [
    properties({ [SESSION]: 3001 }),
    properties({ [SESSION]: 3000 }),
    `kafka.properties.${HEARTBEAT}`,
    `kafka.properties.${SESSION}`,
    'which is 3000',
  ],
];

for (const [inside, outside, key, other, value] of RELATIONS)
  test(`C1: ${JSON.stringify(outside)} is refused with both keys, its neighbour is not`, async () => {
    await loadData(valid(inside));
    assertProblems(await refusal(loadData(valid(outside))), [[key, other, value]]);
  });

test('C1: a relation is not told while one of its keys is wrong by itself', async () => {
  const data = valid({ shutdown: { drainTimeoutMs: 50_000, forceTimeoutMs: -1 } });
  assertProblems(await refusal(loadData(data)), [['shutdown.forceTimeoutMs', '= -1']]);
});

test('under the new group protocol classic properties are refused, and session limits do not count', async () => {
  const consumer = { 'group.protocol': 'consumer' };
  const { settings } = await loadData(valid(properties({ ...consumer, [POLL]: 20_000 })));
  assert.equal(settings.kafka.properties[POLL], 20_000);
  assertProblems(await refusal(loadData(valid(properties({ ...consumer, [SESSION]: 6000 })))), [
    [`kafka.properties.${SESSION}`, 'group.protocol', '= 6000'],
  ]);
});
