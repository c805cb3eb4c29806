/** Finds the configuration file and reads it, whatever its format. */
import { readFile, stat } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import { TidemarkError } from '../contract/errors.ts';
import type { ConfigIssue } from './issues.ts';
import { invalidConfiguration } from './issues.ts';
import { loadModule, MODULE_EXTENSIONS } from './module.ts';
import { decodeUtf8, parseJson, parseYaml } from './parse.ts';
import type { PlainObject } from './plain.ts';
import { isPlainObject, toPlain } from './plain.ts';

/** Searched for in this order when no file is named. */
export const FILE_NAMES = ['ts', 'js', 'mjs', 'yaml', 'yml', 'json'].map(
  (extension) => `tidemark.config.${extension}`,
);
const TEXT_EXTENSIONS = ['.yaml', '.yml', '.json'];

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

async function isFile(path: string): Promise<boolean> {
  try {
    const found = await stat(path);
    if (found.isFile()) return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return false;
    throw unreadable(path, codeOf(error));
  }
  throw unreadable(path, 'it is no file');
}

function unreadable(path: string, reason: string): TidemarkError {
  return new TidemarkError(
    'TIDEMARK_CONFIG_UNREADABLE',
    `the configuration file ${path} cannot be read: ${reason}`,
  );
}

/** The file's absolute path; null when none was named and the folder holds none. */
export async function findConfigFile(
  named: string | undefined,
  folder: string,
): Promise<string | null> {
  if (named !== undefined) {
    const path = resolve(folder, named);
    if (await isFile(path)) return path;
    throw new TidemarkError(
      'TIDEMARK_CONFIG_NOT_FOUND',
      `there is no configuration file ${path}; name another with -c FILE`,
    );
  }
  for (const name of FILE_NAMES) {
    const path = join(folder, name);
    if (await isFile(path)) return path;
  }
  return null;
}

async function readText(path: string, issues: ConfigIssue[]): Promise<unknown> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (error) {
    throw unreadable(path, codeOf(error));
  }
  const text = decodeUtf8(bytes, issues);
  if (text === null) return undefined;
  return extname(path) === '.json' ? parseJson(text, issues) : parseYaml(text, issues);
}

/** The file's data. Throws a {@link TidemarkError} for what is no mapping of plain data. */
export async function readConfigFile(path: string): Promise<PlainObject> {
  const extension = extname(path);
  const isModule = MODULE_EXTENSIONS.includes(extension);
  if (!isModule && !TEXT_EXTENSIONS.includes(extension))
    throw invalidConfiguration(path, [
      {
        key: 'the file',
        rule: `must end in one of ${[...TEXT_EXTENSIONS, ...MODULE_EXTENSIONS].join(', ')}`,
        cure: 'Rename it after its format.',
      },
    ]);
  const issues: ConfigIssue[] = [];
  const given = isModule ? await loadModule(path) : await readText(path, issues);
  if (issues.length > 0) throw invalidConfiguration(path, issues);
  const data = toPlain(given, issues);
  if (issues.length === 0 && !isPlainObject(data)) issues.push(noMapping(data, isModule));
  if (issues.length > 0 || !isPlainObject(data)) throw invalidConfiguration(path, issues);
  return data;
}

function noMapping(data: unknown, isModule: boolean): ConfigIssue {
  const empty = data === undefined || data === null;
  if (isModule)
    return {
      key: 'the default export',
      ...(empty ? {} : { value: data }),
      rule: 'must be a configuration, or a function that returns one',
      cure: 'Write `export default defineConfig({ kafka: { … }, handler: { … } })`.',
    };
  return {
    key: 'the file',
    ...(empty ? {} : { value: data }),
    rule: empty ? 'is empty' : 'must be a mapping of keys to values',
    cure: 'Give at least kafka.brokers, kafka.groupId, kafka.topics and handler.module.',
  };
}
