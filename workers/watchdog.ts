/**
 * The watchdog's thread: kills the process when the main thread has stopped turning its event loop, or
 * when a stop has taken longer than it may, so that no hang can keep the process alive. Runs on a
 * thread of its own; owns nothing.
 *
 * It counts its own steps rather than reading a clock, so that a process that was frozen and thawed
 * is not taken for one that hangs.
 */
import { workerData } from 'node:worker_threads';

const { words, limitMs } = workerData as { words: Int32Array; limitMs: number };
const STEP_MS = 250;

/** Word 0: main's beat. Word 1: 1 asks to leave. Word 2: milliseconds a stop may take, 0 for none. */
let last = Atomics.load(words, 0);
let missedMs = 0;
let stoppingMs = 0;
while (Atomics.load(words, 1) === 0) {
  Atomics.wait(words, 1, 0, STEP_MS);
  const beat = Atomics.load(words, 0);
  const allowedMs = Atomics.load(words, 2);
  missedMs = beat === last ? missedMs + STEP_MS : 0;
  last = beat;
  if (allowedMs > 0) stoppingMs += STEP_MS;
  if (missedMs >= limitMs || (allowedMs > 0 && stoppingMs >= allowedMs))
    process.kill(process.pid, 'SIGKILL');
}
