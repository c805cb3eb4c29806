/** Where the handler module lies: an absolute path to a file that exists and can be loaded. */
import { readdirSync, statSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { basename, dirname, extname, resolve } from 'node:path';
import type { ConfigIssue } from './issues.ts';
import { didYouMean } from './keys.ts';

const KEY = 'handler.module';
const EXTENSIONS = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts'];

function filesBeside(path: string): string[] {
  try {
    return readdirSync(dirname(path)).filter((name) => EXTENSIONS.includes(extname(name)));
  } catch {
    return [];
  }
}

/** A neighbour with another extension, or one with nearly that name. */
function neighbour(path: string): string | null {
  const files = filesBeside(path);
  const stem = basename(path, extname(path));
  const twin = files.find((name) => basename(name, extname(name)) === stem);
  return twin ?? didYouMean(basename(path), files);
}

/** Undefined where there is nothing; the reason where that cannot be told. */
function look(path: string): Stats | string | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The absolute path. `folder`: what a relative path is relative to. */
export function handlerPath(given: string, folder: string, issues: ConfigIssue[]): string {
  const path = resolve(folder, given);
  const refuse = (rule: string, cure: string): void => {
    issues.push({ key: KEY, value: given, rule, cure });
  };
  const found = look(path);
  if (typeof found === 'string') {
    refuse(`names a file that cannot be read: ${found}`, 'Name a readable file.');
  } else if (found === undefined) {
    const near = neighbour(path);
    const hint = near === null ? '' : ` Did you mean ${near}?`;
    refuse(
      `names a file that does not exist: ${path}`,
      `Paths are relative to the configuration file (here ${folder}).${hint}`,
    );
  } else if (!found.isFile()) {
    refuse(
      `names something that is no file: ${path}`,
      'Name the module itself, for example handler.js.',
    );
  } else if (!EXTENSIONS.includes(extname(path))) {
    refuse(
      `must end in one of ${EXTENSIONS.join(', ')}`,
      'Give the module such a name, or compile it to JavaScript first.',
    );
  }
  return path;
}
