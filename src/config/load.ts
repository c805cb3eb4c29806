/**
 * The effective settings: defaults < file < environment < flags. Main thread; the only door of this
 * folder for commands and the runtime.
 */
import { dirname } from 'node:path';
import { TidemarkError } from '../contract/errors.ts';
import type { Settings } from '../contract/settings.ts';
import { environmentAssignments } from './env.ts';
import { FILE_NAMES, findConfigFile, readConfigFile } from './file.ts';
import { flagAssignment } from './flags.ts';
import type { Environment } from './interpolate.ts';
import { interpolate } from './interpolate.ts';
import type { ConfigIssue } from './issues.ts';
import { invalidConfiguration } from './issues.ts';
import { assign, originsOf } from './overlay.ts';
import { validate } from './validate.ts';

export interface LoadOptions {
  /** As after `-c`, relative to `folder`. When left out, the folder is searched. */
  readonly file?: string;
  /** The working directory by default. */
  readonly folder?: string;
  /** The process's environment by default. */
  readonly env?: Environment;
  /** `KEY=VALUE` as after `--set`, in order; the last one counts. */
  readonly set?: readonly string[];
}

export interface LoadedConfiguration {
  readonly settings: Settings;
  /** Absolute path; null when everything came from the environment and flags. */
  readonly file: string | null;
}

/**
 * Loads and checks everything that can be checked without Kafka and without running the handler.
 * Throws a {@link TidemarkError}: TIDEMARK_CONFIG_NOT_FOUND, _UNREADABLE, or _INVALID with the list
 * of all problems; TIDEMARK_USAGE for a malformed `--set`.
 */
export async function loadConfiguration(options: LoadOptions = {}): Promise<LoadedConfiguration> {
  const { folder = process.cwd(), env = process.env } = options;
  const flags = (options.set ?? []).map(flagAssignment);
  const file = await findConfigFile(options.file, folder);
  const raw = file === null ? {} : await readConfigFile(file);
  const issues: ConfigIssue[] = [];
  const data = interpolate(raw, env, issues);
  const assignments = [...environmentAssignments(env, data, issues), ...flags];
  if (file === null && assignments.length === 0 && issues.length === 0)
    throw new TidemarkError(
      'TIDEMARK_CONFIG_NOT_FOUND',
      `there is no configuration file in ${folder} (${FILE_NAMES.join(', ')}); name one with -c FILE`,
    );
  for (const assignment of assignments) assign(data, assignment);
  const settings = validate(data, file === null ? folder : dirname(file), issues);
  if (settings === undefined || issues.length > 0)
    throw invalidConfiguration(
      file ?? `no file in ${folder}, environment and flags only`,
      issues,
      originsOf(assignments),
    );
  return { settings, file };
}
