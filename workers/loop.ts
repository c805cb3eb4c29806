/**
 * The worker's loop: takes slots from the submission ring, runs them, publishes completions, sleeps.
 * Worker thread. Keeps L1 and L2 on this side (a lane's records run one after another, in the order of
 * the ring), S1 (a slot is run only after it was claimed) and S2 (outcome before state before index).
 *
 * A run that ends synchronously needs no bookkeeping: it is over before the next begins. A run that
 * returns a promise makes its lane busy; later records of the lane are chained behind it, slot to
 * slot, while other lanes go on. When a run fails, the records behind it go back unrun.
 *
 * The event loop turns between stretches of work and while idle, so that timers and sockets of the
 * handler's module live: the thread blocks only when no run is in progress, for a moment, a few times.
 */
import { Outcome } from '../src/contract/outcome.ts';
import type { OutcomeCode } from '../src/contract/outcome.ts';
import { Doorbell } from '../src/ring/doorbell.ts';
import { RingReader, RingWriter } from '../src/ring/index-ring.ts';
import { Control, SlotFlag, SlotFloat, SlotState, SlotWord } from '../src/ring/layout.ts';
import type { RingMemory } from '../src/ring/slot.ts';
import { abortRun, endRun } from './context.ts';
import type { RunContext } from './context.ts';
import { Lanes } from './lanes.ts';
import type { Runner } from './run-handler.ts';

/** A sleeping main is woken for so many completions, or when it was last woken so long ago. */
const RING_RECORDS = 32;
const RING_MS = 1;
/** How long work may go on before the event loop gets its turn. */
const STRETCH_MS = 8;
/** After work the thread blocks so long for more, so often, before it waits asynchronously. */
const BLOCK_MS = 1;
const BLOCKS_MAX = 3;
/** A look around although no bell rang: every wait is bounded. */
const LOOK_MS = 1000;
const GATHER_MS = 50;
const NONE = -1;

export interface LoopParts {
  readonly memory: RingMemory;
  readonly mainBell: Doorbell;
  readonly runner: Runner;
  readonly concurrency: number;
  /** What to add to this thread's `performance.now()` to get main's. */
  readonly clockOffset: number;
  /** Sends what handlers logged and measured. */
  readonly gathered: () => void;
}

export class Loop {
  readonly #memory: RingMemory;
  readonly #runner: Runner;
  readonly #mainBell: Doorbell;
  readonly #concurrency: number;
  readonly #clockOffset: number;
  readonly #gathered: () => void;
  readonly #bell: Doorbell;
  readonly #submissions: RingReader;
  readonly #completions: RingWriter;
  readonly #lanes: Lanes;
  /** By slot: the context of an asynchronous run in progress. */
  readonly #contexts: (RunContext | undefined)[];
  readonly #wake: () => void;
  readonly #tickNow: () => void;
  #running = 0;
  #scheduled = false;
  #stretchEndsAt = 0;
  /** Completions published since main's bell was last rung. */
  #unrung = 0;
  /** When it was last rung within a stretch of work. */
  #rungAt = 0;
  #blocks = 0;
  #gatheredAt = 0;
  #left: (() => void) | null = null;
  #broken: ((error: unknown) => void) | null = null;

