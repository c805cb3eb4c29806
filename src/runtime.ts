/**
 * The composition: builds consumer, core and pool, owns the main loop, and carries out starting and
 * stopping. Main thread. It decides nothing about records; the core does. Keeps B3 (polling goes on
 * whatever else happens) and the promise that a stop ends within `shutdown.forceTimeoutMs`.
 */
import { Consumer } from './broker/consumer.ts';
import { Intake } from './broker/intake/intake.ts';
import { ExitCode, TidemarkError } from './contract/errors.ts';
import type { ExitCodeValue } from './contract/errors.ts';
import type { Settings } from './contract/settings.ts';
import type { RuntimeSnapshot } from './contract/snapshot.ts';
import { ROW_STRIDE, Row } from './core/ports.ts';
import { Histogram } from './core/tally.ts';
import { Core } from './core/turn.ts';
import { Loop } from './loop.ts';
import type { LoopTurn } from './loop.ts';
import { Narrator } from './narrator.ts';
import type { RuntimeObserver } from './narrator.ts';
import { Pool, probeHandler } from './pool/pool.ts';
import {
  HEADER_ENTRY_FIXED_BYTES,
  LAYOUT_VERSION,
  SLOT_HEADER_BYTES,
  SlotFloat,
  SlotWord,
} from './ring/layout.ts';
import { runtimeSnapshot } from './snapshot.ts';
import { Watchdog } from './watchdog.ts';

/** Ready partitions read per turn; more are read in the next. */
const READY_MAX = 4096;
/** Closing what a stop has drained: workers' teardown, the group's farewell. */
const CLOSE_MS = 5000;
/** The same where handlers still run past their drain: leaving the group is worth more than they are. */
const CUT_SHORT_CLOSE_MS = 1000;
/** What the native intake must have been compiled with. */
const LAYOUT = {
  version: LAYOUT_VERSION,
  slotHeaderBytes: SLOT_HEADER_BYTES,
  headerEntryFixedBytes: HEADER_ENTRY_FIXED_BYTES,
  rowStride: ROW_STRIDE,
  slotWord: SlotWord,
  slotFloat: SlotFloat,
  row: Row,
};
const IDLE: LoopTurn = { again: false, wakeAt: Infinity };

export class Runtime {
  /** Resolves with the exit code once everything is closed. */
  readonly finished: Promise<ExitCodeValue>;
  readonly #settings: Settings;
  readonly #version: string;
  readonly #narrator: Narrator;
  readonly #consumer: Consumer;
  readonly #turnDuration = new Histogram();
  readonly #ready = new Int32Array(READY_MAX);
  readonly #startedAt = Date.now();
  readonly #loop: Loop;
  #watchdog: Watchdog | null = null;
  #core: Core | null = null;
  #pool: Pool | null = null;
  #polledAt = performance.now();
  #stopping = false;
  /** Exit code of a second signal, which cuts the drain short. */
  #hurried: ExitCodeValue | null = null;
  #failure: ExitCodeValue | null = null;
  #ended = false;
  #finish: (code: ExitCodeValue) => void = () => undefined;

