/**
 * The clock of a run. It starts when the warm-up's records are finished and stops when all are, or at
 * the limit. Both ends are readings of (count, time), so that a reading that comes late costs nothing.
 */
import { readFileSync } from 'node:fs';
import type { Job, RunResult } from './job.ts';

const LIMIT_CHECK_MS = 50;

interface Reading {
  readonly count: number;
  readonly at: number;
  readonly cpuMicros: number;
  readonly mainMicros: number | null;
  readonly rss: number;
}

export class Meter {
  readonly #job: Pick<Job, 'records' | 'warmup' | 'limitMs'>;
  readonly #report: (result: RunResult) => void;
  #count = 0;
  #start: Reading | null = null;
  #done = false;

  constructor(
    job: Pick<Job, 'records' | 'warmup' | 'limitMs'>,
    report: (result: RunResult) => void,
  ) {
    this.#job = job;
    this.#report = report;
    setInterval(() => {
      const start = this.#start;
      if (start !== null && performance.now() - start.at > job.limitMs) this.#finish(start, true);
    }, LIMIT_CHECK_MS).unref();
  }

  /** One more record is finished. */
  add(): void {
    this.#count++;
    if (this.#count === this.#job.warmup || this.#count === this.#job.records)
      this.finished(this.#count);
  }

  /** So many records are finished by now. */
  finished(count: number): void {
    this.#count = count;
    if (count === 0 || count < this.#job.warmup) return;
    if (this.#start === null) this.#start = read(count);
    else if (count >= this.#job.records) this.#finish(this.#start, false);
  }

  #finish(start: Reading, cut: boolean): void {
    if (this.#done) return;
    this.#done = true;
    this.#report(between(start, read(this.#count), cut));
  }
}

/** Exported for its test. */
export function between(start: Reading, end: Reading, cut: boolean): RunResult {
  const records = end.count - start.count;
  const seconds = (end.at - start.at) / 1000;
  const main =
    start.mainMicros === null || end.mainMicros === null
      ? null
      : (end.mainMicros - start.mainMicros) / records;
  return {
    rate: records / seconds,
    records,
    seconds,
    cpuMicrosPerRecord: (end.cpuMicros - start.cpuMicros) / records,
    mainMicrosPerRecord: main,
    peakRssMb: peakRssMb(),
    rssGrowth: end.rss / start.rss,
    cut,
  };
}

function read(count: number): Reading {
  const { user, system } = process.cpuUsage();
  return {
    count,
    at: performance.now(),
    cpuMicros: user + system,
    mainMicros: mainThreadMicros(),
    rss: process.memoryUsage.rss(),
  };
}

/** Linux tells the time each thread has had on a core; the main thread has the process's number. */
function mainThreadMicros(): number | null {
  const text = tryRead(`/proc/self/task/${String(process.pid)}/schedstat`);
  const nanos = Number(text?.split(' ')[0]);
  return Number.isFinite(nanos) ? nanos / 1000 : null;
}

/** The kernel's high water mark; the portable count would include the parent's size at the fork. */
export function peakRssMb(): number {
  const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(tryRead('/proc/self/status') ?? '')?.[1];
  return Number(kilobytes ?? process.resourceUsage().maxRSS) / 1024;
}

function tryRead(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
