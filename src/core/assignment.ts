/**
 * Assignment, revocation, loss, and the drains they and a shutdown need. Pure; owned by the main
 * thread's turn. Keeps G1 to G5: on revocation no new starts but gaps, drain, final commit
 * acknowledged or deadline, then in one synchronous block the generation ends and the answer goes out.
 */
import type { EventsPort, GroupPort, WorkersPort } from './ports.ts';
import type { Commits } from './commits.ts';
import type { CoreState } from './partition.ts';
import { Partition } from './partition.ts';
import type { Scheduler } from './scheduler.ts';
import type { Settlement } from './settlement.ts';

/** The final commit gets at least so long, whatever the drain took. */
const FINAL_COMMIT_MS = 2000;

/** One assigned partition as the group hands it over. */
export interface AssignedPartition {
  readonly index: number;
  readonly topic: string;
  /** The group's committed position, null where there is none. */
  readonly committed: number | null;
}

interface Drain {
  /** The rebalance it answers, with the partitions to give up; null for a shutdown. */
  readonly release: { readonly rebalance: number; readonly indexes: readonly number[] } | null;
  readonly partitions: readonly Partition[];
  readonly startedAt: number;
  deadline: number;
  /** Set once nothing runs any more, or the deadline passed: how long the final commit may take. */
  commitDeadline: number | null;
  leftOver: number;
}

export class Assignment {
  readonly #state: CoreState;
  readonly #ports: { readonly group: GroupPort; readonly workers: WorkersPort };
  readonly #events: EventsPort;
  readonly #scheduler: Scheduler;
  readonly #settlement: Settlement;
  readonly #commits: Commits;
  #generation = 0;
  #revocation: Drain | null = null;
  #shutdown: Drain | null = null;
  /** The shutdown's drain ended; how many of its records were left over. */
  shutdownLeftOver: number | null = null;

  constructor(
    state: CoreState,
    ports: { readonly group: GroupPort; readonly workers: WorkersPort },
    events: EventsPort,
    parts: {
      readonly scheduler: Scheduler;
      readonly settlement: Settlement;
      readonly commits: Commits;
    },
  ) {
    this.#state = state;
    this.#ports = ports;
    this.#events = events;
    this.#scheduler = parts.scheduler;
    this.#settlement = parts.settlement;
    this.#commits = parts.commits;
  }

  /** A drain is under way, so its final commit is urgent. */
  get draining(): boolean {
    return this.#revocation !== null || this.#shutdown !== null;
  }

