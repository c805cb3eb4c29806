/** One fake worker: slots, runs of records, serial lanes, blocking runs, deaths, aborted generations. */
import { Outcome } from '../../src/contract/outcome.ts';
import type { OutcomeCode } from '../../src/contract/outcome.ts';
import type { CompletionSink, DeadRow, Submission } from '../../src/core/ports.ts';
import { GuaranteeError, nameOf } from '../guarantees/guarantee.ts';
import type { Sighting } from '../guarantees/guarantee.ts';
import type { Timers } from './clock.ts';
import type { FakeSource } from './fake-source.ts';
import type { LogRecord, World } from './world.ts';

/** A record at a worker. */
export interface Held extends Sighting {
  readonly record: LogRecord;
  readonly row: number;
  readonly laneNumber: number;
  readonly coreGeneration: number;
  readonly reopens: boolean;
  aborted: boolean;
  startedAt: number;
  over: boolean;
}

interface Completion {
  /** Null for a slot that comes free and nothing more. */
  readonly held: Held | null;
  readonly outcome: OutcomeCode;
  readonly startedAt: number;
  readonly handle: number;
  readonly incarnation: number;
}

/** What a worker tells the process around it. */
export interface WorkerEvents {
  wake(): void;
  died(rows: DeadRow[], held: readonly Held[]): void;
  started(held: Held): void;
  ended(held: Held, outcome: OutcomeCode | null): void;
  /** Main has seen what became of it. */
  drained(held: Held, outcome: OutcomeCode): void;
}

export class FakeWorker {
  readonly #world: World;
  readonly #timers: Timers;
  readonly #source: FakeSource;
  readonly #events: WorkerEvents;
  #waiting: Held[] = [];
  #staged: { readonly held: Held; readonly handle: number }[] = [];
  readonly #running = new Set<Held>();
  #completions: Completion[] = [];
  #recalled = 0;
  #used = 0;
  #incarnation = 1;
  #alive = true;
  /** Main may submit: the exit was not seen, nobody asked it to leave. */
  #open = true;
  #blockedUntil = 0;
  #stepping = false;
  readonly #failedLanes = new Set<number>();
  readonly #reopening = new Set<number>();

  constructor(world: World, timers: Timers, source: FakeSource, events: WorkerEvents) {
    this.#world = world;
    this.#timers = timers;
    this.#source = source;
    this.#events = events;
  }

  get freeSlots(): number {
    return this.#open ? this.#world.profile.slots - this.#used : 0;
  }

  /** Could take a record and holds none. */
  get isEmpty(): boolean {
    return this.#open && this.#alive && this.#used === 0;
  }

  /** Handles that lie in completions which main has not seen. */
  get openHandles(): number {
    return this.#completions.filter(({ handle }) => handle >= 0).length;
  }

