/**
 * What Piscina runs on a thread: the endless task of a worker, and the probe of a handler module.
 * Worker thread.
 */
import { threadId } from 'node:worker_threads';
import { TidemarkError } from '../src/contract/errors.ts';
import { Doorbell } from '../src/ring/doorbell.ts';
import type { ProbeResult, WorkerTask } from '../src/ring/messages.ts';
import { toRunError } from '../src/ring/run-error.ts';
import { RingMemory } from '../src/ring/slot.ts';
import { loadHandler } from './load-handler.ts';
import type { LoadedHandler } from './load-handler.ts';
import { Loop } from './loop.ts';
import { Outbox } from './outbox.ts';
import { Runner } from './run-handler.ts';
import { SideChannel } from './side-channel.ts';

/** Runs records until main says to leave. How it ended is the result; a throw is a bug. */
export default async function work(task: WorkerTask): Promise<'left' | 'setup-failed'> {
  const channel = new SideChannel(task.port, task.partitions);
  channel.post({ kind: 'hello', threadId });
  const outbox = new Outbox((message) => {
    channel.post(message);
  });
  const sendGathered = (): void => {
    outbox.flush();
  };
  // What a handler logged right before it ended its thread is what its author needs most.
  process.on('exit', sendGathered);
  const context = { worker: task.worker, options: Object.freeze(task.options), outbox };
  let handler: LoadedHandler;
  try {
    handler = await loadHandler(task.module);
    await handler.setup({ ...context, log: outbox.logFor(), metrics: outbox.metrics });
  } catch (error) {
    sendGathered();
    channel.post({ kind: 'setup-failed', error: toRunError(causeOf(error)) });
    channel.close();
    return 'setup-failed';
  }
  const memory = new RingMemory(task.memory);
  const loop = new Loop({
    memory,
    mainBell: new Doorbell(new Int32Array(task.mainBell), 0),
    runner: new Runner(memory, channel, handler.handle, context),
    concurrency: task.concurrency,
    clockOffset: hrtimeMs() - performance.now() - task.clockZero,
    gathered: sendGathered,
  });
  channel.onAbort = (partition, generation) => {
    loop.abort(partition, generation);
  };
  channel.post({ kind: 'ready' });
  await loop.run();
  try {
    await handler.teardown();
  } catch (error) {
    outbox.logFor().error('teardown failed', { error: toRunError(error) });
  }
  sendGathered();
  channel.close();
  return 'left';
}

/** Imports the handler module and checks its shape; runs nothing of it. */
export async function probe(modulePath: string): Promise<ProbeResult> {
  try {
    await loadHandler(modulePath);
    return { kind: 'ok' };
  } catch (error) {
    const cause = error instanceof TidemarkError ? error.cause : error;
    return {
      kind: 'invalid',
      message: error instanceof TidemarkError ? error.message : `${modulePath} could not be loaded`,
      cause: cause === undefined ? null : toRunError(cause),
    };
  }
}

/** The module's own error says more than ours around it. */
function causeOf(error: unknown): unknown {
  return error instanceof TidemarkError ? (error.cause ?? error) : error;
}

function hrtimeMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
