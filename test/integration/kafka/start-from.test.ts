import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import { produce } from '../../support/clients.ts';
import { readLedger } from '../../support/ledger.ts';
import { kafkaScenario, runTidemark, untilCommitted } from '../../support/scenario.ts';
import type { Scenario } from '../../support/scenario.ts';

const NOON = Date.parse('2026-03-01T12:00:00Z');
const MINUTE = 60_000;

/** Another group on the same topic, with a ledger of its own. */
function anotherGroup(scenario: Scenario): Scenario {
  const name = randomUUID();
  return { ...scenario, groupId: name, ledger: join(scenario.folder, name) };
}

const handledKeys = ({ ledger }: Scenario): (string | null)[] =>
  readLedger(ledger)
    .filter(({ kind }) => kind === 'end')
    .map(({ key }) => key)
    .sort();

test('a group without a position starts where startFrom says; one with a position goes on from it', async (t) => {
  const topic = await kafkaScenario(t, 2);
  const at = (key: string, partition: number, minutes: number) => ({
    key,
    partition,
    value: 'v',
    timestamp: NOON + minutes * MINUTE,
  });
  await produce(topic.brokers, topic.topic, [
    at('before', 0, -10),
    at('at noon', 0, 0),
    at('after', 0, 10),
    // Of this partition nothing is as young as noon.
    at('long before', 1, -20),
  ]);

  const earliest = anotherGroup(topic);
  const all = runTidemark(t, earliest, { config: { kafka: { startFrom: 'earliest' } } });
  await untilCommitted(earliest, all);
  assert.equal((await all.stop()).code, 0, all.output);
  assert.deepEqual(handledKeys(earliest), ['after', 'at noon', 'before', 'long before']);

  const timed = anotherGroup(topic);
  const since = { config: { kafka: { startFrom: '2026-03-01T12:00:00Z' } } };
  const fromNoon = runTidemark(t, timed, since);
  await untilCommitted(timed, fromNoon);
  assert.equal((await fromNoon.stop()).code, 0, fromNoon.output);
  assert.deepEqual(handledKeys(timed), ['after', 'at noon']);

  const latest = anotherGroup(topic);
  const onlyNew = runTidemark(t, latest, { config: { kafka: { startFrom: 'latest' } } });
  // It stands at the end of both partitions once it says so.
  await untilCommitted(latest, onlyNew);
  await produce(topic.brokers, topic.topic, [at('new', 0, 20), at('new too', 1, 20)]);
  await untilCommitted(latest, onlyNew);
  assert.equal((await onlyNew.stop()).code, 0, onlyNew.output);
  assert.deepEqual(handledKeys(latest), ['new', 'new too']);

  const goesOn = runTidemark(t, timed, since);
  await untilCommitted(timed, goesOn);
  assert.equal((await goesOn.stop()).code, 0, goesOn.output);
  assert.deepEqual(handledKeys(timed), ['after', 'at noon', 'new', 'new too']);
});
