import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import test, { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Tap, disconnect, startCluster } from './intake-cluster.ts';
import type { Cluster } from './intake-cluster.ts';

const NOTHING = { handles: 0, parked: 0, queues: 0, buffers: 0 };

let cluster: Cluster;
before(async () => {
  cluster = await startCluster();
  const value = Buffer.alloc(10_000, 'x');
  await cluster.produce(
    'close',
    Array.from({ length: 200 }, (_, i) => ({
      partition: i % 2,
      key: String(i),
      value,
      headers: { h: 'header' },
    })),
  );
});
after(() => cluster.stop());

test('closing with live handles, strays and untaken records lets the consumer disconnect', async () => {
  const tap = await Tap.open(cluster);
  const { wakes } = tap;
  tap.client.assign([0, 1].map((partition) => ({ topic: 'close', partition, offset: 0 })));
  await tap.until(() => tap.wakes > wakes, false);
  tap.intake.split(0, 'close', 0);
  tap.intake.split(1, 'close', 1);
  const [first, second] = (await tap.collect(0, 20)).map((row) => row.handle);
  await tap.collect(1, 1);
  assert(first !== undefined && second !== undefined);
  tap.intake.park(first);
  const ring = tap.intake.registerBuffer(new SharedArrayBuffer(65536));
  tap.fill(second, ring, 0);
  tap.intake.parkFromSlot(ring, 0, -1);
  assert.deepEqual(tap.intake.counts(), { handles: 21, parked: 2, queues: 2, buffers: 1 });
  tap.intake.close();
  assert.deepEqual(tap.intake.counts(), NOTHING);
  tap.intake.close();
  await disconnect(tap.client);
});

test('a closed intake refuses what needs it and forgives a late free', async () => {
  const tap = await Tap.open(cluster);
  tap.assign('close', [0]);
  const handle = (await tap.collect(0, 1))[0]?.handle ?? -1;
  await tap.close();
  const { intake } = tap;
  const none = new Int32Array(0);
  const late: (() => unknown)[] = [
    () => intake.registerBuffer(new SharedArrayBuffer(64)),
    () => {
      intake.unregisterBuffer(0);
    },
    () => {
      intake.split(0, 'close', 0);
    },
    () => {
      intake.unsplit(0);
    },
    () => intake.pollMain(),
    () => intake.ready(none),
    () => intake.queueLength(0),
    () => intake.take(0, 1, tap.rows),
    () => {
      intake.fill(0, none, none, none, none);
    },
    () => {
      intake.park(handle);
    },
    () => intake.parkFromSlot(0, 0, -1),
    () => intake.assignmentLost(),
    () => intake.watermarks(0),
  ];
  for (const method of late) assert.throws(method, /the intake is closed/);
  intake.free(handle);
});

test('a consumer that disconnects first is not touched, and ends once the intake is closed', async () => {
  const tap = await Tap.open(cluster);
  tap.assign('close', [0]);
  await tap.until(() => tap.intake.queueLength(0) > 0);
  const disconnected = disconnect(tap.client);
  const refuses = (method: () => unknown): boolean => {
    try {
      method();
      return false;
    } catch (error) {
      assert.match(String(error), /disconnecting: close the intake before it/);
      return true;
    }
  };
  // It begins on a thread of libuv's pool, a moment later.
  await tap.until(() => refuses(() => tap.intake.assignmentLost()), false);
  for (const method of [
    () => tap.intake.pollMain(),
    () => tap.take(0, 1),
    () => tap.intake.queueLength(0),
    () => tap.intake.watermarks(0),
  ])
    assert(refuses(method));
  tap.intake.close();
  assert.deepEqual(tap.intake.counts(), NOTHING);
  await disconnected;
});

test('nothing wakes after close', async () => {
  const tap = await Tap.open(cluster);
  tap.assign('close', [0, 1]);
  await tap.until(() => tap.intake.queueLength(0) > 0);
  tap.intake.close();
  const { wakes } = tap;
  await cluster.produce('close', [{ partition: 0, value: 'late' }]);
  await disconnect(tap.client);
  assert.equal(tap.wakes, wakes);
});

test('rounds of taking, parking, filling and giving up leave no handle and no memory behind', async () => {
  const tap = await Tap.open(cluster);
  const memory = new SharedArrayBuffer(65536);
  let settled = 0;
  for (let round = 0; round < 60; round++) {
    tap.assign('close', [0, 1]);
    const ring = tap.intake.registerBuffer(memory);
    for (const partition of [0, 1]) {
      const rows = await tap.collect(partition, 100, 33);
      rows.forEach(({ handle }, i) => {
        if (i % 2 === 0) tap.intake.park(handle);
        if (i % 3 === 0) {
          tap.intake.free(handle);
          return;
        }
        tap.fill(handle, ring, 0);
        if (i % 5 === 0) tap.intake.free(tap.intake.parkFromSlot(ring, 0, -1));
      });
    }
    tap.intake.unregisterBuffer(ring);
    for (const partition of [0, 1]) tap.intake.unsplit(partition);
    tap.client.unassign();
    assert.deepEqual(tap.intake.counts(), NOTHING);
    if (round === 20) settled = process.memoryUsage.rss();
  }
  // Every round moves 2 MB through the intake: losing a tenth of the records would show.
  const grown = process.memoryUsage.rss() - settled;
  assert(grown < 8e6, `the process grew by ${String(grown)} bytes`);
  await tap.close();
});

test('exitNow ends the process with its code, with the intake open or closed', () => {
  const module = fileURLToPath(new URL('./intake-cluster.js', import.meta.url));
  const run = (script: string): number | null =>
    spawnSync(
      process.execPath,
      ['--input-type=module', '-e', `import { Tap, startCluster } from '${module}';\n${script}`],
      { stdio: 'ignore', timeout: 30_000 },
    ).status;
  const open = `const cluster = await startCluster();
    await cluster.produce('t', [{ partition: 0, value: 'v' }]);
    const tap = await Tap.open(cluster); tap.assign('t', [0]); await tap.collect(0, 1);`;
  assert.equal(run(`${open} tap.intake.exitNow(75);`), 75);
  assert.equal(run(`${open} tap.intake.close(); tap.intake.exitNow(3);`), 3);
});
