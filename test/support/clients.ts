/** Another client's view of the cluster: what tests write, and what they read back to judge. */
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Kafka, logLevel } from 'kafkajs';
import type { Admin, IHeaders, Producer, ProducerConfig } from 'kafkajs';

export interface SampleRecord {
  readonly key?: Buffer | string | null;
  readonly value: Buffer | string | null;
  readonly headers?: IHeaders;
  readonly partition?: number;
  /** Milliseconds since the epoch. */
  readonly timestamp?: number;
}

function client(brokers: string): Kafka {
  return new Kafka({
    clientId: 'tidemark-test',
    brokers: brokers.split(','),
    logLevel: logLevel.NOTHING,
  });
}

const TRIES = 100;
const TRY_AGAIN_MS = 100;

/** Also waits for a coordinator that a fresh broker is still loading, which kafkajs leaves to us. */
async function withAdmin<T>(brokers: string, act: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = client(brokers).admin();
  await admin.connect();
  try {
    for (let left = TRIES; ; left--)
      try {
        return await act(admin);
      } catch (error) {
        if (left === 0 || (error as { retriable?: boolean }).retriable !== true) throw error;
        await pause(TRY_AGAIN_MS);
      }
  } finally {
    await admin.disconnect();
  }
}

/**
 * Idempotent on a real Kafka, because a request that is tried again on a busy machine would write its
 * records twice. The embedded broker does not know the request that kafkajs needs for it.
 */
function producerOptions(brokers: string): ProducerConfig {
  const idempotent = brokers === process.env['KAFKA_BROKERS'];
  return {
    allowAutoTopicCreation: true,
    ...(idempotent ? { idempotent, maxInFlightRequests: 1 } : {}),
  };
}

/** A connected producer, closed after the test. Keeps records of one partition in order. */
export async function connectProducer(t: TestContext, brokers: string): Promise<Producer> {
  const producer = client(brokers).producer(producerOptions(brokers));
  await producer.connect();
  t.after(() => producer.disconnect());
  return producer;
}

/** Writes the records in order, in requests of up to 1,000, and waits for the acknowledgements. */
export async function produce(
  brokers: string,
  topic: string,
  records: readonly SampleRecord[],
): Promise<void> {
  const producer = client(brokers).producer(producerOptions(brokers));
  await producer.connect();
  try {
    for (let at = 0; at < records.length; at += 1000)
      await producer.send({
        topic,
        messages: records.slice(at, at + 1000).map(({ timestamp, ...record }) => ({
          ...record,
          ...(timestamp === undefined ? {} : { timestamp: String(timestamp) }),
        })),
      });
  } finally {
    await producer.disconnect();
  }
}

/** Creates a topic on a real broker; the embedded one makes its own. */
export async function createTopic(
  brokers: string,
  topic: string,
  partitions = 4,
  config: Readonly<Record<string, string>> = {},
): Promise<void> {
  const configEntries = Object.entries(config).map(([name, value]) => ({ name, value }));
  const created = await withAdmin(brokers, (admin) =>
    admin.createTopics({
      waitForLeaders: true,
      topics: [{ topic, numPartitions: partitions, replicationFactor: 1, configEntries }],
    }),
  );
  if (!created) throw new Error(`topic ${topic} exists already`);
}

/** What the group has committed, by partition; null where nothing is. */
export async function readCommitted(
  brokers: string,
  groupId: string,
  topic: string,
): Promise<Map<number, number | null>> {
  const topics = await withAdmin(brokers, (admin) =>
    admin.fetchOffsets({ groupId, topics: [topic] }),
  );
  const partitions = topics.find((entry) => entry.topic === topic)?.partitions ?? [];
  return new Map(
    partitions.map(({ partition, offset }) => [partition, offset === '-1' ? null : Number(offset)]),
  );
}

/** The end of each partition's log: the next offset to be written. */
export async function readEnds(brokers: string, topic: string): Promise<Map<number, number>> {
  const ends = await withAdmin(brokers, (admin) => admin.fetchTopicOffsets(topic));
  return new Map(ends.map(({ partition, high }) => [partition, Number(high)]));
}

/** True when the group's commits stand at the end of every partition that holds records. */
export async function isCommittedToEnd(
  brokers: string,
  groupId: string,
  topic: string,
): Promise<boolean> {
  const committed = await readCommitted(brokers, groupId, topic);
  const ends = await readEnds(brokers, topic);
  return [...ends].every(([partition, end]) => (committed.get(partition) ?? 0) === end);
}