  constructor(settings: Settings, version: string, observer: RuntimeObserver) {
    this.#settings = settings;
    this.#version = version;
    this.finished = new Promise((resolve) => {
      this.#finish = resolve;
    });
    this.#loop = new Loop(
      () => this.#turn(),
      () => {
        this.#pool?.sleep();
      },
    );
    this.#consumer = this.#buildConsumer();
    this.#narrator = new Narrator(observer, (index) => this.#consumer.partitions.nameOf(index));
  }

  /**
   * Loads the handler in a probe thread, connects, starts the workers and the loop. Rejects with a
   * {@link TidemarkError} that says what stands in the way; then nothing keeps running.
   */
  async start(): Promise<void> {
    this.#watchdog = new Watchdog(this.#settings.shutdown.forceTimeoutMs);
    try {
      Intake.checkLayout(LAYOUT);
      await probeHandler(this.#settings.handler.module);
      await this.#consumer.connect(() => this.#stopping);
      if (!this.#stopping) await this.#startWorkers();
    } catch (error) {
      const clean = await this.#close();
      if (!clean) {
        // The caller could tell it, but not end the process: see #end.
        this.#narrator.failed(error);
        this.#consumer.exitNow(codeOf(error));
      }
      throw error;
    }
    if (this.#core === null) {
      await this.#end(ExitCode.ok);
      return;
    }
    this.#narrator.started(this.#settings);
    this.#loop.start();
    if (this.#stopping) this.#drain(this.#settings.shutdown.drainTimeoutMs);
  }

  /**
   * Drains, commits, leaves the group. A second call cuts the drain short, and its code becomes the
   * exit code.
   */
  stop(cause: string, hurriedCode: ExitCodeValue = ExitCode.ok): void {
    if (this.#ended) return;
    if (this.#stopping) {
      this.#hurried ??= hurriedCode;
      this.#narrator.hurried(cause);
      this.#drain(0);
      return;
    }
    this.#stopping = true;
    this.#narrator.stopping(cause);
    this.#boundStop();
    this.#drain(this.#settings.shutdown.drainTimeoutMs);
  }

  snapshot(): RuntimeSnapshot {
    return runtimeSnapshot({
      settings: this.#settings,
      version: this.#version,
      startedAt: this.#startedAt,
      failed: this.#failure !== null,
      core: this.#core,
      consumer: this.#consumer,
      pool: this.#pool,
      turnedAt: this.#loop.turnedAt,
      polledAt: this.#polledAt,
      turnDuration: this.#turnDuration,
      errors: this.#narrator.recentErrors,
      workerRestarts: this.#narrator.workerRestarts,
    });
  }

  #buildConsumer(): Consumer {
    return new Consumer(this.#settings, {
      partitionNamed: (index, topic, partition) => {
        this.#pool?.announce(index, topic, partition);
      },
      assigned: (partitions) => {
        this.#core?.inbox.rebalance({ kind: 'assigned', partitions });
      },
      revoked: (rebalance, partitions, lost) => {
        this.#core?.inbox.rebalance({ kind: 'revoked', rebalance, partitions, lost });
      },
      commitResult: (id, error) => {
        this.#core?.inbox.commitResult(id, error);
      },
      wake: () => {
        this.#loop.wake();
      },
      clientError: (message, code) => {
        this.#narrator.clientError(message, code);
      },
      clientLog: (severity, facility, message) => {
        this.#narrator.clientLog(severity, facility, message);
      },
      fatal: (message) => {
        this.#fail(new TidemarkError('TIDEMARK_KAFKA_FATAL', message));
      },
    });
  }

  async #startWorkers(): Promise<void> {
    const settings = this.#settings;
    const { intake } = this.#consumer;
    const narrator = this.#narrator;
    const pool = new Pool(settings, intake, {
      wake: () => {
        this.#loop.wake();
      },
      workerReady: (worker, incarnation) => {
        narrator.workerReady(worker, incarnation);
      },
      workerDied: (worker, incarnation, reason, rows, error) => {
        narrator.workerDied(worker, incarnation, reason, error);
        this.#core?.inbox.died(rows);
      },
      runFailed: (_worker, _row, error) => {
        narrator.runFailed(error);
      },
      log: (worker, line) => {
        narrator.handlerLog(worker, line);
      },
      metric: (metric) => {
        narrator.handlerMetric(metric);
      },
      unavailable: (error) => {
        this.#fail(error);
      },
    });
    this.#pool = pool;
    this.#core = new Core(
      {
        ordering: settings.ordering,
        concurrency: settings.workers.concurrency,
        window: settings.window,
        commitIntervalMs: settings.commit.intervalMs,
        rebalanceDrainMs: settings.rebalance.drainTimeoutMs,
      },
      { source: intake, workers: pool, group: this.#consumer, events: narrator },
      settings.shutdown.drainTimeoutMs,
    );
    await pool.start();
  }

  #turn(): LoopTurn {
    const core = this.#core;
    if (core === null || this.#ended) return IDLE;
    const now = performance.now();
    try {
      this.#consumer.poll();
      this.#polledAt = now;
      const ready = this.#consumer.intake.ready(this.#ready);
      for (let at = 0; at < ready; at++) core.inbox.ready(this.#ready[at] as number);
      const { again, wakeAt } = core.turn(now, Date.now());
      this.#turnDuration.observeMs(performance.now() - now);
      // Before the end is looked at: the drain may be over within the turn in which the record failed.
      if (core.recordFailed) this.#recordFailed();
      if (core.lifecycle === 'stopped') {
        void this.#end(this.#exitCode(core));
        return IDLE;
      }
      return { again: again || ready === READY_MAX, wakeAt };
    } catch (error) {
      this.#fail(error);
      return IDLE;
    }
  }

  #drain(drainMs: number): void {
    if (this.#core === null) return;
    this.#core.inbox.stop(drainMs);
    this.#loop.wake();
  }

  /** The core drains by itself then; here the stop gets its bound. */
  #recordFailed(): void {
    if (this.#failure !== null) return;
    this.#failure = ExitCode.cannotGoOn;
    this.#stopping = true;
    this.#boundStop();
  }

  /** A broken invariant or a dead client: what the core says can no longer be trusted or sent. */
  #fail(error: unknown): void {
    if (this.#ended) return;
    const code = codeOf(error);
    this.#narrator.failed(error);
    this.#failure = code;
    this.#boundStop();
    void this.#end(code);
  }

  #exitCode(core: Core): ExitCodeValue {
    if (this.#failure !== null) return this.#failure;
    if (this.#hurried !== null) return this.#hurried;
    return core.leftOver > 0 ? ExitCode.drainDeadline : ExitCode.ok;
  }

  /** Past the deadline the process ends whatever still hangs; the watchdog covers a loop that does. */
  #boundStop(): void {
    const { forceTimeoutMs } = this.#settings.shutdown;
    this.#watchdog?.killAfter(forceTimeoutMs);
    setTimeout(
      () => {
        this.#narrator.forced();
        this.#consumer.exitNow(this.#failure ?? this.#hurried ?? ExitCode.drainDeadline);
      },
      Math.max(0, forceTimeoutMs - 500),
    ).unref();
  }

  async #end(code: ExitCodeValue): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    const clean = await this.#close();
    this.#narrator.stopped(code);
    // A client that did not close would make an ordinary exit hang in native code.
    if (!clean) this.#consumer.exitNow(code);
    this.#finish(code);
  }

  /** Returns false when the client did not close in time. */
  async #close(): Promise<boolean> {
    this.#ended = true;
    this.#loop.stop();
    try {
      const leftOver = this.#core?.leftOver ?? 0;
      await this.#pool?.stop(leftOver > 0 ? CUT_SHORT_CLOSE_MS : CLOSE_MS);
    } catch (error) {
      this.#narrator.failed(error);
    }
    const clean = await this.#consumer.close();
    await this.#watchdog?.stop();
    return clean;
  }
}

function codeOf(error: unknown): ExitCodeValue {
  return error instanceof TidemarkError ? error.exitCode : ExitCode.cannotGoOn;
}
