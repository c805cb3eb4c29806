import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { produce } from '../../support/clients.ts';
import { kafkaScenario, runTidemark, untilCommitted } from '../../support/scenario.ts';

test("a topic with the broker's time gives its records timestampType append and that time", async (t) => {
  const scenario = await kafkaScenario(t, 1, { 'message.timestamp.type': 'LogAppendTime' });
  const produced = Date.parse('2001-01-01T00:00:00Z');
  await produce(scenario.brokers, scenario.topic, [{ value: 'v', timestamp: produced }]);
  const program = runTidemark(t, scenario, { handler: 'recorder.mjs' });
  await untilCommitted(scenario, program);
  assert.equal((await program.stop()).code, 0, program.output);
  const { timestamp, timestampType } = JSON.parse(readFileSync(scenario.ledger, 'utf8')) as {
    timestamp: number;
    timestampType: string;
  };
  assert.equal(timestampType, 'append');
  assert.ok(timestamp > produced);
});
