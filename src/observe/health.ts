/** What `/healthz` and `/readyz` say of a snapshot. Pure. */
import type { RuntimeSnapshot } from '../contract/snapshot.ts';

export interface Verdict {
  readonly ok: boolean;
  /** Why not; empty when `ok`. */
  readonly reasons: readonly string[];
}

/** Milliseconds after which silence means that the main loop hangs. It turns and polls each second. */
export interface HealthLimits {
  readonly turnMs: number;
  readonly pollMs: number;
}

export const HEALTH_LIMITS: HealthLimits = { turnMs: 10_000, pollMs: 10_000 };

/**
 * Healthy while a restart would cure nothing. A broker that is away is not this process's illness,
 * and while it starts its loop does not turn yet.
 */
export function healthz(
  { state, sinceTurnMs, sincePollMs }: RuntimeSnapshot,
  limits = HEALTH_LIMITS,
): Verdict {
  if (state === 'starting') return verdict([]);
  return verdict([
    state === 'failed' && 'the runtime has failed',
    sinceTurnMs > limits.turnMs && `the main loop has not turned for ${seconds(sinceTurnMs)}`,
    sincePollMs > limits.pollMs && `Kafka has not been polled for ${seconds(sincePollMs)}`,
  ]);
}

/** Ready when connected and joined, also with no partition to work on. */
export function readyz({ state, connected, joined }: RuntimeSnapshot): Verdict {
  return verdict([
    state !== 'running' && `the runtime is ${state}`,
    !connected && 'not connected to Kafka',
    !joined && 'not a member of the consumer group',
  ]);
}

function verdict(reasons: readonly (string | false)[]): Verdict {
  const given = reasons.filter((reason) => reason !== false);
  return { ok: given.length === 0, reasons: given };
}

function seconds(ms: number): string {
  return `${String(Math.round(ms / 1000))} s`;
}
