/**
 * The core's doors: what it asks of the world, all synchronous and non-blocking. Answers come later,
 * through the inbox. The runtime implements these over broker and pool; the simulator over fakes.
 */
import type { OutcomeCode } from '../contract/outcome.ts';

/** A taken row is this many float64 values, at {@link Row} indexes. */
export const ROW_STRIDE = 8;

/** Indexes into one taken row. The intake writes rows in this form. */
export const Row = {
  /** Names the record's bytes until they lie in a slot; -1 where there are none (errors). */
  handle: 0,
  /** A safe integer. */
  offset: 1,
  /** Milliseconds since the epoch, -1 for none. */
  timestamp: 2,
  /** 64-bit hash of the key's bytes, as two signed 32-bit halves. */
  keyHashLow: 3,
  keyHashHigh: 4,
  /** -1 for a null key. */
  keyBytes: 5,
  /** Key, value and headers as serialised in a slot behind its header. */
  payloadBytes: 6,
  /** 0 for a record; else librdkafka's error number: `-191` end of partition, at `offset`. */
  error: 7,
} as const;

/** Where records come from: one queue per partition, taken from without blocking. */
export interface SourcePort {
  /**
   * Takes at most `max` rows of the partition into `rows`, from index 0, in offset order. Fewer than
   * `max` means that the queue is empty; readiness will be told through the inbox again.
   */
  take(partition: number, max: number, rows: Float64Array): number;
  /** Frees the bytes of a record that will not run here. */
  free(handle: number): void;
  /** Copies the bytes out of the client's memory, because the record will wait. The handle stays. */
  park(handle: number): void;
}

/** Where records run. Worker numbers are dense, 0 to `workers` - 1. */
export interface WorkersPort {
  readonly workers: number;
  /** Hands every published completion to `sink`, oldest first. Called once, early in each turn. */
  drain(sink: CompletionSink): void;
  /** Free slots of a worker; 0 while its thread cannot take records. */
  freeSlots(worker: number): number;
  /** Claims a slot and stages the record for it. Copies and bells happen in {@link flush}. */
  submit(worker: number, submission: Submission): void;
  /** Fills all staged slots in one native call, publishes their indexes, rings each bell once. */
  flush(): void;
  /**
   * Takes back up to `max` submitted records that have not started, the latest submitted first, so
   * that a blocked thread does not hold its neighbours up. Writes their rows and the new handles that
   * name their bytes; returns how many. The slots come free when the worker passes them.
   */
  recall(worker: number, max: number, rows: Int32Array, handles: Int32Array): number;
  /**
   * Nothing of that generation may start any more, and the signals of what runs are aborted. What had
   * not started comes back as `returned` completions.
   */
  abort(partition: number, generation: number): void;
}

/** The core's side of {@link WorkersPort.drain}. */
export interface CompletionSink {
  /**
   * One run ended, or a record came back unrun (`returned`, then `handle` names its bytes, else -1).
   * `startedAt` and `durationMs` are of the clock that `turn(now)` is given; 0 where nothing ran.
   */
  completion(
    row: number,
    outcome: OutcomeCode,
    startedAt: number,
    durationMs: number,
    handle: number,
  ): void;
}

/** A record that lay in the slots of a thread that died. */
export interface DeadRow {
  readonly row: number;
  /** Names a copy of its bytes. */
  readonly handle: number;
  /** Its handler was running. */
  readonly ran: boolean;
}

/** Mutable and reused: read it during the call, keep nothing. */
export interface Submission {
  row: number;
  lane: number;
  attempt: number;
  partition: number;
  generation: number;
  handle: number;
  payloadBytes: number;
}

/** One entry of a commit request. */
export interface CommitEntry {
  readonly partition: number;
  readonly generation: number;
  /** Next offset to read. */
  readonly position: number;
}

/** The consumer group. */
export interface GroupPort {
  /** Sends one commit request; its result comes through the inbox as `commitResult(id, …)`. */
  commit(id: number, entries: readonly CommitEntry[]): void;
  /** Answers a revocation: `partitions` are given up, in this call, synchronously. */
  release(rebalance: number, partitions: readonly number[]): void;
}

/** Facts for observers; the core calls these at changes of state, never per record. */
export interface EventsPort {
  emit(event: CoreEvent): void;
}

export type CoreEvent =
  | { readonly kind: 'assigned'; readonly partitions: readonly number[] }
  | { readonly kind: 'revoked'; readonly partitions: readonly number[] }
  | { readonly kind: 'lost'; readonly partitions: readonly number[] }
  | {
      readonly kind: 'drained';
      readonly cause: 'rebalance' | 'shutdown';
      readonly durationMs: number;
      readonly leftOver: number;
    }
  | {
      readonly kind: 'record-failed';
      readonly partition: number;
      readonly offset: number;
      readonly attempt: number;
      readonly worker: number;
    }
  | {
      readonly kind: 'record-crashed';
      readonly partition: number;
      readonly offset: number;
      readonly attempt: number;
      readonly worker: number;
    }
  | {
      readonly kind: 'partition-error';
      readonly partition: number;
      readonly error: number;
    }
  | {
      readonly kind: 'commit-failed';
      readonly error: number;
      readonly partitions: number;
    };
