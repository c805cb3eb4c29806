/** YAML and JSON text as data, with the line of every mistake and without a word of the text itself. */
import { LineCounter, parseDocument } from 'yaml';
import type { ConfigIssue } from './issues.ts';

const ENCODING_CURE = 'Save the file as UTF-8.';

/** Text of a file's bytes, without a byte order mark; null when it is not UTF-8. */
export function decodeUtf8(bytes: Uint8Array, issues: ConfigIssue[]): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    issues.push({ key: 'the file', rule: 'is not text in UTF-8', cure: ENCODING_CURE });
    return null;
  }
}

const CURES: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: 'Remove one of the two.',
  MULTIPLE_DOCS: 'Leave one document in the file.',
  TAB_AS_INDENT: 'Indent with spaces.',
};

/** One document of YAML 1.2. Undefined for an empty file, and after a mistake. */
export function parseYaml(text: string, issues: ConfigIssue[]): unknown {
  const lines = new LineCounter();
  try {
    // Pretty errors would quote the line, and with it perhaps a password.
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true });
    const problems = [...document.errors, ...document.warnings];
    for (const { code, message, pos } of problems) {
      const { line, col } = lines.linePos(pos[0]);
      issues.push({
        key: `line ${String(line)}, column ${String(col)}`,
        rule: code === 'DUPLICATE_KEY' ? 'names a key for the second time' : withoutText(message),
        cure: CURES[code] ?? 'Correct the syntax.',
      });
    }
    return problems.length > 0 ? undefined : (document.toJS({ maxAliasCount: 100 }) as unknown);
  } catch (error) {
    const rule = `cannot be parsed: ${error instanceof Error ? error.message : String(error)}`;
    issues.push({ key: 'the file', rule, cure: 'Correct the syntax.' });
    return undefined;
  }
}

/** The parser quotes tokens in some messages. */
function withoutText(message: string): string {
  const [said = message] = message.split(/: |\n/);
  return said.charAt(0).toLowerCase() + said.slice(1);
}

/** Undefined for an empty file, and after a mistake. */
export function parseJson(text: string, issues: ConfigIssue[]): unknown {
  if (text.trim() === '') return undefined;
  try {
    const value = JSON.parse(text) as unknown;
    duplicates(text, issues);
    return value;
  } catch (error) {
    const position = / at position (\d+)/.exec(String(error))?.[1];
    const before = position === undefined ? null : text.slice(0, Number(position)).split('\n');
    issues.push({
      key: before === null ? 'the file' : `line ${String(before.length)}`,
      rule: 'is not valid JSON',
      cure: 'Correct the syntax: double quotes, no comments, no comma after the last entry.',
    });
    return undefined;
  }
}

/** JSON is YAML, and JSON.parse takes the last of two equal keys without a word. */
function duplicates(text: string, issues: ConfigIssue[]): void {
  const found: ConfigIssue[] = [];
  parseYaml(text, found);
  issues.push(...found.filter(({ cure }) => cure === CURES['DUPLICATE_KEY']));
}
