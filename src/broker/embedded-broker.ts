/**
 * A Kafka cluster inside this process: librdkafka's mock, for the quick start and for tests. Main
 * thread. Topics make themselves with 4 partitions; about 5 MB per partition are kept, older records
 * are lost without a word; nothing survives the process.
 */
import Kafka from 'node-rdkafka';
import type { LibrdKafkaError, Metadata } from 'node-rdkafka';

const ANSWER_MS = 10_000;

export interface EmbeddedBroker {
  /** Comma-separated addresses on loopback. */
  readonly brokers: string;
  /** Stops the cluster; clients that are still connected only see it vanish. */
  close(): Promise<void>;
}

/** Starts a cluster of so many brokers. Rejects when librdkafka refuses. */
export async function startEmbeddedBroker(brokers = 1): Promise<EmbeddedBroker> {
  // The typings do not know the properties of the mock.
  const properties = { 'client.id': 'tidemark-embedded', 'test.mock.num.brokers': brokers };
  const client = new Kafka.Producer(properties);
  const metadata = await new Promise<Metadata>((resolve, reject) => {
    client.connect({ timeout: ANSWER_MS }, (error: LibrdKafkaError | null, found) => {
      if (error === null) resolve(found);
      else reject(new Error(`the embedded broker did not start: ${error.message}`));
    });
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
