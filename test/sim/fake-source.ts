/** The fake intake: a queue per assigned partition with edge-triggered readiness, and handles. */
import { ROW_STRIDE, Row } from '../../src/core/ports.ts';
import type { SourcePort } from '../../src/core/ports.ts';
import { GuaranteeError } from '../guarantees/guarantee.ts';
import type { Timers } from './clock.ts';
import { laneOf } from './world.ts';
import type { LogRecord, World } from './world.ts';

const END_OF_PARTITION = -191;

interface Queue {
  items: LogRecord[];
  /** Next offset to fetch. */
  position: number;
  /** The end of the log that was told last, -1 for none. */
  toldEnd: number;
}

export class FakeSource implements SourcePort {
  readonly #world: World;
  readonly #timers: Timers;
  readonly #ready: (partition: number) => void;
  readonly #queues = new Map<number, Queue>();
  readonly #handles = new Map<number, LogRecord>();
  #lastHandle = 0;
  /** Called for every record that the core takes. */
  onTaken: (record: LogRecord) => void = () => undefined;
  /** Called before every take. */
  onTake: (partition: number) => void = () => undefined;

  constructor(world: World, timers: Timers, ready: (partition: number) => void) {
    this.#world = world;
    this.#timers = timers;
    this.#ready = ready;
  }

  get handles(): number {
    return this.#handles.size;
  }

  hasRows(partition: number): boolean {
    return (this.#queues.get(partition)?.items.length ?? 0) > 0;
  }

  /** A new queue for an assigned partition. */
  split(partition: number, position: number): void {
    this.#queues.set(partition, { items: [], position, toldEnd: -1 });
    this.fetchSoon(partition);
  }

  unsplit(partition: number): void {
    this.#queues.delete(partition);
  }

  fetchSoon(partition: number): void {
    const queue = this.#queues.get(partition);
    if (queue === undefined) return;
    this.#timers.after(this.#world.random.next() * 3, () => {
      if (this.#queues.get(partition) === queue) this.#fetch(partition, queue);
    });
  }

  take(partition: number, max: number, rows: Float64Array): number {
    this.onTake(partition);
    const queue = this.#queues.get(partition);
    if (max <= 0 || max * ROW_STRIDE > rows.length)
      throw new GuaranteeError('source', `a take of ${String(max)} rows`);
    const items = queue?.items.splice(0, max) ?? [];
    for (const [index, record] of items.entries()) {
      const at = index * ROW_STRIDE;
      // What an earlier row left behind must not be read.
      rows.fill(NaN, at, at + ROW_STRIDE);
      rows[at + Row.offset] = record.offset;
      rows[at + Row.error] = record.end ? END_OF_PARTITION : 0;
      if (record.end) continue;
      rows[at + Row.handle] = this.open(record);
      rows[at + Row.timestamp] = record.offset % 5 === 0 ? -1 : this.#world.clock.now;
      rows[at + Row.keyBytes] = record.key === null ? -1 : 0;
      const lane = laneOf(record, this.#world.profile) ?? 0;
      rows[at + Row.keyHashLow] = Math.imul(lane, 0x45d9f3b);
      rows[at + Row.keyHashHigh] = lane % 2;
      rows[at + Row.payloadBytes] = record.bytes;
      this.onTaken(record);
    }
    return items.length;
  }

  free(handle: number): void {
    this.close(handle);
  }

  park(handle: number): void {
    this.recordOf(handle);
  }

  /** Names a record's bytes. */
  open(record: LogRecord): number {
    this.#handles.set(++this.#lastHandle, record);
    return this.#lastHandle;
  }

  recordOf(handle: number): LogRecord {
    const record = this.#handles.get(handle);
    if (record === undefined)
      throw new GuaranteeError('handles', `handle ${String(handle)} names nothing`);
    return record;
  }

  /** Ends a handle, once. */
  close(handle: number): void {
    this.recordOf(handle);
    this.#handles.delete(handle);
  }

  #fetch(partition: number, queue: Queue): void {
    const wasEmpty = queue.items.length === 0;
    const fresh = this.#world.from(partition, queue.position);
    const part = this.#world.random.chance(0.2) ? fresh.slice(0, 3) : fresh;
    queue.items.push(...part);
    const last = part.at(-1);
    if (last !== undefined) queue.position = last.offset + 1;
    const end = this.#world.logEnd(partition);
    if (part.length < fresh.length) this.fetchSoon(partition);
    else if (queue.toldEnd !== end) {
      queue.toldEnd = end;
      queue.position = end;
      queue.items.push({ partition, offset: end, key: null, bytes: 0, poison: 'none', end: true });
    }
    if (wasEmpty && queue.items.length > 0) this.#ready(partition);
  }
}
