/**
 * Credits and takes: how many records each owned partition may still have in flight, and taking them.
 * Pure; owned by the main thread's turn. Keeps B1 (the window's limits), B2 (nothing is taken only for
 * a named reason, and the next turn looks again), W3 and R3 (a bounded number of rows per turn).
 *
 * Back pressure is not taking: what is not taken stays in librdkafka's queue of that partition. Rows
 * are taken only as far ahead as workers can use them, or further when what is queued is bound to
 * busy lanes, up to the window.
 */
import type { CoreState, Partition } from './partition.ts';
import { ROW_STRIDE, Row } from './ports.ts';
import type { EventsPort, SourcePort } from './ports.ts';
import { ReadyList } from './ready-list.ts';
import type { Scheduler } from './scheduler.ts';

/** Rows per turn (R3), and per visit to one partition, so that partitions take turns. */
const TURN_ROWS = 2048;
const VISIT_ROWS = 256;
/** A record behind so many others of its lane will wait: it is copied out of the client's memory. */
const PARK_BEHIND = 64;
/** librdkafka's number for the end of a partition. */
const PARTITION_EOF = -191;

export class Taker {
  readonly #state: CoreState;
  readonly #source: SourcePort;
  readonly #scheduler: Scheduler;
  readonly #events: EventsPort;
  readonly #ready = new ReadyList();
  readonly #rows = new Float64Array(VISIT_ROWS * ROW_STRIDE);
  /** 1 while the ready list names the partition, by index; outlives generations. */
  readonly #listed: number[] = [];
  #again = false;
  #took = 0;

  constructor(state: CoreState, source: SourcePort, scheduler: Scheduler, events: EventsPort) {
    this.#state = state;
    this.#source = source;
    this.#scheduler = scheduler;
    this.#events = events;
  }

  /** The partition's queue holds rows. */
  ready(index: number): void {
    const partition = this.#state.partitions[index];
    if (partition === undefined || partition.ready) return;
    partition.ready = true;
    this.#list(index);
  }

  run(now: number): void {
    this.#again = false;
    this.#took = 0;
    if (this.#state.draining) return;
    const ahead = Math.max(this.#scheduler.load.depth, VISIT_ROWS);
    for (let visits = this.#ready.size; visits > 0; visits--) {
      if (this.#took >= TURN_ROWS || (this.#state.queued >= ahead && !this.#scheduler.idleRoom)) {
        this.#again = true;
        return;
      }
      const index = this.#ready.shift();
      this.#listed[index] = 0;
      const partition = this.#state.partitions[index];
      if (partition?.ready !== true) continue;
      if (partition.state === 'active') this.#visit(partition, now);
      else partition.ready = false;
    }
  }

  /** After scheduling: true when another turn could take and start more at once. */
  wantsMore(): boolean {
    return this.#scheduler.idleRoom && (this.#again || this.#took > 0);
  }

  #list(index: number): void {
    if (this.#listed[index] === 1) return;
    this.#listed[index] = 1;
    this.#ready.push(index);
  }

  #visit(partition: Partition, now: number): void {
    const credit = Math.min(VISIT_ROWS, TURN_ROWS - this.#took, this.#credit(partition));
    // Without credit it stays in the list: the next turn counts its credit again (B2).
    let drained = false;
    if (credit > 0) {
      const count = this.#source.take(partition.index, credit, this.#rows);
      for (let at = 0; at < count; at++) this.#track(partition, at * ROW_STRIDE, now);
      this.#took += count;
      drained = count < credit;
    }
    if (drained) partition.ready = false;
    else this.#list(partition.index);
  }

  /** Records the partition may still have in flight; sets the reason when there are none. */
  #credit(partition: Partition): number {
    const { window } = this.#state.options;
    const credit = Math.min(
      window.records - partition.inFlight,
      window.span - partition.watermark.span,
      partition.bytes < window.bytes ? Infinity : 0,
    );
    if (this.#state.bytes >= window.totalBytes) {
      partition.heldBack = 'total';
      return 0;
    }
    partition.heldBack = credit > 0 ? null : 'window';
    return credit;
  }

  #track(partition: Partition, at: number, now: number): void {
    const taken = this.#rows;
    const { rows, lanes } = this.#state;
    const offset = taken[at + Row.offset] as number;
    const error = taken[at + Row.error] as number;
    if (error !== 0) {
      if (error === PARTITION_EOF) partition.watermark.advanceTo(offset);
      else
        this.#events.emit({
          kind: 'partition-error',
          partition: partition.index,
          error,
        });
      return;
    }
    const row = rows.allocate();
    const bytes = taken[at + Row.payloadBytes] as number;
    rows.partition[row] = partition.index;
    rows.generation[row] = partition.generation;
    rows.sequence[row] = partition.watermark.track(offset, row);
    rows.offset[row] = offset;
    rows.timestamp[row] = taken[at + Row.timestamp] as number;
    rows.takenAt[row] = now;
    rows.handle[row] = taken[at + Row.handle] as number;
    rows.bytes[row] = bytes;
    rows.attempt[row] = 1;
    rows.deaths[row] = 0;
    partition.inFlight++;
    partition.bytes += bytes;
    partition.tally.consumed++;
    this.#state.inFlight++;
    this.#state.bytes += bytes;
    this.#state.queued++;
    const lane = this.#laneOf(partition, at);
    lanes.append(lane, row);
    this.#scheduler.list(lane);
    if ((lanes.queued[lane] as number) > PARK_BEHIND) this.#source.park(rows.handle[row]);
  }

  #laneOf(partition: Partition, at: number): number {
    const { lanes, options } = this.#state;
    if (options.ordering === 'partition') return lanes.ofKey(partition.index, 0, 0);
    if (options.ordering === 'none' || (this.#rows[at + Row.keyBytes] as number) < 0)
      return lanes.ofOne(partition.index);
    return lanes.ofKey(
      partition.index,
      this.#rows[at + Row.keyHashLow] as number,
      this.#rows[at + Row.keyHashHigh] as number,
    );
  }
}
