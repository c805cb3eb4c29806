import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { TidemarkError } from '../../src/contract/errors.ts';
import { Outcome } from '../../src/contract/outcome.ts';
import { probeHandler } from '../../src/pool/pool.ts';
import { fixture, Harness, withPool } from './harness.ts';

test('timers of the handler module run while the worker is idle', async () => {
  const ticks = new SharedArrayBuffer(4);
  const words = new Int32Array(ticks);
  await withPool('ticker.mjs', { options: { ticks } }, async (pool) => {
    pool.submit();
    pool.pool.flush();
    await pool.completed(1);
    const before = words[0] ?? 0;
    await pool.until(() => (words[0] ?? 0) >= before + 50, 'fifty ticks');
  });
});

test('timers of the handler module run between records of a long stretch', async () => {
  const ticks = new SharedArrayBuffer(4);
  await withPool('ticker.mjs', { options: { ticks }, slots: 256 }, async (pool) => {
    for (let left = 200; left > 0; left--) pool.submit();
    pool.pool.flush();
    await pool.completed(200);
    await pool.until(() => pool.metrics.flatMap(({ values }) => values).length === 200);
    const seen = new Set(pool.metrics.flatMap(({ values }) => values));
    assert.ok(seen.size > 5, `the timer was seen to tick ${String(seen.size)} times`);
  });
});

test('an idle worker wakes for each record, however deep it sleeps', async () => {
  const ticks = new SharedArrayBuffer(4);
  const words = new Int32Array(ticks);
  await withPool('ticker.mjs', { options: { ticks } }, async (pool) => {
    for (let round = 1; round <= 20; round++) {
      // From the first blocking wait, past the last one, into the asynchronous one.
      const before = words[0] ?? 0;
      await pool.until(() => (words[0] ?? 0) >= before + round - 1);
      pool.submit();
      pool.pool.flush();
      await pool.completed(round);
    }
  });
});

test('of a record that a handler keeps, what was read stays and what was not read is refused', async () => {
  const last = 299;
  await withPool('keeper.mjs', { slots: 16, options: { last } }, async (pool) => {
    let sent = 0;
    await pool.until(() => {
      for (; pool.pool.freeSlots(0) > 0 && sent <= last; sent++)
        pool.submit({
          offset: sent,
          key: Buffer.from(`key ${String(sent)}`),
          value: Buffer.from(`value ${String(sent)}`),
          headers: [['h', Buffer.from(`header ${String(sent)}`)]],
        });
      pool.pool.flush();
      return pool.lines.length > 0;
    });
    const fields = pool.lines[0]?.fields;
    assert.equal(fields?.['right'], 150);
    assert.equal(fields['refused'], 149);
    assert.match(String(fields['message']), /read it before the handler returns/);
  });
});

test('start and duration of a run are of the main thread’s clock', async () => {
  await withPool('ticker.mjs', { options: { ticks: new SharedArrayBuffer(4) } }, async (pool) => {
    const before = performance.now();
    pool.submit();
    pool.pool.flush();
    await pool.completed(1);
    const after = performance.now();
    const [run] = pool.completions;
    assert.ok(run !== undefined && run.durationMs >= 1 && run.durationMs <= after - before);
    assert.ok(run.startedAt > before - 1 && run.startedAt + run.durationMs < after + 1);
  });
});

test('odd outcomes: whatever a handler throws is one completion with a readable error', async () => {
  await withPool('scripted.mjs', {}, async (pool) => {
    const scripts = [
      'throw-undefined',
      'hostile-thenable',
      'throw-big',
      'throw-skip',
      'thenable-twice',
    ];
    for (const script of scripts) pool.submit({ value: Buffer.from(script) });
    pool.pool.flush();
    await pool.completed(5);
    assert.deepEqual(pool.rows(Outcome.error).sort(), [0, 1, 2]);
    assert.deepEqual(pool.rows(Outcome.skipped), [3]);
    assert.deepEqual(pool.rows(Outcome.ok), [4]);
    assert.match(pool.errors.get(0)?.message ?? '', /undefined/);
    assert.equal(pool.errors.get(1)?.message, 'no then for you');
    assert.equal(pool.errors.get(2)?.message.length, 4096);
    assert.equal(pool.pool.freeSlots(0), 64);
  });
});

