/**
 * The environment as configuration: `TIDEMARK_` and the path, levels joined by `__`, words in upper
 * snake case; with `_FILE` at the end the value is read from the file that the variable names.
 */
import { readFileSync } from 'node:fs';
import { LIBRDKAFKA_PROPERTIES } from './librdkafka-properties.ts';
import type { Environment } from './interpolate.ts';
import type { ConfigIssue } from './issues.ts';
import { didYouMean, KEYS, leaves, nodeAt } from './keys.ts';
import type { KeyNode } from './keys.ts';
import type { Assignment } from './overlay.ts';
import type { PlainObject } from './plain.ts';
import { isPlainObject } from './plain.ts';
import { readAs, readUntyped } from './scalars.ts';

const PREFIX = 'TIDEMARK_';
const PROPERTIES = `${PREFIX}KAFKA__PROPERTIES__`;
const OPTIONS = `${PREFIX}HANDLER__OPTIONS__`;
const FILE = '_FILE';

/** Variables with our prefix that configure tests and tools. */
const OTHERS = /^TIDEMARK_(?:REQUIRE_KAFKA$|TEST_)/;
/** Kubernetes gives these to every pod when a service's name begins with "tidemark". */
const SERVICE_LINK =
  /_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)$/;

function isForeign(variable: string): boolean {
  return OTHERS.test(variable) || (!variable.includes('__') && SERVICE_LINK.test(variable));
}

function upperSnake(name: string): string {
  return name.replace(/([A-Z])/g, '_$1').toUpperCase();
}

function allNodes(node: KeyNode): KeyNode[] {
  return [node, ...[...(node.children?.values() ?? [])].flatMap(allNodes)];
}

function variableOf(path: string): string {
  return PREFIX + path.split('.').map(upperSnake).join('__');
}

/** Every fixed variable, sections included, with the path that it sets. */
const VARIABLES: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...allNodes(KEYS)
    .filter((node) => node.path !== '')
    .map((node): [string, string[]] => [variableOf(node.path), node.path.split('.')]),
  ...[...LIBRDKAFKA_PROPERTIES.keys()].map((name): [string, string[]] => [
    PROPERTIES + name.replaceAll('.', '_').toUpperCase(),
    ['kafka', 'properties', name],
  ]),
]);

/** Below `handler.options` the words belong to the user: camel case, unless the file spells it else. */
function optionPath(rest: string, file: PlainObject): string[] | null {
  const words = rest.split('__');
  if (words.some((word) => !/^[A-Z0-9]+(?:_[A-Z0-9]+)*$/.test(word))) return null;
  const handler = file['handler'];
  let present: unknown = isPlainObject(handler) ? handler['options'] : undefined;
  const path = ['handler', 'options'];
  for (const word of words) {
    const names: string[] = isPlainObject(present) ? Object.keys(present) : [];
    const spelled = names.find((name) => name.toUpperCase() === word || upperSnake(name) === word);
    const camel = word
      .toLowerCase()
      .replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
    path.push(spelled ?? camel);
    present = isPlainObject(present) && spelled !== undefined ? present[spelled] : undefined;
  }
  return path;
}

function pathOf(variable: string, file: PlainObject): readonly string[] | null {
  return variable.startsWith(OPTIONS)
    ? optionPath(variable.slice(OPTIONS.length), file)
    : (VARIABLES.get(variable) ?? null);
}

function readSecret(variable: string, place: string, issues: ConfigIssue[]): string | null {
  try {
    return readFileSync(place, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    const rule = `names a file that cannot be read: ${(error as NodeJS.ErrnoException).code ?? String(error)}`;
    issues.push({
      key: variable,
      value: place,
      rule,
      cure: 'Name a readable file that holds the value.',
    });
    return null;
  }
}

/** The value that a variable's text stands for at a path. `fromFile`: a secret's text stays text. */
function valueAt(path: readonly string[], text: string, fromFile: boolean): unknown {
  if (path[1] === 'options' && path.length > 2) return fromFile ? text : readUntyped(text);
  const node = nodeAt(path);
  return node?.path === path.join('.') ? readAs(node, text) : text;
}

function unknown(variable: string): ConfigIssue {
  const known = [
    ...leaves().map((leaf) => variableOf(leaf.path)),
    ...(variable.startsWith(PROPERTIES) ? VARIABLES.keys() : []),
  ];
  const meant = didYouMean(variable, known);
  return {
    key: variable,
    rule: 'is no known environment variable',
    cure:
      meant === null
        ? 'Remove it, or see `tidemark schema` for the keys.'
        : `Did you mean ${meant}?`,
  };
}

/** What the environment sets. `file` is the file's data, for the spelling of the handler's options. */
export function environmentAssignments(
  env: Environment,
  file: PlainObject,
  issues: ConfigIssue[],
): Assignment[] {
  const assignments: Assignment[] = [];
  const taken = new Map<string, string>();
  for (const [variable, text] of Object.entries(env)) {
    if (!variable.startsWith(PREFIX) || text === undefined || isForeign(variable)) continue;
    const bare = variable.endsWith(FILE) ? variable.slice(0, -FILE.length) : null;
    const filed = bare === null ? null : pathOf(bare, file);
    // Some properties of librdkafka end in `.file` themselves: the whole name goes first there.
    const whole = filed !== null && variable.startsWith(OPTIONS) ? null : pathOf(variable, file);
    const path = whole ?? filed;
    if (path === null) {
      issues.push(unknown(variable));
      continue;
    }
    const other = taken.get(path.join('.'));
    if (other !== undefined) {
      const rule = `sets ${path.join('.')}, and so does ${other}`;
      issues.push({ key: variable, rule, cure: 'Set one of the two only.' });
      continue;
    }
    taken.set(path.join('.'), variable);
    const fromFile = whole === null;
    const value = fromFile ? readSecret(variable, text, issues) : text;
    if (value !== null)
      assignments.push({ path, value: valueAt(path, value, fromFile), origin: variable });
  }
  return assignments;
}
