/**
 * A pool with real threads over the fake memory, and a small owner: submits records, gathers what
 * comes back. Waits for signals, with a bound that only a hang reaches.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TidemarkError } from '../../src/contract/errors.ts';
import type { OutcomeCode, RunError } from '../../src/contract/outcome.ts';
import type { DeadRow } from '../../src/core/ports.ts';
import { Pool } from '../../src/pool/pool.ts';
import type { DeathReason } from '../../src/pool/pool.ts';
import type { HandlerLogLine, HandlerMetric } from '../../src/ring/messages.ts';
import { FakeMemory, fakeRecord, payloadOf } from './fake-memory.ts';
import type { FakeRecord } from './fake-memory.ts';

const HANG_MS = 30_000;

export function projectRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}

export function fixture(name: string): string {
  return join(projectRoot(), 'test/fixtures/handlers', name);
}

export interface Completion {
  readonly row: number;
  readonly outcome: OutcomeCode;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly handle: number;
}

export interface Death {
  readonly worker: number;
  readonly incarnation: number;
  readonly reason: DeathReason;
  readonly rows: readonly DeadRow[];
  readonly error: RunError;
}

export interface HarnessOptions {
  readonly threads?: number;
  readonly concurrency?: number;
  readonly slots?: number;
  readonly slotBytes?: number;
  readonly maxHeapMb?: number;
  readonly options?: Readonly<Record<string, unknown>>;
}

export interface Submitted extends Partial<FakeRecord> {
  readonly worker?: number;
  readonly lane?: number;
  readonly attempt?: number;
  readonly partition?: number;
  readonly generation?: number;
}

export class Harness {
  readonly memory = new FakeMemory();
  readonly pool: Pool;
  readonly completions: Completion[] = [];
  readonly errors = new Map<number, RunError>();
  readonly deaths: Death[] = [];
  readonly lines: HandlerLogLine[] = [];
  readonly metrics: HandlerMetric[] = [];
  readonly unavailable: TidemarkError[] = [];
  readonly ready: { readonly worker: number; readonly incarnation: number }[] = [];
  #row = 0;
  #woken: () => void = () => undefined;

  constructor(module: string, options: HarnessOptions = {}) {
    const { threads = 1, concurrency = 16, slots = 64, slotBytes = 512, maxHeapMb } = options;
    const heap = maxHeapMb === undefined ? {} : { maxHeapMb };
    const wake = (): void => {
      this.#woken();
    };
    this.pool = new Pool(
      {
        workers: { threads, concurrency, slots, slotBytes, ...heap },
        handler: {
          module: module.includes('/') ? module : fixture(module),
          options: options.options ?? {},
        },
      },
      this.memory,
      {
        wake,
        workerReady: (worker, incarnation) => {
          this.ready.push({ worker, incarnation });
          wake();
        },
        workerDied: (worker, incarnation, reason, rows, error) => {
          this.deaths.push({ worker, incarnation, reason, rows, error });
          wake();
        },
        runFailed: (_worker, row, error) => this.errors.set(row, error),
        log: (_worker, line) => {
          this.lines.push(line);
          wake();
        },
        metric: (metric) => {
          this.metrics.push(metric);
          wake();
        },
        unavailable: (error) => {
          this.unavailable.push(error);
          wake();
        },
      },
    );
    this.pool.announce(0, 'orders', 7);
  }

  /** Stages one record; its row. */
  submit(record: Submitted = {}): number {
    const { worker = 0, lane = -1, attempt = 1, partition = 0, generation = 1 } = record;
    const held = fakeRecord({ offset: this.#row, ...record });
    return this.submitHandle(this.memory.hold(held), payloadOf(held).length, {
      worker,
      lane,
      attempt,
      partition,
      generation,
    });
  }

  submitHandle(
    handle: number,
    payloadBytes: number,
    to: Required<Omit<Submitted, keyof FakeRecord>>,
  ): number {
    const row = this.#row++;
    this.pool.submit(to.worker, { row, handle, payloadBytes, ...to });
    return row;
  }

  drain(): void {
    this.pool.drain({
      completion: (row, outcome, startedAt, durationMs, handle) => {
        this.completions.push({ row, outcome, startedAt, durationMs, handle });
      },
    });
  }

  /** Looks at the condition whenever something arrives, and drains before unless told not to. */
  async until(condition: () => boolean, what = 'the condition', drains = true): Promise<void> {
    const deadline = performance.now() + HANG_MS;
    for (;;) {
      if (drains) this.drain();
      if (condition()) return;
      if (performance.now() > deadline) throw new Error(`${what} did not come true`);
      let poll: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#woken = resolve;
        poll = setTimeout(resolve, 20);
        this.pool.sleep();
      });
      clearTimeout(poll);
      // What is not drained would wake at once, for ever, and the event loop would never turn.
      if (!drains) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async completed(count: number): Promise<void> {
    await this.until(() => this.completions.length >= count, `${String(count)} completions`);
  }

  rows(outcome: OutcomeCode): number[] {
    return this.completions.filter((entry) => entry.outcome === outcome).map((entry) => entry.row);
  }
}

/** Runs the body with a started pool, and stops it whatever happens. */
export async function withPool(
  module: string,
  options: HarnessOptions,
  body: (harness: Harness) => Promise<void>,
): Promise<void> {
  const harness = new Harness(module, options);
  try {
    await harness.pool.start();
    await body(harness);
  } finally {
    await harness.pool.stop(2000);
  }
}
