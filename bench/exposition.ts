/** Reads what the bench needs of a Prometheus exposition. */

/** Cumulative counts by upper bound, ascending; the last bound is Infinity. */
export type Buckets = readonly (readonly [bound: number, count: number])[];

/** A histogram, all its series together. */
export function bucketsOf(text: string, metric: string): Buckets {
  const sums = new Map<number, number>();
  for (const line of text.split('\n')) {
    if (!line.startsWith(`${metric}_bucket{`)) continue;
    const bound = /[{,]le="([^"]+)"/.exec(line)?.[1];
    const count = Number(line.slice(line.lastIndexOf(' ') + 1));
    if (bound === undefined) continue;
    const le = bound === '+Inf' ? Infinity : Number(bound);
    sums.set(le, (sums.get(le) ?? 0) + count);
  }
  return [...sums].sort(([a], [b]) => a - b);
}

/** What came in between two readings. */
export function difference(before: Buckets, after: Buckets): Buckets {
  const earlier = new Map(before);
  return after.map(([bound, count]) => [bound, count - (earlier.get(bound) ?? 0)]);
}

/** The share's value, interpolated within its bucket; null where nothing was observed. */
export function quantile(buckets: Buckets, share: number): number | null {
  const total = buckets.at(-1)?.[1] ?? 0;
  if (total === 0) return null;
  const wanted = total * share;
  let lowBound = 0;
  let lowCount = 0;
  for (const [bound, count] of buckets) {
    if (count >= wanted && count > lowCount) {
      if (bound === Infinity) return lowBound;
      return lowBound + ((bound - lowBound) * (wanted - lowCount)) / (count - lowCount);
    }
    lowBound = bound;
    lowCount = count;
  }
  return lowBound;
}

/** A metric without labels. */
export function valueOf(text: string, metric: string): number {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${metric} `));
  if (line === undefined) throw new Error(`the exposition has no ${metric}`);
  return Number(line.slice(metric.length + 1));
}