test('a setup that throws rejects the start with its own error', async () => {
  const gate = new SharedArrayBuffer(32);
  new Int32Array(gate)[2] = 1;
  const pool = new Harness('scripted.mjs', { threads: 2, options: { gate } });
  await assert.rejects(pool.pool.start(), (error: unknown) => {
    assert.ok(error instanceof TidemarkError);
    assert.equal(error.exitCode, 78);
    assert.match(error.message, /setup was told to fail/);
    return true;
  });
  await pool.pool.stop(1000);
  assert.equal(pool.memory.buffers.size, 0);
});

test('a stop lets submitted records end, runs teardown once per thread, and gives memory back', async () => {
  const gate = new SharedArrayBuffer(32);
  const words = new Int32Array(gate);
  const pool = new Harness('scripted.mjs', { threads: 2, options: { gate } });
  await pool.pool.start();
  for (let left = 20; left > 0; left--) pool.submit({ worker: left % 2 });
  pool.pool.flush();
  assert.equal(await pool.pool.stop(20_000), true);
  assert.equal(words[1], 20);
  assert.equal(words[4], 2);
  assert.equal(pool.memory.buffers.size, 0);
  assert.deepEqual(pool.deaths, []);
});

test('a teardown that throws is logged and does not spoil the stop', async () => {
  const gate = new SharedArrayBuffer(32);
  new Int32Array(gate)[3] = 1;
  const pool = new Harness('scripted.mjs', { options: { gate } });
  await pool.pool.start();
  assert.equal(await pool.pool.stop(20_000), true);
  assert.equal(pool.lines[0]?.message, 'teardown failed');
});

test('a stop past its deadline ends the threads, also one that is blocked', async () => {
  const gate = new SharedArrayBuffer(32);
  const words = new Int32Array(gate);
  const pool = new Harness('scripted.mjs', { options: { gate } });
  await pool.pool.start();
  pool.submit({ value: Buffer.from('block') });
  pool.pool.flush();
  await pool.until(() => words[1] === 1);
  assert.equal(await pool.pool.stop(50), false);
  assert.equal(words[4], 0);
  assert.deepEqual(
    pool.pool.snapshot().map(({ state }) => state),
    ['exited'],
  );
});

test('a TypeScript handler that imports tidemark runs', async () => {
  await withPool('typed.ts', {}, async (pool) => {
    pool.submit();
    pool.submit({ value: Buffer.from('skip') });
    pool.pool.flush();
    await pool.completed(2);
    assert.deepEqual(pool.rows(Outcome.skipped), [1]);
    await pool.until(() => pool.lines.length === 1);
    assert.equal(pool.lines[0]?.message, 'red');
  });
});

test('the probe accepts a handler without running its setup', async () => {
  await probeHandler(fixture('scripted.mjs'));
  await probeHandler(fixture('typed.ts'));
});

const BROKEN: readonly (readonly [title: string, source: string, says: RegExp])[] = [
  [
    'throws',
    'throw new RangeError("my own error");',
    /could not be loaded\nRangeError: my own error\n {4}at .*broken\.mjs:1/,
  ],
  ['exits', 'process.exit(3);', /ended its thread.*exited with code: 3/],
  ['has no handler', 'export const a = 1;', /default export is missing/],
  ['rejects', 'await Promise.reject(new Error("later"));', /later/],
];

for (const [title, source, says] of BROKEN)
  test(`the probe refuses a module that ${title}, with its own error and stack`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidemark-probe-'));
    try {
      const path = join(folder, 'broken.mjs');
      await writeFile(path, source);
      await assert.rejects(probeHandler(path), (error: unknown) => {
        assert.ok(error instanceof TidemarkError);
        assert.equal(error.code, 'TIDEMARK_HANDLER_INVALID');
        assert.match(error.message, says);
        return true;
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
