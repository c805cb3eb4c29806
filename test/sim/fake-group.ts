/** The fake group: assignments, revocations, losses, commits, and what an answer to them must keep. */
import type { Inbox } from '../../src/core/inbox.ts';
import type { CommitEntry, GroupPort } from '../../src/core/ports.ts';
import { GuaranteeError } from '../guarantees/guarantee.ts';
import type { Timers } from './clock.ts';
import type { FakeSource } from './fake-source.ts';
import type { World } from './world.ts';

const ILLEGAL_GENERATION = 22;
const TIMED_OUT = -185;
const REFUSED = 16;

interface Ownership {
  readonly start: number;
  /** Highest position whose commit was acknowledged to this process. */
  acknowledged: number;
  /** The core's number of the generation, once it is known. */
  generation: number;
}

export class FakeGroup implements GroupPort {
  readonly #world: World;
  readonly #timers: Timers;
  readonly #source: FakeSource;
  readonly #inbox: Inbox;
  readonly #wake: () => void;
  readonly #owned = new Map<number, Ownership>();
  #rebalance = 0;
  /** A revocation that waits for its answer. */
  #pending: { readonly partitions: readonly number[]; readonly since: number } | null = null;
  #committing = false;
  /** The last answer was an error, so the next request may wait. */
  #refused = false;
  /** Records of a generation that are still at workers. */
  holds: (partition: number, generation: number) => number = () => 0;
  /** Some record failed for good, so gaps stay open. */
  hasFailed: () => boolean = () => false;

  constructor(world: World, timers: Timers, source: FakeSource, inbox: Inbox, wake: () => void) {
    this.#world = world;
    this.#timers = timers;
    this.#source = source;
    this.#inbox = inbox;
    this.#wake = wake;
  }

  ownership(partition: number): Ownership | undefined {
    return this.#owned.get(partition);
  }

  isRevoking(partition: number): boolean {
    return this.#pending?.partitions.includes(partition) === true;
  }

  get owned(): number[] {
    return [...this.#owned.keys()];
  }

  get away(): number[] {
    return this.#world.logs.flatMap((_, partition) =>
      this.#owned.has(partition) ? [] : partition,
    );
  }

  /** A first assignment came. */
  get joined(): boolean {
    return this.#rebalance > 0;
  }

  get waitsForAnswer(): boolean {
    return this.#pending !== null;
  }

  assign(partitions: readonly number[]): void {
    this.#nextRebalance();
    for (const partition of partitions) {
      this.#drop(partition);
      const committed = this.#world.committed[partition] ?? null;
      const start = committed ?? 0;
      this.#source.split(partition, start);
      this.#owned.set(partition, { start, acknowledged: committed ?? -1, generation: -1 });
    }
    const named = partitions.map((index) => ({
      index,
      topic: `topic-${String(index % 2)}`,
      committed: this.#world.committed[index] ?? null,
    }));
    this.#inbox.rebalance({ kind: 'assigned', partitions: named });
    this.#wake();
  }

  /** Asks for partitions back; the core answers with a release. */
  revoke(partitions: readonly number[]): void {
    this.#nextRebalance();
    this.#pending = { partitions, since: this.#world.clock.now };
    this.#tell(partitions, false);
  }

  /** Takes partitions away. */
  lose(partitions: readonly number[]): void {
    this.#nextRebalance();
    for (const partition of partitions) this.#drop(partition);
    this.#tell(partitions, true);
  }

