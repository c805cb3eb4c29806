/**
 * Contender `handler-only`: two single-threaded processes that run the handler and nothing else, no
 * Kafka. What two cores can give to a handler that computes, on this machine, at this moment.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createWork } from '../handlers/work.ts';
import { answer, answerIn, readJob } from './job.ts';
import type { Job, RunResult } from './job.ts';
import { peakRssMb } from './meter.ts';

const PROCESSES = 2;
const PART = 'part';
const VALUE = Buffer.alloc(200, 'x');

type Part = Pick<RunResult, 'rate' | 'records' | 'seconds' | 'cpuMicrosPerRecord' | 'peakRssMb'>;

function runPart(job: Job): Part {
  const work = createWork<Buffer>(job.work, { value: (value) => value, header: () => null });
  const each = (from: number, to: number): void => {
    for (let record = from; record < to; record++)
      if (work(VALUE) !== undefined) throw new Error('only for handlers that compute');
  };
  const warmup = Math.floor(job.warmup / PROCESSES);
  const records = Math.floor(job.records / PROCESSES) - warmup;
  each(0, warmup);
  const cpu = process.cpuUsage();
  const since = performance.now();
  each(0, records);
  const seconds = (performance.now() - since) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const cpuMicrosPerRecord = (user + system) / records;
  return { rate: records / seconds, records, seconds, cpuMicrosPerRecord, peakRssMb: peakRssMb() };
}

function startPart(): Promise<Part> {
  return new Promise((resolve, reject) => {
    const stdio = ['ignore', 'pipe', 'inherit'] as const;
    const child = spawn(process.execPath, [fileURLToPath(import.meta.url), PART], {
      stdio: [...stdio],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.once('close', () => {
      const found = answerIn(output.trim());
      if (found === undefined) reject(new Error('a process of handler-only died'));
      else resolve(found as Part);
    });
  });
}

async function runAll(): Promise<RunResult> {
  const parts = await Promise.all(Array.from({ length: PROCESSES }, startPart));
  const sum = (of: (part: Part) => number): number =>
    parts.reduce((total, part) => total + of(part), 0);
  return {
    rate: sum((part) => part.rate),
    records: sum((part) => part.records),
    seconds: Math.max(...parts.map((part) => part.seconds)),
    cpuMicrosPerRecord: sum((part) => part.cpuMicrosPerRecord) / PROCESSES,
    mainMicrosPerRecord: null,
    peakRssMb: sum((part) => part.peakRssMb),
    rssGrowth: 1,
    cut: false,
  };
}

answer(process.argv[2] === PART ? runPart(readJob() as Job) : await runAll());
