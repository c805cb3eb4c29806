/**
 * The worker's end of the side channel: names of partitions, overflow buffers, aborts. Worker thread.
 * Main posts a name or a buffer before it publishes the first slot that needs it, so what is unknown
 * when a slot is read already waits at the port and is read at once.
 */
import { receiveMessageOnPort } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { InvariantError } from '../src/contract/invariant.ts';
import type { FromWorker, PartitionName, ToWorker } from '../src/ring/messages.ts';

export class SideChannel {
  readonly #port: MessagePort;
  readonly #partitions = new Map<number, PartitionName>();
  readonly #buffers = new Map<number, Buffer>();
  /** Set by the loop: aborts the signals of that generation's runs. */
  onAbort: (partition: number, generation: number) => void = () => undefined;

  constructor(port: MessagePort, partitions: readonly PartitionName[]) {
    this.#port = port;
    for (const name of partitions) this.#partitions.set(name.index, name);
    port.on('message', (message: ToWorker) => {
      this.#handle(message);
    });
  }

  post(message: FromWorker): void {
    this.#port.postMessage(message);
  }

  partition(index: number): PartitionName {
    return this.#partitions.get(index) ?? this.#await(this.#partitions, index);
  }

  buffer(id: number): Buffer {
    return this.#buffers.get(id) ?? this.#await(this.#buffers, id);
  }

  close(): void {
    this.#port.close();
  }

  #await<T>(known: ReadonlyMap<number, T>, key: number): T {
    for (;;) {
      const received = receiveMessageOnPort(this.#port) as { message: ToWorker } | undefined;
      if (received === undefined)
        throw new InvariantError('S2', `${String(key)} is in a slot and was not announced before`);
      this.#handle(received.message);
      const found = known.get(key);
      if (found !== undefined) return found;
    }
  }

  #handle(message: ToWorker): void {
    switch (message.kind) {
      case 'partition':
        this.#partitions.set(message.index, message);
        return;
      case 'buffer':
        this.#buffers.set(message.id, Buffer.from(message.memory));
        return;
      case 'buffer-gone':
        this.#buffers.delete(message.id);
        return;
      case 'abort':
        this.onAbort(message.partition, message.generation);
        return;
    }
  }
}
