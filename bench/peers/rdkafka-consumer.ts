/**
 * A node-rdkafka consumer as a careful user would run it: the fetch properties tidemark uses, explicit
 * commits of finished positions once a second.
 */
import Kafka from 'node-rdkafka';
import type { KafkaConsumer, Message } from 'node-rdkafka';
import { consumerProperties } from '../../src/broker/properties.ts';
import { Watermark } from '../../src/core/watermark.ts';
import type { Job } from './job.ts';
import { settingsFor } from './settings.ts';

const BATCH = 1000;
/** The binding waits so long for each further record of a batch. */
const CONSUME_TIMEOUT_MS = 10;
const COMMIT_MS = 1000;
const INFLIGHT = 0;

export class RdkafkaConsumer {
  readonly #client: KafkaConsumer;
  readonly #watermarks = new Map<number, Watermark>();
  readonly #topic: string;

  private constructor(client: KafkaConsumer, topic: string) {
    this.#client = client;
    this.#topic = topic;
  }

  static async open(job: Job): Promise<RdkafkaConsumer> {
    const { global, topic } = consumerProperties(settingsFor(job));
    const client = new Kafka.KafkaConsumer({ ...global, 'client.id': 'bench' }, topic);
    client.setDefaultConsumeTimeout(CONSUME_TIMEOUT_MS);
    await new Promise<void>((resolve, reject) => {
      client.connect({ timeout: 10_000 }, (error: Kafka.LibrdKafkaError | null) => {
        if (error) reject(new Error(error.message));
        else resolve();
      });
    });
    client.subscribe([job.topic]);
    const consumer = new RdkafkaConsumer(client, job.topic);
    setInterval(() => {
      consumer.#commit();
    }, COMMIT_MS);
    return consumer;
  }

  next(): Promise<Message[]> {
    return new Promise((resolve, reject) => {
      this.#client.consume(BATCH, (error: Kafka.LibrdKafkaError | null, messages) => {
        if (error) reject(new Error(error.message));
        else resolve(messages);
      });
    });
  }

  /** Returns what {@link settle} wants. */
  track(message: Message): number {
    let watermark = this.#watermarks.get(message.partition);
    if (watermark === undefined) {
      watermark = new Watermark();
      this.#watermarks.set(message.partition, watermark);
    }
    return watermark.track(message.offset, INFLIGHT);
  }

  settle(message: Message, sequence: number): void {
    this.#watermarks.get(message.partition)?.settle(sequence);
  }

  #commit(): void {
    const topic = this.#topic;
    const positions = [...this.#watermarks].map(([partition, { position }]) => ({
      topic,
      partition,
      offset: position,
    }));
    if (positions.length > 0) this.#client.commit(positions);
  }
}
