/** Runs the cases: every contender in a process of its own, with a fresh group, in interleaved rounds. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BenchProcess } from './child.ts';
import type { Command } from './child.ts';
import type { Calibration } from './calibrate.ts';
import { contenderNamed } from './contenders.ts';
import { QUICK_SHARE, countOf, scaled, topicNamed } from './contents.ts';
import type { Job, RunResult } from './peers/job.ts';
import { tidemarkConfig } from './peers/settings.ts';
import type { ProbeJob } from './peers/tidemark-probe.ts';
import type { Row } from './report.ts';
import { median } from './report.ts';
import type { Case } from './workloads.ts';

const WARMUP_SHARE = 0.05;
const LIMIT_MS = { full: 10_000, quick: 3000 };
/** Start, join of a fresh group and warm-up of the slowest come before the limit begins. */
const PATIENCE_MS = 60_000;

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export interface RunContext {
  readonly brokers: string;
  readonly quick: boolean;
  readonly calibration: Calibration;
  readonly say: (line: string) => void;
}

/** tidemark's own command line, with the probe in its process and its configuration in a file. */
export function tidemarkCommand(job: ProbeJob): Command & { readonly dispose: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-bench-'));
  const file = join(folder, 'tidemark.config.json');
  writeFileSync(file, JSON.stringify(tidemarkConfig(job, here('./handlers/bench-handler.js'))));
  const probe = new URL('./peers/tidemark-probe.js', import.meta.url).href;
  return {
    args: ['--import', probe, here('../src/main.js'), 'run', '-c', file],
    job,
    dispose: () => {
      rmSync(folder, { recursive: true });
    },
  };
}

export function jobFor(plan: Case, { brokers, quick, calibration }: RunContext): Job {
  const spec = scaled(topicNamed(plan.topic), quick);
  const small = spec.name === plan.topic;
  const wanted = quick && !small ? plan.records * QUICK_SHARE : plan.records;
  // Never more than there are: the run would wait for ever.
  const records = Math.min(wanted, countOf(spec));
  return {
    brokers,
    groupId: `bench-${randomUUID()}`,
    topic: spec.name,
    work: {
      name: plan.work,
      rounds: plan.work === 'hash' ? calibration.hash : calibration.cpu,
      waitMs: plan.waitMs,
    },
    records,
    warmup: Math.ceil(records * WARMUP_SHARE),
    limitMs: quick ? LIMIT_MS.quick : LIMIT_MS.full,
    settings: plan.settings,
  };
}

/** Throws when the contender fails. */
export async function runOnce(plan: Case, name: string, context: RunContext): Promise<RunResult> {
  const contender = contenderNamed(name);
  if (contender.kind === 'absent') throw new Error(contender.reason);
  const job = jobFor(plan, context);
  let command: Command & { readonly dispose?: () => void };
  if (contender.kind === 'peer') command = { args: [contender.file], job };
  else {
    const cold = topicNamed('cold16');
    command = tidemarkCommand({
      ...job,
      records: plan.coldOnly ? countOf(cold) : job.records,
      ordering: contender.ordering,
      coldOnly: plan.coldOnly,
      startFrom: 'earliest',
      httpPort: null,
      logLevel: 'warn',
      measure: plan.coldOnly ? 'cold' : 'rate',
    });
  }
  const child = new BenchProcess(command);
  try {
    return (await child.answer(PATIENCE_MS + job.limitMs)) as RunResult;
  } finally {
    await child.end();
    command.dispose?.();
  }
}

/** All rounds of a case; each round begins with another contender. */
export async function runCase(
  plan: Case,
  names: readonly string[],
  rounds: number,
  context: RunContext,
): Promise<Row[]> {
  const results = new Map<string, RunResult[]>(names.map((name) => [name, []]));
  const failures = new Map<string, string>();
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(turn + round) % names.length] ?? '';
      if (failures.has(name)) continue;
      try {
        const result = await runOnce(plan, name, context);
        results.get(name)?.push(result);
        context.say(`  ${plan.workload} ${plan.topic} ${name}: ${result.rate.toFixed(0)}/s`);
      } catch (error) {
        failures.set(name, error instanceof Error ? error.message : String(error));
      }
    }
  }
  const { records } = jobFor(plan, context);
  return names.map((name) =>
    rowOf({ ...plan, records }, name, results.get(name) ?? [], failures.get(name)),
  );
}

/** A contender that failed once has no rates: those of the other rounds would flatter it. */
export function rowOf(
  plan: Case,
  contender: string,
  results: readonly RunResult[],
  failure: string | undefined,
): Row {
  const good = failure === undefined ? results : [];
  const of = (value: (result: RunResult) => number | null): number | null => {
    const values = good.map(value).filter((found) => found !== null);
    return values.length === 0 ? null : median(values);
  };
  return {
    workload: plan.workload,
    topic: plan.topic,
    contender,
    records: plan.records,
    rates: good.map(({ rate }) => Math.round(rate)),
    median: of(({ rate }) => Math.round(rate)),
    cpuMicrosPerRecord: of((result) => result.cpuMicrosPerRecord),
    mainMicrosPerRecord: of((result) => result.mainMicrosPerRecord),
    peakRssMb: of((result) => result.peakRssMb),
    rssGrowth: of((result) => result.rssGrowth),
    settings: { ...plan.settings, cut: good.some(({ cut }) => cut) },
    skipped: failure ?? null,
  };
}
