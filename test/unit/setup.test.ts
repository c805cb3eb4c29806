import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { inProject } from '../support/project.ts';
import { temporaryFolder } from '../support/tidemark.ts';

interface Part {
  readonly name: string;
  readonly debian: string;
  readonly mac: string;
  readonly needs?: string;
  found(): boolean;
}

interface SystemModule {
  readonly PARTS: readonly Part[];
  nodeProblem(version: string): string | null;
  missingParts(parts: readonly Part[]): Part[];
  missingMessage(missing: readonly Part[]): string;
}

interface StampsModule {
  fingerprint(root: string, files: readonly string[], ...further: unknown[]): string;
  filesBelow(root: string, folders: string[], wanted: (path: string) => boolean): string[];
  isStamped(file: string, stamp: string): boolean;
  writeStamp(file: string, stamp: string): void;
}

async function load<T>(name: string): Promise<T> {
  return (await import(pathToFileURL(inProject('src/setup', name)).href)) as T;
}

const system = await load<SystemModule>('system.mjs');
const stamps = await load<StampsModule>('stamps.mjs');

test('Node 20.11 and newer are accepted, older ones refused with the cure', () => {
  for (const version of ['20.11.0', '20.20.2', '22.0.0', '100.1.0'])
    assert.equal(system.nodeProblem(version), null, version);
  for (const version of ['18.20.0', '20.10.0', '6.17.1'])
    assert.match(system.nodeProblem(version) ?? '', /20\.11 or newer.*\n.*nodejs\.org/, version);
});

test('every missing part is named at once, with one line each for Debian and macOS', () => {
  const none = system.PARTS.map((part) => ({ ...part, found: () => false }));
  const message = system.missingMessage(system.missingParts(none));
  for (const { name } of system.PARTS) assert.ok(message.includes(name), name);
  assert.match(message, /apt-get install -y g\+\+ make python3 libssl-dev zlib1g-dev$/m);
  assert.match(message, /xcode-select --install && brew install/);
});

test('only what is missing is named', () => {
  const parts = system.PARTS.map((part) => ({ ...part, found: () => part.name !== 'make' }));
  assert.deepEqual(
    system.missingParts(parts).map(({ name }) => name),
    ['make'],
  );
});

test('a fingerprint changes with the name and the content of a file and with what is added', (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'a'), 'one');
  writeFileSync(join(folder, 'b'), 'one');
  const prints = [
    stamps.fingerprint(folder, ['a']),
    stamps.fingerprint(folder, ['b']),
    stamps.fingerprint(folder, ['a', 'b']),
    stamps.fingerprint(folder, ['a'], 'more'),
  ];
  writeFileSync(join(folder, 'a'), 'two');
  prints.push(stamps.fingerprint(folder, ['a']));
  assert.equal(new Set(prints).size, prints.length);
  writeFileSync(join(folder, 'a'), 'one');
  assert.equal(stamps.fingerprint(folder, ['a']), prints[0]);
});

test('files are found in all depths and folders that do not exist are passed over', (t) => {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'x/y'), { recursive: true });
  for (const name of ['x/one.ts', 'x/y/two.ts', 'x/three.md'])
    writeFileSync(join(folder, name), '');
  const found = stamps.filesBelow(folder, ['x', 'missing'], (path) => path.endsWith('.ts'));
  assert.deepEqual(found, ['x/one.ts', 'x/y/two.ts']);
});

test('a stamp holds until it differs', (t) => {
  const file = join(temporaryFolder(t), 'deep/stamp');
  assert.equal(stamps.isStamped(file, 'a'), false);
  stamps.writeStamp(file, 'a');
  assert.equal(stamps.isStamped(file, 'a'), true);
  assert.equal(stamps.isStamped(file, 'b'), false);
});
