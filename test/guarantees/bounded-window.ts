/**
 * Bounded window: of no partition are more records in flight than the window allows, nor more records
 * between the oldest unfinished and the newest; bytes stay below the limit but for one take.
 */
import { GuaranteeError } from './guarantee.ts';
import type { PartitionKey } from './guarantee.ts';

export interface WindowLimits {
  readonly records: number;
  readonly bytes: number;
  /** Counted in tracked records: a gap in the offsets costs nothing. */
  readonly span: number;
  readonly totalBytes: number;
}

interface Window {
  readonly order: number[];
  readonly open: Map<number, number>;
  head: number;
  bytes: number;
}

export class BoundedWindow {
  readonly #limits: WindowLimits;
  readonly #windows = new Map<PartitionKey, Window>();
  #bytes = 0;

  constructor(limits: WindowLimits) {
    this.#limits = limits;
  }

  /** The program is about to take records of the partition. */
  beginTake(partition: PartitionKey): void {
    const { bytes } = this.#windowOf(partition);
    if (bytes >= this.#limits.bytes || this.#bytes >= this.#limits.totalBytes)
      throw new GuaranteeError('bounded window', `a take from ${String(partition)} at its bytes`);
  }

  taken(partition: PartitionKey, offset: number, bytes: number): void {
    const window = this.#windowOf(partition);
    window.order.push(offset);
    window.open.set(offset, bytes);
    window.bytes += bytes;
    this.#bytes += bytes;
    const { records, span } = this.#limits;
    if (window.open.size > records || window.order.length - window.head > span)
      throw new GuaranteeError(
        'bounded window',
        `${String(partition)} has ${String(window.open.size)} records in flight, ` +
          `${String(window.order.length - window.head)} from oldest to newest`,
      );
  }

  settled(partition: PartitionKey, offset: number): void {
    const window = this.#windowOf(partition);
    const bytes = window.open.get(offset) ?? 0;
    window.open.delete(offset);
    window.bytes -= bytes;
    this.#bytes -= bytes;
    while (window.head < window.order.length && !window.open.has(window.order[window.head] ?? -1))
      window.head++;
  }

  /** The partition is gone, and what was in flight of it with it. */
  dropped(partition: PartitionKey): void {
    this.#bytes -= this.#windowOf(partition).bytes;
    this.#windows.delete(partition);
  }

  /** The partition could take at least one more record. */
  hasRoom(partition: PartitionKey): boolean {
    const { order, head, open, bytes } = this.#windowOf(partition);
    const limits = this.#limits;
    return (
      open.size < limits.records &&
      order.length - head < limits.span &&
      bytes < limits.bytes &&
      this.#bytes < limits.totalBytes
    );
  }

  #windowOf(partition: PartitionKey): Window {
    let window = this.#windows.get(partition);
    if (window === undefined)
      this.#windows.set(partition, (window = { order: [], open: new Map(), head: 0, bytes: 0 }));
    return window;
  }
}
