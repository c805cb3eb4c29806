/**
 * The core: all state of a record's way, with one owner and one entry, {@link Core.turn}. Pure and
 * deterministic: clocks come in as numbers, the world is behind ports, so that the simulator runs
 * exactly this code. Runs on the main thread.
 *
 * Order inside a turn: deaths, completions, commit results, rebalances, stop, takes, scheduling,
 * commits, ends of drains. Completions come before rebalances so that finished work still counts for
 * the generation in which it ran.
 */
import type { RuntimeState } from '../contract/snapshot.ts';
import { Assignment } from './assignment.ts';
import { Commits } from './commits.ts';
import { InFlightTable } from './in-flight.ts';
import { Inbox } from './inbox.ts';
import { Lanes } from './lanes.ts';
import { Lifecycle } from './lifecycle.ts';
import type { CoreOptions, CoreState } from './partition.ts';
import type { EventsPort, GroupPort, SourcePort, WorkersPort } from './ports.ts';
import { Scheduler } from './scheduler.ts';
import { Settlement } from './settlement.ts';
import { Taker } from './taker.ts';
import { Tally } from './tally.ts';

export interface CorePorts {
  readonly source: SourcePort;
  readonly workers: WorkersPort;
  readonly group: GroupPort;
  readonly events: EventsPort;
}

/** What the owner of the loop has to know after a turn. */
export interface TurnResult {
  /** More can be done at once. */
  readonly again: boolean;
  /** The latest time for the next turn, of the clock given to `turn`; Infinity for none. */
  readonly wakeAt: number;
}

export class Core {
  readonly inbox = new Inbox();
  readonly state: CoreState;
  readonly #ports: CorePorts;
  readonly #lifecycle = new Lifecycle();
  readonly #scheduler: Scheduler;
  readonly #settlement: Settlement;
  readonly #taker: Taker;
  readonly #commits: Commits;
  readonly #assignment: Assignment;
  readonly #failureDrainMs: number;
  #recordFailed = false;

  /** `failureDrainMs`: how long a stop because of a failed record may drain. */
  constructor(options: CoreOptions, ports: CorePorts, failureDrainMs: number) {
    const rows = new InFlightTable();
    this.#ports = ports;
    this.#failureDrainMs = failureDrainMs;
    this.state = {
      options,
      rows,
      lanes: new Lanes(rows),
      tally: new Tally(),
      partitions: [],
      inFlight: 0,
      bytes: 0,
      queued: 0,
      draining: false,
    };
    const { source, workers, group, events } = ports;
    this.#scheduler = new Scheduler(this.state, workers);
    this.#settlement = new Settlement(this.state, source, this.#scheduler, events, () => {
      this.#recordFailed = true;
      this.inbox.stop(this.#failureDrainMs);
    });
    this.#taker = new Taker(this.state, source, this.#scheduler, events);
    this.#commits = new Commits(this.state, group, events);
    this.#assignment = new Assignment(this.state, { group, workers }, events, {
      scheduler: this.#scheduler,
      settlement: this.#settlement,
      commits: this.#commits,
    });
  }

  get lifecycle(): RuntimeState {
    return this.#lifecycle.state;
  }

  /** A record failed for good: the process stops and its exit code says so. */
  get recordFailed(): boolean {
    return this.#recordFailed;
  }

  /** After a stop: records that were started and will be delivered again. */
  get leftOver(): number {
    return this.#assignment.shutdownLeftOver ?? 0;
  }

  /** One step. `now` is monotonic, `wall` since the epoch, both in milliseconds. */
  turn(now: number, wall: number): TurnResult {
    const { inbox } = this;
    this.#settlement.begin(now, wall);
    for (const rows of inbox.takeDied()) this.#settlement.died(rows);
    this.#ports.workers.drain(this.#settlement);
    for (const { id, error } of inbox.takeCommits()) this.#commits.result(id, error, now);
    this.#rebalance(now);
    this.#stop(now);
    for (const partition of inbox.takeReady()) this.#taker.ready(partition);
    this.#taker.run(now);
    this.#scheduler.run(now);
    this.#commits.run(now, this.#assignment.draining);
    // What a drain gives up at its end makes room, which nobody has looked at in this turn (B2).
    const gaveUp = this.#assignment.run(now);
    if (this.#lifecycle.state === 'draining' && this.#assignment.shutdownLeftOver !== null)
      this.#lifecycle.move('stopped');
    return {
      again: gaveUp || !inbox.empty || this.#taker.wantsMore(),
      wakeAt: Math.min(this.#commits.wakeAt(), this.#assignment.wakeAt(), this.#scheduler.recallAt),
    };
  }

  #rebalance(now: number): void {
    for (const event of this.inbox.takeRebalances()) {
      if (event.kind === 'assigned') {
        this.#assignment.assigned(event.partitions);
        if (this.#lifecycle.state === 'starting') this.#lifecycle.move('running');
      } else this.#assignment.revoked(event.rebalance, event.partitions, event.lost, now);
    }
  }

  #stop(now: number): void {
    const drainMs = this.inbox.takeStop();
    if (drainMs === null) return;
    const { state } = this.#lifecycle;
    if (state === 'starting' || state === 'running') this.#lifecycle.move('draining');
    this.#assignment.stop(now, drainMs);
  }
}
