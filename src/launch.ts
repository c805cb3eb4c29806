/**
 * Starts the runtime with everything around it: log, metrics, HTTP, signals. Main thread. What `run`
 * and `quickstart` have in common stands here, so that the two cannot drift apart.
 */
import { masked } from './config/mask.ts';
import { ExitCode } from './contract/errors.ts';
import type { ExitCodeValue } from './contract/errors.ts';
import type { Settings } from './contract/settings.ts';
import type { RuntimeSnapshot } from './contract/snapshot.ts';
import { startHttp } from './observe/http.ts';
import { createLog } from './observe/log.ts';
import { createMetrics } from './observe/metrics.ts';
import { Runtime } from './runtime.ts';

export interface LaunchExtras {
  readonly version: string;
}

/** The running program, for whoever started it. */
export interface Service {
  /** Where HTTP listens, for example `http://127.0.0.1:9464`; null when it does not. */
  readonly url: string | null;
  /** Resolves with the exit code once everything is closed. */
  readonly finished: Promise<ExitCodeValue>;
  snapshot(): RuntimeSnapshot;
  /** Drains, commits, leaves the group; a second call cuts the drain short. */
  stop(cause: string, hurriedCode?: ExitCodeValue): void;
}

/** Rejects with a TidemarkError that says what stands in the way; then nothing keeps running. */
export async function start(settings: Settings, extras: LaunchExtras): Promise<Service> {
  const { service, started } = await launch(settings, extras);
  await started;
  return service;
}

/** `tidemark run`: until it is told to stop. Resolves with the exit code. */
export async function run(settings: Settings, extras: LaunchExtras): Promise<ExitCodeValue> {
  let service: Service | null = null;
  const stopOn = (signal: NodeJS.Signals, hurriedCode: ExitCodeValue): void => {
    process.on(signal, () => {
      // Before there is a service, nothing runs that would have to be drained.
      if (service === null) process.exit(ExitCode.ok);
      service.stop(signal, hurriedCode);
    });
  };
  // First of all, so that a signal while it starts ends it in order too.
  stopOn('SIGTERM', ExitCode.secondSigterm);
  stopOn('SIGINT', ExitCode.secondSigint);
  const launched = await launch(settings, extras);
  service = launched.service;
  await launched.started;
  return service.finished;
}

/** HTTP listens when it resolves; `started` follows the connection to Kafka and the workers. */
async function launch(
  settings: Settings,
  { version }: LaunchExtras,
): Promise<{ service: Service; started: Promise<void> }> {
  const log = createLog(settings.log.level, settings.log.format);
  const metrics = createMetrics(
    () => runtime.snapshot(),
    (name, reason, detail) => {
      log.event('handler_metric_refused', { name, reason, detail });
    },
  );
  const runtime = new Runtime(settings, version, {
    log,
    handlerMetric: (metric) => {
      metrics.handlerMetric(metric);
    },
  });
  const snapshot = (): RuntimeSnapshot => runtime.snapshot();
  const { enabled, host, port } = settings.http;
  const http = enabled
    ? await startHttp({ host, port, snapshot, metrics, config: masked(settings), log })
    : null;
  const finished = runtime.finished.then(async (code) => {
    await http?.close();
    return code;
  });
  const service: Service = {
    url: http?.url ?? null,
    finished,
    snapshot,
    stop: (cause, hurriedCode) => {
      runtime.stop(cause, hurriedCode);
    },
  };
  const started = runtime.start().catch(async (error: unknown) => {
    await http?.close();
    throw error;
  });
  return { service, started };
}
