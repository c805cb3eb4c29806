/**
 * The typed face of the native intake: takes records out of node-rdkafka's consumer in batches, each
 * partition from its own queue, and copies them into registered shared memory. Owns the handles of
 * records that lie in no slot. Main thread. Keeps W6 (offsets are safe integers); README.md tells how.
 *
 * Every method checks its arguments: a wrong type throws TypeError, a wrong value RangeError, and
 * nothing has changed then. After `close` all but `free`, `counts`, `exitNow` and `close` throw.
 */
import type { SourcePort } from '../../core/ports.ts';
import { installedClient, layoutDifference, loadBinding, unavailable } from './binding.ts';
import type {
  IntakeBinding,
  IntakeCounts,
  IntakeLayout,
  MainError,
  NativeIntake,
} from './binding.ts';

export type { IntakeBinding, IntakeCounts, IntakeLayout, MainError } from './binding.ts';

/** More records than a process should ever hold; a table of that size takes about 400 MB. */
const HANDLE_LIMIT = 2 ** 22;
const NO_ERRORS: readonly MainError[] = [];

export interface IntakeOptions {
  /** How many handles may exist at once, 1 to 4,194,304 (the default). */
  readonly handleLimit?: number;
  /** Another build than the project's own, from {@link Intake.load}. */
  readonly binding?: IntakeBinding;
}

export class Intake implements SourcePort {
  readonly #native: NativeIntake;

  /** Loads and checks the addon. Throws TIDEMARK_INTAKE_UNAVAILABLE with the reason and the cure. */
  static load(file?: string): IntakeBinding {
    return loadBinding(file);
  }

  /**
   * Throws TIDEMARK_INTAKE_UNAVAILABLE when the addon was compiled with other numbers than these. Its
   * owner, who knows the ring, calls this once at start.
   */
  static checkLayout(expected: IntakeLayout, binding: IntakeBinding = loadBinding()): void {
    const difference = layoutDifference(binding.layout, expected);
    if (difference !== null) throw unavailable(`its layout differs: ${difference}`);
  }

  /**
   * Opens an intake on a connected consumer. `client` is node-rdkafka's native object
   * (`consumer.getClient()`). `onWake` is called on the main thread, outside any other call, after
   * something came into a queue: then `pollMain` and `ready` have work. It may be called for nothing.
   * From now on nobody may call the consumer's own `consume`.
   */
  constructor(client: unknown, onWake: () => void, options: IntakeOptions = {}) {
    const binding = options.binding ?? loadBinding();
    const { consumer } = installedClient();
    if (!(client instanceof consumer))
      throw unavailable('the client it was given is not a consumer of the installed node-rdkafka');
    this.#native = new binding.Intake(client, onWake, options.handleLimit ?? HANDLE_LIMIT);
  }

  /**
   * Lends memory to the intake, until it is taken back or the intake is closed; returns its id. With
   * `slotsAt` and `slotBytes` (multiples of 8) the memory holds slots: then `fill` refuses what is no
   * slot's beginning and what would run into the next slot.
   */
  registerBuffer(memory: SharedArrayBuffer, slotsAt = 0, slotBytes = 0): number {
    return this.#native.registerBuffer(memory, slotsAt, slotBytes);
  }

  /** Takes memory back. Its id may be given to other memory later. */
  unregisterBuffer(id: number): void {
    this.#native.unregisterBuffer(id);
  }

  /**
   * Gives an assigned partition its own queue, named by a small number of the caller's choice. Call
   * it right before or after answering the assignment, in the same synchronous block: records that
   * reach the main queue before are kept in order, but not those of partitions that are not split
   * when `pollMain` meets them. The partition counts as ready at once. Splitting is for good: after
   * `unsplit` the partition's records stay in its own queue, and wait for the next `split`.
   */
  split(partition: number, topic: string, partitionId: number): void {
    this.#native.split(partition, topic, partitionId);
  }

  /** Undoes `split`. Handles taken from the partition stay valid. */
  unsplit(partition: number): void {
    this.#native.unsplit(partition);
  }

  /**
   * Serves the main queue until it is empty: node-rdkafka's callbacks are set off (they arrive later,
   * from the event loop), and errors of the client as a whole come back. Must be called at least once
   * within a fraction of `max.poll.interval.ms`, and on every wake. Does not block.
   */
  pollMain(): readonly MainError[] {
    return this.#native.pollMain() ?? NO_ERRORS;
  }

  /** Writes the partitions that became ready since the last call; what does not fit stays for the next. */
  ready(out: Int32Array): number {
    return this.#native.ready(out);
  }

  /** Entries in a partition's queue, for a slow safety sweep: not all of them need become records. */
  queueLength(partition: number): number {
    return this.#native.queueLength(partition);
  }

  /**
   * Takes at most `max` rows (form: `Row`) of a split partition into `rows`, in offset order. A row
   * whose `error` is not 0 has no handle. Fewer than `max` rows mean that the queue was empty: the
   * partition will be told as ready again. Throws RangeError when `max` handles are not to be had.
   */
  take(partition: number, max: number, rows: Float64Array): number {
    return this.#native.take(partition, max, rows);
  }

  /**
   * Copies `count` records into slots and frees their handles. Row i: the record `handles[i]` into the
   * slot at byte `offsets[i]` of buffer `buffers[i]`, its payload behind the slot's header, or at the
   * start of buffer `payloadBuffers[i]` where that is not -1. All rows are checked before any is written.
   */
  fill(
    count: number,
    handles: Int32Array,
    buffers: Int32Array,
    offsets: Int32Array | Float64Array,
    payloadBuffers: Int32Array,
  ): void {
    this.#native.fill(count, handles, buffers, offsets, payloadBuffers);
  }

  /** Frees a record that will not run here. Does nothing once the intake is closed. */
  free(handle: number): void {
    this.#native.free(handle);
  }

  /** Copies a record's bytes out of the client's memory, because it will wait. The handle stays. */
  park(handle: number): void {
    this.#native.park(handle);
  }

  /** A new handle for a copy of the record in a slot, because it must run again. Places as in `fill`. */
  parkFromSlot(buffer: number, slotOffset: number, payloadBuffer: number): number {
    return this.#native.parkFromSlot(buffer, slotOffset, payloadBuffer);
  }

  /** Inside a revocation: the partitions belong to another member already, nothing may be committed. */
  assignmentLost(): boolean {
    return this.#native.assignmentLost();
  }

  /** The client's cached ends of a split partition's log, `high` being the next offset to be written. */
  watermarks(partition: number): readonly [low: number | null, high: number | null] {
    return this.#native.watermarks(partition);
  }

  /**
   * Makes the client go on where it stands in truth. Call it right before the answer to an incremental
   * rebalance: partitions that stay go on, and the client would skip a record in those that it had read
   * to their end (see "Positions" in README.md). Does not block.
   */
  restorePositions(): void {
    this.#native.restorePositions();
  }

  /** For leak tests. */
  counts(): IntakeCounts {
    return this.#native.counts();
  }

  /**
   * Ends the process at once with `code` (0 to 255): no exit listeners, nothing flushed. For the case
   * that the client does not close: then even `process.exit` would wait for it. Works when closed too.
   */
  exitNow(code: number): never {
    return this.#native.exitNow(code);
  }

  /**
   * Frees every handle, queue and buffer; nothing wakes any more when it returns. Call it before the
   * consumer's `disconnect`, which would wait for the handles for ever. May be called again.
   */
  close(): void {
    this.#native.close();
  }
}