  assigned(partitions: readonly AssignedPartition[]): void {
    this.#voidRevocation();
    for (const { index, topic, committed } of partitions) {
      const before = this.#state.partitions[index];
      if (before !== undefined) this.#giveUp(before);
      const partition = new Partition(
        index,
        topic,
        ++this.#generation,
        this.#state.tally.topic(topic),
      );
      if (committed !== null) partition.committed = committed;
      this.#state.partitions[index] = partition;
    }
    this.#state.tally.assigned++;
    this.#events.emit({
      kind: 'assigned',
      partitions: partitions.map(({ index }) => index),
    });
  }

  revoked(rebalance: number, indexes: readonly number[], lost: boolean, now: number): void {
    this.#voidRevocation();
    const partitions = indexes.flatMap((index) => this.#state.partitions[index] ?? []);
    this.#events.emit({ kind: lost ? 'lost' : 'revoked', partitions: indexes });
    if (lost) {
      this.#state.tally.lost++;
      for (const partition of partitions) this.#giveUp(partition);
      this.#ports.group.release(rebalance, indexes);
      return;
    }
    this.#state.tally.revoked++;
    for (const partition of partitions) {
      partition.state = 'revoking';
      this.#scheduler.limitDrain(partition);
    }
    this.#revocation = drainOf(
      { rebalance, indexes },
      partitions,
      now,
      this.#state.options.rebalanceDrainMs,
    );
  }

  /** The whole runtime ends: drains everything, once. A later call may only bring the deadline forward. */
  stop(now: number, drainMs: number): void {
    const before = this.#shutdown;
    if (before !== null) {
      before.deadline = Math.min(before.deadline, now + drainMs);
      if (before.commitDeadline !== null)
        before.commitDeadline = Math.min(before.commitDeadline, finalCommitBy(before, now));
      return;
    }
    if (this.shutdownLeftOver !== null) return;
    this.#state.draining = true;
    const partitions = this.#state.partitions.flatMap((partition) => partition ?? []);
    for (const partition of partitions) this.#scheduler.limitDrain(partition);
    this.#shutdown = drainOf(null, partitions, now, drainMs);
  }

  /**
   * Ends drains whose work is over or whose time is up. After scheduling and commits of a turn. Returns
   * true when it gave something up.
   */
  run(now: number): boolean {
    let ended = false;
    const revocation = this.#revocation;
    if (revocation !== null && this.#isOver(revocation, now)) {
      this.#revocation = null;
      this.#end(revocation, 'rebalance', now);
      ended = true;
    }
    const shutdown = this.#shutdown;
    if (shutdown !== null && this.#isOver(shutdown, now)) {
      this.#shutdown = null;
      this.shutdownLeftOver = this.#end(shutdown, 'shutdown', now);
      ended = true;
    }
    return ended;
  }

  wakeAt(): number {
    const deadlineOf = (drain: Drain | null): number =>
      drain === null ? Infinity : (drain.commitDeadline ?? drain.deadline);
    return Math.min(deadlineOf(this.#revocation), deadlineOf(this.#shutdown));
  }

  /** Moves a drain on from running records to its final commit; true when that is over too. */
  #isOver(drain: Drain, now: number): boolean {
    const owned = drain.partitions.filter((partition) => this.#owns(partition));
    if (drain.commitDeadline === null) {
      const busy = owned.filter(
        (partition) => partition.submitted > 0 || this.#scheduler.hasGap(partition),
      );
      if (busy.length > 0 && now < drain.deadline) return false;
      drain.leftOver = busy.reduce((sum, partition) => sum + leftOverOf(partition), 0);
      drain.commitDeadline = finalCommitBy(drain, now);
    }
    return (
      now >= drain.commitDeadline ||
      owned.every((partition) => this.#commits.acknowledged(partition))
    );
  }

  /** Generation up and answer out, in one synchronous block (G2). Returns what was left over. */
  #end(drain: Drain, cause: 'rebalance' | 'shutdown', now: number): number {
    const durationMs = now - drain.startedAt;
    const owned = drain.partitions.filter((partition) => this.#owns(partition));
    const uncommitted = owned.filter((partition) => partition.dirty).length;
    const leftOver = Math.max(drain.leftOver, uncommitted);
    const { tally } = this.#state;
    (cause === 'rebalance' ? tally.drainRebalance : tally.drainShutdown).observeMs(durationMs);
    if (leftOver > 0) tally.drainTimeouts++;
    for (const partition of owned) this.#giveUp(partition);
    if (drain.release !== null)
      this.#ports.group.release(drain.release.rebalance, drain.release.indexes);
    this.#events.emit({ kind: 'drained', cause, durationMs, leftOver });
    return leftOver;
  }

  /** A newer event voids the release under way (G3): the group has taken its partitions by now. */
  #voidRevocation(): void {
    const revocation = this.#revocation;
    this.#revocation = null;
    for (const partition of revocation?.partitions ?? [])
      if (this.#owns(partition)) this.#giveUp(partition);
  }

  #giveUp(partition: Partition): void {
    this.#settlement.abandon(partition);
    this.#ports.workers.abort(partition.index, partition.generation);
  }

  #owns(partition: Partition): boolean {
    return this.#state.partitions[partition.index] === partition;
  }
}

/** Records that were started and will be delivered again: running, or finished above a gap. */
function leftOverOf(partition: Partition): number {
  return partition.submitted + partition.watermark.settledAbove();
}

function finalCommitBy(drain: Drain, now: number): number {
  return Math.max(drain.deadline, now + FINAL_COMMIT_MS);
}

function drainOf(
  release: Drain['release'],
  partitions: readonly Partition[],
  now: number,
  ms: number,
): Drain {
  return {
    release,
    partitions,
    startedAt: now,
    deadline: now + ms,
    commitDeadline: null,
    leftOver: 0,
  };
}