  release(rebalance: number, partitions: readonly number[]): void {
    if (rebalance !== this.#rebalance) return;
    const pending = this.#pending;
    this.#pending = null;
    if (pending !== null) {
      const early =
        this.#world.clock.now < pending.since + this.#world.profile.core.rebalanceDrainMs;
      for (const partition of partitions) {
        if (early) this.#checkGivenUp(partition);
        this.#drop(partition);
      }
    }
    this.#world.epoch++;
  }

  /** The process has stopped and says that nothing was left over. */
  checkStopped(): void {
    for (const partition of this.owned) this.#checkGivenUp(partition);
  }

  /**
   * At rest a revocation must have been answered when nothing is left to wait for, and with an empty
   * worker a gap must be on its way to be closed (G4).
   */
  checkRest(isWorkerEmpty: boolean): void {
    const { commitSafety } = this.#world;
    if (this.#pending === null || this.#committing || this.#refused) return;
    const hasOpenGap = this.#pending.partitions.some((partition) => {
      const generation = this.#owned.get(partition)?.generation ?? -1;
      return (
        commitSafety.finishedAboveGap(partition) > 0 && this.holds(partition, generation) === 0
      );
    });
    const isEarly =
      this.#world.clock.now < this.#pending.since + this.#world.profile.core.rebalanceDrainMs;
    if (hasOpenGap && isWorkerEmpty && isEarly && !this.hasFailed())
      throw new GuaranteeError('release', 'a drain leaves a gap open');
    const waits = this.#pending.partitions.some((partition) => {
      const owned = this.#owned.get(partition);
      return (
        owned !== undefined &&
        (this.holds(partition, owned.generation) > 0 ||
          commitSafety.finishedAboveGap(partition) > 0 ||
          commitSafety.lastFinished(partition) >= Math.max(owned.acknowledged, owned.start))
      );
    });
    if (!waits) throw new GuaranteeError('release', 'a drain waits for nothing');
  }

  commit(id: number, entries: readonly CommitEntry[]): void {
    const { random, profile, clock } = this.#world;
    if (this.#committing) throw new GuaranteeError('commits', 'two requests at the same time');
    if (entries.length === 0) throw new GuaranteeError('commits', 'an empty request');
    this.#committing = true;
    for (const { partition, generation, position } of entries) {
      this.#world.commitSafety.commit(partition, this.numberOf(generation), position);
      if (position > this.#world.logEnd(partition))
        throw new GuaranteeError('commit safety', `position ${String(position)} is past the log`);
    }
    const slow = this.#world.storm && random.chance(profile.slowCommit) ? 500 : 1;
    const fault = this.#world.storm && random.chance(profile.badCommit);
    const isStored = !fault || random.chance(0.5);
    const { epoch } = this.#world;
    clock.at(clock.now + random.next() * 3 * slow, () => {
      // The broker works on after the process is gone.
      const fenced = epoch !== this.#world.epoch;
      if (!fenced && isStored)
        for (const { partition, position } of entries) this.#world.store(partition, position);
      const error = fenced ? ILLEGAL_GENERATION : fault ? (isStored ? TIMED_OUT : REFUSED) : 0;
      this.#timers.after(random.next() * 3 * slow, () => {
        this.#answer(id, error, entries);
      });
    });
  }

  /** A generation's number that no other process has. */
  numberOf(generation: number): number {
    return this.#world.processes * 1_000_000 + generation;
  }

  #answer(id: number, error: number, entries: readonly CommitEntry[]): void {
    this.#committing = false;
    this.#refused = error !== 0;
    if (error === 0)
      for (const { partition, generation, position } of entries) {
        const owned = this.#owned.get(partition);
        if (owned?.generation === generation) owned.acknowledged = position;
      }
    this.#inbox.commitResult(id, error);
    this.#wake();
  }

  /** A newer rebalance makes an answer to an older one void, and its partitions are gone. */
  #nextRebalance(): void {
    this.#rebalance++;
    for (const partition of this.#pending?.partitions ?? []) this.#drop(partition);
    if (this.#pending !== null) this.#world.epoch++;
    this.#pending = null;
  }

  #tell(partitions: readonly number[], lost: boolean): void {
    if (lost) this.#world.epoch++;
    this.#inbox.rebalance({ kind: 'revoked', rebalance: this.#rebalance, partitions, lost });
    this.#wake();
  }

  #drop(partition: number): void {
    if (!this.#owned.delete(partition)) return;
    this.#source.unsplit(partition);
    this.#world.commitSafety.gone(partition);
    this.#world.window.dropped(partition);
    this.#world.wakeUps.dropped(partition);
  }

  /** In order: nothing runs, no gap is left, and what is finished is acknowledged (G2, G4). */
  #checkGivenUp(partition: number): void {
    const owned = this.#owned.get(partition);
    if (owned === undefined || owned.generation < 0) return;
    const broken = (what: string): never => {
      throw new GuaranteeError('release', `partition ${String(partition)} is given up ${what}`);
    };
    if (this.holds(partition, owned.generation) > 0) broken('while records are at workers');
    const { commitSafety } = this.#world;
    if (commitSafety.lastFinished(partition) >= Math.max(owned.acknowledged, owned.start))
      broken('before its final commit');
    if (commitSafety.finishedAboveGap(partition) > 0 && !this.hasFailed())
      broken('with a gap that could be closed');
  }
}
