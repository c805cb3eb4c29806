/** Where the checkout lies, found from wherever this file was compiled to. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

function projectRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const above = dirname(folder);
    if (above === folder) throw new Error('no package.json above the tests');
    folder = above;
  }
  return folder;
}

/** Absolute path of the checkout. */
export const ROOT = projectRoot();

/** Absolute path of something in the checkout. */
export function inProject(...parts: readonly string[]): string {
  return join(ROOT, ...parts);
}

/** Where this file's build put the compiled tree: `dist`, or another folder given to tsc. */
export const COMPILED = join(dirname(fileURLToPath(import.meta.url)), '../..');
