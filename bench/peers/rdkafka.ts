/** Contender `rdkafka`: a `consume(1000)` loop with the handler inline, one record after another. */
import { createWork } from '../handlers/work.ts';
import { answer, readJob } from './job.ts';
import type { Job } from './job.ts';
import { Meter } from './meter.ts';
import { rdkafkaAccess } from './rdkafka-access.ts';
import { RdkafkaConsumer } from './rdkafka-consumer.ts';

const job = readJob() as Job;
const work = createWork(job.work, rdkafkaAccess);
const meter = new Meter(job, answer);
const consumer = await RdkafkaConsumer.open(job);

for (;;) {
  for (const message of await consumer.next()) {
    const sequence = consumer.track(message);
    const running = work(message);
    if (running !== undefined) await running;
    consumer.settle(message, sequence);
    meter.add();
  }
}
