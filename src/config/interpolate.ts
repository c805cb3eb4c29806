/** `${NAME}` and `${NAME:-default}` in the string values of a configuration file; `$${` stands for `${`. */
import type { ConfigIssue } from './issues.ts';
import { nodeAt } from './keys.ts';
import type { PlainObject } from './plain.ts';
import { isPlainObject } from './plain.ts';
import { readAs } from './scalars.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const REFERENCE = /\$\$\{|\$\{([^}]*)\}?/g;
const FORM = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;

function expand(
  text: string,
  key: string,
  env: Environment,
  issues: ConfigIssue[],
): { text: string; changed: boolean } {
  let changed = false;
  const expanded = text.replace(REFERENCE, (whole: string, inside: string | undefined) => {
    if (inside === undefined) return '${';
    changed = true;
    const form = FORM.exec(inside);
    const [, name = '', fallback] = form ?? [];
    const escape = 'Write $${ where ${ is meant as text.';
    if (form === null || !whole.endsWith('}') || fallback?.includes('${') === true) {
      const rule = `holds ${whole}, which is neither \${NAME} nor \${NAME:-default}`;
      issues.push({ key, rule, cure: escape });
      return '';
    }
    const value = env[name];
    if (fallback !== undefined) return value === undefined || value === '' ? fallback : value;
    if (value !== undefined) return value;
    const rule = `needs the environment variable ${name}, which is not set`;
    issues.push({
      key,
      rule,
      cure: `Set ${name}, or give a default: \${${name}:-default}. ${escape}`,
    });
    return '';
  });
  return { text: expanded, changed };
}

/** A copy of the file's data with its references filled in, each read as its key expects. */
export function interpolate(
  data: PlainObject,
  env: Environment,
  issues: ConfigIssue[],
): PlainObject {
  const walk = (value: unknown, path: readonly string[]): unknown => {
    if (Array.isArray(value))
      return value.map((item: unknown, at) => walk(item, [...path, String(at)]));
    if (isPlainObject(value))
      return Object.fromEntries(
        Object.entries(value).map(([name, item]) => [name, walk(item, [...path, name])]),
      );
    if (typeof value !== 'string') return value;
    const { text, changed } = expand(value, path.join('.'), env, issues);
    const node = changed ? nodeAt(path) : null;
    // Below a leaf (an entry of a list, an option, a property) the value stays text.
    return node?.path === path.join('.') ? readAs(node, text) : text;
  };
  return walk(data, []) as PlainObject;
}
