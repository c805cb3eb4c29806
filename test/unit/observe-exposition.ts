/** A strict reader of the Prometheus text format: throws where a server would refuse the scrape. */
export interface Series {
  /** With suffix. */
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

export interface Family {
  readonly type: string;
  readonly help: string;
  readonly series: Series[];
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*/;
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  counter: [''],
  gauge: [''],
  histogram: ['_bucket', '_sum', '_count'],
};

export function parseExposition(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line is not ended');
  const families = new Map<string, Family>();
  const seen = new Set<string>();
  let help: [name: string, text: string] | null = null;
  let current: [name: string, family: Family] | null = null;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (kind === 'HELP') {
      help = [name, rest];
    } else if (kind === 'TYPE') {
      if (help?.[0] !== name || families.has(name)) throw new Error(`out of place: ${line}`);
      current = [name, { type: rest, help: help[1], series: [] }];
      families.set(...current);
    } else {
      const series = parseSeries(line);
      const [family, { type, series: all }] = current ?? fail(`no TYPE above: ${line}`);
      const suffixes = SUFFIXES[type] ?? fail(`unknown type: ${type}`);
      if (!suffixes.some((suffix) => family + suffix === series.name))
        throw new Error(`not of ${family}: ${line}`);
      const labels = [...series.labels].sort(([a], [b]) => (a < b ? -1 : 1));
      const identity = JSON.stringify([series.name, labels]);
      if (seen.has(identity)) throw new Error(`twice: ${line}`);
      seen.add(identity);
      all.push(series);
    }
  }
  return families;
}

function parseSeries(line: string): Series {
  const name = NAME.exec(line)?.[0] ?? fail(`no name: ${line}`);
  let rest = line.slice(name.length);
  const labels = new Map<string, string>();
  if (rest.startsWith('{')) {
    rest = rest.slice(1);
    while (!rest.startsWith('}')) {
      const [whole, label = '', value = ''] =
        /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|(?=\}))/.exec(rest) ??
        fail(`no label: ${line}`);
      if (labels.has(label)) throw new Error(`label twice: ${line}`);
      labels.set(
        label,
        value.replace(/\\(.)/g, (_, c: string) => (c === 'n' ? '\n' : c)),
      );
      rest = rest.slice(whole.length);
    }
    rest = rest.slice(1);
  }
  const value = /^ ([+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf|NaN))$/.exec(rest)?.[1];
  if (value === undefined) throw new Error(`no value: ${line}`);
  return { name, labels, value: Number(value.replace('Inf', 'Infinity')) };
}

function fail(message: string): never {
  throw new Error(message);
}
