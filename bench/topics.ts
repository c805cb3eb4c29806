/**
 * Makes the benchmarks' topics on a broker. A topic that is complete is left as it is.
 */
import { Kafka, logLevel } from 'kafkajs';
import type { Admin } from 'kafkajs';
import { countOf } from './contents.ts';
import type { TopicSpec } from './contents.ts';

/** How long the broker may take over what it does in its own time. */
const TRIES = 200;
const TRY_MS = 100;

/**
 * Makes what is missing; `fill` writes a topic's records. A topic with another number of records is
 * made anew.
 */
export async function topicsOnBroker(
  brokers: string,
  specs: readonly TopicSpec[],
  fill: (spec: TopicSpec) => Promise<void>,
  say: (line: string) => void,
): Promise<void> {
  const kafka = new Kafka({
    clientId: 'bench',
    brokers: brokers.split(','),
    logLevel: logLevel.NOTHING,
  });
  const admin = kafka.admin();
  await admin.connect();
  try {
    for (const spec of specs) {
      const wanted = countOf(spec);
      const there = await recordsIn(admin, spec.name);
      // Topics without fixed contents are fed by the runs that use them.
      if (there !== null && (there === wanted || wanted === 0)) continue;
      say(`topic ${spec.name}: writing ${String(wanted)} records`);
      if (there !== null) await remove(admin, spec.name);
      await admin.createTopics({
        topics: [{ topic: spec.name, numPartitions: spec.partitions, replicationFactor: 1 }],
      });
      if (wanted > 0) await fill(spec);
      const found = await recordsIn(admin, spec.name);
      if (found !== wanted)
        throw new Error(`topic ${spec.name} has ${String(found)} records, not ${String(wanted)}`);
    }
  } finally {
    await admin.disconnect();
  }
}

/** Records in a topic; null where there is no such topic. */
async function recordsIn(admin: Admin, name: string): Promise<number | null> {
  if (!(await admin.listTopics()).includes(name)) return null;
  // A topic just made may not have its leaders everywhere yet; the client does not try again itself.
  const offsets = await untilThere(`offsets of ${name}`, async () => {
    try {
      return await admin.fetchTopicOffsets(name);
    } catch (error) {
      if ((error as { retriable?: unknown }).retriable === true) return null;
      throw error;
    }
  });
  return offsets.reduce((sum, { high, low }) => sum + Number(high) - Number(low), 0);
}

/** Deletion is asynchronous on the broker: waits until the name is free. */
async function remove(admin: Admin, name: string): Promise<void> {
  await admin.deleteTopics({ topics: [name] });
  await untilThere(`the deletion of ${name}`, async () =>
    (await admin.listTopics()).includes(name) ? null : true,
  );
}

async function untilThere<T>(what: string, look: () => Promise<T | null>): Promise<T> {
  for (let tries = 0; tries < TRIES; tries++) {
    const found = await look();
    if (found !== null) return found;
    await new Promise((resolve) => setTimeout(resolve, TRY_MS));
  }
  throw new Error(`${what} did not come about`);
}
