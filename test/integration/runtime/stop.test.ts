import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { produce, readCommitted } from '../../support/clients.ts';
import { endsByPlace, readLedger } from '../../support/ledger.ts';
import { inProject } from '../../support/project.ts';
import { mockScenario, runTidemark, untilCommitted } from '../../support/scenario.ts';
import type { Scenario } from '../../support/scenario.ts';
import type { Program } from '../../support/tidemark.ts';

/** Nothing that a test waits for may come from the last resort. */
const UNHURRIED = { drainTimeoutMs: 120_000, forceTimeoutMs: 120_000 };

function produceMany(scenario: Scenario, count: number): Promise<void> {
  const records = Array.from({ length: count }, (_, at) => ({
    partition: at % 4,
    key: String(at % 40),
    value: 'v',
  }));
  return produce(scenario.brokers, scenario.topic, records);
}

async function untilStarted(scenario: Scenario, program: Program, count: number): Promise<void> {
  await program.while(
    () => readLedger(scenario.ledger).filter(({ kind }) => kind === 'start').length >= count,
    `${String(count)} records started`,
  );
}

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  test(`${signal} lets running records end, commits them, and ends with 0`, async (t) => {
    const scenario = await mockScenario(t);
    await produceMany(scenario, 4000);
    const program = runTidemark(t, scenario, { options: { waitMs: 5 } });
    await untilStarted(scenario, program, 200);
    assert.equal((await program.stop(signal)).code, 0, program.output);

    const lines = readLedger(scenario.ledger);
    const starts = lines.filter(({ kind }) => kind === 'start').length;
    const ended = endsByPlace(lines);
    assert.ok(starts < 4000, 'a stop does not finish the topic');
    assert.equal(ended.size, starts, 'every record that was started ended');
    const committed = await readCommitted(scenario.brokers, scenario.groupId, scenario.topic);
    const sum = [...committed.values()].reduce<number>((total, at) => total + (at ?? 0), 0);
    assert.equal(sum, ended.size, 'and is committed, with no gap below it');
    const stopped = program.lines.find(({ event }) => event === 'stopped');
    assert.equal(stopped?.['exitCode'], 0);
  });

test('each thread is set up once and torn down once, after its last record', async (t) => {
  const scenario = await mockScenario(t);
  await produceMany(scenario, 400);
  const file = join(scenario.folder, 'lifecycle');
  const program = runTidemark(t, scenario, {
    handler: 'lifecycle.mjs',
    options: { file },
    config: { workers: { threads: 3 } },
  });
  await untilCommitted(scenario, program);
  assert.equal((await program.stop()).code, 0, program.output);
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  for (const worker of ['0', '1', '2']) {
    const told = lines.filter((line) => line.startsWith(worker)).map((line) => line.slice(2));
    assert.deepEqual([told[0], told.at(-1)], ['setup', 'teardown']);
    assert.equal(told.filter((what) => what !== 'record').length, 2);
  }
  assert.equal(lines.filter((line) => line.endsWith('record')).length, 400);
});

for (const [signal, code] of [
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)
  test(`a second ${signal} cuts short the drain of a hanging handler: ${String(code)}`, async (t) => {
    const scenario = await mockScenario(t);
    await produceMany(scenario, 40);
    const gate = join(scenario.folder, 'never');
    const program = runTidemark(t, scenario, {
      options: { gateAt: { '1/3': gate } },
      config: { shutdown: UNHURRIED },
    });
    await untilStarted(scenario, program, 40 - 1);
    program.signal(signal);
    await program.waitFor('stopping');
    program.signal(signal);
    await program.waitFor('stop_hurried');
    assert.equal((await program.ended).code, code, program.output);
    const committed = await readCommitted(scenario.brokers, scenario.groupId, scenario.topic);
    assert.equal(committed.get(1) ?? 0, 3);
    assert.equal(committed.get(0), 10);
  });

test('past the drain deadline the signal of what still runs is aborted and the program ends with 75', async (t) => {
  const scenario = await mockScenario(t);
  await produceMany(scenario, 1);
  const program = runTidemark(t, scenario, {
    handler: 'abortable.mjs',
    config: { shutdown: { drainTimeoutMs: 300, forceTimeoutMs: 120_000 } },
  });
  await program.waitFor('handler', ({ msg }) => msg === 'waiting');
  assert.equal((await program.stop()).code, 75, program.output);
  const aborted = program.lines.find(({ msg }) => msg === 'aborted');
  assert.match(String(aborted?.['reason']), /no longer assigned/);
  const drained = program.lines.find(({ event }) => event === 'drained');
  assert.deepEqual([drained?.['cause'], drained?.['leftOver']], ['shutdown', 1]);
  const committed = await readCommitted(scenario.brokers, scenario.groupId, scenario.topic);
  assert.equal(committed.get(0) ?? 0, 0);
});

test('a handler that hangs for ever does not keep the program from leaving the group in order', async (t) => {
  const scenario = await mockScenario(t);
  await produceMany(scenario, 1);
  const program = runTidemark(t, scenario, {
    options: { gateAt: { '0/0': join(scenario.folder, 'never') } },
    // The same room between the two as in the defaults.
    config: { shutdown: { drainTimeoutMs: 300, forceTimeoutMs: 5300 } },
  });
  await untilStarted(scenario, program, 1);
  assert.equal((await program.stop()).code, 75, program.output);
  const events = program.lines.map(({ event }) => event);
  assert.ok(events.includes('stopped'), program.output);
  assert.ok(!events.includes('stop_forced'), program.output);
});

test('a handler in an endless loop cannot keep the program alive: 75', async (t) => {
  const scenario = await mockScenario(t);
  await produceMany(scenario, 1);
  const program = runTidemark(t, scenario, {
    options: { blockAt: { '0/0': join(scenario.folder, 'never') } },
    config: { shutdown: { drainTimeoutMs: 300, forceTimeoutMs: 10_000 } },
  });
  await untilStarted(scenario, program, 1);
  assert.equal((await program.stop()).code, 75, program.output);
});

const HANG = ['--import', pathToFileURL(inProject('test/fixtures/hang-main.mjs')).href];

test('a main thread that hangs is ended by the watchdog', async (t) => {
  const scenario = await mockScenario(t);
  const program = runTidemark(t, scenario, {
    nodeFlags: HANG,
    config: { shutdown: { drainTimeoutMs: 1000, forceTimeoutMs: 1500 } },
  });
  await program.waitFor('assigned');
  assert.deepEqual(await program.stop('SIGUSR2'), { code: null, signal: 'SIGKILL' });
});

test('a main thread that hangs in the middle of a stop is ended by the watchdog', async (t) => {
  const scenario = await mockScenario(t);
  await produceMany(scenario, 1);
  const gate = join(scenario.folder, 'gate');
  const program = runTidemark(t, scenario, {
    nodeFlags: HANG,
    options: { gateAt: { '0/0': gate } },
    config: { shutdown: { drainTimeoutMs: 1000, forceTimeoutMs: 3000 } },
  });
  await untilStarted(scenario, program, 1);
  program.signal('SIGTERM');
  await program.waitFor('stopping');
  program.signal('SIGUSR2');
  writeFileSync(gate, '');
  assert.deepEqual(await program.ended, { code: null, signal: 'SIGKILL' });
});
