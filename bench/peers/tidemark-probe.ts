/**
 * Loaded into tidemark's own process before its command line (`node --import`), so that what is
 * measured is what a user runs. It lays out the ledger in which the handlers count, and reads it.
 * Worker threads inherit the flag and do nothing here.
 */
import { isMainThread } from 'node:worker_threads';
import { Ledger, sharedNow } from '../handlers/ledger.ts';
import { answer, readJob } from './job.ts';
import { Meter, peakRssMb } from './meter.ts';
import type { TidemarkJob } from './settings.ts';

const READ_MS = 4;

/** What to measure in the process; `none` leaves it alone, for figures read from outside. */
export type ProbeJob = TidemarkJob & { readonly measure: 'rate' | 'cold' | 'first' | 'none' };

/** Once what `cold` counts is finished: from the first record handed over to the last one finished. */
function answerCold(job: ProbeJob, ledger: Ledger): boolean {
  const first = ledger.firstAt();
  const last = ledger.lastAt();
  if (ledger.finished() < job.records || first === null || last === null) return false;
  const seconds = (last - first) / 1000;
  const cpu = process.cpuUsage();
  answer({
    rate: job.records / seconds,
    records: job.records,
    seconds,
    cpuMicrosPerRecord: (cpu.user + cpu.system) / job.records,
    mainMicrosPerRecord: null,
    peakRssMb: peakRssMb(),
    rssGrowth: 1,
    cut: false,
  });
  return true;
}

/** Milliseconds from the process's start to the first record, once there was one. */
function answerFirst(ledger: Ledger): boolean {
  const first = ledger.firstAt();
  if (first === null) return false;
  const startedAt = sharedNow() - performance.now();
  answer({ firstMs: first - startedAt, startedAtEpochMs: performance.timeOrigin });
  return true;
}

function observe(job: ProbeJob, ledger: Ledger): () => boolean {
  if (job.measure === 'cold') return () => answerCold(job, ledger);
  if (job.measure === 'first') return () => answerFirst(ledger);
  const meter = new Meter(job, answer);
  return () => {
    meter.finished(ledger.finished());
    return false;
  };
}

function watch(job: ProbeJob): void {
  const ledger = new Ledger();
  ledger.publish();
  // Even a look every few milliseconds would show in the CPU of an idle process.
  if (job.measure === 'none') return;
  const look = observe(job, ledger);
  const timer = setInterval(() => {
    if (look()) clearInterval(timer);
  }, READ_MS);
  timer.unref();
}

if (isMainThread) watch(readJob() as ProbeJob);
