/** One process of the program: the real core over the fakes, and the loop that turns it. */
import { Outcome } from '../../src/contract/outcome.ts';
import type { OutcomeCode } from '../../src/contract/outcome.ts';
import type { CoreEvent, Submission, WorkersPort } from '../../src/core/ports.ts';
import { Core } from '../../src/core/turn.ts';
import { GuaranteeError } from '../guarantees/guarantee.ts';
import type { Sighting } from '../guarantees/guarantee.ts';
import { checkCounts } from './checks.ts';
import { Timers } from './clock.ts';
import { FakeGroup } from './fake-group.ts';
import { FakeSource } from './fake-source.ts';
import { FakeWorker } from './fake-worker.ts';
import type { Held } from './fake-worker.ts';
import { laneOf } from './world.ts';
import type { LogRecord, World } from './world.ts';

const WALL = 1_700_000_000_000;
/** The final commit may take so long past a drain's deadline, and faults of the fakes a little more. */
const STOP_SLACK_MS = 2000 + 50;

export class Process {
  readonly core: Core;
  readonly group: FakeGroup;
  readonly source: FakeSource;
  readonly workers: readonly FakeWorker[];
  readonly #world: World;
  readonly #timers: Timers;
  #scheduled = false;
  #turnAt = Infinity;
  #stopBy = Infinity;
  turns = 0;

