/**
 * Branded numbers: each is a plain number at run time, and the compiler keeps the kinds apart.
 * Loaded on the main thread and on worker threads.
 */
declare const brand: unique symbol;
type Branded<Name extends string> = number & { readonly [brand]: Name };

/** A record's place in its partition: a safe, non-negative integer. */
export type RecordOffset = Branded<'RecordOffset'>;
/** The next offset to read; what is committed. Exclusive: every record below it is settled. */
export type CommitPosition = Branded<'CommitPosition'>;
/** Number of one assignment of one partition in this process; never reused. */
export type Generation = Branded<'Generation'>;
/** Counts the threads a worker has had, from 1. */
export type Incarnation = Branded<'Incarnation'>;
/** Index of a slot in a worker's shared memory. */
export type SlotIndex = Branded<'SlotIndex'>;
/** Dense index under which this process knows a topic-partition while it runs. */
export type PartitionIndex = Branded<'PartitionIndex'>;

/** True for what may stand as an offset or a commit position (W6). */
export function isOffset(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
