/**
 * What the bench tells a contender's process, and what that answers: one JSON line on stdout.
 */
import type { WorkOptions } from '../handlers/work.ts';

export interface RunSettings {
  readonly threads: number;
  /** Handler runs at the same time: per thread in tidemark, divided among the threads in piscina. */
  readonly concurrency: number;
  /** Outstanding runs of the piscina contender. */
  readonly outstanding: number;
}

export interface Job {
  readonly brokers: string;
  readonly groupId: string;
  readonly topic: string;
  readonly work: WorkOptions;
  /** The run ends when so many records are finished, those of the warm-up included. */
  readonly records: number;
  /** Records before the clock starts. */
  readonly warmup: number;
  /** The clock is stopped after this even if records are left: a rate needs no more. */
  readonly limitMs: number;
  readonly settings: RunSettings;
}

export interface RunResult {
  /** Records per second. */
  readonly rate: number;
  /** Finished while the clock ran, and for how long that was. */
  readonly records: number;
  readonly seconds: number;
  readonly cpuMicrosPerRecord: number;
  /** The main thread's share of it; null where the system does not tell. */
  readonly mainMicrosPerRecord: number | null;
  readonly peakRssMb: number;
  /** Resident size at the end over that at the clock's start. */
  readonly rssGrowth: number;
  /** The limit ended it. */
  readonly cut: boolean;
}

/** Environment variable with the job of a process whose arguments are not the bench's to choose. */
export const JOB_VARIABLE = 'BENCH_JOB';
const MARK = '{"bench":';

/** The job of this process, in the form that its own file knows. */
export function readJob(): unknown {
  const text = process.env[JOB_VARIABLE];
  if (text === undefined) throw new Error(`${JOB_VARIABLE} is not set: the bench starts this file`);
  return JSON.parse(text);
}

/** Tells the bench. The process then waits to be ended. */
export function answer(result: unknown): void {
  process.stdout.write(`${MARK}${JSON.stringify(result)}}\n`);
}

/** The answer in a line of a contender's output; undefined for any other line. */
export function answerIn(line: string): unknown {
  if (!line.startsWith(MARK)) return undefined;
  return (JSON.parse(line) as { bench: unknown }).bench;
}
