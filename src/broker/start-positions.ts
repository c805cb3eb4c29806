/**
 * Where newly assigned partitions start: the committed position, else `kafka.startFrom`. Main thread;
 * the binding's look-ups run on libuv's pool and never block the event loop.
 */
import type {
  KafkaConsumer,
  LibrdKafkaError,
  TopicPartition,
  TopicPartitionOffset,
} from 'node-rdkafka';
import type { Settings } from '../contract/settings.ts';

/** librdkafka's logical offsets. */
const BEGINNING = -2;
const END = -1;
const LOOKUP_MS = 5000;

export interface StartPosition {
  readonly topic: string;
  readonly partition: number;
  /** Offset or logical offset to start at. */
  readonly offset: number;
  /** The group's committed position, null where there is none. */
  readonly committed: number | null;
}

/** Rejects when the group's coordinator does not answer; the caller tries again. */
export async function startPositions(
  client: KafkaConsumer,
  assignment: readonly TopicPartition[],
  startFrom: Settings['kafka']['startFrom'],
): Promise<StartPosition[]> {
  const asked = assignment.map(({ topic, partition }) => ({ topic, partition }));
  const committed = await new Promise<TopicPartitionOffset[]>((resolve, reject) => {
    // The binding passes null on success, whatever its types say.
    client.committed(asked, LOOKUP_MS, (error: LibrdKafkaError | null, found) => {
      if (error) reject(new Error(error.message));
      else resolve(found);
    });
  });
  const positions = committed.map(({ topic, partition, offset }) => {
    const known = typeof offset === 'number' && offset >= 0;
    const start = startFrom === 'latest' ? END : BEGINNING;
    return { topic, partition, offset: known ? offset : start, committed: known ? offset : null };
  });
  if (typeof startFrom !== 'object') return positions;
  const unknown = positions.filter((position) => position.committed === null);
  if (unknown.length === 0) return positions;
  const atTime = await offsetsAt(client, unknown, startFrom.timeMs);
  return positions.map((position) =>
    position.committed === null
      ? { ...position, offset: atTime.get(nameOf(position)) ?? END }
      : position,
  );
}

/** First offset at or after the time, by partition; the end of the log where no record is that young. */
async function offsetsAt(
  client: KafkaConsumer,
  partitions: readonly TopicPartition[],
  timeMs: number,
): Promise<Map<string, number>> {
  const asked = partitions.map(({ topic, partition }) => ({ topic, partition, offset: timeMs }));
  const found = await new Promise<TopicPartitionOffset[]>((resolve, reject) => {
    client.offsetsForTimes(asked, LOOKUP_MS, (error: LibrdKafkaError | null, offsets) => {
      if (error) reject(new Error(error.message));
      else resolve(offsets);
    });
  });
  return new Map(
    found
      .filter(({ offset }) => typeof offset === 'number' && offset >= 0)
      .map((position) => [nameOf(position), position.offset]),
  );
}

function nameOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${String(partition)}`;
}
