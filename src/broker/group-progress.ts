/**
 * What the cluster itself says about a group: commits and ends of the logs, read with a client of its
 * own that joins nothing. Main thread.
 */
import Kafka from 'node-rdkafka';
import type { KafkaConsumer, Metadata, TopicPartitionOffset } from 'node-rdkafka';
import { answer } from './answer.ts';

const ANSWER_MS = 10_000;

export interface PartitionProgress {
  readonly partition: number;
  /** Null where the group has committed nothing. */
  readonly committed: number | null;
  readonly logEnd: number;
}

export async function readGroupProgress(
  brokers: string,
  groupId: string,
  topic: string,
): Promise<PartitionProgress[]> {
  const client = new Kafka.KafkaConsumer(
    { 'metadata.broker.list': brokers, 'group.id': groupId, 'enable.auto.commit': false },
    {},
  );
  try {
    const metadata = await answer<Metadata>((done) => {
      client.connect({ timeout: ANSWER_MS, topic }, done);
    });
    const partitions = metadata.topics.find(({ name }) => name === topic)?.partitions ?? [];
    const places = partitions.map(({ id }) => ({ topic, partition: id }));
    const committed = await answer<TopicPartitionOffset[]>((done) => {
      client.committed(places, ANSWER_MS, done);
    });
    return await Promise.all(
      places.map(({ partition }) => progressOf(client, partition, committed, topic)),
    );
  } finally {
    await new Promise<void>((resolve) => {
      client.disconnect(() => {
        resolve();
      });
    });
  }
}

async function progressOf(
  client: KafkaConsumer,
  partition: number,
  committed: readonly TopicPartitionOffset[],
  topic: string,
): Promise<PartitionProgress> {
  const { highOffset } = await answer<{ highOffset: number }>((done) => {
    client.queryWatermarkOffsets(topic, partition, ANSWER_MS, done);
  });
  // Where nothing is committed the client leaves the offset out, whatever its typings say.
  const entry: { offset?: number } | undefined = committed.find(
    (each) => each.partition === partition,
  );
  return { partition, committed: entry?.offset ?? null, logEnd: highOffset };
}
