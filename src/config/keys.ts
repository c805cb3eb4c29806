/** The tree of known keys, made from the schema and the table of keys not supported yet. */
import { closest, distance } from 'fastest-levenshtein';
import type { NotYet } from './not-yet.ts';
import { NOT_YET } from './not-yet.ts';
import { schemaWithRules } from './schema.ts';

export interface KeyNode {
  /** Dotted; empty for the root. */
  readonly path: string;
  /** Keys below; null for a leaf. */
  readonly children: Map<string, KeyNode> | null;
  /** JSON Schema's names of the types that the value may have. */
  readonly types: ReadonlySet<string>;
  /** What must hold, as the end of a sentence; null where the schema has no words for it. */
  readonly rule: string | null;
  readonly description: string;
  readonly byDefault: unknown;
  readonly example: unknown;
  readonly notYet: NotYet | null;
}

type JsonSchema = ReturnType<typeof schemaWithRules>;

function typesOf(schema: JsonSchema): string[] {
  const alternatives = (schema.anyOf ?? []).flatMap((one) => typesOf(one));
  return [...[schema.type ?? []].flat(), ...alternatives];
}

function nodeOf(path: string, schema: JsonSchema): KeyNode {
  const below = schema.properties;
  const children =
    below === undefined
      ? null
      : new Map(
          Object.entries(below).map(([name, child]) => [
            name,
            nodeOf(path === '' ? name : `${path}.${name}`, child as JsonSchema),
          ]),
        );
  const { rule } = schema as { rule?: string };
  return {
    path,
    children,
    types: new Set(typesOf(schema)),
    rule: rule ?? null,
    description: schema.description ?? '',
    byDefault: children === null ? schema.default : undefined,
    example: schema.examples?.[0],
    notYet: null,
  };
}

function withNotYet(root: KeyNode): KeyNode {
  const leaf = {
    children: null,
    rule: null,
    description: '',
    byDefault: undefined,
    example: undefined,
  } as const;
  for (const notYet of NOT_YET) {
    const [section = '', name] = notYet.key.split('.');
    const types = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object']);
    const node: KeyNode = { ...leaf, path: notYet.key, types, notYet };
    if (name === undefined) {
      root.children?.set(section, node);
      continue;
    }
    const parent = root.children?.get(section) ?? {
      ...leaf,
      path: section,
      children: new Map<string, KeyNode>(),
      types: new Set(['object']),
      notYet: null,
    };
    root.children?.set(section, parent);
    parent.children?.set(name, node);
  }
  return root;
}

export const KEYS: KeyNode = withNotYet(nodeOf('', schemaWithRules()));

/** The node at a path, or the nearest above it: what stands below a leaf belongs to the leaf. */
export function nodeAt(path: readonly string[]): KeyNode | null {
  let node = KEYS;
  for (const name of path) {
    if (node.children === null) return node;
    const next = node.children.get(name);
    if (next === undefined) return null;
    node = next;
  }
  return node;
}

export function leaves(node: KeyNode = KEYS): KeyNode[] {
  return node.children === null ? [node] : [...node.children.values()].flatMap(leaves);
}

/** The nearest of the candidates when it is near enough to be what was meant; else null. */
export function didYouMean(word: string, candidates: readonly string[]): string | null {
  if (candidates.length === 0) return null;
  const found = candidates.find((candidate) => candidate.toLowerCase() === word.toLowerCase());
  const best = found ?? closest(word, candidates);
  const near = distance(word.toLowerCase(), best.toLowerCase());
  return near <= Math.max(2, Math.floor(word.length * 0.35)) && near < best.length ? best : null;
}

/** What an unknown key may have been meant as: a sibling, or the same word in another section. */
export function suggestKey(parent: KeyNode, name: string): string | null {
  const siblings = [...(parent.children?.keys() ?? [])];
  const sibling = didYouMean(name, siblings);
  if (sibling !== null) return parent.path === '' ? sibling : `${parent.path}.${sibling}`;
  const last = (path: string): string => path.slice(path.lastIndexOf('.') + 1);
  const paths = leaves().map((leaf) => leaf.path);
  const word = didYouMean(name, paths.map(last));
  return paths.find((path) => last(path) === word) ?? null;
}
