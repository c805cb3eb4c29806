/**
 * What is run on what by whom. A case is one line of the plan: its contenders run in turn, round after
 * round, so that what disturbs the machine disturbs them alike.
 */
import type { WorkOptions } from './handlers/work.ts';
import type { RunSettings } from './peers/job.ts';

export interface Case {
  readonly workload: string;
  readonly topic: string;
  readonly work: WorkOptions['name'];
  readonly waitMs: number;
  readonly records: number;
  readonly contenders: readonly string[];
  readonly settings: RunSettings;
  /** Counts only the records without the hot key, from the first record on. */
  readonly coldOnly: boolean;
}

const THREADS = 2;
const CONCURRENCY = 16;
const OUTSTANDING = 64;
const PEERS = ['rdkafka', 'kafkajs', 'piscina'];
/** Known by their figures; not among this repository's dependencies. */
const ELSEWHERE = ['confluent', 'platformatic', 'parallel-consumer', 'decaton', 'kpipe', 'java'];

function plan(
  workload: string,
  topic: string,
  records: number,
  contenders: readonly string[],
  rest: Partial<Omit<Case, 'settings'>> & { readonly concurrency?: number } = {},
): Case {
  const { concurrency = CONCURRENCY, ...others } = rest;
  return {
    workload,
    topic,
    records,
    contenders,
    work: 'noop',
    waitMs: 0,
    coldOnly: false,
    settings: { threads: THREADS, concurrency, outstanding: OUTSTANDING },
    ...others,
  };
}

const io5 = { work: 'wait', waitMs: 5 } as const;

export const CASES: readonly Case[] = [
  plan('noop', 'bench16', 1_000_000, [
    'tidemark-key',
    'tidemark-partition',
    'tidemark-none',
    ...PEERS,
    ...ELSEWHERE,
  ]),
  plan('noop', 'hot16', 100_000, ['tidemark-key', 'rdkafka', 'kafkajs']),
  plan('headers', 'headers16', 1_000_000, ['tidemark-key', 'rdkafka', 'kafkajs'], {
    work: 'headers',
  }),
  plan('cpu', 'bench16', 40_000, ['tidemark-key', 'handler-only', ...PEERS], { work: 'cpu' }),
  plan('hash', 'bench16', 40_000, ['tidemark-key', ...PEERS, ...ELSEWHERE], { work: 'hash' }),
  plan('io5', 'bench16', 100_000, ['tidemark-key', ...PEERS, ...ELSEWHERE], {
    ...io5,
    concurrency: 512,
  }),
  plan('io5', 'bench16', 100_000, ['tidemark-key'], { ...io5, concurrency: 32 }),
  plan('io5', 'bench1', 100_000, ['tidemark-key', 'piscina'], { ...io5, concurrency: 512 }),
  plan('hot', 'hot16-10k', 10_000, ['tidemark-key', ...PEERS], { work: 'wait', waitMs: 1 }),
  plan('cold', 'hot16-10k', 10_000, ['tidemark-key'], { work: 'wait', waitMs: 1, coldOnly: true }),
  plan('cold', 'cold16', 10_000, ['tidemark-key'], { work: 'wait', waitMs: 1, coldOnly: true }),
  plan('large', 'large10k', 30_000, ['tidemark-key', 'rdkafka']),
  plan('large', 'large1m', 400, ['tidemark-key', 'rdkafka']),
];

/** Runs for figures that are no rates, and the topic each needs; `scaling` needs no broker. */
export const FIGURE_RUNS = {
  idle: 'idle16',
  latency: 'latency16',
  start: 'bench16',
  scaling: null,
} as const;
export type FigureRun = keyof typeof FIGURE_RUNS;

/** Names `--workloads` takes. */
export const WORKLOADS: readonly string[] = [
  ...new Set(CASES.map(({ workload }) => workload)),
  ...Object.keys(FIGURE_RUNS),
];
