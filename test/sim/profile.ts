/** What a run is like: options and faults drawn from the seed, so that runs differ in kind. */
import type { CoreOptions } from '../../src/core/partition.ts';
import type { Random } from './random.ts';

export interface Profile {
  readonly core: CoreOptions;
  readonly stopDrainMs: number;
  readonly partitions: number;
  readonly workers: number;
  readonly slots: number;
  /** Actions of the storm: appends and faults. */
  readonly steps: number;
  readonly pauseMs: number;
  readonly keys: number;
  /** Probability that a record has the hot key, no key. */
  readonly hot: number;
  readonly nullKey: number;
  readonly collisions: boolean;
  /** Probability of a gap before a record, and of markers at the end of the log. */
  readonly gap: number;
  readonly recordBytes: number;
  readonly batch: number;
  /** Records that lie in the logs before the first process starts. */
  readonly backlog: number;
  readonly latencyMs: number;
  /** Probability that a run takes a hundred times as long, blocks its thread meanwhile. */
  readonly slow: number;
  readonly blocking: number;
  readonly protocol: 'eager' | 'cooperative';
  /** Weights of the storm's actions; 0 where a fault is off. */
  readonly weights: Readonly<Record<ActionName, number>>;
  /** Probability that a commit is slow, refused, or answered wrongly. */
  readonly slowCommit: number;
  readonly badCommit: number;
  /** Probability that a record throws, or kills its thread, until the process starts again. */
  readonly throwing: number;
  readonly killing: number;
}

export type ActionName = 'append' | 'rebalance' | 'loss' | 'death' | 'leave' | 'crash' | 'stop';

export function drawProfile(random: Random, steps: number | null): Profile {
  const fault = (weight: number, odds = 0.5): number => (random.chance(odds) ? weight : 0);
  const bytes = random.spread(1, 2000);
  const isLarge = random.chance(0.02);
  return {
    core: {
      ordering: random.pick(['key', 'key', 'partition', 'none']),
      concurrency: random.pick([1, 1, 2, 8]),
      window: {
        records: random.spread(1, isLarge ? 5000 : 400),
        bytes: bytes * random.spread(1, isLarge ? 5000 : 400),
        span: random.spread(1, isLarge ? 9000 : 600),
        totalBytes: bytes * random.spread(2, isLarge ? 20_000 : random.pick([20, 1000])),
      },
      commitIntervalMs: random.spread(1, 1000),
      rebalanceDrainMs: random.pick([0, 5, 100, 2000]),
    },
    stopDrainMs: random.pick([0, 20, 1000, 25_000]),
    partitions: random.pick([1, 2, 3, 6]),
    workers: random.pick([1, 2, 2, 4]),
    slots: random.spread(1, isLarge ? 2000 : 64),
    steps: steps ?? random.spread(5, 60),
    pauseMs: random.spread(1, 100),
    keys: random.spread(1, 40),
    hot: random.pick([0, 0, 0.5, 0.9]),
    nullKey: random.pick([0, 0, 0.2, 1]),
    collisions: random.chance(0.1),
    gap: random.pick([0, 0, 0.1, 0.5]),
    recordBytes: bytes,
    batch: random.spread(1, 60),
    backlog: isLarge ? 5000 : random.pick([0, 0, 100]),
    latencyMs: isLarge ? 0.02 : random.pick([0.01, 0.2, 2, 20]),
    slow: random.pick([0, 0, 0.02, 0.1]),
    blocking: random.pick([0, 0, 0.1, 1]),
    protocol: random.pick(['eager', 'cooperative']),
    weights: {
      append: 10,
      rebalance: fault(random.pick([2, 8])),
      loss: fault(1, 0.3),
      death: fault(2, 0.4),
      leave: fault(2, 0.2),
      crash: fault(1, 0.1),
      stop: fault(0.5, 0.1),
    },
    slowCommit: random.pick([0, 0.1, 0.5]),
    badCommit: random.pick([0, 0, 0.1, 0.5]),
    throwing: random.chance(0.15) ? 0.005 : 0,
    killing: random.chance(0.15) ? 0.005 : 0,
  };
}

/** One action of the storm, by weight. */
export function drawAction(profile: Profile, random: Random): ActionName {
  const weights = Object.entries(profile.weights) as [ActionName, number][];
  let left = random.next() * weights.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [name, weight] of weights) {
    left -= weight;
    if (left < 0) return name;
  }
  return 'append';
}
