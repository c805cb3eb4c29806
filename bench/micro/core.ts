/** Cost of a record in the core, against its set-up: few and many partitions, keys, records in flight. */
import { Core } from '../../src/core/turn.ts';
import { AcceptingGroup, EndlessSource, HoldingWorkers, noEvents } from './core-ports.ts';

const WORKERS = 2;

export interface CoreSetUp {
  readonly partitions: number;
  readonly keys: number;
  readonly inFlight: number;
}

export const BASE: CoreSetUp = { partitions: 16, keys: 10_000, inFlight: 1000 };

/** The figures' names, and what differs from {@link BASE}. */
export const P12: Readonly<Record<string, Partial<CoreSetUp>>> = {
  partitions: { partitions: 2000 },
  keys: { keys: 1_000_000 },
  inFlight: { inFlight: 100_000 },
};

/** Microseconds per record over `records`, after a tenth as many to warm up. */
export function coreMicros(setUp: CoreSetUp, records: number): number {
  const hold = Math.floor(setUp.inFlight / WORKERS);
  const slots = 2 ** Math.ceil(Math.log2(hold * 2));
  const workers = new HoldingWorkers(WORKERS, slots, hold);
  const group = new AcceptingGroup();
  const core = new Core(
    {
      ordering: 'key',
      concurrency: hold,
      window: { records: 1e5, bytes: 2 ** 30, span: 1e6, totalBytes: 2 ** 31 },
      commitIntervalMs: 1000,
      rebalanceDrainMs: 1000,
    },
    { source: new EndlessSource(setUp.partitions, setUp.keys), workers, group, events: noEvents },
    1000,
  );
  const indexes = Array.from({ length: setUp.partitions }, (_, index) => index);
  const partitions = indexes.map((index) => ({ index, topic: 'bench', committed: null }));
  core.inbox.rebalance({ kind: 'assigned', partitions });
  for (const index of indexes) core.inbox.ready(index);
  const runUntil = (finished: number): void => {
    while (workers.finished < finished) {
      core.turn(performance.now(), Date.now());
      if (group.accepted !== null) core.inbox.commitResult(group.accepted, 0);
      group.accepted = null;
    }
  };
  runUntil(records / 10);
  const before = workers.finished;
  const since = performance.now();
  runUntil(before + records);
  return ((performance.now() - since) * 1000) / (workers.finished - before);
}
