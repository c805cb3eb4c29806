/** Feeds sample orders to the topic: a steady rate, and never far ahead of what is handled. */
import type { SampleProducer } from '../broker/sample-producer.ts';
import type { Order } from './orders.ts';
import { OrderStream } from './orders.ts';

const TICK_MS = 10;
/** Orders a second; more than a person can follow, less than two slow cores can do. */
const RATE = 2000;
const CUSTOMERS = 500;
/** The embedded broker forgets the oldest records past about 5 MB per partition: stay far below. */
const AHEAD_MAX = 5000;

export class Feed {
  readonly #producer: SampleProducer;
  readonly #topic: string;
  readonly #limit: number;
  readonly #handled: () => number;
  readonly #orders = new OrderStream(CUSTOMERS);
  #timer: NodeJS.Timeout | null = null;
  #due = 0;
  #lastAt = performance.now();
  #unsent: Order | null = null;
  produced = 0;

  /** Ends by itself after `limit` orders (Infinity for none). */
  constructor(producer: SampleProducer, topic: string, limit: number, handled: () => number) {
    this.#producer = producer;
    this.#topic = topic;
    this.#limit = limit;
    this.#handled = handled;
  }

  get isComplete(): boolean {
    return this.produced >= this.#limit;
  }

  start(): void {
    this.#lastAt = performance.now();
    this.#timer = setInterval(() => {
      this.#tick();
    }, TICK_MS);
  }

  /** Stops and waits for the broker's acknowledgements. */
  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    await this.#producer.flush();
  }

  #tick(): void {
    const now = performance.now();
    const room = AHEAD_MAX - (this.produced - this.#handled());
    this.#due = Math.min(this.#due + ((now - this.#lastAt) / 1000) * RATE, room);
    this.#lastAt = now;
    while (this.#due >= 1 && !this.isComplete) {
      const order = this.#unsent ?? this.#orders.next();
      const key = `customer-${String(order.customer)}`;
      this.#unsent = this.#producer.send(this.#topic, key, JSON.stringify(order)) ? null : order;
      if (this.#unsent !== null) return;
      this.produced++;
      this.#due--;
    }
  }
}
