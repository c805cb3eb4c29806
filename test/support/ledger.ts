/** What the handler test/fixtures/handlers/ledger.mjs wrote, read back and judged. */
import { existsSync, readFileSync } from 'node:fs';

/** One start or end of a handler run. */
export interface LedgerLine {
  readonly kind: 'start' | 'end';
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** Null for a null key. */
  readonly key: string | null;
  readonly attempt: number;
  readonly worker: number;
  readonly pid: number;
  readonly generation: number;
  /** Monotonic nanoseconds, comparable between processes of one machine. */
  readonly at: bigint;
}

/** All complete lines, oldest first; none where the file does not exist yet. */
export function readLedger(file: string): LedgerLine[] {
  if (!existsSync(file)) return [];
  const text = readFileSync(file, 'utf8');
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { at, ...rest } = JSON.parse(line) as Omit<LedgerLine, 'at'> & { at: string };
      return { ...rest, at: BigInt(at) };
    })
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

/** `topic/partition/offset` of a line. */
export function placeOf({ topic, partition, offset }: LedgerLine): string {
  return `${topic}/${String(partition)}/${String(offset)}`;
}

/** How many runs of each record ended well, by place. */
export function endsByPlace(lines: readonly LedgerLine[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines)
    if (line.kind === 'end') counts.set(placeOf(line), (counts.get(placeOf(line)) ?? 0) + 1);
  return counts;
}

/**
 * Breaches of order within lanes, in words; empty when there are none. `laneOf` names the lane of a
 * line, null for none. Only for runs of one process: a second member repeats records rightly.
 */
export function laneBreaches(
  lines: readonly LedgerLine[],
  laneOf: (line: LedgerLine) => string | null,
): string[] {
  const breaches: string[] = [];
  const running = new Map<string, LedgerLine>();
  const newest = new Map<string, number>();
  for (const line of lines) {
    const lane = laneOf(line);
    if (lane === null) continue;
    if (line.kind === 'end') {
      running.delete(lane);
      continue;
    }
    const other = running.get(lane);
    if (other !== undefined)
      breaches.push(`${placeOf(line)} started while ${placeOf(other)} of its lane ran`);
    running.set(lane, line);
    if (line.attempt === 1 && line.offset <= (newest.get(lane) ?? -1))
      breaches.push(`${placeOf(line)} started after ${String(newest.get(lane))} of its lane`);
    newest.set(lane, Math.max(newest.get(lane) ?? -1, line.offset));
  }
  return breaches;
}

/** The lane of a record under `ordering: key`. */
export function keyLane(line: LedgerLine): string | null {
  return line.key === null ? null : `${line.topic}/${String(line.partition)}/${line.key}`;
}

/** The lane of a record under `ordering: partition`. */
export function partitionLane(line: LedgerLine): string {
  return `${line.topic}/${String(line.partition)}`;
}
