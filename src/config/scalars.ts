/** Reads text from the environment and from flags as the value that its key expects. */
import { parse } from 'yaml';
import type { KeyNode } from './keys.ts';

function yaml(text: string): unknown {
  try {
    return parse(text, { logLevel: 'silent', maxAliasCount: 0 }) as unknown;
  } catch {
    return undefined;
  }
}

function typeOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value;
}

/**
 * The text as a YAML value where its key expects such a value, else the text itself; what it should
 * have been is then told by the schema's rule.
 */
export function readAs(node: KeyNode, text: string): unknown {
  const value = yaml(text);
  const type = typeOf(value);
  const wanted = node.types.has(type) || (type === 'number' && node.types.has('integer'));
  // Text stays as it is: YAML's quotes and escapes have no place in a variable.
  return value === null || type === 'string' || !wanted ? text : value;
}

/**
 * For values whose type nobody declared (`handler.options`): true, false, JSON lists and mappings,
 * and numbers that would be written the same way. `007` and `1e400` stay text.
 */
export function readUntyped(text: string): unknown {
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === 'string') return text;
    return typeof value === 'number' && String(value) !== text ? text : value;
  } catch {
    return text;
  }
}
