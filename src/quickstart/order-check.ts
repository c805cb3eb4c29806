/**
 * The quick start judges the program by what the handler saw: rows of (customer, sequence, start, end)
 * come from the worker threads in any order, and every customer's orders must have run one after
 * another, in sequence, without a gap.
 */

/** Numbers of one row, as workers/handlers/orders.ts sends them. */
export const REPORT_STRIDE = 4;

interface Customer {
  /** The sequence number that has to come next. */
  next: number;
  /** When the last one ended. */
  endedAt: number;
  /** Rows that came ahead of their turn, by sequence number. */
  readonly early: Map<number, readonly [startedAt: number, endedAt: number]>;
}

export class OrderCheck {
  readonly #customers = new Map<number, Customer>();
  /** Orders seen, repeats not counted. */
  handled = 0;
  /** Orders that ran again; at-least-once allows it. */
  repeated = 0;
  /** Orders that started before the one in front of them ended. */
  breaches = 0;
  /** What the first breach was, in words. */
  firstBreach: string | null = null;

  take(rows: Float64Array): void {
    for (let at = 0; at + REPORT_STRIDE <= rows.length; at += REPORT_STRIDE) {
      const [customer = 0, sequence = 0, startedAt = 0, endedAt = 0] = rows.subarray(at);
      this.#row(customer, sequence, startedAt, endedAt);
    }
  }

  /** Orders that came although one in front of them never did. */
  get withGap(): number {
    let count = 0;
    for (const { early } of this.#customers.values()) count += early.size;
    return count;
  }

  get customers(): number {
    return this.#customers.size;
  }

  #row(number: number, sequence: number, startedAt: number, endedAt: number): void {
    let customer = this.#customers.get(number);
    if (customer === undefined) {
      customer = { next: 0, endedAt: -Infinity, early: new Map() };
      this.#customers.set(number, customer);
    }
    if (sequence < customer.next || customer.early.has(sequence)) {
      this.repeated++;
      return;
    }
    this.handled++;
    customer.early.set(sequence, [startedAt, endedAt]);
    for (;;) {
      const run = customer.early.get(customer.next);
      if (run === undefined) return;
      customer.early.delete(customer.next);
      if (run[0] < customer.endedAt) this.#breach(number, customer.next);
      customer.next++;
      customer.endedAt = run[1];
    }
  }

  #breach(customer: number, sequence: number): void {
    this.breaches++;
    this.firstBreach ??=
      `order ${String(sequence)} of customer ${String(customer)} started before ` +
      `order ${String(sequence - 1)} had ended`;
  }
}
