/** `tidemark schema`: the JSON Schema of the configuration file. */
import { publicSchema } from '../config/schema.ts';
import { ExitCode } from '../contract/errors.ts';
import type { ExitCodeValue } from '../contract/errors.ts';

export function printSchema(): Promise<ExitCodeValue> {
  process.stdout.write(`${JSON.stringify(publicSchema(), null, 2)}\n`);
  return Promise.resolve(ExitCode.ok);
}
