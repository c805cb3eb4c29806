import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createTopic, isCommittedToEnd, produce } from '../../support/clients.ts';
import { kafkaBrokers } from '../../support/kafka.ts';
import { readLedger } from '../../support/ledger.ts';
import { runTidemark, scenarioOn } from '../../support/scenario.ts';

test('topics by name and by regular expression are consumed together, others are left alone', async (t) => {
  const brokers = kafkaBrokers();
  const family = randomUUID();
  const wanted = [`${family}.eu`, `${family}.us`, `${family}-plain`];
  const unwanted = [`${family}.test`, `x-${family}.eu`];
  for (const topic of [...wanted, ...unwanted]) {
    await createTopic(brokers, topic, 2);
    await produce(brokers, topic, [
      { partition: 0, key: 'a', value: topic },
      { partition: 1, key: 'b', value: topic },
    ]);
  }
  const scenario = scenarioOn(t, brokers, wanted[0] ?? '', {});
  const pattern = `^${family}\\.(eu|us)$`;
  const program = runTidemark(t, scenario, {
    config: { kafka: { topics: [pattern, `${family}-plain`] } },
  });
  for (const topic of wanted)
    await program.while(() => isCommittedToEnd(brokers, scenario.groupId, topic), topic);
  const status = (await program.status()) as { partitions: { topic: string }[] };
  assert.deepEqual([...new Set(status.partitions.map(({ topic }) => topic))].sort(), wanted.sort());
  assert.equal((await program.stop()).code, 0, program.output);
  const handled = readLedger(scenario.ledger).filter(({ kind }) => kind === 'end');
  assert.deepEqual(handled.map(({ topic }) => topic).sort(), [...wanted, ...wanted].sort());
});