  constructor(parts: LoopParts) {
    const { memory } = parts;
    const { words, layout } = memory;
    this.#memory = memory;
    this.#runner = parts.runner;
    this.#mainBell = parts.mainBell;
    this.#concurrency = parts.concurrency;
    this.#clockOffset = parts.clockOffset;
    this.#gathered = parts.gathered;
    this.#bell = new Doorbell(words, Control.workerSleeps);
    this.#submissions = new RingReader(
      words,
      Control.submissionTail,
      Control.submissionHead,
      memory.submissions,
    );
    this.#completions = new RingWriter(words, Control.completionTail, memory.completions);
    this.#lanes = new Lanes(layout.slots);
    this.#contexts = new Array<RunContext | undefined>(layout.slots).fill(undefined);
    this.#wake = () => {
      this.#schedule();
    };
    this.#tickNow = () => {
      try {
        this.#tick();
      } catch (error) {
        this.#broken?.(error);
      }
    };
  }

  /** Runs until main says to leave and everything submitted has ended. */
  async run(): Promise<void> {
    const look = setInterval(this.#wake, LOOK_MS);
    try {
      await new Promise<void>((resolve, reject) => {
        this.#left = resolve;
        this.#broken = reject;
        this.#schedule();
      });
    } finally {
      clearInterval(look);
    }
  }

  /** Aborts the signals of that generation's runs. */
  abort(partition: number, generation: number): void {
    const { words } = this.#memory;
    for (const [slot, context] of this.#contexts.entries()) {
      if (context === undefined) continue;
      const at = this.#memory.wordOf(slot);
      if (words[at + SlotWord.partition] !== partition) continue;
      if (words[at + SlotWord.generation] !== generation) continue;
      abortRun(context, new Error('the partition is no longer assigned: no result can count'));
    }
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.#tickNow);
  }

  /** One stretch of work; then either another turn of the event loop, or sleep. */
  #tick(): void {
    this.#scheduled = false;
    this.#bell.getUp();
    const now = performance.now();
    this.#stretchEndsAt = now + STRETCH_MS;
    if (this.#work(now) || this.#unrung > 0) this.#blocks = 0;
    this.#ringMain();
    if (now - this.#gatheredAt > GATHER_MS) {
      this.#gatheredAt = now;
      this.#gathered();
    }
    if (this.#running >= this.#concurrency) return;
    if (this.#lanes.hasReady() || this.#submissions.available() > 0) this.#schedule();
    else if (this.#mayLeave()) this.#left?.();
    else this.#sleep();
  }

  #mayLeave(): boolean {
    if (Atomics.load(this.#memory.words, Control.command) === 0) return false;
    return this.#running === 0 && this.#submissions.refresh() === 0;
  }

  /** Says that it sleeps, looks again, then waits. A run that ends wakes the loop by itself. */
  #sleep(): void {
    this.#bell.lieDown();
    const toldToLeave = Atomics.load(this.#memory.words, Control.command) !== 0;
    if (this.#submissions.refresh() > 0 || (toldToLeave && this.#running === 0)) {
      this.#bell.getUp();
      this.#schedule();
    } else if (this.#running === 0 && this.#blocks < BLOCKS_MAX) {
      this.#blocks++;
      this.#bell.block(BLOCK_MS);
      this.#schedule();
    } else {
      this.#gathered();
      this.#bell.listen(this.#wake);
    }
  }

  /** Starts runs for as long as there are records, room and time. True when it took any. */
  #work(from: number): boolean {
    let now = from;
    let worked = false;
    while (this.#running < this.#concurrency && now < this.#stretchEndsAt) {
      let slot = this.#lanes.takeReady();
      if (slot === NONE) {
        if (this.#submissions.available() === 0) break;
        slot = this.#submissions.take();
        if (!this.#mayStart(slot)) continue;
      }
      worked = true;
      now = this.#run(slot, now);
    }
    return worked;
  }

  /** False when the record has to wait for its lane, or went back because the lane has failed. */
  #mayStart(slot: number): boolean {
    const { words } = this.#memory;
    const at = this.#memory.wordOf(slot);
    const lane = words[at + SlotWord.lane] as number;
    if (lane < 0) return true;
    const reopens = ((words[at + SlotWord.flags] as number) & SlotFlag.laneReopens) !== 0;
    if (this.#lanes.hasFailed(lane, reopens)) {
      this.#giveBack(slot);
      return false;
    }
    return !this.#lanes.queueBehind(lane, slot);
  }

  /** Returns when it ended, or, for a run that goes on, when its synchronous part did. */
  #run(slot: number, startedAt: number): number {
    if (!this.#memory.claim(slot, SlotState.running)) {
      // Main took it back. The index goes round so that the slot comes free.
      this.#lanes.leave(this.#laneOf(slot), slot);
      this.#push(slot);
      return startedAt;
    }
    const context = this.#runner.prepare(slot);
    let promise: Promise<unknown> | null = null;
    let outcome: OutcomeCode = Outcome.ok;
    try {
      promise = this.#runner.call(context);
    } catch (thrown) {
      outcome = this.#runner.failed(slot, thrown);
    }
    const now = performance.now();
    if (promise === null) this.#end(slot, context, startedAt, now, outcome);
    else this.#follow(slot, context, startedAt, promise);
    // The next run may take long, too: main should know of this one meanwhile.
    if (now - this.#rungAt >= RING_MS) {
      this.#rungAt = now;
      this.#ringMain();
    }
    return now;
  }

  #follow(slot: number, context: RunContext, startedAt: number, promise: Promise<unknown>): void {
    this.#running++;
    this.#contexts[slot] = context;
    this.#lanes.occupy(this.#laneOf(slot), slot);
    promise.then(
      () => {
        this.#resume(slot, context, startedAt, Outcome.ok);
      },
      (thrown: unknown) => {
        this.#resume(slot, context, startedAt, this.#runner.failed(slot, thrown));
      },
    );
  }

  /** A run has ended that went on asynchronously: the next ones may start in the same stretch. */
  #resume(slot: number, context: RunContext, startedAt: number, outcome: OutcomeCode): void {
    this.#running--;
    this.#contexts[slot] = undefined;
    const now = performance.now();
    this.#end(slot, context, startedAt, now, outcome);
    this.#schedule();
    if (now >= this.#stretchEndsAt) return;
    try {
      this.#work(now);
    } catch (error) {
      this.#broken?.(error);
    }
  }

  /** Once its index is pushed, the slot is main's again (S1): everything else comes before. */
  #end(
    slot: number,
    context: RunContext,
    startedAt: number,
    endedAt: number,
    outcome: OutcomeCode,
  ): void {
    endRun(context);
    const { words, floats } = this.#memory;
    const at = this.#memory.wordOf(slot);
    const lane = words[at + SlotWord.lane] as number;
    floats[(at >> 1) + SlotFloat.startedAt] = startedAt + this.#clockOffset;
    floats[(at >> 1) + SlotFloat.duration] = endedAt - startedAt;
    words[at + SlotWord.outcome] = outcome;
    Atomics.store(words, at + SlotWord.state, SlotState.completed);
    if (outcome === Outcome.error && lane >= 0) {
      // What waits behind a failed record goes back unrun, in order.
      const waiting = this.#lanes.fail(lane, slot);
      this.#push(slot);
      for (const behind of waiting) this.#giveBack(behind);
    } else {
      this.#lanes.leave(lane, slot);
      this.#push(slot);
    }
  }

  #laneOf(slot: number): number {
    return this.#memory.words[this.#memory.wordOf(slot) + SlotWord.lane] as number;
  }

  /** Main may recall the slot at the same time; then the index goes round with its word for it. */
  #giveBack(slot: number): void {
    this.#memory.words[this.#memory.wordOf(slot) + SlotWord.outcome] = Outcome.returned;
    this.#memory.claim(slot, SlotState.completed);
    this.#push(slot);
  }

  /** Published one by one, so that a turn of main sees all there is; rung for together. */
  #push(slot: number): void {
    this.#completions.push(slot);
    this.#completions.publish();
    if (++this.#unrung >= RING_RECORDS) this.#ringMain();
  }

  #ringMain(): void {
    if (this.#unrung === 0) return;
    this.#unrung = 0;
    this.#submissions.release();
    this.#memory.words[Control.running] = this.#running;
    this.#mainBell.ring();
  }
}
