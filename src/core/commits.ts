/**
 * Commits: an explicit list of positions at an interval, one request in flight. Pure; owned by the
 * main thread's turn. Keeps W5 (never past the watermark, only what is owned in that generation) and
 * G5 (no commit after loss: what is lost is no longer in the table).
 */
import { invariant } from '../contract/invariant.ts';
import type { CoreState, Partition } from './partition.ts';
import type { CommitEntry, EventsPort, GroupPort } from './ports.ts';

/** After a refused request the next one waits so long, or the interval where that is longer. */
const RETRY_MS = 500;

export class Commits {
  readonly #state: CoreState;
  readonly #group: GroupPort;
  readonly #events: EventsPort;
  /** The request under way: its id and entries. */
  #request: {
    readonly id: number;
    readonly entries: readonly CommitEntry[];
  } | null = null;
  #lastId = 0;
  #nextAt = 0;
  #failures = 0;

  constructor(state: CoreState, group: GroupPort, events: EventsPort) {
    this.#state = state;
    this.#group = group;
    this.#events = events;
  }

  /** The broker's word on a request; 0 is success. */
  result(id: number, error: number, now: number): void {
    if (this.#request?.id !== id) return;
    const { entries } = this.#request;
    this.#request = null;
    if (error !== 0) {
      this.#failures++;
      this.#state.tally.commitsError++;
      this.#nextAt = Math.max(this.#nextAt, now + RETRY_MS);
      this.#events.emit({
        kind: 'commit-failed',
        error,
        partitions: entries.length,
      });
      return;
    }
    this.#failures = 0;
    this.#state.tally.commitsOk++;
    for (const entry of entries) {
      const partition = this.#state.partitions[entry.partition];
      if (partition?.generation === entry.generation) partition.committed = entry.position;
    }
  }

  /** Sends what is due: at the interval, or at once when `urgent` (a drain waits for it). */
  run(now: number, urgent: boolean): void {
    if (this.#request !== null) return;
    if (now < this.#nextAt && !(urgent && this.#failures === 0)) return;
    const entries: CommitEntry[] = [];
    for (const partition of this.#state.partitions)
      if (partition?.dirty === true) entries.push(entryOf(partition));
    if (entries.length === 0) return;
    this.#lastId++;
    this.#request = { id: this.#lastId, entries };
    this.#nextAt = now + this.#state.options.commitIntervalMs;
    this.#group.commit(this.#lastId, entries);
  }

  /** Everything settled of the partition is acknowledged. */
  acknowledged(partition: Partition): boolean {
    return !partition.dirty;
  }

  /** When `run` has something to do next; Infinity when nothing is due or a request is under way. */
  wakeAt(): number {
    if (this.#request !== null) return Infinity;
    return this.#state.partitions.some((partition) => partition?.dirty === true)
      ? this.#nextAt
      : Infinity;
  }
}

function entryOf(partition: Partition): CommitEntry {
  const { position } = partition.watermark;
  invariant(
    position > partition.committed && position <= partition.watermark.next,
    'W5',
    `position ${String(position)} of partition ${String(partition.index)}`,
  );
  return {
    partition: partition.index,
    generation: partition.generation,
    position,
  };
}
