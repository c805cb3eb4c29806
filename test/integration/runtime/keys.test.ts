import assert from 'node:assert/strict';
import { test } from 'node:test';
import { produce } from '../../support/clients.ts';
import { keyLane, laneBreaches, readLedger } from '../../support/ledger.ts';
import { mockScenario, runTidemark, untilCommitted } from '../../support/scenario.ts';

test('records of one partition without a key run side by side', async (t) => {
  const scenario = await mockScenario(t);
  const together = 12;
  await produce(
    scenario.brokers,
    scenario.topic,
    Array.from({ length: together }, () => ({ partition: 3, key: null, value: 'v' })),
  );
  const program = runTidemark(t, scenario, {
    handler: 'together.mjs',
    options: { together },
    config: { ordering: 'key', workers: { threads: 1, concurrency: together } },
  });
  await untilCommitted(scenario, program);
  assert.equal((await program.stop()).code, 0, program.output);
});

test('an empty key is a key: its records run one after another, in order', async (t) => {
  const scenario = await mockScenario(t);
  const records = Array.from({ length: 60 }, (_, at) => ({
    partition: 3,
    key: at % 3 === 0 ? Buffer.alloc(0) : null,
    value: 'v',
  }));
  await produce(scenario.brokers, scenario.topic, records);
  const program = runTidemark(t, scenario, { options: { waitMs: 3 } });
  await untilCommitted(scenario, program);
  assert.equal((await program.stop()).code, 0, program.output);
  const lines = readLedger(scenario.ledger);
  assert.equal(lines.filter(({ key }) => key === '').length, 2 * 20);
  assert.deepEqual(laneBreaches(lines, keyLane), []);
});
