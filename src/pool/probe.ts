/**
 * Loads a handler module once in a thread that is thrown away, before any pool starts: a broken module
 * then ends with its own error and stack, instead of one dead thread per worker. Main thread.
 */
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { TidemarkError } from '../contract/errors.ts';
import type { ProbeResult } from '../ring/messages.ts';
import { toRunError } from '../ring/run-error.ts';

const ENTRY = fileURLToPath(new URL('../../workers/main.js', import.meta.url));
const PROBE_MS = 60_000;

/**
 * Imports the module and checks what it exports; `setup` is not called. Throws a
 * {@link TidemarkError} with code TIDEMARK_HANDLER_INVALID whose message holds the module's own error
 * with its stack.
 */
export async function probeHandler(modulePath: string): Promise<void> {
  const piscina = new Piscina<string, ProbeResult>({
    filename: ENTRY,
    name: 'probe',
    minThreads: 1,
    maxThreads: 1,
    atomics: 'disabled',
  });
  piscina.on('error', () => undefined);
  const signal = AbortSignal.timeout(PROBE_MS);
  try {
    const result = await piscina.run(modulePath, { signal });
    if (result.kind === 'ok') return;
    const stack = result.cause === null ? '' : `\n${result.cause.stack}`;
    throw invalid(result.message + stack, result.cause);
  } catch (error) {
    if (error instanceof TidemarkError) throw error;
    if (signal.aborted)
      throw invalid(
        `handler module ${modulePath} was not loaded within ${String(PROBE_MS / 1000)} s: ` +
          'does it wait for something at its top level? That belongs in setup()',
        null,
      );
    const { message, stack } = toRunError(error);
    throw invalid(
      `handler module ${modulePath} ended its thread while it was loaded: ${message}\n${stack}`,
      error,
    );
  } finally {
    await piscina.destroy();
  }
}

function invalid(message: string, cause: unknown): TidemarkError {
  return new TidemarkError('TIDEMARK_HANDLER_INVALID', message, { cause });
}
