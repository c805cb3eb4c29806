/**
 * Reads librdkafka's CONFIGURATION.md into the form of src/config/librdkafka-properties.ts. The test
 * beside it compares the two; with TIDEMARK_TEST_WRITE=1 it writes the file anew.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export function projectRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}

export const DATA_FILE = 'src/config/librdkafka-properties.ts';

const TYPES: Readonly<Record<string, string>> = {
  'CSV flags': 'flags',
  boolean: 'boolean',
  'enum value': 'enum',
  float: 'float',
  integer: 'integer',
  'pattern list': 'string',
  'see dedicated API': 'callback',
  string: 'string',
};

function allowed(type: string, range: string): string {
  if (type === 'integer') return ` ${range.replace(' .. ', ' ')}`;
  return type === 'enum' ? ` ${range.replaceAll(', ', '|')}` : '';
}

/** One line per property: name, C or P or *, global or topic, type, then its range or values. */
export function propertyLines(): string[] {
  const text = readFileSync(
    join(projectRoot(), 'node_modules/node-rdkafka/deps/librdkafka/CONFIGURATION.md'),
    'utf8',
  );
  const lines: string[] = [];
  let level = 'global';
  for (const line of text.split('\n')) {
    if (line.startsWith('## Topic')) level = 'topic';
    const cells = line.split(' | ').map((cell) => cell.trim());
    const [name, scope, range] = cells;
    const found = /\*Type: ([^*]+)\*/.exec(line)?.[1];
    if (found === undefined || name === undefined || scope === undefined) continue;
    const type = TYPES[found] ?? found;
    lines.push(`${name} ${scope} ${level} ${type}${allowed(type, range ?? '')}`);
  }
  return lines;
}

/** The data file as it should be for the installed package. */
export function renderDataFile(current: string, lines: readonly string[]): string {
  const [head = '', rest = ''] = current.split('const TABLE = `');
  const tail = rest.slice(rest.indexOf('`;'));
  return `${head}const TABLE = \`\n${lines.join('\n')}\n${tail}`;
}
