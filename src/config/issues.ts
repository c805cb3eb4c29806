/** Problems of a configuration, gathered so that all of them can be told at once. */
import { TidemarkError } from '../contract/errors.ts';
import { isSecretName, masked } from './mask.ts';

export interface ConfigIssue {
  /** Dotted, as the contract names it. */
  readonly key: string;
  /** Left out where there is none to show. */
  readonly value?: unknown;
  /** What must hold, as the end of a sentence whose subject is the key. */
  readonly rule: string;
  /** What to do about it, a full sentence. */
  readonly cure: string;
  /** The key that was probably meant: the value of a mistyped secret is a secret. */
  readonly meant?: string | null;
}

const SHOWN_MAX = 80;

/** A value (plain data) as it may be shown: secrets masked, one line, cut. */
export function showValue(value: unknown, secret: boolean): string {
  const text = JSON.stringify(masked(value, secret));
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}

function line(issue: ConfigIssue, origins: ReadonlyMap<string, string>): string {
  const origin = origins.get(issue.key);
  const secret = isSecretName(issue.key) || isSecretName(issue.meant ?? '');
  const shown = issue.value === undefined ? '' : ` = ${showValue(issue.value, secret)}`;
  const from = origin === undefined ? '' : ` (from ${origin})`;
  return `  ${issue.key}${shown}${from}: ${issue.rule}\n      ${issue.cure}`;
}

/** One error whose message is the whole list. `origins` tells which variable or flag set a key. */
export function invalidConfiguration(
  source: string,
  issues: readonly ConfigIssue[],
  origins: ReadonlyMap<string, string> = new Map(),
  cause?: unknown,
): TidemarkError {
  const count = issues.length === 1 ? '1 problem' : `${String(issues.length)} problems`;
  const lines = issues.map((issue) => line(issue, origins));
  return new TidemarkError(
    'TIDEMARK_CONFIG_INVALID',
    `the configuration (${source}) is not valid, ${count}:\n${lines.join('\n')}`,
    { cause },
  );
}
