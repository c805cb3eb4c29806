import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { Kafka, logLevel } from 'kafkajs';
import { readEnds } from '../../support/clients.ts';
import { readLedger } from '../../support/ledger.ts';
import { kafkaScenario, runTidemark, untilCommitted } from '../../support/scenario.ts';

test('aborted records are not handled, and behind aborted records and markers the lag is 0 and committed equals end (W3)', async (t) => {
  const scenario = await kafkaScenario(t, 2);
  const { brokers, topic, ledger } = scenario;
  const producer = new Kafka({ brokers: [brokers], logLevel: logLevel.NOTHING }).producer({
    transactionalId: randomUUID(),
    idempotent: true,
    maxInFlightRequests: 1,
  });
  await producer.connect();
  const kept: string[] = [];
  for (let n = 0; n < 12; n++) {
    const transaction = await producer.transaction();
    // Each third is aborted, the last one among them.
    const isAborted = n % 3 === 2;
    const keys = [0, 1].map((partition) => `${String(n)}-${String(partition)}`);
    await transaction.send({
      topic,
      messages: keys.map((key, partition) => ({ partition, key, value: 'v' })),
    });
    if (isAborted) await transaction.abort();
    else {
      await transaction.commit();
      kept.push(...keys);
    }
  }
  await producer.disconnect();

  const program = runTidemark(t, scenario);
  await untilCommitted(scenario, program);
  await program.while(
    async () => (await program.metric('tidemark_lag_records', { topic })) === 0,
    'lag 0',
  );
  const ends = await readEnds(brokers, topic);
  // 8 committed and 4 aborted records, and a marker for each.
  assert.deepEqual([...ends].sort(), [
    [0, 24],
    [1, 24],
  ]);
  assert.equal((await program.stop()).code, 0, program.output);
  const handled = readLedger(ledger).filter(({ kind }) => kind === 'end');
  assert.deepEqual(handled.map(({ key }) => key).sort(), kept.sort());
});
