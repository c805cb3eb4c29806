/** Calls of the client that answer through a callback, as promises. Main thread. */
import type { LibrdKafkaError } from 'node-rdkafka';

export type Answer<T> = (error: LibrdKafkaError | null | undefined, value: T) => void;

/** Rejects with an error that carries librdkafka's number as `code`. */
export function answer<T>(call: (done: Answer<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, value) => {
      // The binding passes null or undefined for success.
      if (error) reject(Object.assign(new Error(error.message), { code: error.code }));
      else resolve(value);
    });
  });
}
