/** Cuts values that come from elsewhere (errors, handlers) to what may stand in a line. Pure. */
const TEXT_MAX = 8192;
const ITEMS_MAX = 200;
const DEPTH_MAX = 5;

/**
 * A copy of plain data: long texts, long lists and deep nesting cut, with a note of what is missing;
 * what JSON does not know becomes text.
 */
export function bounded(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return cut(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (value === null || value === undefined || typeof value === 'boolean') return value;
  if (typeof value === 'bigint' || typeof value === 'symbol') return cut(String(value));
  if (typeof value !== 'object') return '[function]';
  if (depth >= DEPTH_MAX) return '…';
  if (value instanceof Error) {
    const { name, message, stack } = value;
    return bounded({ name, message, stack }, depth);
  }
  if (Array.isArray(value)) {
    const items = value.slice(0, ITEMS_MAX).map((item) => bounded(item, depth + 1));
    return value.length > ITEMS_MAX ? [...items, more(value.length)] : items;
  }
  const entries = Object.entries(value);
  const kept = entries
    .slice(0, ITEMS_MAX)
    .map(([name, item]): [string, unknown] => [cut(name), bounded(item, depth + 1)]);
  return Object.fromEntries(
    entries.length > ITEMS_MAX ? [...kept, ['…', more(entries.length)]] : kept,
  );
}

function cut(text: string): string {
  return text.length <= TEXT_MAX ? text : `${text.slice(0, TEXT_MAX)}…`;
}

function more(length: number): string {
  return `… ${String(length - ITEMS_MAX)} more`;
}
