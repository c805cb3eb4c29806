/** `tidemark config`: the merged configuration with secrets masked. */
import { loadConfiguration } from '../config/load.ts';
import type { LoadOptions } from '../config/load.ts';
import { settingsText } from '../config/print.ts';
import { ExitCode } from '../contract/errors.ts';
import type { ExitCodeValue } from '../contract/errors.ts';

export async function printConfig(
  options: LoadOptions & { readonly json?: boolean },
): Promise<ExitCodeValue> {
  const { settings } = await loadConfiguration(options);
  process.stdout.write(settingsText(settings, options.json === true ? 'json' : 'yaml'));
  return ExitCode.ok;
}
