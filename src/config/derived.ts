/**
 * Defaults that follow another setting: where only one of two related keys is given, the other is
 * chosen so that their relation (see relations.ts) holds. A value that somebody set is never changed.
 */
import type { PlainObject } from './plain.ts';
import { isPlainObject } from './plain.ts';

const REBALANCE_DRAIN_MS = 10_000;
const SHUTDOWN_DRAIN_MS = 25_000;
const SHUTDOWN_FORCE_MS = 30_000;
const SESSION_MS = 45_000;

/** Adds what follows from `data` to it. `data` holds known keys only; values may still be wrong. */
export function addDerived(data: PlainObject): void {
  const properties = sectionOf(sectionOf(data, 'kafka'), 'properties');
  const pollMs = numberOf(properties['max.poll.interval.ms']);
  if (pollMs !== null && pollMs <= REBALANCE_DRAIN_MS)
    addTo(data, 'rebalance', 'drainTimeoutMs', Math.floor(pollMs / 2));
  const classic = String(properties['group.protocol']).toLowerCase() !== 'consumer';
  if (pollMs !== null && pollMs < SESSION_MS && classic)
    properties['session.timeout.ms'] ??= pollMs;

  const shutdown = sectionOf(data, 'shutdown');
  const forceMs = numberOf(shutdown['forceTimeoutMs']);
  const drainMs = numberOf(shutdown['drainTimeoutMs']);
  if (forceMs !== null && forceMs < SHUTDOWN_DRAIN_MS)
    addTo(data, 'shutdown', 'drainTimeoutMs', Math.floor((forceMs * 5) / 6));
  if (drainMs !== null && drainMs > SHUTDOWN_FORCE_MS)
    addTo(data, 'shutdown', 'forceTimeoutMs', drainMs + SHUTDOWN_FORCE_MS - SHUTDOWN_DRAIN_MS);
}

/** The section itself, or an empty one that is in nothing. */
function sectionOf(data: PlainObject, name: string): PlainObject {
  const section = data[name];
  return isPlainObject(section) ? section : {};
}

function addTo(data: PlainObject, name: string, key: string, value: number): void {
  if (data[name] === undefined) data[name] = {};
  sectionOf(data, name)[key] ??= value;
}

function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number > 0 ? number : null;
}
