/** Merged data to settings: every problem is found in one go. */
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { Settings } from '../contract/settings.ts';
import { handlerPath } from './handler-path.ts';
import { addDerived } from './derived.ts';
import type { ConfigIssue } from './issues.ts';
import { showValue } from './issues.ts';
import type { KeyNode } from './keys.ts';
import { KEYS, nodeAt, suggestKey } from './keys.ts';
import type { PlainObject } from './plain.ts';
import { isPlainObject } from './plain.ts';
import { checkedProperties } from './properties.ts';
import { brokenRelations } from './relations.ts';
import { settingsSchema } from './schema.ts';

const MAPPING_CURE = 'Write its keys below it, or leave it out.';

/** A copy that holds known and supported keys only; the others become issues. */
function sifted(data: PlainObject, node: KeyNode, issues: ConfigIssue[]): PlainObject {
  const result: PlainObject = {};
  for (const [name, value] of Object.entries(data)) {
    const child = node.children?.get(name);
    const key = node.path === '' ? name : `${node.path}.${name}`;
    if (child === undefined) {
      if (key === '$schema') continue;
      const meant = suggestKey(node, name);
      const cure =
        meant === null ? 'Remove it, or see `tidemark schema`.' : `Did you mean ${meant}?`;
      issues.push({ key, value, rule: 'is no known key', cure, meant });
    } else if (isNotYet(child, value)) {
      const same = child.notYet?.same;
      const only = same === undefined ? '' : ` Only ${key}: ${showValue(same, false)} is.`;
      issues.push({ key, value, rule: 'is not supported yet', cure: `Remove it.${only}` });
    } else if (child.children === null) {
      if (child.notYet === null) result[name] = value;
    } else if (isPlainObject(value)) {
      const below = sifted(value, child, issues);
      if (Object.keys(below).length > 0) result[name] = below;
    } else {
      issues.push({ key, value, rule: 'must be a mapping of keys to values', cure: MAPPING_CURE });
    }
  }
  return result;
}

function isNotYet(node: KeyNode, value: unknown): boolean {
  if (node.notYet !== null) return !isDeepStrictEqual(value, node.notYet.same);
  return node.path === 'workers.threads' && isPlainObject(value);
}

function cureFor(node: KeyNode | null, value: unknown): string {
  if (node === null) return 'Correct it.';
  const numeric =
    node.types.has('integer') && typeof value === 'string' && /^\s*\d+\s*$/.test(value);
  if (numeric) return 'Write the number without quotes.';
  if (node.byDefault !== undefined)
    return `Set such a value, or leave it out for the default, ${JSON.stringify(node.byDefault)}.`;
  return node.example === undefined
    ? 'Set such a value, or leave it out.'
    : `For example ${node.path}: ${JSON.stringify(node.example)}`;
}

/** The part of a path that has a rule of its own: the key itself, without what lies inside its value. */
function keyPath(path: readonly PropertyKey[]): string[] {
  const names = path.map(String);
  return names.slice(0, Math.max(1, nodeAt(names)?.path.split('.').length ?? names.length));
}

function schemaIssue({ path, input }: z.core.$ZodIssue): ConfigIssue {
  const names = keyPath(path);
  const node = nodeAt(names);
  const inner = path.slice(names.length).map(String);
  return {
    key: [...names, ...inner].join('.'),
    ...(input === undefined ? {} : { value: input }),
    rule: input === undefined ? 'is required' : (node?.rule ?? 'is not valid'),
    cure: cureFor(node, input),
  };
}

/** `data` with harmless values in place of wrong ones, so that the remaining checks can run. */
function repaired(data: PlainObject, wrong: readonly string[][]): PlainObject {
  const copy = structuredClone(data);
  for (const path of wrong) {
    const example = nodeAt(path)?.example;
    const last = path.at(-1) ?? '';
    let target = copy;
    for (const name of path.slice(0, -1)) {
      const below = target[name];
      target = target[name] = isPlainObject(below) ? below : {};
    }
    if (example === undefined) Reflect.deleteProperty(target, last);
    else target[last] = example;
  }
  return copy;
}

/**
 * The settings, or undefined when there are issues that leave none. `folder`: what relative paths are
 * relative to. All problems are added to `issues`; settings count only while there are none.
 */
export function validate(
  data: PlainObject,
  folder: string,
  issues: ConfigIssue[],
): Settings | undefined {
  const known = sifted(data, KEYS, issues);
  addDerived(known);
  const first = settingsSchema.safeParse(known, { reportInput: true });
  const wrong = first.success ? [] : first.error.issues.map(({ path }) => keyPath(path));
  const told = new Set(issues.map(({ key }) => key));
  for (const issue of first.success ? [] : first.error.issues.map(schemaIssue)) {
    // One number can break several rules of the schema; its key has one sentence for all of them.
    if (!told.has(issue.key)) issues.push(issue);
    told.add(issue.key);
  }
  const parsed = first.success ? first : settingsSchema.safeParse(repaired(known, wrong));
  if (!parsed.success) return undefined;

  const bad = new Set([...issues.map(({ key }) => key), ...wrong.map((path) => path.join('.'))]);
  const properties = checkedProperties(parsed.data.kafka.properties, issues);
  for (const { key } of issues) bad.add(key);
  const { handler } = parsed.data;
  const settings: Settings = {
    ...parsed.data,
    kafka: { ...parsed.data.kafka, properties },
    handler: bad.has('handler.module')
      ? handler
      : { ...handler, module: handlerPath(handler.module, folder, issues) },
  };
  const sections = (key: string): string[] => [key, key.slice(0, key.indexOf('.'))];
  issues.push(
    ...brokenRelations(settings).filter(
      ({ key, other }) => ![...sections(key), ...sections(other)].some((one) => bad.has(one)),
    ),
  );
  return settings;
}
