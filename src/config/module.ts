/** Configuration as a module: its default export, a function that returns it, or a promise of it. */
import { createJiti } from 'jiti';
import { extname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { TidemarkError } from '../contract/errors.ts';

export const MODULE_EXTENSIONS = ['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs'];
const TYPESCRIPT = new Set(['.ts', '.mts', '.cts']);

/** Without a cache on disk: one in a shared folder could be written by others. */
function importTypeScript(file: string): Promise<unknown> {
  const self = fileURLToPath(new URL('../index.js', import.meta.url));
  return createJiti(import.meta.url, { fsCache: false, alias: { tidemark: self } }).import(file);
}

function propertyOf(value: unknown, name: string): unknown {
  const holder = typeof value === 'object' && value !== null ? value : {};
  return name in holder ? (holder as Record<string, unknown>)[name] : undefined;
}

/** One level deeper in what compilers make of a default export for CommonJS. */
function defaultOf(module: unknown): unknown {
  const outer = propertyOf(module, 'default');
  const compiled = propertyOf(outer, '__esModule') === true;
  return compiled ? propertyOf(outer, 'default') : outer;
}

/** What the module says. Throws TIDEMARK_CONFIG_INVALID with the module's own error and its stack. */
export async function loadModule(file: string): Promise<unknown> {
  try {
    const module: unknown = TYPESCRIPT.has(extname(file))
      ? await importTypeScript(file)
      : await import(pathToFileURL(file).href);
    const exported = await defaultOf(module);
    return typeof exported === 'function' ? await (exported as () => unknown)() : exported;
  } catch (error) {
    const told = error instanceof Error ? (error.stack ?? error.message) : String(error);
    throw new TidemarkError(
      'TIDEMARK_CONFIG_INVALID',
      `the configuration module ${file} could not be loaded: ${told}`,
      { cause: error },
    );
  }
}
