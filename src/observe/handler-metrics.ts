/**
 * The handler's own metrics, as its threads send them. Main thread. Handlers are not trusted to be
 * tidy: whatever they send, names, series and memory stay bounded, the exposition stays well formed,
 * and what is refused is counted, and told once for each name and reason.
 */
import { HANDLER_METRIC_PREFIX, METRICS, METRIC_PREFIX } from './catalog.ts';
import { bucketOf, histogramSamples } from './histogram.ts';
import type { Sample } from './histogram.ts';

/** What a handler counted or observed under one name and set of labels. */
export interface HandlerMeasurement {
  readonly kind: 'count' | 'observe';
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Amounts of a counter, or single values of a histogram. */
  readonly values: readonly number[];
}

export type RefusalReason = 'invalid' | 'limit';
/** Called once for each name and reason; `detail` says what is wrong. */
export type OnRefused = (name: string, reason: RefusalReason, detail: string) => void;

export const NAMES_MAX = 200;
export const SERIES_PER_NAME_MAX = 1000;
/** Over all names: a scrape is made on the main thread and must not hold it up. */
export const SERIES_MAX = 10_000;
const NAME_LENGTH_MAX = 200;
const LABELS_MAX = 16;
const LABEL_VALUE_MAX = 256;
const REFUSALS_TOLD_MAX = 1000;

/** What a handler measures may be seconds, bytes or money, so they span 1e-5 to 1e9. */
export const HANDLER_BOUNDS: readonly number[] = Array.from({ length: 15 }, (_, decade) =>
  [1, 2.5, 5].map((step) => Number(`${String(step)}e${String(decade - 5)}`)),
)
  .flat()
  .slice(0, -2);

interface Series {
  readonly labels: Readonly<Record<string, string>>;
  sum: number;
  /** Empty for a counter. */
  readonly buckets: number[];
}

/** All series of one name. */
export interface HandlerFamily {
  /** As it stands in the exposition, prefix included. */
  readonly name: string;
  readonly kind: HandlerMeasurement['kind'];
  samples(): Sample[];
}

interface Family extends HandlerFamily {
  readonly series: Map<string, Series>;
}

export class HandlerMetrics {
  readonly refused: Record<RefusalReason, number> = { invalid: 0, limit: 0 };
  readonly #onRefused: OnRefused;
  readonly #onFamily: (family: HandlerFamily) => void;
  readonly #families = new Map<string, Family>();
  /** Names that lines of the exposition begin with; two metrics must not share one. */
  readonly #taken = new Set(
    Object.entries(METRICS).flatMap(([name, { type }]) =>
      lineNames(METRIC_PREFIX + name, type === 'histogram'),
    ),
  );
  readonly #told = new Set<string>();
  #seriesCount = 0;

  /** `onFamily` is called when a name is used for the first time. */
  constructor(onFamily: (family: HandlerFamily) => void, onRefused: OnRefused) {
    this.#onFamily = onFamily;
    this.#onRefused = onRefused;
  }

  /** Takes the values over, or refuses them. Never throws. */
  add(measurement: HandlerMeasurement): void {
    const { kind, name, values } = measurement;
    const problem = problemOf(measurement);
    if (problem !== null) {
      this.#refuse(name, 'invalid', problem);
      return;
    }
    const family = this.#families.get(name) ?? this.#newFamily(name, kind);
    if (family === null) return;
    if (family.kind !== kind) {
      this.#refuse(name, 'invalid', 'a name is either counted or observed');
      return;
    }
    const series = this.#series(family, measurement);
    if (series === null) return;
    for (const value of values) {
      if (!Number.isFinite(value) || (kind === 'count' && value < 0)) {
        this.#refuse(name, 'invalid', `${String(value)} is no value that can be added`);
        continue;
      }
      series.sum += value;
      if (kind === 'observe') {
        const bucket = bucketOf(HANDLER_BOUNDS, value);
        series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1;
      }
    }
  }

  #newFamily(name: string, kind: Family['kind']): Family | null {
    const lines = lineNames(HANDLER_METRIC_PREFIX + name, kind === 'observe');
    if (lines.some((line) => this.#taken.has(line))) {
      this.#refuse(name, 'invalid', 'its lines would carry the names of another metric');
      return null;
    }
    if (this.#families.size >= NAMES_MAX) {
      this.#refuse(name, 'limit', `there are ${String(NAMES_MAX)} names already`);
      return null;
    }
    for (const line of lines) this.#taken.add(line);
    const series = new Map<string, Series>();
    const shown = HANDLER_METRIC_PREFIX + name;
    const family = { name: shown, kind, series, samples: () => samplesOf(shown, kind, series) };
    this.#families.set(name, family);
    this.#onFamily(family);
    return family;
  }

  #series(family: Family, { name, kind, labels }: HandlerMeasurement): Series | null {
    const sorted = Object.entries(labels)
      .map(([label, value]) => [label, value.slice(0, LABEL_VALUE_MAX)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    const key = JSON.stringify(sorted);
    const known = family.series.get(key);
    if (known !== undefined) return known;
    if (family.series.size >= SERIES_PER_NAME_MAX || this.#seriesCount >= SERIES_MAX) {
      this.#refuse(name, 'limit', 'too many different labels');
      return null;
    }
    const buckets = kind === 'count' ? [] : Array<number>(HANDLER_BOUNDS.length + 1).fill(0);
    const series = { labels: Object.fromEntries(sorted), sum: 0, buckets };
    family.series.set(key, series);
    this.#seriesCount++;
    return series;
  }

  #refuse(name: unknown, reason: RefusalReason, detail: string): void {
    this.refused[reason]++;
    const shown = String(name).slice(0, NAME_LENGTH_MAX);
    const key = `${reason} ${shown}`;
    if (this.#told.has(key) || this.#told.size >= REFUSALS_TOLD_MAX) return;
    this.#told.add(key);
    this.#onRefused(shown, reason, detail);
  }
}

function lineNames(name: string, histogram: boolean): string[] {
  const suffixes = histogram ? ['', '_bucket', '_sum', '_count'] : [''];
  return suffixes.map((suffix) => name + suffix);
}

/** What is wrong with name or labels; null for nothing. */
function problemOf({ name, kind, labels }: HandlerMeasurement): string | null {
  if (name.length > NAME_LENGTH_MAX || !/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name))
    return 'a name is made of letters, digits and _, and does not begin with a digit';
  const entries = Object.entries(labels);
  if (entries.length > LABELS_MAX) return `there are more than ${String(LABELS_MAX)} labels`;
  for (const [label, value] of entries) {
    if (!/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(label) || label.startsWith('__'))
      return 'a label is made of letters, digits and _, and does not begin with a digit or __';
    if (kind === 'observe' && label === 'le') return 'le is the label of the buckets';
    if (typeof value !== 'string') return 'the value of a label is a text';
  }
  return null;
}

function samplesOf(
  name: string,
  kind: Family['kind'],
  series: ReadonlyMap<string, Series>,
): Sample[] {
  return [...series.values()].flatMap(({ labels, sum, buckets }) =>
    kind === 'count'
      ? [{ metricName: name, labels, value: sum }]
      : histogramSamples(name, labels, HANDLER_BOUNDS, { buckets, sum, count: 0 }),
  );
}
