/**
 * The quick start's handler: what a small service would do with an order, some computing and some
 * waiting. Worker thread. Tells the program when each order ran, so that it can check the order of
 * each customer by itself; a handler of yours needs none of that.
 */
import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { BroadcastChannel } from 'node:worker_threads';
import { defineHandler } from '../../src/contract/handler.ts';

const REPORT_ROWS = 256;
const REPORT_MS = 100;
const SLOWEST_MS = 5;

interface Order {
  readonly customer: number;
  readonly sequence: number;
}

/** What this thread has not reported yet: customer, sequence, start and end, four numbers an order. */
let rows: number[] = [];
let channel: BroadcastChannel | null = null;
let timer: NodeJS.Timeout | null = null;

function report(): void {
  if (rows.length > 0) channel?.postMessage(Float64Array.from(rows));
  rows = [];
}

/** Milliseconds on the clock that all threads share. */
function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

export default defineHandler({
  setup({ options }) {
    channel = new BroadcastChannel(String(options['channel']));
    timer = setInterval(report, REPORT_MS);
  },

  async handle(record) {
    const startedAt = now();
    const { customer, sequence } = record.json() as Order;
    const digest = createHash('sha256').update(record.text()).digest();
    // Stands for a call of another service: 1 to 5 ms, by the order.
    await wait(1 + ((digest[0] ?? 0) % SLOWEST_MS));
    rows.push(customer, sequence, startedAt, now());
    if (rows.length >= REPORT_ROWS * 4) report();
  },

  teardown() {
    if (timer !== null) clearInterval(timer);
    report();
    channel?.close();
  },
});
