/**
 * Contender `piscina`: the loop of `rdkafka`, and one `run()` per record on a pool of threads. Keeps no
 * order among records, as the pool has none.
 */
import { Piscina } from 'piscina';
import { answer, readJob } from './job.ts';
import type { Job } from './job.ts';
import { Meter } from './meter.ts';
import { RdkafkaConsumer } from './rdkafka-consumer.ts';

const job = readJob() as Job;
const { threads, outstanding } = job.settings;
const pool = new Piscina({
  filename: new URL('./piscina-worker.js', import.meta.url).href,
  minThreads: threads,
  maxThreads: threads,
  concurrentTasksPerWorker: Math.ceil(outstanding / threads),
});
const meter = new Meter(job, answer);
const consumer = await RdkafkaConsumer.open(job);

let running = 0;
let roomAgain: () => void = () => undefined;

for (;;) {
  for (const message of await consumer.next()) {
    while (running >= outstanding)
      await new Promise<void>((resolve) => {
        roomAgain = resolve;
      });
    running++;
    const sequence = consumer.track(message);
    void pool.run(message).then(() => {
      consumer.settle(message, sequence);
      meter.add();
      running--;
      roomAgain();
    });
  }
}
