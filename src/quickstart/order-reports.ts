/** Takes in what the handlers of all threads report, as it comes, and keeps only the judgement. */
import { BroadcastChannel } from 'node:worker_threads';
import { OrderCheck, REPORT_STRIDE } from './order-check.ts';
import { Overlap } from './overlap.ts';

/** Rows come within a fraction of this after the run they tell of. Milliseconds. */
const LATEST_MS = 5000;

export class OrderReports {
  readonly check = new OrderCheck();
  readonly overlap = new Overlap();
  readonly #channel: BroadcastChannel;
  #newest = 0;
  #advancedTo = 0;

  /** `name` is the channel's; the handlers are told it by `handler.options`. */
  constructor(name: string) {
    this.#channel = new BroadcastChannel(name);
    this.#channel.onmessage = (message: unknown) => {
      this.#take((message as { data: Float64Array }).data);
    };
  }

  close(): void {
    this.#channel.close();
    this.overlap.advance(Infinity);
  }

  #take(rows: Float64Array): void {
    this.check.take(rows);
    for (let at = 0; at + REPORT_STRIDE <= rows.length; at += REPORT_STRIDE) {
      const endedAt = rows[at + 3] ?? 0;
      this.overlap.add(rows[at + 2] ?? 0, endedAt);
      this.#newest = Math.max(this.#newest, endedAt);
    }
    if (this.#newest - this.#advancedTo < 2 * LATEST_MS) return;
    this.#advancedTo = this.#newest - LATEST_MS;
    this.overlap.advance(this.#advancedTo);
  }
}
