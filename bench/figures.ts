/** Figures that are no rates: CPU of an idle group member, latency at a moderate pace, start-up. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { BenchProcess } from './child.ts';
import { scaled, topicNamed } from './contents.ts';
import { bucketsOf, difference, quantile, valueOf } from './exposition.ts';
import { round } from './goals.ts';
import type { ProbeJob } from './peers/tidemark-probe.ts';
import type { ProduceJob } from './produce.ts';
import { median } from './report.ts';
import { tidemarkCommand } from './runs.ts';
import type { RunContext } from './runs.ts';

const READY_MS = 30_000;
const READY_CHECK_MS = 100;
/** After the join: caches of metadata, first commits, compilers. */
const SETTLE_MS = 3000;
const WINDOW_MS = { full: 10_000, quick: 3000 };
const PACE_PER_SECOND = 2000;
const STARTS = 3;

type Values = Record<string, number>;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function jobOn(topic: string, { brokers, quick }: RunContext, rest: Partial<ProbeJob>): ProbeJob {
  return {
    brokers,
    groupId: `bench-${randomUUID()}`,
    topic: scaled(topicNamed(topic), quick).name,
    work: { name: 'noop', rounds: 0, waitMs: 0 },
    records: 0,
    warmup: 0,
    limitMs: 0,
    settings: { threads: 2, concurrency: 16, outstanding: 0 },
    ordering: 'key',
    coldOnly: false,
    startFrom: 'latest',
    httpPort: null,
    logLevel: 'warn',
    measure: 'none',
    ...rest,
  };
}

/** Runs `body` beside a tidemark that has joined its group; `scrape` reads its metrics. */
async function besideTidemark(
  topic: string,
  context: RunContext,
  body: (scrape: () => Promise<string>) => Promise<Values>,
): Promise<Values> {
  const httpPort = await freePort();
  const url = `http://127.0.0.1:${String(httpPort)}`;
  const command = tidemarkCommand(jobOn(topic, context, { httpPort }));
  const child = new BenchProcess(command);
  try {
    await untilReady(url);
    return await body(async () => (await fetch(`${url}/metrics`)).text());
  } finally {
    await child.end();
    command.dispose();
  }
}

export function idle(context: RunContext): Promise<Values> {
  return besideTidemark('idle16', context, async (scrape) => {
    await pause(SETTLE_MS);
    const cpu = async (): Promise<number> => valueOf(await scrape(), 'process_cpu_seconds_total');
    const before = await cpu();
    const since = performance.now();
    await pause(windowMs(context));
    const used = (await cpu()) - before;
    return { P14: round(used / ((performance.now() - since) / 1000)) };
  });
}

export function latency(context: RunContext): Promise<Values> {
  return besideTidemark('latency16', context, async (scrape) => {
    const producer = new BenchProcess({
      args: [fileURLToPath(new URL('./produce.js', import.meta.url))],
      job: {
        brokers: context.brokers,
        topic: topicNamed('latency16'),
        perSecond: PACE_PER_SECOND,
      } satisfies ProduceJob,
    });
    try {
      await pause(SETTLE_MS);
      const before = await scrape();
      await pause(windowMs(context));
      const after = await scrape();
      const values: Values = {};
      const put = (id: string, metric: string): void => {
        const buckets = difference(bucketsOf(before, metric), bucketsOf(after, metric));
        for (const [name, share] of [['p50', 0.5] as const, ['p99', 0.99] as const]) {
          const seconds = quantile(buckets, share);
          if (seconds !== null) values[`${id}.${name}ms`] = round(seconds * 1000);
        }
      };
      put('P13.start', 'tidemark_queue_duration_seconds');
      put('P13.record', 'tidemark_record_latency_seconds');
      return values;
    } finally {
      await producer.end();
    }
  });
}

export async function start(context: RunContext): Promise<Values> {
  const seconds: number[] = [];
  for (let turn = 0; turn < STARTS; turn++) {
    const reading = { startFrom: 'earliest', logLevel: 'info', measure: 'first' } as const;
    const job = jobOn('bench16', context, reading);
    const command = tidemarkCommand(job);
    const child = new BenchProcess(command);
    try {
      const { firstMs } = (await child.answer(READY_MS)) as { firstMs: number };
      seconds.push((firstMs - joinMs(child.lines)) / 1000);
    } finally {
      await child.end();
      command.dispose();
    }
  }
  return { P16: round(median(seconds)) };
}

/** How long an otherwise ready process waited for its first partitions, from its log. */
export function joinMs(lines: readonly string[]): number {
  let started: number | null = null;
  for (const line of lines) {
    const entry = JSON.parse(line) as { event?: string; time?: string; partitions?: unknown };
    const at = Date.parse(entry.time ?? '');
    if (entry.event === 'started') started = at;
    const some = Array.isArray(entry.partitions) && entry.partitions.length > 0;
    if (entry.event === 'assigned' && some) return Math.max(0, at - (started ?? at));
  }
  return 0;
}

function windowMs({ quick }: RunContext): number {
  return quick ? WINDOW_MS.quick : WINDOW_MS.full;
}

async function untilReady(url: string): Promise<void> {
  const deadline = performance.now() + READY_MS;
  for (;;) {
    const ready = await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (ready) return;
    if (performance.now() > deadline) throw new Error('tidemark did not become ready');
    await pause(READY_CHECK_MS);
  }
}

/** Somebody else may take it in between; then the run fails and says so. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => {
        resolve(port);
      });
    });
  });
}
