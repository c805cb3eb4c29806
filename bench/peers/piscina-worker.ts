/** The handler of contender `piscina`. Worker threads. */
import type { Message } from 'node-rdkafka';
import { createWork } from '../handlers/work.ts';
import { readJob } from './job.ts';
import type { Job } from './job.ts';
import { rdkafkaAccess } from './rdkafka-access.ts';

const work = createWork<Message>((readJob() as Job).work, rdkafkaAccess);

export default function run(message: Message): undefined | Promise<void> {
  return work(message);
}
