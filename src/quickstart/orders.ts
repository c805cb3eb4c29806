/** The quick start's sample data: orders of customers, each customer's numbered without a gap. */

export interface Order {
  readonly customer: number;
  /** Counts this customer's orders from 0: what makes order checkable. */
  readonly sequence: number;
  readonly item: string;
  readonly quantity: number;
  /** In cents. */
  readonly amount: number;
}

const ITEMS = ['tide table', 'brass barometer', 'rope, 20 m', 'signal lamp', 'sea chart'] as const;

/** An endless, repeatable stream; a few customers order far more often than the rest. */
export class OrderStream {
  readonly #next: number[];
  #state = 1;

  constructor(customers: number) {
    this.#next = Array<number>(customers).fill(0);
  }

  next(): Order {
    const customers = this.#next.length;
    // The square makes low numbers likelier.
    const customer = Math.floor(this.#random() ** 2 * customers);
    const sequence = this.#next[customer] ?? 0;
    this.#next[customer] = sequence + 1;
    const item = ITEMS[Math.floor(this.#random() * ITEMS.length)] ?? ITEMS[0];
    const quantity = 1 + Math.floor(this.#random() * 5);
    return { customer, sequence, item, quantity, amount: quantity * (500 + item.length * 125) };
  }

  /** 0 up to 1; a linear congruence is random enough for sample data and the same on every run. */
  #random(): number {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0;
    return this.#state / 2 ** 32;
  }
}
