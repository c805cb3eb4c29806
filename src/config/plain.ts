/** Turns whatever a file or a module gave into plain data that is safe to walk, merge and print. */
import type { ConfigIssue } from './issues.ts';

export type PlainObject = Record<string, unknown>;

export function isPlainObject(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const DEPTH_MAX = 64;
const CURE = 'Use text, numbers, true, false, lists and mappings only.';

interface Walk {
  readonly issues: ConfigIssue[];
  readonly above: Set<object>;
}

/**
 * A copy of `value`. What is no plain data becomes an issue and is left out. Null means "not set"
 * everywhere but in `handler.options`, where it is the user's own data.
 */
export function toPlain(value: unknown, issues: ConfigIssue[]): unknown {
  return copy(value, [], { issues, above: new Set() });
}

function copy(value: unknown, path: readonly string[], walk: Walk): unknown {
  const refusal = whyNotPlain(value, path, walk.above);
  if (refusal !== null) {
    walk.issues.push({ key: path.join('.') || 'the configuration', rule: refusal, cure: CURE });
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return value.toISOString();
  walk.above.add(value);
  const copied = Array.isArray(value)
    ? value.map((item: unknown, at) => copy(item, [...path, String(at)], walk))
    : copyObject(value, path, walk);
  walk.above.delete(value);
  return copied;
}

function whyNotPlain(
  value: unknown,
  path: readonly string[],
  above: ReadonlySet<object>,
): string | null {
  if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint')
    return `must be plain data, not a ${typeof value}`;
  if (typeof value === 'number' && !Number.isFinite(value))
    return `must be a finite number, not ${String(value)}`;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return whyTooDeep(value, path, above);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'must be a valid date' : null;
  const prototype = Object.getPrototypeOf(value) as object | null;
  // A plain object of another realm has another Object.prototype, and that has none above it.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null)
    return 'must be plain data, not an instance of a class';
  return whyTooDeep(value, path, above);
}

function whyTooDeep(
  value: unknown,
  path: readonly string[],
  above: ReadonlySet<object>,
): string | null {
  if (typeof value !== 'object' || value === null) return null;
  if (above.has(value)) return 'must not contain itself';
  return path.length > DEPTH_MAX ? `is nested more than ${String(DEPTH_MAX)} levels deep` : null;
}

function copyObject(value: object, path: readonly string[], walk: Walk): PlainObject {
  const result: PlainObject = {};
  const keepsNull = path[0] === 'handler' && path[1] === 'options';
  for (const [name, item] of Object.entries(value)) {
    if (name === '__proto__') {
      const key = [...path, name].join('.');
      walk.issues.push({ key, rule: 'is no name a key may have', cure: 'Remove it.' });
      continue;
    }
    const copied = copy(item, [...path, name], walk);
    if (copied !== undefined && (copied !== null || keepsNull)) result[name] = copied;
  }
  return result;
}
