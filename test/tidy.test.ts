/** The repository checks itself: what documents promise against what code and tests hold. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leaves } from '../src/config/keys.ts';
import { METRICS, METRIC_PREFIX } from '../src/observe/catalog.ts';
import { filesIn, importsOf, quoted, tableBelow, textOf } from './support/repository.ts';

const PRODUCT = filesIn(['src', 'workers'], ['.ts']);
const NATIVE = filesIn(['src'], ['.cc', '.h', '.mjs', '.gyp']);
const TESTS = filesIn(['test'], ['.ts', '.mjs']);
const BENCH = filesIn(['bench'], ['.ts']);

/** What each folder may import beside itself; the packages are those that nobody else imports. */
const DIRECTIONS: Readonly<
  Record<string, { own: readonly string[]; packages: readonly string[] }>
> = {
  'src/contract': { own: [], packages: [] },
  'src/ring': { own: ['src/contract'], packages: [] },
  'src/core': { own: ['src/contract'], packages: [] },
  'src/pool': { own: ['src/contract', 'src/ring', 'src/core/ports.ts'], packages: ['piscina'] },
  'src/broker': { own: ['src/contract', 'src/core/ports.ts'], packages: ['node-rdkafka'] },
  'src/config': {
    own: ['src/contract'],
    packages: ['zod', 'yaml', 'jiti', 'fastest-levenshtein'],
  },
  'src/observe': {
    own: ['src/contract'],
    packages: ['prom-client', 'pino', 'pino-pretty', 'fastify'],
  },
  workers: { own: ['src/contract', 'src/ring'], packages: ['jiti'] },
};

/** The folder of the table above that a file belongs to; null for the composition. */
function folderOf(path: string): string | null {
  return Object.keys(DIRECTIONS).find((folder) => path.startsWith(`${folder}/`)) ?? null;
}

function assertNone(problems: readonly string[], cure: string): void {
  assert.deepEqual(problems, [], `${cure}\n  ${problems.join('\n  ')}\n`);
}

