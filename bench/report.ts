/** Results: their form, what they are compared with, and how people see them. */
import type { RunSettings } from './peers/job.ts';

export interface Row {
  readonly workload: string;
  readonly topic: string;
  readonly contender: string;
  readonly records: number;
  /** Records per second, one a round; empty when it could not run. */
  readonly rates: readonly number[];
  readonly median: number | null;
  readonly cpuMicrosPerRecord: number | null;
  readonly mainMicrosPerRecord: number | null;
  readonly peakRssMb: number | null;
  readonly rssGrowth: number | null;
  /** `cut`: the limit of time ended a run before its last record. */
  readonly settings: RunSettings & { readonly cut: boolean };
  /** Why there are no rates. */
  readonly skipped: string | null;
}

export interface Report {
  readonly meta: {
    readonly date: string;
    readonly commit: string;
    readonly node: string;
    readonly cores: number;
    readonly broker: string;
    readonly quick: boolean;
    readonly rounds: number;
    /** Rounds of the computing handlers for 200 µs. */
    readonly calibration: { readonly cpu: number; readonly hash: number };
  };
  readonly rows: readonly Row[];
  readonly ratios: Readonly<Record<string, number>>;
  readonly figures: Readonly<Record<string, number>>;
}

export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('no median of nothing');
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  const upper = sorted[half] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? 0) + upper) / 2;
}

const columns = [
  'workload',
  'topic',
  'contender',
  'records/s',
  'range',
  'µs CPU',
  'µs main',
  'peak MB',
  'note',
];

/** The rows as a table. */
export function tableOf(rows: readonly Row[]): string {
  return align([columns, ...rows.map(cells)]);
}

function cells(row: Row): string[] {
  const { rates, settings } = row;
  const thousands = (value: number): string => Math.round(value).toLocaleString('en');
  const micros = (value: number | null): string => (value === null ? '-' : value.toFixed(2));
  const range =
    rates.length < 2 ? '' : `${thousands(Math.min(...rates))}–${thousands(Math.max(...rates))}`;
  const notes = [
    settings.concurrency === 16 ? '' : `concurrency ${String(settings.concurrency)}`,
    settings.cut ? 'cut at the time limit' : '',
    row.skipped === null ? '' : `skipped: ${row.skipped.split('\n')[0] ?? ''}`,
  ];
  return [
    row.workload,
    row.topic,
    row.contender,
    row.median === null ? '-' : thousands(row.median),
    range,
    micros(row.cpuMicrosPerRecord),
    micros(row.mainMicrosPerRecord),
    row.peakRssMb === null ? '-' : row.peakRssMb.toFixed(0),
    notes.filter((note) => note !== '').join('; '),
  ];
}

/** Columns padded to their widest cell. */
export function align(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
