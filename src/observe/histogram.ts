/** Histograms: from counts per bucket to the cumulative samples of the exposition. Pure. */
import type { HistogramSnapshot } from '../contract/snapshot.ts';

/** One line of the exposition. */
export interface Sample {
  /** With the suffix, where it has one. */
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

type Labels = Sample['labels'];

/** The samples of one histogram. A bucket that `snapshot` does not have counts as empty. */
export function histogramSamples(
  name: string,
  labels: Labels,
  bounds: readonly number[],
  snapshot: HistogramSnapshot,
): Sample[] {
  let total = 0;
  const samples = [...bounds, Infinity].map((bound, index): Sample => {
    total += snapshot.buckets[index] ?? 0;
    const le = bound === Infinity ? '+Inf' : String(bound);
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: total };
  });
  return [
    ...samples,
    { metricName: `${name}_sum`, labels, value: snapshot.sum },
    // Of the buckets, so that it equals the one with no bound whatever was given.
    { metricName: `${name}_count`, labels, value: total },
  ];
}

/** Index of the bucket that takes `value`: the first whose bound is not below it. */
export function bucketOf(bounds: readonly number[], value: number): number {
  const index = bounds.findIndex((bound) => value <= bound);
  return index === -1 ? bounds.length : index;
}