test('imports go in the directions of the table in src/README.md', () => {
  const wrong = PRODUCT.flatMap(importsOf).filter(({ from, to, kind }) => {
    if (kind !== 'own') return false;
    if (from.startsWith('src/') && /^(workers|test|bench)\//.test(to)) return true;
    const folder = folderOf(from);
    if (folder === null) return false;
    const allowed = [folder, ...(DIRECTIONS[folder]?.own ?? [])];
    return !allowed.some((place) => to === place || to.startsWith(`${place}/`));
  });
  assertNone(
    wrong.map(({ from, to }) => `${from} imports ${to}`),
    'A folder may import only what the table allows; move the code, or pass it in.',
  );
});

test('each package is imported by one folder', () => {
  const wrong = PRODUCT.flatMap(importsOf).filter(({ from, to, kind }) => {
    if (kind !== 'package') return false;
    const owners = Object.entries(DIRECTIONS).filter(([, { packages }]) => packages.includes(to));
    return owners.length > 0 && !owners.some(([folder]) => from.startsWith(`${folder}/`));
  });
  // `tidemark config` prints YAML, which the folder of the configuration reads.
  const allowed = new Set(['src/commands/config.ts imports yaml']);
  assertNone(
    wrong.map(({ from, to }) => `${from} imports ${to}`).filter((line) => !allowed.has(line)),
    'One importer per dependency: go through the folder that owns it.',
  );
});

test('core and contract import nothing of Node', () => {
  const wrong = PRODUCT.filter((path) => /^src\/(core|contract)\//.test(path))
    .flatMap(importsOf)
    .filter(({ kind }) => kind !== 'own');
  assertNone(
    wrong.map(({ from, to }) => `${from} imports ${to}`),
    'core and contract run under the simulator and know no clock and no I/O.',
  );
});

test('no files import each other in a circle', () => {
  const next = new Map(
    PRODUCT.map((path) => [
      path,
      importsOf(path).flatMap(({ to, kind, typesOnly }) =>
        kind === 'own' && !typesOnly ? [to] : [],
      ),
    ]),
  );
  const circles: string[] = [];
  const finished = new Set<string>();
  const visit = (path: string, way: readonly string[]): void => {
    if (way.includes(path)) circles.push([...way.slice(way.indexOf(path)), path].join(' → '));
    if (way.includes(path) || finished.has(path)) return;
    for (const to of next.get(path) ?? []) visit(to, [...way, path]);
    finished.add(path);
  };
  for (const path of PRODUCT) visit(path, []);
  assertNone(circles, 'Types may point both ways, values may not.');
});

test('no source file is longer than 400 lines', () => {
  const long = [...PRODUCT, ...NATIVE, ...TESTS, ...BENCH]
    .map((path) => ({ path, lines: textOf(path).split('\n').length - 1 }))
    .filter(({ lines }) => lines > 400);
  assertNone(
    long.map(({ path, lines }) => `${path}: ${String(lines)}`),
    'Split by what a reader looks for.',
  );
});

test('every product file opens with a comment that says what it is', () => {
  const bare = PRODUCT.filter((path) => !/^(#!.*\n)?(\/\*\*|\/\/)/.test(textOf(path)));
  assertNone(bare, 'Open the file with what it owns and on which thread it runs.');
});

test('nothing is left to do in the sources', () => {
  const mark = new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'X'.repeat(3)].join('|')})\\b`);
  const left = [...PRODUCT, ...NATIVE, ...TESTS, ...BENCH].filter((path) =>
    mark.test(textOf(path)),
  );
  assertNone(left, 'Do it, or file an issue.');
});

test('every invariant of src/README.md stands in the code and in the title of a test', () => {
  const ids = tableBelow('src/README.md', 'Invariants').map(([id = '']) => id.replaceAll('`', ''));
  assert.ok(ids.length > 0, 'the table of invariants in src/README.md is empty');
  const code = [...PRODUCT, ...NATIVE].map(textOf).join('\n');
  const titles = TESTS.map(textOf)
    .flatMap((text) => [
      ...text.matchAll(/\b(?:test|it|describe|suite)\(\s*(?:'((?:[^'\\]|\\.)*)'|`([^`]*)`)/g),
    ])
    .map(([, plain, template]) => plain ?? template ?? '')
    .join('\n');
  const problems = ids.flatMap((id) => {
    const word = new RegExp(`\\b${id}\\b`);
    return [
      ...(word.test(code) ? [] : [`${id} is not named in src or workers`]),
      ...(word.test(titles) ? [] : [`${id} stands in no test's title`]),
    ];
  });
  assertNone(
    problems,
    'Name the invariant where it is kept, and in the title of the test that holds it.',
  );
});

test('every invariant that the code checks stands in src/README.md', () => {
  const ids = new Set(
    tableBelow('src/README.md', 'Invariants').map(([id = '']) => id.replaceAll('`', '')),
  );
  const checked = [...PRODUCT, ...NATIVE]
    .flatMap((path) => [
      ...textOf(path).matchAll(/\b(?:invariant\(|InvariantError\()[\s\S]*?'([A-Z]\d+)'/g),
    ])
    .map(([, id = '']) => id);
  assertNone(
    [...new Set(checked)].filter((id) => !ids.has(id)),
    'Add the invariant to the table in src/README.md.',
  );
});

test('the README lists exactly the configuration keys that exist', () => {
  const known = new Set(leaves().flatMap(({ path, notYet }) => (notYet === null ? [path] : [])));
  const listed = new Set(
    tableBelow('README.md', 'Configuration').flatMap(([keys = '']) => quoted(keys)),
  );
  assertNone(
    [
      ...[...known].filter((key) => !listed.has(key)).map((key) => `${key} is not in the README`),
      ...[...listed].filter((key) => !known.has(key)).map((key) => `${key} is no key`),
    ],
    'The table below "Configuration" in README.md has one row for each key.',
  );
});

test('the README lists exactly the metrics of the catalogue', () => {
  const known = new Set(Object.keys(METRICS));
  const listed = new Set(
    tableBelow('README.md', 'Metrics')
      .flatMap(([names = '']) => quoted(names))
      .map((name) => name.replace(METRIC_PREFIX, '').replace(/\{.*/, '')),
  );
  assertNone(
    [
      ...[...known]
        .filter((name) => !listed.has(name))
        .map((name) => `${name} is not in the README`),
      ...[...listed].filter((name) => !known.has(name)).map((name) => `${name} is no metric`),
    ],
    'The table below "Metrics" in README.md names each metric in its first column.',
  );
});
