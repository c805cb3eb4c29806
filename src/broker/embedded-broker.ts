/**
 * A Kafka cluster inside this process: librdkafka's mock, for the quick start and for tests. Main
 * thread. Topics make themselves with 4 partitions; about 5 MB per partition are kept, older records
 * are lost without a word; nothing survives the process.
 */
import Kafka from 'node-rdkafka';
import type { Metadata } from 'node-rdkafka';
import { answer } from './answer.ts';

const ANSWER_MS = 10_000;

export interface EmbeddedBroker {
  /** Comma-separated addresses on loopback. */
  readonly brokers: string;
  /** Stops the cluster; clients that are still connected only see it vanish. */
  close(): Promise<void>;
}

export interface EmbeddedBrokerOptions {
  /** Default 1. */
  readonly brokers?: number;
  /** Topics to make at once: a group that subscribes to a missing one waits for its next look. */
  readonly topics?: readonly string[];
}

/** Rejects when librdkafka refuses. */
export async function startEmbeddedBroker(
  options: EmbeddedBrokerOptions = {},
): Promise<EmbeddedBroker> {
  const { brokers = 1, topics = [] } = options;
  // The typings do not know the properties of the mock.
  const properties = { 'client.id': 'tidemark-embedded', 'test.mock.num.brokers': brokers };
  const client = new Kafka.Producer(properties);
  const metadata = await answer<Metadata>((done) => {
    client.connect({ timeout: ANSWER_MS }, done);
  });
  for (const topic of topics)
    // Asking for a topic makes it.
    await answer<Metadata>((done) => {
      client.getMetadata({ topic, timeout: ANSWER_MS }, done);
    });
  return {
    brokers: metadata.brokers.map(({ host, port }) => `${host}:${String(port)}`).join(','),
    close: () =>
      new Promise((resolve) => {
        client.disconnect(ANSWER_MS, () => {
          resolve();
        });
      }),
  };
}
