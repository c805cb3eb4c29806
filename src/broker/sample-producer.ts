/**
 * Writes the quick start's sample records. Main thread. Keeps the records of a key in order, because
 * there is one producer and one request in flight at a time per partition.
 */
import Kafka from 'node-rdkafka';
import type { LibrdKafkaError, Producer } from 'node-rdkafka';
import { answer } from './answer.ts';

const ANSWER_MS = 10_000;
const POLL_MS = 20;
const QUEUE_FULL = -184;

export class SampleProducer {
  readonly #client: Producer;
  /** Records the broker has acknowledged, and has not taken. */
  acknowledged = 0;
  failed = 0;

  /** Use {@link connectSampleProducer}. */
  constructor(client: Producer) {
    this.#client = client;
    client.on('delivery-report', (error: LibrdKafkaError | null) => {
      if (error === null) this.acknowledged++;
      else this.failed++;
    });
    client.setPollInterval(POLL_MS);
  }

  /** False when the client's queue is full: try the same record again later. */
  send(topic: string, key: string, value: string): boolean {
    try {
      this.#client.produce(topic, null, Buffer.from(value), key);
      return true;
    } catch (error) {
      if ((error as { code?: unknown }).code === QUEUE_FULL) return false;
      throw error;
    }
  }

  /** Waits until every record is acknowledged or refused. */
  async flush(): Promise<void> {
    await answer<undefined>((done) => {
      this.#client.flush(ANSWER_MS, (error: LibrdKafkaError | null) => {
        done(error, undefined);
      });
    });
    // The last reports may still wait for the poll timer.
    this.#client.poll();
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#client.disconnect(ANSWER_MS, () => {
        resolve();
      });
    });
  }
}

export async function connectSampleProducer(brokers: string): Promise<SampleProducer> {
  const client = new Kafka.Producer({
    'client.id': 'tidemark-sample-producer',
    'metadata.broker.list': brokers,
    'linger.ms': 5,
    'max.in.flight': 1,
    dr_cb: true,
  });
  await answer((done) => {
    client.connect({ timeout: ANSWER_MS }, done);
  });
  return new SampleProducer(client);
}
