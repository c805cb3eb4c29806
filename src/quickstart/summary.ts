/** What the quick start says at its end, and whether everything held. Pure. */
import type { PartitionProgress } from '../broker/group-progress.ts';
import type { OrderCheck } from './order-check.ts';
import { readable } from './progress.ts';

export interface Findings {
  readonly produced: number;
  /** Orders the broker did not take. */
  readonly refused: number;
  readonly seconds: number;
  readonly check: OrderCheck;
  /** Most handler runs at the same time. */
  readonly peak: number;
  readonly threads: number;
  readonly progress: readonly PartitionProgress[];
}

export interface Summary {
  readonly lines: readonly string[];
  /** Every promise held. */
  readonly holds: boolean;
}

export function summarize(findings: Findings): Summary {
  const { produced, refused, seconds, check, peak, threads, progress } = findings;
  const missing = produced - check.handled;
  const behind = progress.filter(({ committed, logEnd }) => (committed ?? 0) !== logEnd);
  const ends = progress.reduce((sum, { logEnd }) => sum + logEnd, 0);
  const verdicts: (readonly [holds: boolean, text: string])[] = [
    [
      missing === 0 && refused === 0,
      missing === 0
        ? `${readable(check.handled)} of ${readable(produced)} orders handled in ` +
          `${seconds.toFixed(1)} s${repeats(check.repeated)}`
        : `${readable(missing)} of ${readable(produced)} orders were not handled`,
    ],
    [
      check.breaches === 0 && check.withGap === 0,
      check.firstBreach ??
        (check.withGap === 0
          ? `every order of each of ${readable(check.customers)} customers ran alone and in sequence`
          : `${readable(check.withGap)} orders ran without the one in front of them`),
    ],
    [
      behind.length === 0 && ends === produced,
      behind.length === 0
        ? `committed equals end: ${readable(ends)} over ${String(progress.length)} partitions`
        : `committed is not the end in partitions ${behind.map((each) => each.partition).join(', ')}`,
    ],
  ];
  return {
    lines: [
      ...verdicts.map(([holds, text]) => `  ${holds ? '✓' : '✗'} ${text}`),
      `    at most ${String(peak)} orders ran at the same time, on ${String(threads)} threads`,
    ],
    holds: verdicts.every(([holds]) => holds),
  };
}

function repeats(count: number): string {
  return count === 0 ? '' : `, ${readable(count)} of them again`;
}
