/** Waiting for a condition instead of for a time. */
import { setTimeout as pause } from 'node:timers/promises';

export interface WaitOptions {
  /** Only a bound for a hanging test, never a measure. Milliseconds, default 60000. */
  readonly timeoutMs?: number;
  /** What is waited for, for the message. */
  readonly what?: string;
}

/**
 * Looks until `condition` gives something that is not false, null or undefined, and returns it. Throws
 * past the bound; when `condition` threw last, with that as the cause.
 */
export async function waitUntil<T>(
  condition: () => T | Promise<T>,
  options: WaitOptions = {},
): Promise<Exclude<T, false | null | undefined>> {
  const { timeoutMs = 60_000, what = 'the condition' } = options;
  const deadline = performance.now() + timeoutMs;
  let cause: unknown;
  do {
    try {
      const value = await condition();
      if (value !== false && value !== null && value !== undefined)
        return value as Exclude<T, false | null | undefined>;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    await pause(20);
  } while (performance.now() < deadline);
  throw new Error(`${what} did not come true within ${String(timeoutMs)} ms`, { cause });
}
