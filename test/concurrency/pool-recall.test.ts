import assert from 'node:assert/strict';
import test from 'node:test';
import { Outcome } from '../../src/contract/outcome.ts';
import { withPool } from './harness.ts';
import type { Harness } from './harness.ts';

interface Recalled {
  readonly row: number;
  readonly handle: number;
}

function recall(pool: Harness, max: number): Recalled[] {
  const rows = new Int32Array(max);
  const handles = new Int32Array(max);
  const count = pool.pool.recall(0, max, rows, handles);
  return Array.from({ length: count }, (_, at) => ({
    row: rows[at] ?? -1,
    handle: handles[at] ?? -1,
  }));
}

function open(words: Int32Array): void {
  Atomics.store(words, 0, 1);
  Atomics.notify(words, 0);
}

test('records that have not started are taken back from a blocked thread, the latest first', async () => {
  const gate = new SharedArrayBuffer(32);
  const words = new Int32Array(gate);
  await withPool('scripted.mjs', { options: { gate } }, async (pool) => {
    pool.submit({ lane: 1, value: Buffer.from('block') });
    for (let row = 1; row < 10; row++)
      pool.submit({ lane: row % 2, value: Buffer.from(`value ${String(row)}`) });
    pool.pool.flush();
    await pool.until(() => words[1] === 1);
    const latest = recall(pool, 3);
    assert.deepEqual(
      latest.map(({ row }) => row),
      [9, 8, 7],
    );
    const rest = recall(pool, 100);
    assert.deepEqual(
      rest.map(({ row }) => row),
      [6, 5, 4, 3, 2, 1],
    );
    assert.deepEqual(recall(pool, 100), []);
    for (const { row, handle } of [...latest, ...rest])
      assert.equal(pool.memory.records.get(handle)?.value?.toString(), `value ${String(row)}`);
    // Their slots come free only when the worker passes them.
    assert.equal(pool.pool.freeSlots(0), 54);
    open(words);
    await pool.until(() => pool.pool.freeSlots(0) === 64);
    assert.deepEqual(
      pool.completions.map(({ row }) => row),
      [0],
    );
    assert.equal(words[1], 1);
  });
});

test('records that wait in a busy lane on the thread are taken back too', async () => {
  const gate = new SharedArrayBuffer(32);
  const words = new Int32Array(gate);
  await withPool('scripted.mjs', { options: { gate } }, async (pool) => {
    pool.submit({ lane: 1, value: Buffer.from('wait') });
    for (let row = 1; row < 5; row++) pool.submit({ lane: 1 });
    const last = pool.submit({ lane: 2 });
    pool.pool.flush();
    await pool.completed(1);
    assert.equal(pool.completions[0]?.row, last);
    assert.deepEqual(
      recall(pool, 2).map(({ row }) => row),
      [4, 3],
    );
    open(words);
    await pool.until(() => pool.pool.freeSlots(0) === 64);
    assert.deepEqual(pool.rows(Outcome.ok), [last, 0, 1, 2]);
  });
});

test('every record comes back exactly once while main recalls and the worker runs', async () => {
  await withPool('lanes.mjs', {}, async (pool) => {
    const back = new Set<number>();
    const count = 20_000;
    let sent = 0;
    let recalled = 0;
    await pool.until(() => {
      const last = new Map<number, number>();
      for (const { row } of recall(pool, 16)) {
        assert.ok(!back.has(row), `row ${String(row)} was recalled and had come back`);
        back.add(row);
        recalled++;
        // Within a lane, from the latest on: a later one of the lane was recalled before.
        const lane = row % 5;
        assert.ok(row < (last.get(lane) ?? Infinity));
        last.set(lane, row);
      }
      for (let left = pool.pool.freeSlots(0); left > 0 && sent < count; left--, sent++)
        pool.submit({ lane: sent % 5, offset: sent * 4, key: Buffer.from(String(sent % 5)) });
      pool.pool.flush();
      return pool.completions.length + recalled === count;
    });
    for (const { row } of pool.completions) {
      assert.ok(!back.has(row), `row ${String(row)} came back twice`);
      back.add(row);
    }
    assert.equal(back.size, count);
    assert.deepEqual([...pool.errors.values()], []);
    await pool.until(() => pool.pool.freeSlots(0) === 64);
  });
});

test('G1: nothing of an aborted generation starts any more, and what runs sees its signal', async () => {
  const gate = new SharedArrayBuffer(32);
  const words = new Int32Array(gate);
  await withPool('scripted.mjs', { options: { gate } }, async (pool) => {
    pool.submit({ lane: 1, generation: 1, value: Buffer.from('until-abort') });
    for (let left = 3; left > 0; left--) pool.submit({ lane: 1, generation: 1 });
    pool.submit({ lane: 1, generation: 2 });
    pool.submit({ lane: 2, generation: 2, value: Buffer.from('wait') });
    pool.pool.flush();
    await pool.until(() => words[1] === 2);
    pool.pool.abort(0, 1);
    await pool.until(() => pool.lines.length > 0);
    await pool.until(() => pool.rows(Outcome.ok).includes(4));
    assert.match(String(pool.lines[0]?.fields['reason']), /no longer assigned/);
    assert.deepEqual(pool.rows(Outcome.returned), [1, 2, 3]);
    assert.deepEqual(pool.rows(Outcome.ok), [0, 4]);
    assert.equal(words[1], 3);
    open(words);
    await pool.completed(6);
    assert.equal(pool.memory.records.size, 0);
  });
});
