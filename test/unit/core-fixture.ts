/** A core with ports that do nothing by themselves: the test plays group, source and workers by hand. */
import { Outcome } from '../../src/contract/outcome.ts';
import type { OutcomeCode } from '../../src/contract/outcome.ts';
import type { CoreOptions } from '../../src/core/partition.ts';
import { ROW_STRIDE, Row } from '../../src/core/ports.ts';
import type { CommitEntry, CompletionSink, CoreEvent, Submission } from '../../src/core/ports.ts';
import { Core } from '../../src/core/turn.ts';
import type { TurnResult } from '../../src/core/turn.ts';

export interface AtWorker extends Submission {
  readonly worker: number;
  readonly offset: number;
}

interface Input {
  readonly offset: number;
  /** Null for none; the empty key is a key. */
  readonly key?: string | null;
  readonly bytes?: number;
  readonly end?: boolean;
}

const OPTIONS: CoreOptions = {
  ordering: 'key',
  concurrency: 1,
  window: { records: 100, bytes: 10_000, span: 100, totalBytes: 100_000 },
  commitIntervalMs: 1000,
  rebalanceDrainMs: 500,
};

export class Bench {
  readonly core: Core;
  now = 0;
  slots = 64;
  readonly at: AtWorker[] = [];
  readonly events: CoreEvent[] = [];
  readonly commits: { readonly id: number; readonly entries: readonly CommitEntry[] }[] = [];
  readonly releases: number[] = [];
  readonly aborted: string[] = [];
  readonly handles = new Map<number, number>();
  readonly #queues = new Map<number, Input[]>();
  #completions: ((sink: CompletionSink) => void)[] = [];
  #lastHandle = 0;

  constructor(options: Partial<CoreOptions> = {}, workers = 2) {
    this.core = new Core(
      { ...OPTIONS, ...options },
      {
        source: {
          take: (partition, max, rows) => this.#take(partition, max, rows),
          free: (handle) => void this.close(handle),
          park: () => undefined,
        },
        workers: {
          workers,
          drain: (sink) => {
            const completions = this.#completions;
            this.#completions = [];
            for (const complete of completions) complete(sink);
          },
          freeSlots: (worker) => this.slots - this.at.filter((one) => one.worker === worker).length,
          submit: (worker, submission) => {
            this.at.push({ ...submission, worker, offset: this.close(submission.handle) });
          },
          flush: () => undefined,
          recall: (worker, max, rows, handles) => {
            const mine = this.at.filter((one) => one.worker === worker).slice(1);
            const taken = mine.reverse().slice(0, max);
            for (const [place, one] of taken.entries()) {
              this.#leave(one);
              rows[place] = one.row;
              handles[place] = this.open(one.offset);
            }
            return taken.length;
          },
          abort: (partition, generation) => {
            this.aborted.push(`${String(partition)}/${String(generation)}`);
          },
        },
        group: {
          commit: (id, entries) => this.commits.push({ id, entries }),
          release: (rebalance) => this.releases.push(rebalance),
        },
        events: { emit: (event) => this.events.push(event) },
      },
      1000,
    );
  }

  assign(index: number, committed: number | null = null): void {
    this.#queues.set(index, []);
    this.core.inbox.rebalance({
      kind: 'assigned',
      partitions: [{ index, topic: 'orders', committed }],
    });
  }

  revoke(rebalance: number, partitions: readonly number[], lost = false): void {
    this.core.inbox.rebalance({ kind: 'revoked', rebalance, partitions, lost });
  }

  arrive(partition: number, ...records: readonly Input[]): void {
    this.#queues.get(partition)?.push(...records);
    this.core.inbox.ready(partition);
  }

  /** Turns until the core rests. */
  turn(ms = 0): TurnResult {
    this.now += ms;
    let result = this.core.turn(this.now, this.now);
    while (result.again) result = this.core.turn(this.now, this.now);
    return result;
  }

  /** The run of a record ends. */
  complete(offset: number, outcome: OutcomeCode = Outcome.ok, partition = 0): void {
    const one = this.find(offset, partition);
    this.#leave(one);
    const handle = outcome === Outcome.returned ? this.open(offset) : -1;
    this.#completions.push((sink) => {
      sink.completion(one.row, outcome, this.now, 1, handle);
    });
  }

  /** The thread of a worker dies; `ran` are the offsets that ran on it. */
  die(worker: number, ran: readonly number[]): void {
    const dead = this.at.filter((one) => one.worker === worker);
    for (const one of dead) this.#leave(one);
    this.core.inbox.died(
      dead.map(({ row, offset }) => ({
        row,
        handle: this.open(offset),
        ran: ran.includes(offset),
      })),
    );
  }

  /** Answers the newest commit request. */
  answer(error = 0): void {
    const newest = this.commits.at(-1);
    if (newest !== undefined) this.core.inbox.commitResult(newest.id, error);
  }

  find(offset: number, partition = 0): AtWorker {
    const found = this.at.find((one) => one.offset === offset && one.partition === partition);
    if (found === undefined) throw new Error(`${String(offset)} is at no worker`);
    return found;
  }

  /** Offsets at workers, sorted. */
  get offsets(): number[] {
    return this.at.map(({ offset }) => offset).sort((a, b) => a - b);
  }

  get positions(): number[] {
    return (this.commits.at(-1)?.entries ?? []).map(({ position }) => position);
  }

  open(offset: number): number {
    this.handles.set(++this.#lastHandle, offset);
    return this.#lastHandle;
  }

  close(handle: number): number {
    const offset = this.handles.get(handle);
    if (offset === undefined) throw new Error(`handle ${String(handle)} names nothing`);
    this.handles.delete(handle);
    return offset;
  }

  #leave(one: AtWorker): void {
    this.at.splice(this.at.indexOf(one), 1);
  }

  #take(partition: number, max: number, rows: Float64Array): number {
    const taken = this.#queues.get(partition)?.splice(0, max) ?? [];
    for (const [index, { offset, key = 'a', bytes = 10, end = false }] of taken.entries()) {
      const at = index * ROW_STRIDE;
      rows[at + Row.offset] = offset;
      rows[at + Row.error] = end ? -191 : 0;
      rows[at + Row.handle] = end ? -1 : this.open(offset);
      rows[at + Row.timestamp] = -1;
      rows[at + Row.keyHashLow] = key === null ? 0 : (key.codePointAt(0) ?? 0);
      rows[at + Row.keyHashHigh] = 0;
      rows[at + Row.keyBytes] = key === null ? -1 : key.length;
      rows[at + Row.payloadBytes] = bytes;
    }
    return taken.length;
  }
}
