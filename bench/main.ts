/** `npm run bench`: speed of the whole program beside its peers, on a real broker. See README.md. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { calibrate } from './calibrate.ts';
import { BenchProcess, endAll } from './child.ts';
import { openCluster } from './cluster.ts';
import { scaled, topicNamed } from './contents.ts';
import type { TopicSpec } from './contents.ts';
import { idle, latency, start } from './figures.ts';
import { figuresOf, ratiosOf, verdicts } from './goals.ts';
import { runMicro, scaling } from './micro/main.ts';
import { USAGE, parseOptions } from './options.ts';
import type { Options } from './options.ts';
import type { ProduceJob } from './produce.ts';
import { tableOf } from './report.ts';
import type { Report, Row } from './report.ts';
import { runCase } from './runs.ts';
import type { RunContext } from './runs.ts';
import { topicsOnBroker } from './topics.ts';
import { CASES, FIGURE_RUNS } from './workloads.ts';
import type { Case, FigureRun } from './workloads.ts';

type Values = Record<string, number>;

const figureRun: Record<FigureRun, (context: RunContext) => Promise<Values>> = {
  idle,
  latency,
  start,
  scaling: ({ quick }) => scaling(quick),
};

/** Progress goes to stderr, so that stdout holds the results alone. */
const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

interface Plan {
  readonly cases: readonly Case[];
  readonly figures: readonly FigureRun[];
}

function planFor({ workloads, contenders }: Options): Plan {
  const wanted = (workload: string): boolean => workloads?.includes(workload) ?? true;
  const allowed = (name: string): boolean => contenders?.includes(name) ?? true;
  const cases = CASES.filter(({ workload }) => wanted(workload))
    .map((plan) => ({ ...plan, contenders: plan.contenders.filter(allowed) }))
    .filter((plan) => plan.contenders.length > 0);
  const figures = (Object.keys(FIGURE_RUNS) as FigureRun[]).filter(wanted);
  return { cases, figures: allowed('tidemark-key') ? figures : [] };
}

async function prepareTopics(brokers: string, plan: Plan, quick: boolean): Promise<void> {
  const names = new Set([
    ...plan.cases.map(({ topic }) => topic),
    ...plan.figures.map((name) => FIGURE_RUNS[name]).filter((topic) => topic !== null),
  ]);
  const fill = async (topic: TopicSpec): Promise<void> => {
    const job = { brokers, topic, perSecond: null } satisfies ProduceJob;
    const file = fileURLToPath(new URL('./produce.js', import.meta.url));
    await new BenchProcess({ args: [file], job }).success();
  };
  const specs = [...names].map((name) => scaled(topicNamed(name), quick));
  await topicsOnBroker(brokers, specs, fill, say);
}

async function runAll(plan: Plan, options: Options, context: RunContext): Promise<[Row[], Values]> {
  const rows: Row[] = [];
  for (const one of plan.cases)
    rows.push(...(await runCase(one, one.contenders, options.rounds, context)));
  const figures: Values = figuresOf(rows);
  for (const name of plan.figures) {
    say(`  ${name}`);
    try {
      Object.assign(figures, await figureRun[name](context));
    } catch (error) {
      say(`  ${name} failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return [rows, figures];
}

function commit(): string {
  try {
    const git = (...args: string[]): string =>
      execFileSync('git', args, { encoding: 'utf8' }).trim();
    return (
      git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') === '' ? '' : '-dirty')
    );
  } catch {
    return 'unknown';
  }
}

async function bench(options: Options): Promise<void> {
  const plan = planFor(options);
  const calibration = calibrate();
  say(`200 µs are ${String(calibration.cpu)} rounds of cpu, ${String(calibration.hash)} of hash`);
  const cluster = await openCluster();
  try {
    const { brokers } = cluster;
    await prepareTopics(brokers, plan, options.quick);
    const { quick, rounds } = options;
    const [rows, figures] = await runAll(plan, options, { brokers, quick, calibration, say });
    const report: Report = {
      meta: {
        date: new Date().toISOString(),
        commit: commit(),
        node: process.version,
        cores: availableParallelism(),
        broker: cluster.description,
        quick,
        rounds,
        calibration,
      },
      rows,
      ratios: ratiosOf(rows),
      figures,
    };
    if (options.json !== null) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
    process.stdout.write(`${tableOf(rows)}\n\n${verdicts({ ...report.ratios, ...figures })}\n`);
    if (quick) process.stdout.write('\nA quick run: shows that all runs, not how fast.\n');
  } finally {
    await cluster.stop();
  }
}

async function main(): Promise<void> {
  let options: Options;
  try {
    options = parseOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  if (options.help) process.stdout.write(USAGE);
  else if (options.micro) await runMicro(options.quick);
  else await bench(options);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    endAll();
    process.exit(1);
  });

await main();
