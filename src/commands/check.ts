/** `tidemark check`: loads and checks the configuration, and loads the handler in a probe thread. */
import { loadConfiguration } from '../config/load.ts';
import type { LoadOptions } from '../config/load.ts';
import { ExitCode, TidemarkError } from '../contract/errors.ts';
import type { ExitCodeValue } from '../contract/errors.ts';

export async function check(
  options: LoadOptions & { readonly broker?: boolean },
): Promise<ExitCodeValue> {
  if (options.broker === true)
    throw new TidemarkError('TIDEMARK_USAGE', 'check --broker is not supported yet');
  const { settings, file } = await loadConfiguration(options);
  process.stdout.write(`configuration ok: ${file ?? 'environment and flags'}\n`);
  // Loaded only now: it brings the thread pool, which a wrong configuration never needs.
  const { probeHandler } = await import('../pool/pool.ts');
  await probeHandler(settings.handler.module);
  process.stdout.write(`handler ok: ${settings.handler.module}\n`);
  return ExitCode.ok;
}
