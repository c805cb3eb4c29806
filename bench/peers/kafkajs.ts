/** Contender `kafkajs`: `eachBatch`, all partitions at once, the handler inline. */
import { Kafka, logLevel } from 'kafkajs';
import type { KafkaMessage } from 'kafkajs';
import { createWork } from '../handlers/work.ts';
import { answer, readJob } from './job.ts';
import type { Job } from './job.ts';
import { Meter } from './meter.ts';

const PARTITIONS_AT_ONCE = 16;
const COMMIT_MS = 1000;

const job = readJob() as Job;
const work = createWork<KafkaMessage>(job.work, {
  value: (message) => message.value,
  header: (message, name) => {
    const found = message.headers?.[name];
    return Array.isArray(found) ? found.at(-1) : found;
  },
});
const meter = new Meter(job, answer);
const kafka = new Kafka({
  clientId: 'bench',
  brokers: job.brokers.split(','),
  logLevel: logLevel.NOTHING,
});
const consumer = kafka.consumer({ groupId: job.groupId });
await consumer.connect();
await consumer.subscribe({ topics: [job.topic], fromBeginning: true });
await consumer.run({
  partitionsConsumedConcurrently: PARTITIONS_AT_ONCE,
  autoCommitInterval: COMMIT_MS,
  eachBatchAutoResolve: false,
  eachBatch: async (payload) => {
    for (const message of payload.batch.messages) {
      const running = work(message);
      if (running !== undefined) await running;
      payload.resolveOffset(message.offset);
      meter.add();
    }
    await payload.commitOffsetsIfNecessary();
    await payload.heartbeat();
  },
});
