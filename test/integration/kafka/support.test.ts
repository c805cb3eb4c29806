import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import {
  createTopic,
  isCommittedToEnd,
  produce,
  readCommitted,
  readEnds,
} from '../../support/clients.ts';
import { kafkaBrokers } from '../../support/kafka.ts';

test('the helpers see a topic of a real Kafka as it is written', async () => {
  const brokers = kafkaBrokers();
  const topic = `support-${randomUUID()}`;
  await createTopic(brokers, topic, 3);
  await produce(brokers, topic, [
    { key: 'a', value: 'one', partition: 2 },
    { key: 'a', value: null, partition: 2 },
  ]);
  assert.deepEqual([...(await readEnds(brokers, topic))].sort(), [
    [0, 0],
    [1, 0],
    [2, 2],
  ]);
  assert.deepEqual(
    [...(await readCommitted(brokers, 'nobody', topic)).values()],
    [null, null, null],
  );
  assert.equal(await isCommittedToEnd(brokers, 'nobody', topic), false);
});
