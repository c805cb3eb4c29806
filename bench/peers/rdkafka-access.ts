/** How node-rdkafka's records are read. Loads no binding: worker threads must not have one. */
import type { Message } from 'node-rdkafka';
import type { Access } from '../handlers/work.ts';

export const rdkafkaAccess: Access<Message> = {
  value: (message) => message.value,
  header: (message, name) => {
    const found = message.headers?.find((header) => name in header)?.[name];
    return typeof found === 'number' ? String(found) : found;
  },
};
