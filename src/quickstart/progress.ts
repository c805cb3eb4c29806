/** The quick start's live line: one that is written over on a terminal, one a second elsewhere. */
import type { RuntimeSnapshot } from '../contract/snapshot.ts';

const REDRAW_MS = 200;
const LINE_MS = 1000;

/** What the line shows, summed over all partitions. */
export interface Totals {
  readonly handled: number;
  readonly lag: number;
  readonly inFlight: number;
  readonly committed: number;
}

export function totalsOf({ topics, partitions, inFlightRecords }: RuntimeSnapshot): Totals {
  let handled = 0;
  for (const { settled } of topics) handled += settled.ok;
  let lag = 0;
  let committed = 0;
  for (const partition of partitions) {
    lag += partition.lag ?? 0;
    committed += partition.committed ?? 0;
  }
  return { handled, lag, inFlight: inFlightRecords, committed };
}

/** A number as people read it. */
export function readable(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

export class Progress {
  readonly #read: () => Totals;
  readonly #output: NodeJS.WriteStream;
  #timer: NodeJS.Timeout | null = null;
  #handled = 0;
  #at = performance.now();

  constructor(output: NodeJS.WriteStream, read: () => Totals) {
    this.#output = output;
    this.#read = read;
  }

  start(): void {
    this.#at = performance.now();
    this.#timer = setInterval(
      () => {
        this.#draw();
      },
      this.#output.isTTY ? REDRAW_MS : LINE_MS,
    );
  }

  /** Leaves the cursor on a line of its own. */
  stop(): void {
    if (this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
    if (this.#output.isTTY) this.#output.write('\n');
  }

  #draw(): void {
    const totals = this.#read();
    const now = performance.now();
    const rate = ((totals.handled - this.#handled) * 1000) / Math.max(1, now - this.#at);
    this.#handled = totals.handled;
    this.#at = now;
    const line =
      `${readable(rate)} orders/s · lag ${readable(totals.lag)} · ` +
      `in flight ${readable(totals.inFlight)} · committed ${readable(totals.committed)}`;
    // Carriage return and "erase to the end of the line" write over the line before.
    this.#output.write(this.#output.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
  }
}