  constructor(world: World) {
    this.#world = world;
    this.#timers = new Timers(world.clock);
    world.processes++;
    world.epoch++;
    world.forgetProcess();
    const wake = (): void => {
      this.wake();
    };
    this.source = new FakeSource(world, this.#timers, (partition) => {
      this.core.inbox.ready(partition);
      this.wake();
    });
    this.workers = Array.from(
      { length: world.profile.workers },
      () =>
        new FakeWorker(world, this.#timers, this.source, {
          wake,
          died: (rows, dead) => {
            for (const held of dead) this.#waits(held);
            this.core.inbox.died(rows);
          },
          started: (held) => {
            this.#started(held);
          },
          ended: (held, outcome) => {
            this.#ended(held, outcome);
          },
          drained: (held, outcome) => {
            this.#drained(held, outcome);
          },
        }),
    );
    this.core = new Core(
      world.profile.core,
      {
        source: this.source,
        workers: this.#workersPort(),
        group: {
          commit: (id, entries) => {
            this.group.commit(id, entries);
          },
          release: (rebalance, partitions) => {
            this.group.release(rebalance, partitions);
          },
        },
        events: {
          emit: (event) => {
            this.#observe(event);
          },
        },
      },
      world.profile.stopDrainMs,
    );
    this.group = new FakeGroup(world, this.#timers, this.source, this.core.inbox, wake);
    this.group.holds = (partition, generation) =>
      this.workers.reduce((sum, worker) => sum + worker.holds(partition, generation), 0);
    this.group.hasFailed = () => this.core.recordFailed;
    this.source.onTake = (partition) => {
      this.#checkTake(partition);
    };
    this.source.onTaken = (record) => {
      world.window.taken(record.partition, record.offset, record.bytes);
      world.wakeUps.waits(this.#sight(record));
    };
    this.#timers.after(world.random.next() * 5, () => {
      this.group.assign(world.logs.map((_, partition) => partition));
    });
  }

  get stopped(): boolean {
    return this.core.lifecycle === 'stopped';
  }

  /** Something happened: turns a moment later. */
  wake(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#timers.after(this.#world.random.next() * 0.3, () => {
      this.#turn();
    });
  }

  stop(drainMs: number): void {
    this.#stopBy = Math.min(this.#stopBy, this.#world.clock.now + drainMs + STOP_SLACK_MS);
    this.core.inbox.stop(drainMs);
    this.wake();
  }

  /** The process is gone at once, as with SIGKILL, or after it has stopped. */
  close(): void {
    this.#timers.close();
    for (const partition of this.group.owned) this.#world.commitSafety.gone(partition);
  }

  /** No turn is due: whatever comes next has to come from outside, or from a timer. */
  get #rests(): boolean {
    return !this.#scheduled;
  }

  #turn(): void {
    this.#scheduled = false;
    if (this.stopped) return;
    this.turns++;
    const { now } = this.#world.clock;
    const { again, wakeAt } = this.core.turn(now, WALL + now);
    if (!this.core.inbox.empty && !again)
      throw new GuaranteeError('no lost wake-up', 'the inbox is not empty');
    this.#check();
    if (this.core.recordFailed && this.#stopBy === Infinity)
      this.#stopBy = now + this.#world.profile.stopDrainMs + STOP_SLACK_MS;
    if (this.core.lifecycle !== 'stopped' && now > this.#stopBy)
      throw new GuaranteeError('stop', 'the deadline passed long ago');
    if (again || wakeAt <= now) this.wake();
    if (this.#rests) this.#checkRest();
    this.#arm(wakeAt);
  }

  /** A timer for the next turn, unless one goes off earlier anyway. */
  #arm(wakeAt: number): void {
    const { now } = this.#world.clock;
    if (this.#turnAt <= now) this.#turnAt = Infinity;
    if (wakeAt === this.#turnAt) return;
    this.#turnAt = wakeAt;
    if (wakeAt === Infinity) return;
    this.#timers.after(Math.max(0, wakeAt - now), () => {
      if (this.#turnAt === wakeAt) this.wake();
    });
  }

  #check(): void {
    checkCounts(this.core.state, {
      atWorkers: this.workers.map((worker) => worker.held),
      handles: this.source.handles,
      handlesInCompletions: this.workers.reduce((sum, worker) => sum + worker.openHandles, 0),
    });
  }

  /** At rest with an empty worker nothing may wait, in a lane or in a queue with room (L3, B2). */
  #checkRest(): void {
    const isWorkerEmpty = this.workers.some((worker) => worker.isEmpty);
    this.group.checkRest(isWorkerEmpty);
    if (this.core.lifecycle !== 'running' || !isWorkerEmpty) return;
    const mayStart = (partition: number | string): boolean =>
      typeof partition === 'number' && !this.group.isRevoking(partition);
    this.#world.wakeUps.rests(mayStart);
    for (const partition of this.group.owned)
      if (
        mayStart(partition) &&
        this.source.hasRows(partition) &&
        this.#world.window.hasRoom(partition)
      )
        throw new GuaranteeError('no lost wake-up', `${String(partition)} is not taken from`);
  }

  #checkTake(partition: number): void {
    if (this.group.ownership(partition) === undefined || this.group.isRevoking(partition))
      throw new GuaranteeError('take', `from ${String(partition)}, not owned or being given up`);
    if (this.core.lifecycle !== 'running') throw new GuaranteeError('take', 'while stopping');
    this.#world.window.beginTake(partition);
  }

  #observe(event: CoreEvent): void {
    if (event.kind !== 'assigned') return;
    for (const partition of event.partitions) {
      const owned = this.group.ownership(partition);
      const generation = this.core.state.partitions[partition]?.generation;
      if (owned === undefined || generation === undefined) continue;
      owned.generation = generation;
      const number = this.group.numberOf(generation);
      this.#world.commitSafety.assigned(partition, number, owned.start);
    }
  }

  #workersPort(): WorkersPort {
    const { workers } = this;
    const of = (worker: number): FakeWorker => {
      const found = workers[worker];
      if (found === undefined)
        throw new GuaranteeError('slots', `no worker has number ${String(worker)}`);
      return found;
    };
    return {
      workers: workers.length,
      drain: (sink) => {
        for (const worker of workers) worker.drain(sink);
      },
      freeSlots: (worker) => of(worker).freeSlots,
      submit: (worker, submission) => {
        this.#submit(of(worker), submission);
      },
      flush: () => {
        for (const worker of workers) worker.flush();
      },
      recall: (worker, max, rows, handles) => {
        const taken = of(worker).recall(max);
        for (const [at, { held, handle }] of taken.entries()) {
          rows[at] = held.row;
          handles[at] = handle;
          this.#waits(held);
        }
        return taken.length;
      },
      abort: (partition, generation) => {
        for (const worker of workers) worker.abort(partition, generation);
      },
    };
  }

  #submit(worker: FakeWorker, submission: Submission): void {
    const record = this.source.recordOf(submission.handle);
    const owned = this.group.ownership(submission.partition);
    if (record.partition !== submission.partition || record.bytes !== submission.payloadBytes)
      throw new GuaranteeError('submission', 'another record than the handle names');
    if (owned?.generation !== submission.generation)
      throw new GuaranteeError('submission', 'a generation that is not owned (G1)');
    if (submission.lane >= 0 !== (laneOf(record, this.#world.profile) !== null))
      throw new GuaranteeError(
        'submission',
        'a lane where there is no order, or none where there is',
      );
    if (this.group.isRevoking(record.partition) || this.core.lifecycle !== 'running')
      this.#checkClosesGap(record, submission.generation);
    const sighting = this.#sight(record);
    this.#world.wakeUps.submitted(sighting);
    worker.submit(submission, sighting);
  }

  /** A drain starts only what lies below a record that is finished or at a worker (G4). */
  #checkClosesGap({ partition, offset }: LogRecord, generation: number): void {
    const highest = Math.max(
      this.#world.commitSafety.highestFinished(partition),
      ...this.workers.map((worker) => worker.highest(partition, generation)),
    );
    if (offset >= highest)
      throw new GuaranteeError('drain', `${String(partition)}@${String(offset)} closes no gap`);
  }

  #sight(record: LogRecord): Sighting {
    const { partition, offset } = record;
    const generation = this.group.numberOf(this.group.ownership(partition)?.generation ?? -1);
    return { partition, offset, generation, lane: laneOf(record, this.#world.profile) };
  }

  #started(held: Held): void {
    if (held.aborted) throw new GuaranteeError('simulator', 'an aborted record starts');
    this.#world.laneOrder.started(held);
    this.#world.serialLane.started(held);
  }

  #ended(held: Held, outcome: OutcomeCode | null): void {
    this.#world.serialLane.ended(held);
    if (outcome !== Outcome.ok && outcome !== Outcome.skipped) return;
    this.#world.atLeastOnce.finished(held.partition, held.offset);
    this.#world.commitSafety.finished(held.partition, held.generation, held.offset);
  }

  #drained(held: Held, outcome: OutcomeCode): void {
    if (outcome === Outcome.returned) this.#waits(held);
    else if (outcome !== Outcome.error) {
      this.#world.wakeUps.left(held);
      if (this.#isOwned(held)) this.#world.window.settled(held.partition, held.offset);
    }
  }

  #waits(held: Held): void {
    if (!this.#isOwned(held)) return;
    this.#world.wakeUps.waits(held);
    this.#world.wakeUps.left(held);
  }

  #isOwned(held: Held): boolean {
    return this.group.ownership(held.record.partition)?.generation === held.coreGeneration;
  }
}
