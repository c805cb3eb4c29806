/** Single values from the environment and from flags, laid over what the file says. */
import type { PlainObject } from './plain.ts';
import { isPlainObject } from './plain.ts';

/** One value and where it came from. */
export interface Assignment {
  readonly path: readonly string[];
  readonly value: unknown;
  /** The variable or flag, as a person would look for it. */
  readonly origin: string;
}

/**
 * Changes `data`. Mappings are merged, everything else is replaced, lists too. A path that leads
 * through something that is no mapping replaces it, unless it came from the file: then the file's
 * mistake stays visible.
 */
export function assign(data: PlainObject, { path, value }: Assignment): void {
  const last = path.at(-1);
  if (last === undefined) return;
  let target = data;
  for (const name of path.slice(0, -1)) {
    const below = Object.hasOwn(target, name) ? target[name] : undefined;
    if (below === undefined) target = target[name] = {};
    else if (isPlainObject(below)) target = below;
    else return;
  }
  const present = Object.hasOwn(target, last) ? target[last] : undefined;
  if (isPlainObject(present) && isPlainObject(value))
    for (const [name, item] of Object.entries(value))
      assign(present, { path: [name], value: item, origin: '' });
  else target[last] = value;
}

/** The origins of all assignments by dotted key, the last one counting. */
export function originsOf(assignments: readonly Assignment[]): Map<string, string> {
  return new Map(assignments.map(({ path, origin }) => [path.join('.'), origin]));
}
