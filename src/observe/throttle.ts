/** Lets the first of many equal things through, and then one per interval. Pure: time comes in. */

/** Keys beyond that many are forgotten together, so that odd keys cannot fill memory. */
const KEYS_MAX = 1000;

export class Throttle {
  readonly #intervalMs: number;
  readonly #keys = new Map<string, { since: number; suppressed: number }>();

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  /** How many were suppressed since the last one that passed; null when this one is suppressed too. */
  pass(key: string, nowMs: number): number | null {
    const entry = this.#keys.get(key);
    if (entry !== undefined && nowMs - entry.since < this.#intervalMs) {
      entry.suppressed++;
      return null;
    }
    if (this.#keys.size >= KEYS_MAX) this.#keys.clear();
    this.#keys.set(key, { since: nowMs, suppressed: 0 });
    return entry?.suppressed ?? 0;
  }
}
