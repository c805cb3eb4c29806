import assert from 'node:assert/strict';
import { test } from 'node:test';
import { produce, readCommitted } from '../../support/clients.ts';
import { endsByPlace, keyLane, laneBreaches, placeOf, readLedger } from '../../support/ledger.ts';
import { mockScenario, runTidemark, untilCommitted } from '../../support/scenario.ts';

/** One run at a time on a thread: then its death touches one record. */
const ALONE = { workers: { threads: 2, concurrency: 1 } };
const RECORDS = Array.from({ length: 120 }, (_, at) => ({
  partition: at % 4,
  key: `${String(at % 4)}-${String((at >> 2) % 3)}`,
  value: 'v',
}));

test('a thread that dies is replaced and the record it ran comes again as attempt 2', async (t) => {
  const scenario = await mockScenario(t);
  const { brokers, topic } = scenario;
  await produce(brokers, topic, RECORDS);
  const program = runTidemark(t, scenario, {
    options: { exitAt: { '2/11': 1 } },
    config: ALONE,
  });
  await untilCommitted(scenario, program);
  assert.equal(await program.metric('tidemark_worker_restarts_total', { reason: 'exit' }), 1);
  assert.equal(await program.metric('tidemark_handler_runs_total', { topic, result: 'crash' }), 1);
  assert.equal((await program.stop()).code, 0, program.output);

  const lines = readLedger(scenario.ledger);
  const ended = endsByPlace(lines);
  assert.equal(ended.size, RECORDS.length);
  assert.ok([...ended.values()].every((runs) => runs === 1));
  const starts = lines.filter(({ kind }) => kind === 'start');
  const deadly = starts.filter((line) => placeOf(line) === `${topic}/2/11`);
  assert.deepEqual(
    deadly.map(({ attempt }) => attempt),
    [1, 2],
  );
  // The dead run has no end: it would count as still running.
  const whole = lines.filter((line) => line !== deadly[0]);
  assert.deepEqual(laneBreaches(whole, keyLane), []);
  assert.equal(program.lines.filter(({ event }) => event === 'worker_died').length, 1);
});

test('a record during whose runs three threads died stops the program and stays uncommitted', async (t) => {
  const scenario = await mockScenario(t);
  const { brokers, topic, groupId } = scenario;
  await produce(brokers, topic, RECORDS);
  const program = runTidemark(t, scenario, {
    options: { exitAt: { '2/11': 3 } },
    config: ALONE,
  });
  assert.equal((await program.ended).code, 70, program.output);

  const crashed = program.lines.filter(({ event }) => event === 'record_crashed');
  assert.equal(crashed.length, 1, program.output);
  const fields = ['topic', 'partition', 'offset', 'attempt'];
  assert.deepEqual(
    fields.map((field) => crashed[0]?.[field]),
    [topic, 2, 11, 3],
  );
  const lines = readLedger(scenario.ledger);
  const starts = lines.filter((line) => line.kind === 'start' && placeOf(line) === `${topic}/2/11`);
  assert.deepEqual(
    starts.map((line) => line.attempt),
    [1, 2, 3],
  );
  const committed = await readCommitted(brokers, groupId, topic);
  assert.ok((committed.get(2) ?? 0) <= 11);
  const ended = [...endsByPlace(lines).keys()];
  for (const other of [0, 1, 3])
    assert.equal(
      committed.get(other) ?? 0,
      ended.filter((place) => place.startsWith(`${topic}/${String(other)}/`)).length,
    );
});

test('an error outside of any run ends its thread, is told with its stack, and costs no record', async (t) => {
  const scenario = await mockScenario(t);
  await produce(scenario.brokers, scenario.topic, [
    { partition: 0, value: 'uncaught' },
    { partition: 1, value: 'unhandled' },
    { partition: 2, value: 'v' },
  ]);
  const program = runTidemark(t, scenario, {
    handler: 'stray.mjs',
    config: { workers: { threads: 1, concurrency: 1 } },
  });
  await untilCommitted(scenario, program);
  const died = program.lines.filter(({ event }) => event === 'worker_died');
  const said = died.map((line) => line['error'] as { message: string; stack: string });
  assert.deepEqual(said.map(({ message }) => message).sort(), [
    'nobody catches this',
    'nobody handles this',
  ]);
  assert.ok(said.every(({ stack }) => stack.includes('stray.mjs')));
  assert.equal((await program.stop()).code, 0, program.output);
});
