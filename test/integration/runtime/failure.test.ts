import assert from 'node:assert/strict';
import { test } from 'node:test';
import { produce, readCommitted } from '../../support/clients.ts';
import { endsByPlace, readLedger } from '../../support/ledger.ts';
import { mockScenario, runTidemark, untilCommitted } from '../../support/scenario.ts';
import type { LogLine } from '../../support/tidemark.ts';

interface ErrorOfLine {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
}

function errorOf(line: LogLine | undefined): ErrorOfLine {
  return line?.['error'] as ErrorOfLine;
}

/** Twenty records on each of two partitions, in keys of two. */
const RECORDS = Array.from({ length: 40 }, (_, at) => ({
  partition: at % 2,
  key: `${String(at % 2)}-${String(at >> 2)}`,
  value: 'v',
}));

test('a record whose handler throws is told by its place and never committed, while all that ran is', async (t) => {
  const scenario = await mockScenario(t);
  const { brokers, topic, groupId } = scenario;
  await produce(brokers, topic, RECORDS);
  const program = runTidemark(t, scenario, { options: { failAt: { '1/7': 'no such account' } } });
  assert.equal((await program.ended).code, 70, program.output);

  const failed = program.lines.filter(({ event }) => event === 'record_failed');
  assert.equal(failed.length, 1);
  const [line] = failed;
  assert.deepEqual(
    { ...line, level: 0, time: 0, msg: 0, worker: 0, error: 0 },
    {
      level: 0,
      time: 0,
      msg: 0,
      event: 'record_failed',
      topic,
      partition: 1,
      offset: 7,
      attempt: 1,
      worker: 0,
      error: 0,
    },
  );
  assert.equal(errorOf(line).message, 'no such account');
  assert.match(errorOf(line).stack, /ledger\.mjs:\d+/);

  const ended = endsByPlace(readLedger(scenario.ledger));
  const committed = await readCommitted(brokers, groupId, topic);
  assert.equal(committed.get(1), 7);
  // A drain starts what lies below a finished record, so that nothing finished is left uncommitted.
  const finished = [...ended.keys()].filter((place) => place.startsWith(`${topic}/0/`)).length;
  assert.equal(committed.get(0) ?? 0, finished);
});

test('after a failure the failed record and what its partition holds above it are delivered again', async (t) => {
  const scenario = await mockScenario(t);
  const { brokers, topic } = scenario;
  await produce(brokers, topic, RECORDS);
  const failing = runTidemark(t, scenario, { options: { failAt: { '1/7': 'not now' } } });
  assert.equal((await failing.ended).code, 70, failing.output);

  const program = runTidemark(t, scenario);
  await program.waitFor('assigned');
  await untilCommitted(scenario, program);
  assert.equal((await program.stop()).code, 0, program.output);
  const lines = readLedger(scenario.ledger);
  assert.equal(endsByPlace(lines).size, RECORDS.length);
  const again = lines.filter(({ kind, pid }) => kind === 'start' && pid === program.pid);
  assert.ok(again.every(({ partition, offset }) => partition !== 1 || offset >= 7));
  assert.ok(again.some(({ partition, offset }) => partition === 1 && offset === 7));
});

test('a handler may throw anything, undefined included, and every throw is a failure', async (t) => {
  const scenario = await mockScenario(t);
  const { brokers, topic, groupId } = scenario;
  const together = 9;
  const records = Array.from({ length: together }, () => ({ partition: 0, value: 'v' }));
  await produce(brokers, topic, records);
  const program = runTidemark(t, scenario, {
    handler: 'throws.mjs',
    options: { together },
    config: { workers: { threads: 1, concurrency: together } },
  });
  assert.equal((await program.ended).code, 70, program.output);
  const failed = program.lines.filter(({ event }) => event === 'record_failed');
  const said = failed.map((line) => [Number(line['offset']), errorOf(line).message] as const);
  assert.deepEqual(
    said.map(([offset]) => offset).sort((a, b) => a - b),
    records.map((_, offset) => offset),
  );
  const messages = new Map(said);
  for (const [offset, word] of ['undefined', 'null', '0'].entries())
    assert.ok(messages.get(offset)?.includes(word), program.output);
  assert.equal((await readCommitted(brokers, groupId, topic)).get(0) ?? 0, 0);
});

test('a stop error ends the program with the record unsettled', async (t) => {
  const scenario = await mockScenario(t);
  const { brokers, topic, groupId } = scenario;
  await produce(brokers, topic, [
    { partition: 0, value: 'fine' },
    { partition: 0, value: 'stop' },
  ]);
  const program = runTidemark(t, scenario, {
    handler: 'typed.ts',
    config: { ordering: 'partition' },
  });
  assert.equal((await program.ended).code, 70, program.output);
  const line = program.lines.find(({ event }) => event === 'record_failed');
  assert.deepEqual([line?.['offset'], errorOf(line).name], [1, 'StopError']);
  assert.equal((await readCommitted(brokers, groupId, topic)).get(0), 1);
});

test('a skip error settles its record like a success, and is counted apart', async (t) => {
  const scenario = await mockScenario(t);
  const { brokers, topic } = scenario;
  const values = ['skip', 'run', 'skip', 'run', 'run'];
  await produce(
    brokers,
    topic,
    values.map((value) => ({ partition: 0, value })),
  );
  const program = runTidemark(t, scenario, { handler: 'typed.ts' });
  await untilCommitted(scenario, program);
  const settled = 'tidemark_records_settled_total';
  assert.equal(await program.metric(settled, { topic, outcome: 'skipped' }), 2);
  assert.equal(await program.metric(settled, { topic, outcome: 'ok' }), 3);
  assert.equal((await program.stop()).code, 0, program.output);
});
