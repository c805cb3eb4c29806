import assert from 'node:assert/strict';
import test from 'node:test';
import { Outcome } from '../../src/contract/outcome.ts';
import { withPool } from './harness.ts';

test('L1, L2: lanes run serially and in order while their slots are used again and again', async () => {
  await withPool('lanes.mjs', { concurrency: 16, slots: 64 }, async (pool) => {
    const count = 6000;
    let sent = 0;
    await pool.until(() => {
      for (let left = pool.pool.freeSlots(0); left > 0 && sent < count; left--, sent++) {
        const lane = (sent * 7) % 23;
        pool.submit({ lane, offset: sent, key: Buffer.from(String(lane)) });
      }
      pool.pool.flush();
      return pool.completions.length === count;
    });
    assert.deepEqual([...pool.errors.values()], []);
    assert.equal(new Set(pool.completions.map(({ row }) => row)).size, count);
    assert.equal(pool.pool.freeSlots(0), 64);
    await pool.until(() => pool.metrics.length > 0);
    const highest = Math.max(...pool.metrics.flatMap(({ values }) => values));
    assert.ok(highest > 1 && highest <= 16, `${String(highest)} ran at once`);
  });
});

test('no more than workers.concurrency runs are in progress', async () => {
  const gate = new SharedArrayBuffer(32);
  const words = new Int32Array(gate);
  await withPool('scripted.mjs', { concurrency: 3, options: { gate } }, async (pool) => {
    for (let left = 10; left > 0; left--) pool.submit({ value: Buffer.from('wait') });
    pool.pool.flush();
    await pool.until(() => (words[1] ?? 0) >= 3);
    assert.equal(pool.pool.snapshot()[0]?.running.length, 3);
    Atomics.store(words, 0, 1);
    Atomics.notify(words, 0);
    await pool.completed(10);
    assert.equal(words[1], 10);
  });
});

test('a lane that waits does not hold up other lanes, nor records without order', async () => {
  const gate = new SharedArrayBuffer(32);
  const words = new Int32Array(gate);
  await withPool('scripted.mjs', { options: { gate } }, async (pool) => {
    pool.submit({ lane: 1, value: Buffer.from('wait') });
    for (let left = 20; left > 0; left--) pool.submit({ lane: 1 });
    for (let lane = 2; lane < 12; lane++) pool.submit({ lane });
    for (let left = 10; left > 0; left--) pool.submit();
    pool.pool.flush();
    await pool.completed(20);
    assert.ok(pool.completions.every(({ row }) => row > 20));
    Atomics.store(words, 0, 1);
    Atomics.notify(words, 0);
    await pool.completed(41);
    const rows = pool.completions.map(({ row }) => row).filter((row) => row <= 20);
    assert.deepEqual(
      rows,
      Array.from({ length: 21 }, (_, row) => row),
    );
  });
});

for (const failure of ['throw', 'reject'])
  test(`after a record that ${failure}s the lane's later records come back unrun, in order, until it reopens`, async () => {
    await withPool('scripted.mjs', {}, async (pool) => {
      pool.submit({ lane: 4 });
      pool.submit({ lane: 4, value: Buffer.from(failure) });
      for (let left = 3; left > 0; left--) pool.submit({ lane: 4, value: Buffer.from('later') });
      pool.submit({ lane: 5 });
      pool.pool.flush();
      await pool.completed(6);
      assert.deepEqual(pool.rows(Outcome.ok).sort(), [0, 5]);
      assert.deepEqual(pool.rows(Outcome.error), [1]);
      assert.deepEqual(pool.rows(Outcome.returned), [2, 3, 4]);
      assert.equal(pool.errors.get(1)?.name, 'TypeError');
      const returned = pool.completions.filter(({ outcome }) => outcome === Outcome.returned);
      for (const { handle } of returned)
        assert.equal(pool.memory.records.get(handle)?.value?.toString(), 'later');
      // The failure was drained: from here on the lane is open again.
      pool.submit({ lane: 4 });
      pool.submit({ lane: 4 });
      pool.pool.flush();
      await pool.completed(8);
      assert.deepEqual(pool.rows(Outcome.ok).slice(-2), [6, 7]);
      assert.equal(pool.pool.freeSlots(0), 64);
    });
  });

test('a record of a failed lane comes back unrun if it was submitted before main saw the failure', async () => {
  await withPool('scripted.mjs', {}, async (pool) => {
    pool.submit({ lane: 4, value: Buffer.from('throw') });
    pool.pool.flush();
    await pool.until(() => pool.pool.hasCompletions(), 'an undrained completion', false);
    pool.submit({ lane: 4 });
    pool.pool.flush();
    await pool.completed(2);
    assert.deepEqual(pool.rows(Outcome.error), [0]);
    assert.deepEqual(pool.rows(Outcome.returned), [1]);
  });
});

test('a failed record without order shuts nothing', async () => {
  await withPool('scripted.mjs', {}, async (pool) => {
    pool.submit({ value: Buffer.from('throw') });
    pool.submit();
    pool.pool.flush();
    await pool.completed(2);
    assert.deepEqual(pool.rows(Outcome.ok), [1]);
  });
});
