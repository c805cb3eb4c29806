import assert from 'node:assert/strict';
import test from 'node:test';
import { Outcome } from '../../src/contract/outcome.ts';
import type { DeathReason } from '../../src/pool/pool.ts';
import { withPool } from './harness.ts';

const DEATHS: readonly (readonly [how: string, reason: DeathReason, message: RegExp])[] = [
  ['exit-0', 'exit', /exit code 0/],
  ['exit-1', 'exit', /exit code 1/],
  ['uncaught', 'error', /nobody catches this/],
  ['uncaught-undefined', 'error', /undefined/],
  ['unhandled', 'error', /nobody handles this/],
  ['oom', 'out_of_memory', /memory/],
];

for (const [how, reason, message] of DEATHS)
  test(`S6: a thread that dies by ${how} gives its records back and is replaced`, async () => {
    const heap = how === 'oom' ? { maxHeapMb: 24 } : {};
    await withPool('scripted.mjs', { concurrency: 2, ...heap }, async (pool) => {
      const finished = pool.submit();
      pool.pool.flush();
      await pool.completed(1);
      const killer = pool.submit({ lane: 1, value: Buffer.from(how) });
      const behind = pool.submit({ lane: 1, value: Buffer.from('behind') });
      const large = pool.submit({ lane: 1, value: Buffer.alloc(5000, 'x') });
      pool.pool.flush();
      await pool.until(() => pool.deaths.length === 1, 'a death');
      const [death] = pool.deaths;
      assert.equal(death?.reason, reason);
      assert.match(`${death.error.name}: ${death.error.message}`, message);
      const rows = death.rows.map(({ row, ran }) => ({ row, ran }));
      assert.deepEqual(
        rows.sort((a, b) => a.row - b.row),
        [
          { row: killer, ran: true },
          { row: behind, ran: false },
          { row: large, ran: false },
        ],
      );
      for (const { row, handle } of death.rows) {
        const value = pool.memory.records.get(handle)?.value;
        if (row === behind) assert.equal(value?.toString(), 'behind');
        if (row === large) assert.deepEqual(value, Buffer.alloc(5000, 'x'));
      }
      await pool.until(() => pool.ready.some(({ incarnation }) => incarnation === 2));
      assert.equal(pool.pool.freeSlots(0), 64);
      const next = pool.submit();
      pool.pool.flush();
      await pool.completed(2);
      assert.deepEqual(pool.rows(Outcome.ok), [finished, next]);
      assert.equal(pool.memory.buffers.size, 1, 'the dead thread’s memory is given back');
    });
  });

test('what a handler had finished when its thread died counts, drained or not', async () => {
  await withPool('scripted.mjs', {}, async (pool) => {
    for (let left = 5; left > 0; left--) pool.submit();
    const failed = pool.submit({ value: Buffer.from('throw') });
    const killer = pool.submit({ value: Buffer.from('exit-1') });
    pool.pool.flush();
    await pool.until(() => pool.deaths.length === 1, 'a death', false);
    assert.deepEqual(
      pool.deaths[0]?.rows.map(({ row }) => row),
      [killer],
    );
    await pool.completed(6);
    assert.deepEqual(pool.rows(Outcome.ok), [0, 1, 2, 3, 4]);
    assert.deepEqual(pool.rows(Outcome.error), [failed]);
    assert.equal(pool.errors.get(failed)?.message, 'thrown at once');
    assert.deepEqual(
      pool.lines.map(({ message }) => message),
      ['last words'],
    );
  });
});

test('the death of one thread leaves the others running', async () => {
  await withPool('scripted.mjs', { threads: 2 }, async (pool) => {
    pool.submit({ worker: 0, value: Buffer.from('exit-1') });
    pool.submit({ worker: 1 });
    pool.pool.flush();
    await pool.until(() => pool.deaths.length === 1 && pool.completions.length === 1);
    assert.equal(pool.pool.freeSlots(0), 0);
    pool.submit({ worker: 1 });
    pool.pool.flush();
    await pool.completed(2);
    await pool.until(() => pool.pool.freeSlots(0) === 64);
    assert.deepEqual(pool.ready.at(-1), { worker: 0, incarnation: 2 });
  });
});

test('a handler that cannot be set up again after a death is reported as unavailable', async () => {
  const gate = new SharedArrayBuffer(32);
  await withPool('scripted.mjs', { options: { gate } }, async (pool) => {
    new Int32Array(gate)[2] = 1;
    pool.submit({ value: Buffer.from('exit-1') });
    pool.pool.flush();
    await pool.until(() => pool.unavailable.length === 1, 'the report');
    assert.equal(pool.unavailable[0]?.code, 'TIDEMARK_WORKERS_UNAVAILABLE');
    assert.match(pool.unavailable[0].message, /setup was told to fail/);
  });
});
