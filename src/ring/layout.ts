/**
 * The layout of a worker's shared memory, as data: the one source for main, workers and the intake.
 * The native side compiles the same numbers and is compared with this table at start and by a test.
 *
 *   control block | submission ring | completion ring | slot 0 | slot 1 | …
 *
 * S7: words that different threads write stand at least 128 bytes apart (two cache lines, because
 * adjacent lines are prefetched in pairs). A slot has one owner at a time, so its words may be close.
 */

/** Version of this table; written into the control block and checked by whoever maps it. */
export const LAYOUT_VERSION = 1;

/** Bytes between control words that different threads write. */
export const WORD_SPACING = 128;

/** Indexes into the control block as Int32 words. */
export const Control = {
  version: 0,
  slots: 1,
  slotBytes: 2,
  /** Submission ring: main publishes, the worker takes. */
  submissionTail: 32,
  submissionHead: 64,
  /** Completion ring: the worker publishes, main takes. */
  completionTail: 96,
  completionHead: 128,
  /** The worker's bell: 1 while it sleeps or is about to. */
  workerSleeps: 160,
  /** Handler runs in progress, written by the worker. */
  running: 192,
  /** Main asks the worker to leave: 0 run, 1 finish what was submitted and leave. */
  command: 224,
} as const;
export const CONTROL_BYTES = 1024;

/** Indexes into a slot's header as Int32 words. Written by: M main, I intake (on main), W worker. */
export const SlotWord = {
  /** M, W: see {@link SlotState}. The one word both sides change, by compare-and-exchange. */
  state: 0,
  /** M: the in-flight table's row, given back with the completion. */
  row: 1,
  /** M: lane number, -1 for a record without order. */
  lane: 2,
  /** M */
  attempt: 3,
  /** M: index under which topic and partition were announced to the worker. */
  partition: 4,
  /** M */
  generation: 5,
  /** M: number of the overflow buffer that holds the payload, -1 when it lies in the slot. */
  buffer: 6,
  /** I: 0 none, 1 create, 2 append (librdkafka's numbers). */
  timestampType: 7,
  /** I: -1 for null. */
  keyBytes: 8,
  /** I: -1 for null. */
  valueBytes: 9,
  /** I */
  headerCount: 10,
  /** I: bytes of all serialised headers. */
  headersBytes: 11,
  /** W: an OutcomeCode. */
  outcome: 12,
  /** M: a sum of {@link SlotFlag}s. */
  flags: 13,
} as const;

/** Bits of {@link SlotWord.flags}. */
export const SlotFlag = {
  /** The lane's failure was seen by main: from this record on the lane is open again. */
  laneReopens: 1,
} as const;

/** Indexes into a slot's header as Float64 words. */
export const SlotFloat = {
  /** I: a safe integer. */
  offset: 8,
  /** I: milliseconds since the epoch, -1 for none. */
  timestamp: 9,
  /** W: when the run began, milliseconds of the monotonic clock all threads share. */
  startedAt: 10,
  /** W: milliseconds. */
  duration: 11,
} as const;

export const SLOT_HEADER_BYTES = 128;

/**
 * Behind the header, or at the start of the overflow buffer: key bytes, value bytes, then per
 * header: u32 name bytes, name, i32 value bytes (-1 for null), value. Little-endian, unaligned.
 */
export const HEADER_ENTRY_FIXED_BYTES = 8;

/** States of a slot (S1). Main writes free, filling, submitted, recalled; the worker running, completed. */
export const SlotState = {
  free: 0,
  filling: 1,
  submitted: 2,
  running: 3,
  completed: 4,
  /** Taken back by main before the worker started it; free once its completion was drained. */
  recalled: 5,
} as const;
export type SlotStateCode = (typeof SlotState)[keyof typeof SlotState];

/** Where everything lies for a given number and size of slots. All in bytes. */
export interface RingLayout {
  readonly slots: number;
  readonly slotBytes: number;
  readonly submissionAt: number;
  readonly completionAt: number;
  readonly slotsAt: number;
  readonly totalBytes: number;
  /** Payload bytes a slot holds inline. */
  readonly inlineBytes: number;
}

/** `slots` is a power of two (ring indexes run modulo 2^32); `slotBytes` a multiple of 64, at least 256. */
export function ringLayout(slots: number, slotBytes: number): RingLayout {
  if (!Number.isInteger(slots) || slots < 2 || slots > 65536 || (slots & (slots - 1)) !== 0)
    throw new RangeError(`slots must be a power of two from 2 to 65536, not ${String(slots)}`);
  if (!Number.isInteger(slotBytes) || slotBytes < 256 || slotBytes % 64 !== 0)
    throw new RangeError(
      `slotBytes must be a multiple of 64, at least 256, not ${String(slotBytes)}`,
    );
  const ringBytes = Math.max(slots * 4, WORD_SPACING);
  const submissionAt = CONTROL_BYTES;
  const completionAt = submissionAt + ringBytes;
  const slotsAt = completionAt + ringBytes;
  return {
    slots,
    slotBytes,
    submissionAt,
    completionAt,
    slotsAt,
    totalBytes: slotsAt + slots * slotBytes,
    inlineBytes: slotBytes - SLOT_HEADER_BYTES,
  };
}
