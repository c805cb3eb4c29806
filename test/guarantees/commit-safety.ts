/**
 * Commit safety: a commit never goes past a record that is not finished in the generation that commits,
 * never back, and never names a partition that is not owned.
 */
import { GuaranteeError, nameOf } from './guarantee.ts';
import type { PartitionKey } from './guarantee.ts';

interface Ownership {
  readonly generation: number;
  /** Place in the log of the first record that is not finished. */
  at: number;
  readonly finished: Set<number>;
}

export class CommitSafety {
  readonly #logs = new Map<PartitionKey, number[]>();
  readonly #owned = new Map<PartitionKey, Ownership>();
  readonly #stored = new Map<PartitionKey, number>();

  /** A record lies in the log. Offsets of one partition come in increasing order. */
  produced(partition: PartitionKey, offset: number): void {
    this.#logOf(partition).push(offset);
  }

  /** From `start` on this process reads the partition, under this generation. */
  assigned(partition: PartitionKey, generation: number, start: number): void {
    const log = this.#logOf(partition);
    let at = log.length;
    while (at > 0 && (log[at - 1] ?? 0) >= start) at--;
    this.#owned.set(partition, { generation, at, finished: new Set() });
  }

  /** Released or lost: from now on nothing may be committed. */
  gone(partition: PartitionKey): void {
    this.#owned.delete(partition);
  }

  finished(partition: PartitionKey, generation: number, offset: number): void {
    const owned = this.#owned.get(partition);
    if (owned?.generation !== generation) return;
    const log = this.#logOf(partition);
    owned.finished.add(offset);
    while (owned.at < log.length && owned.finished.delete(log[owned.at] ?? -1)) owned.at++;
  }

  /** A request to commit goes out. */
  commit(partition: PartitionKey, generation: number, position: number): void {
    const what = `position ${String(position)} of ${String(partition)}`;
    const owned = this.#owned.get(partition);
    if (owned?.generation !== generation)
      throw new GuaranteeError(
        'commit safety',
        `${what} in generation ${String(generation)}, which is not owned`,
      );
    const lowest = this.#logOf(partition)[owned.at];
    if (lowest !== undefined && position > lowest)
      throw new GuaranteeError(
        'commit safety',
        `${what} is past ${nameOf({ partition, generation, offset: lowest })}, not finished`,
      );
  }

  /** The group now has this position. */
  stored(partition: PartitionKey, position: number): void {
    const before = this.#stored.get(partition) ?? -1;
    if (position < before)
      throw new GuaranteeError(
        'commit safety',
        `${String(partition)} goes back from ${String(before)} to ${String(position)}`,
      );
    this.#stored.set(partition, position);
  }

  /** The highest record that was finished with nothing unfinished below it; -1 for none. */
  lastFinished(partition: PartitionKey): number {
    const owned = this.#owned.get(partition);
    return owned === undefined ? -1 : (this.#logOf(partition)[owned.at - 1] ?? -1);
  }

  /** The highest record finished in this generation, -1 for none. */
  highestFinished(partition: PartitionKey): number {
    const owned = this.#owned.get(partition);
    return Math.max(this.lastFinished(partition), ...(owned?.finished ?? []));
  }

  /** Records finished above one that is not. */
  finishedAboveGap(partition: PartitionKey): number {
    return this.#owned.get(partition)?.finished.size ?? 0;
  }

  #logOf(partition: PartitionKey): number[] {
    let log = this.#logs.get(partition);
    if (log === undefined) this.#logs.set(partition, (log = []));
    return log;
  }
}
