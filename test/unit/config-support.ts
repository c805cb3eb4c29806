/** Configuration files in folders of their own, for the tests beside this file. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import { loadConfiguration } from '../../src/config/load.ts';
import type { LoadedConfiguration } from '../../src/config/load.ts';
import { TidemarkError } from '../../src/contract/errors.ts';
import type { ErrorCode } from '../../src/contract/errors.ts';

export type Data = Record<string, unknown>;

const root = mkdtempSync(join(tmpdir(), 'tidemark-config-'));
after(() => {
  rmSync(root, { recursive: true, force: true });
});

/** A new folder with these files, by relative path, and a handler module `handler.js`. */
export function folderWith(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = mkdtempSync(join(root, 'f-'));
  for (const [name, text] of Object.entries({
    'handler.js': 'export default () => {};',
    ...files,
  })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** The least that is valid, with `more` merged over it, one level deep. */
export function valid(more: Data = {}): Data {
  const least: Data = {
    kafka: { brokers: 'localhost:9092', groupId: 'group', topics: 'orders' },
    handler: { module: 'handler.js' },
  };
  for (const [name, value] of Object.entries(more)) {
    const present = least[name];
    const both = typeof present === 'object' && typeof value === 'object' && value !== null;
    least[name] = both ? { ...present, ...value } : value;
  }
  return least;
}

export interface Given {
  readonly env?: Readonly<Record<string, string>>;
  readonly set?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
}

/** Loads `data` as a JSON file. */
export function loadData(data: unknown, given: Given = {}): Promise<LoadedConfiguration> {
  const folder = folderWith({ 'c.json': JSON.stringify(data), ...given.files });
  return loadConfiguration({ file: 'c.json', folder, env: given.env ?? {}, set: given.set ?? [] });
}

/** Loads one file of the given name and text. */
export function loadText(
  name: string,
  text: string | Buffer,
  given: Given = {},
): Promise<LoadedConfiguration> {
  const folder = folderWith({ [name]: text, ...given.files });
  return loadConfiguration({ file: name, folder, env: given.env ?? {}, set: given.set ?? [] });
}

/** The message of the TidemarkError with which the promise must reject. */
export async function refusal(
  promise: Promise<unknown>,
  code: ErrorCode = 'TIDEMARK_CONFIG_INVALID',
): Promise<string> {
  try {
    await promise;
  } catch (error) {
    assert.ok(error instanceof TidemarkError, String(error));
    assert.equal(error.code, code, error.message);
    return error.message;
  }
  assert.fail('it was accepted');
}

/** Asserts that the message tells of exactly these problems: each a key and what its text must hold. */
export function assertProblems(
  message: string,
  problems: readonly (readonly [key: string, ...parts: string[]])[],
): void {
  const told = message.split(/\n {2}(?=\S)/).slice(1);
  for (const [key, ...parts] of problems) {
    const one = told.find((text) => text.startsWith(`${key} `) || text.startsWith(`${key}:`));
    assert.ok(one !== undefined, `no problem with ${key} in:\n${message}`);
    for (const part of parts) assert.ok(one.includes(part), `"${part}" is not in:\n${one}`);
    assert.match(one, /\n {6}\S/, `no cure in:\n${one}`);
  }
  assert.equal(told.length, problems.length, message);
}
