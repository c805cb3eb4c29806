/**
 * Loads a handler module and checks what it exports. Worker thread, probe thread included.
 */
import { createJiti } from 'jiti';
import { extname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { TidemarkError } from '../src/contract/errors.ts';
import type { HandleFunction, SetupContext } from '../src/contract/handler.ts';

/** A handler in one form, whatever form its module has. */
export interface LoadedHandler {
  readonly handle: HandleFunction;
  readonly setup: (context: SetupContext) => unknown;
  readonly teardown: () => unknown;
}

const TYPESCRIPT = new Set(['.ts', '.mts', '.cts']);
const NOT_YET = ['handleBatch', 'schema', 'decode'];
const CURE =
  'Export a function (record, context), or an object with a function `handle`: ' +
  '`export default { async handle(record, context) {} }`.';

/**
 * Throws a {@link TidemarkError} with code TIDEMARK_HANDLER_INVALID: with what the module threw as its
 * cause, or with what was found in place of a handler.
 */
export async function loadHandler(modulePath: string): Promise<LoadedHandler> {
  let module: unknown;
  try {
    module = TYPESCRIPT.has(extname(modulePath))
      ? await importTypeScript(modulePath)
      : await import(pathToFileURL(modulePath).href);
  } catch (error) {
    throw new TidemarkError(
      'TIDEMARK_HANDLER_INVALID',
      `handler module ${modulePath} could not be loaded`,
      { cause: error },
    );
  }
  return checked(modulePath, defaultOf(module));
}

/** Without a cache on disk: one in a shared folder could be written by others. */
function importTypeScript(modulePath: string): Promise<unknown> {
  const self = fileURLToPath(new URL('../src/index.js', import.meta.url));
  const jiti = createJiti(import.meta.url, { fsCache: false, alias: { tidemark: self } });
  return jiti.import(modulePath);
}

/** The default export; one level deeper in what compilers make of it for CommonJS. */
function defaultOf(module: unknown): unknown {
  const outer = propertyOf(module, 'default');
  const inner = propertyOf(outer, 'default');
  return inner !== undefined && propertyOf(outer, 'handle') === undefined ? inner : outer;
}

function checked(modulePath: string, found: unknown): LoadedHandler {
  const refuse = (problem: string, cure = CURE): never => {
    throw new TidemarkError(
      'TIDEMARK_HANDLER_INVALID',
      `handler module ${modulePath}: ${problem} ${cure}`,
    );
  };
  if (typeof found === 'function')
    return { handle: found as HandleFunction, setup: nothing, teardown: nothing };
  if (typeof found !== 'object' || found === null)
    return refuse(`its default export is ${kindOf(found)}, not a handler.`);
  for (const key of NOT_YET)
    if (propertyOf(found, key) !== undefined)
      return refuse(`\`${key}\` is not supported yet.`, 'Use `handle` and decode there.');
  const part = (key: string): ((...given: unknown[]) => unknown) => {
    const value = propertyOf(found, key);
    if (value === undefined && key !== 'handle') return nothing;
    if (typeof value !== 'function')
      return refuse(`\`${key}\` is ${kindOf(value)}, not a function.`);
    return (value as (...given: unknown[]) => unknown).bind(found);
  };
  return { handle: part('handle'), setup: part('setup'), teardown: part('teardown') };
}

function propertyOf(value: unknown, key: string): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null)
    return undefined;
  return (value as Record<string, unknown>)[key];
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return `${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`;
}

function nothing(): void {
  // A handler without setup or teardown.
}
