/**
 * Writes a topic's records, as a process of its own.
 * With `perSecond` it goes through the record numbers at that pace until it is ended.
 */
import Kafka from 'node-rdkafka';
import { recordAt } from './contents.ts';
import type { TopicSpec } from './contents.ts';
import { readJob } from './peers/job.ts';

export interface ProduceJob {
  readonly brokers: string;
  readonly topic: TopicSpec;
  /** Null for as fast as it goes, all records once. */
  readonly perSecond: number | null;
}

const QUEUE_FULL = -184;
/** The client's own default is just too small for a value of 1 MB and its key. */
const MESSAGE_MAX_BYTES = 1_048_576;
const PAUSE_MS = 10;
/** The pace is kept by catching up this often. */
const TICK_MS = 5;

const job = readJob() as ProduceJob;

async function connect(): Promise<Kafka.Producer> {
  const producer = new Kafka.Producer({
    'metadata.broker.list': job.brokers,
    'linger.ms': job.perSecond === null ? 20 : 0,
    'batch.num.messages': 10_000,
    'queue.buffering.max.messages': 200_000,
    'queue.buffering.max.kbytes': 131_072,
    'compression.type': 'none',
    'message.max.bytes': MESSAGE_MAX_BYTES,
  });
  await new Promise<void>((resolve, reject) => {
    producer.connect({ timeout: 10_000 }, (error: Kafka.LibrdKafkaError | null) => {
      if (error) reject(new Error(error.message));
      else resolve();
    });
  });
  return producer;
}

/** Returns false when the client's queue is full. */
function send(producer: Kafka.Producer, index: number): boolean {
  const record = recordAt(job.topic, index);
  if (record === null) return true;
  const { partition, value, key, headers } = record;
  try {
    producer.produce(job.topic.name, partition, value, key, undefined, undefined, headers);
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === QUEUE_FULL) return false;
    throw error;
  }
}

async function writeAll(producer: Kafka.Producer): Promise<void> {
  for (let index = 0; index < job.topic.records;) {
    if (send(producer, index)) index++;
    else {
      producer.poll();
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
  await new Promise<void>((resolve, reject) => {
    producer.flush(60_000, (error: Kafka.LibrdKafkaError | null) => {
      if (error) reject(new Error(error.message));
      else resolve();
    });
  });
}

function keepPace(producer: Kafka.Producer, perSecond: number): void {
  const since = performance.now();
  let index = 0;
  setInterval(() => {
    const due = ((performance.now() - since) / 1000) * perSecond;
    while (index < due && send(producer, index)) index++;
  }, TICK_MS);
}

const producer = await connect();
if (job.perSecond !== null) keepPace(producer, job.perSecond);
else {
  await writeAll(producer);
  process.exit(0);
}
