import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { Tap, startCluster } from './intake-cluster.ts';
import type { Cluster, TakenRow } from './intake-cluster.ts';

const END_OF_PARTITION = -191;

let cluster: Cluster;
before(async () => {
  cluster = await startCluster();
});
after(() => cluster.stop());

/** Takes rows of partition 0 until one of them is `wanted`; returns all. */
async function takeUntil(tap: Tap, wanted: (row: TakenRow) => boolean): Promise<TakenRow[]> {
  const rows: TakenRow[] = [];
  await tap.until(() => {
    rows.push(...tap.take(0, 100));
    return rows.some(wanted);
  });
  return rows;
}

// A pause does to one partition what an incremental rebalance does to all that stay.
for (const [when, produceFirst] of [
  ['a record came meanwhile', true],
  ['nothing came meanwhile', false],
] as const)
  test(`a partition read to its end goes on there after a pause when ${when}`, async () => {
    const topic = `positions-${String(produceFirst)}`;
    await cluster.produce(topic, [
      { partition: 0, value: 'first' },
      { partition: 0, value: 'second' },
    ]);
    const tap = await Tap.open(cluster, { 'enable.partition.eof': true });
    tap.assign(topic, [0]);
    await takeUntil(tap, ({ error }) => error === END_OF_PARTITION);

    const partition = [{ topic, partition: 0 }];
    tap.client.pause(partition);
    if (produceFirst) await cluster.produce(topic, [{ partition: 0, value: 'third' }]);
    tap.intake.restorePositions();
    tap.client.resume(partition);
    // Another record, so that a client that skipped one, or began anew, shows it at once.
    await cluster.produce(topic, [{ partition: 0, value: 'last' }]);
    const last = produceFirst ? 3 : 2;
    const rows = await takeUntil(tap, ({ offset, error }) => error === 0 && offset >= last);
    assert.deepEqual(
      rows.filter(({ error }) => error === 0).map(({ offset }) => offset),
      produceFirst ? [2, 3] : [2],
    );
    await tap.close();
  });
