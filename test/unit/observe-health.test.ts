import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RuntimeSnapshot } from '../../src/contract/snapshot.ts';
import { healthz, readyz } from '../../src/observe/health.ts';
import { statusOf } from '../../src/observe/status.ts';
import { snapshotOf } from './observe-snapshots.ts';

interface Case {
  readonly title: string;
  readonly given: Partial<RuntimeSnapshot>;
  readonly healthy: boolean;
  readonly ready: boolean;
}

const CASES: readonly Case[] = [
  { title: 'a running member of the group', given: {}, healthy: true, ready: true },
  { title: 'a member without partitions', given: { partitions: [] }, healthy: true, ready: true },
  {
    title: 'a broker outage',
    given: { connected: false, joined: false },
    healthy: true,
    ready: false,
  },
  { title: 'not joined yet', given: { joined: false }, healthy: true, ready: false },
  {
    title: 'a long start, before the loop turns',
    given: { state: 'starting', connected: false, joined: false, sinceTurnMs: 60_000 },
    healthy: true,
    ready: false,
  },
  { title: 'draining', given: { state: 'draining' }, healthy: true, ready: false },
  { title: 'stopped', given: { state: 'stopped' }, healthy: true, ready: false },
  { title: 'failed', given: { state: 'failed' }, healthy: false, ready: false },
  { title: 'a loop at the limit', given: { sinceTurnMs: 10_000 }, healthy: true, ready: true },
  { title: 'a loop past it', given: { sinceTurnMs: 10_001 }, healthy: false, ready: true },
  { title: 'polling past it', given: { sincePollMs: 10_001 }, healthy: false, ready: true },
  {
    title: 'a drain whose loop hangs',
    given: { state: 'draining', sinceTurnMs: 60_000 },
    healthy: false,
    ready: false,
  },
];

for (const { title, given, healthy, ready } of CASES)
  test(`${title}: healthy ${String(healthy)}, ready ${String(ready)}, with a reason for each no`, () => {
    const snapshot = snapshotOf(given);
    for (const [verdict, expected] of [
      [healthz(snapshot), healthy],
      [readyz(snapshot), ready],
    ] as const) {
      assert.equal(verdict.ok, expected);
      assert.equal(verdict.reasons.length === 0, expected);
    }
    const status = statusOf(snapshot, {}, snapshot.startedAt);
    assert.deepEqual([status.healthy, status.ready], [healthy, ready]);
  });

test('the reasons name what is wrong', () => {
  const { reasons } = healthz(snapshotOf({ sinceTurnMs: 12_400, sincePollMs: 31_000 }));
  assert.deepEqual(reasons, [
    'the main loop has not turned for 12 s',
    'Kafka has not been polled for 31 s',
  ]);
  assert.deepEqual(readyz(snapshotOf({ state: 'draining', connected: false })).reasons, [
    'the runtime is draining',
    'not connected to Kafka',
  ]);
});
