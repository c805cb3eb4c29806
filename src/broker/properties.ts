/**
 * The librdkafka properties a consumer is built with: the program's own, then the user's, then those
 * that the guarantees rest on. Main thread.
 */
import type { Settings } from '../contract/settings.ts';

export interface ConsumerProperties {
  readonly global: Record<string, string | number | boolean>;
  /** Topic-level properties must go into the constructor's second argument, or they are lost. */
  readonly topic: Record<string, string | number | boolean>;
}

/**
 * What is fetched ahead is bounded per partition by `queued.max.messages.kbytes` plus one fetch,
 * because every partition has a queue of its own; see the decision on fetch limits.
 */
export function consumerProperties(settings: Settings): ConsumerProperties {
  const { kafka, window } = settings;
  const user = kafka.properties;
  const newProtocol = user['group.protocol'] === 'consumer';
  const queuedKbytes = Math.max(64, Math.min(1024, Math.floor(window.totalBytes / 1024 / 64)));
  return {
    global: {
      'client.id': 'tidemark',
      // At the default of 1000 ms a partition over its limit is not fetched for a whole second.
      'fetch.queue.backoff.ms': 2,
      // While a busy partition is over its limit, requests for the idle ones wait so long at the broker,
      // and it is not fetched meanwhile: 10 would be faster still, but costs 1 % of a core when idle.
      'fetch.wait.max.ms': 20,
      'queued.max.messages.kbytes': queuedKbytes,
      'socket.nagle.disable': true,
      'topic.metadata.refresh.interval.ms': 30_000,
      ...(newProtocol ? {} : { 'partition.assignment.strategy': 'cooperative-sticky' }),
      ...user,
      'metadata.broker.list': kafka.brokers.join(','),
      'group.id': kafka.groupId,
      'enable.auto.commit': false,
      'enable.auto.offset.store': false,
      // The end of a partition tells the position behind transaction markers and compacted records.
      'enable.partition.eof': true,
    },
    topic: { 'auto.offset.reset': kafka.startFrom === 'latest' ? 'latest' : 'earliest' },
  };
}
