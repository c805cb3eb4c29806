/**
 * `tidemark quickstart`: the whole program on an embedded broker, fed with sample orders, and a check
 * at the end of what it promises. Main thread.
 */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { startEmbeddedBroker } from '../broker/embedded-broker.ts';
import { readGroupProgress } from '../broker/group-progress.ts';
import { connectSampleProducer } from '../broker/sample-producer.ts';
import { ExitCode } from '../contract/errors.ts';
import type { ExitCodeValue } from '../contract/errors.ts';
import type { Settings } from '../contract/settings.ts';
import type { Service } from '../launch.ts';
import { Feed } from '../quickstart/feed.ts';
import { OrderReports } from '../quickstart/order-reports.ts';
import { Progress, totalsOf } from '../quickstart/progress.ts';
import { StopRequest } from '../quickstart/stop-request.ts';
import { summarize } from '../quickstart/summary.ts';

const TOPIC = 'orders';
const GROUP = 'quickstart';
const HTTP_PORT = 9464;

export interface QuickstartOptions {
  /** Ends after so many seconds. */
  readonly seconds?: number;
  /** Ends after so many orders. */
  readonly records?: number;
}

/** Starts what `run` starts; `start` is given so that the two cannot drift apart. */
export async function quickstart(
  options: QuickstartOptions,
  start: (settings: Settings) => Promise<Service>,
): Promise<ExitCodeValue> {
  const broker = await startEmbeddedBroker({ topics: [TOPIC] });
  const producer = await connectSampleProducer(broker.brokers);
  const channel = `tidemark-quickstart-${String(process.pid)}`;
  const reports = new OrderReports(channel);
  const settings = settingsFor(broker.brokers, channel);
  const service = await start(settings);
  const request = new StopRequest(service);
  const feed = new Feed(producer, TOPIC, options.records ?? Infinity, () => reports.check.handled);
  const progress = new Progress(process.stdout, () => totalsOf(service.snapshot()));
  introduce(settings, service.url, options);

  const startedAt = performance.now();
  feed.start();
  progress.start();
  if (options.seconds !== undefined) request.after(options.seconds);
  await request.untilAskedOr(() => feed.isComplete);
  await feed.stop();
  await request.untilSettled(() => reports.check.handled >= feed.produced);
  const seconds = (performance.now() - startedAt) / 1000;
  service.stop('the quick start ends');
  const code = await service.finished;
  progress.stop();
  request.close();

  const findings = {
    produced: feed.produced,
    refused: producer.failed,
    seconds,
    check: reports.check,
    threads: settings.workers.threads,
    progress: await readGroupProgress(broker.brokers, GROUP, TOPIC),
  };
  reports.close();
  await producer.close();
  await broker.close();
  const { lines, holds } = summarize({ ...findings, peak: reports.overlap.peak });
  console.log(['', ...lines].join('\n'));
  if (code !== ExitCode.ok) return code;
  return holds ? ExitCode.ok : ExitCode.unexpected;
}

function introduce(settings: Settings, url: string | null, options: QuickstartOptions): void {
  const { threads, concurrency } = settings.workers;
  const end =
    options.seconds === undefined && options.records === undefined
      ? 'Ctrl-C ends it and checks what happened.'
      : 'Ctrl-C ends it early.';
  const lines = [
    'tidemark quick start: sample orders on an embedded broker, each customer in order',
    `  ${String(threads)} worker threads, up to ${String(concurrency)} orders at a time on each`,
    ...(url === null
      ? []
      : [`  metrics  ${url}/metrics`, `  status   ${url}/status`, `  page     ${url}/`]),
    `  ${end}`,
    '',
  ];
  console.log(lines.join('\n'));
}

function settingsFor(brokers: string, channel: string): Settings {
  return {
    kafka: {
      brokers: brokers.split(','),
      groupId: GROUP,
      topics: [TOPIC],
      // The new group protocol joins at once, where the classic one waits 3 s for more members.
      properties: { 'group.protocol': 'consumer' },
      connectTimeoutMs: 10_000,
      startFrom: 'earliest',
    },
    handler: {
      module: fileURLToPath(new URL('../../workers/handlers/orders.js', import.meta.url)),
      options: { channel },
    },
    workers: {
      threads: Math.max(2, Math.min(8, availableParallelism())),
      concurrency: 16,
      slots: 1024,
      slotBytes: 512,
    },
    ordering: 'key',
    window: {
      records: 10_000,
      bytes: 64 * 1024 ** 2,
      span: 100_000,
      totalBytes: 512 * 1024 ** 2,
    },
    commit: { intervalMs: 1000 },
    rebalance: { drainTimeoutMs: 10_000 },
    shutdown: { drainTimeoutMs: 25_000, forceTimeoutMs: 30_000 },
    http: { enabled: true, host: '127.0.0.1', port: HTTP_PORT },
    log: { level: 'warn', format: 'pretty' },
  };
}