  /** Records of a generation that wait or run here, or whose end main has not seen. */
  holds(partition: number, generation: number): number {
    const counts = (held: Held | null): boolean =>
      held?.partition === partition && held.coreGeneration === generation;
    return (
      this.#waiting.filter(counts).length +
      [...this.#running].filter(counts).length +
      this.#completions.filter(({ held }) => counts(held)).length
    );
  }

  /** The highest offset of a generation that waits or runs here, -1 for none. */
  highest(partition: number, generation: number): number {
    const all = [...this.#waiting, ...this.#running, ...this.#staged.map(({ held }) => held)];
    const counted = all.filter(
      (held) => held.partition === partition && held.coreGeneration === generation,
    );
    return Math.max(-1, ...counted.map(({ offset }) => offset));
  }

  get held(): number {
    const late = this.#completions.filter(({ held }) => held !== null).length;
    return this.#waiting.length + this.#running.size + late;
  }

  submit(submission: Submission, sighting: Sighting): void {
    if (this.freeSlots <= 0) throw new GuaranteeError('slots', 'a record without a free slot');
    this.#used++;
    const { row, lane, handle, generation } = submission;
    const held: Held = {
      ...sighting,
      record: this.#source.recordOf(handle),
      row,
      laneNumber: lane,
      coreGeneration: generation,
      reopens: this.#reopening.delete(lane),
      aborted: false,
      startedAt: 0,
      over: false,
    };
    this.#staged.push({ held, handle });
  }

  flush(): void {
    if (this.#staged.length === 0) return;
    for (const { held, handle } of this.#staged) {
      this.#source.close(handle);
      this.#waiting.push(held);
    }
    this.#staged = [];
    this.#stepSoon();
  }

  drain(sink: CompletionSink): void {
    const completions = this.#completions;
    this.#completions = [];
    for (const { held, outcome, startedAt, handle, incarnation } of completions) {
      if (incarnation === this.#incarnation) this.#used--;
      if (held === null) continue;
      if (outcome === Outcome.error && held.laneNumber >= 0 && incarnation === this.#incarnation)
        this.#reopening.add(held.laneNumber);
      this.#events.drained(held, outcome);
      const durationMs = outcome === Outcome.returned ? 0 : this.#world.clock.now - startedAt;
      sink.completion(held.row, outcome, startedAt, durationMs, handle);
    }
  }

  recall(max: number): { readonly held: Held; readonly handle: number }[] {
    const taken: { held: Held; handle: number }[] = [];
    for (let at = this.#waiting.length - 1; at >= 0 && taken.length < max; at--) {
      const held = this.#waiting[at];
      if (held === undefined || held.aborted) continue;
      this.#waiting.splice(at, 1);
      taken.push({ held, handle: this.#source.open(held.record) });
      this.#recalled++;
    }
    if (taken.length > 0) this.#stepSoon();
    return taken;
  }

  abort(partition: number, generation: number): void {
    for (const held of this.#waiting)
      if (held.partition === partition && held.coreGeneration === generation) held.aborted = true;
    for (const held of this.#running)
      if (
        held.partition === partition &&
        held.coreGeneration === generation &&
        this.#world.random.chance(0.5)
      )
        this.#timers.after(this.#world.random.next(), () => {
          this.#end(held);
        });
    this.#stepSoon();
  }

  /** The thread dies now; main sees its exit a little later, and another thread comes after that. */
  die(): void {
    if (!this.#alive) return;
    this.#alive = false;
    for (const held of this.#running) {
      held.over = true;
      this.#events.ended(held, null);
    }
    this.#timers.after(this.#world.random.next() * 5, () => {
      this.#exit();
    });
  }

  /** Asked to leave: hands back what has not started, ends what runs, then another thread comes. */
  leave(): void {
    if (!this.#alive || !this.#open) return;
    this.#open = false;
    this.#stepSoon();
  }

  #exit(): void {
    const dead = [...this.#running, ...this.#waiting];
    const rows = dead.map((held) => ({
      row: held.row,
      handle: this.#source.open(held.record),
      ran: this.#running.has(held),
    }));
    this.#running.clear();
    this.#waiting = [];
    this.#open = false;
    this.#comeBack();
    this.#events.died(rows, dead);
    this.#events.wake();
  }

  #comeBack(): void {
    this.#recalled = 0;
    this.#used = 0;
    this.#incarnation++;
    this.#blockedUntil = 0;
    this.#failedLanes.clear();
    this.#reopening.clear();
    this.#timers.after(1 + this.#world.random.next() * 60, () => {
      this.#alive = true;
      this.#open = true;
      this.#events.wake();
    });
  }

  #stepSoon(): void {
    if (this.#stepping) return;
    this.#stepping = true;
    const wait = Math.max(0, this.#blockedUntil - this.#world.clock.now);
    this.#timers.after(wait + this.#world.random.next() * 0.2, () => {
      this.#stepping = false;
      this.#step();
    });
  }

  #step(): void {
    if (!this.#alive) return;
    if (this.#world.clock.now < this.#blockedUntil) {
      this.#stepSoon();
      return;
    }
    for (; this.#recalled > 0; this.#recalled--) this.#publish(null, Outcome.none, -1);
    const waiting = this.#waiting;
    this.#waiting = [];
    const busy = new Set([...this.#running].map(({ laneNumber }) => laneNumber));
    for (const held of waiting) {
      const lane = held.laneNumber;
      if (held.reopens) this.#failedLanes.delete(lane);
      if (held.aborted || !this.#open || this.#failedLanes.has(lane)) this.#handBack(held);
      else if (
        this.#running.size >= this.#world.profile.core.concurrency ||
        (lane >= 0 && busy.has(lane)) ||
        this.#world.clock.now < this.#blockedUntil
      )
        this.#waiting.push(held);
      else {
        busy.add(lane);
        this.#start(held);
      }
    }
    if (!this.#open && this.#running.size === 0) {
      this.#alive = false;
      this.#comeBack();
    }
  }

  #handBack(held: Held): void {
    const bare = held.aborted && this.#world.random.chance(0.5);
    this.#publish(held, Outcome.returned, bare ? -1 : this.#source.open(held.record));
  }

  #start(held: Held): void {
    const { random, profile, clock } = this.#world;
    held.startedAt = clock.now;
    this.#running.add(held);
    this.#events.started(held);
    const slow = random.chance(profile.slow) ? 100 : 1;
    const latency = random.next() * 2 * profile.latencyMs * slow;
    if (random.chance(profile.blocking)) this.#blockedUntil = clock.now + latency;
    this.#timers.after(latency, () => {
      this.#end(held);
    });
  }

  #end(held: Held): void {
    if (held.over) return;
    if (this.#world.clock.now < this.#blockedUntil) {
      this.#timers.after(this.#blockedUntil - this.#world.clock.now, () => {
        this.#end(held);
      });
      return;
    }
    const poison = this.#world.repaired ? 'none' : held.record.poison;
    if (poison === 'kills') {
      this.die();
      return;
    }
    held.over = true;
    this.#running.delete(held);
    const good = this.#world.random.chance(0.1) ? Outcome.skipped : Outcome.ok;
    const outcome = poison === 'throws' ? Outcome.error : good;
    if (outcome === Outcome.error && held.laneNumber >= 0) this.#failedLanes.add(held.laneNumber);
    this.#events.ended(held, outcome);
    this.#publish(held, outcome, -1);
    this.#stepSoon();
  }

  #publish(held: Held | null, outcome: OutcomeCode, handle: number): void {
    if (held !== null && outcome === Outcome.none)
      throw new GuaranteeError('simulator', `${nameOf(held)} without an outcome`);
    this.#completions.push({
      held,
      outcome,
      startedAt: held?.startedAt ?? 0,
      handle,
      incarnation: this.#incarnation,
    });
    this.#events.wake();
  }
}
