/**
 * The work of the benchmarks' handlers, the same code for every contender. Runs wherever the contender
 * runs its handler; a contender says how a value or header is read from its own kind of record, so
 * that nobody pays for a record object that is not its own.
 */
import { createHash } from 'node:crypto';

export interface WorkOptions {
  readonly name: 'noop' | 'headers' | 'cpu' | 'hash' | 'wait';
  /** Rounds of {@link spin} or {@link digest} for about 200 µs, from the calibration. */
  readonly rounds: number;
  /** What `wait` waits. */
  readonly waitMs: number;
}

/** How a contender's record is read. */
export interface Access<R> {
  value(record: R): Uint8Array | null;
  /** Bytes of the header of that name. */
  header(record: R, name: string): Uint8Array | string | null | undefined;
}

export type Work<R> = (record: R) => undefined | Promise<void>;

/** The header the `headers` workload reads, one of four. */
export const HEADER_READ = 'h2';

/** Results go here, so that no compiler can leave the work out. */
export let sink = 0;

/** Pure JavaScript, each round dependent on the one before. */
export function spin(rounds: number): number {
  let state = 0x9e3779b9 | 0;
  for (let round = 0; round < rounds; round++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state = Math.imul(state, 0x85ebca6b) + round;
  }
  return state;
}

export function digest(value: Uint8Array, rounds: number): number {
  let last = 0;
  for (let round = 0; round < rounds; round++)
    last ^= createHash('sha256').update(value).digest()[0] ?? 0;
  return last;
}

export function createWork<R>(options: WorkOptions, access: Access<R>): Work<R> {
  const { rounds, waitMs } = options;
  const empty = new Uint8Array(0);
  switch (options.name) {
    case 'noop':
      return () => undefined;
    case 'headers':
      return (record) => {
        sink += access.header(record, HEADER_READ)?.length ?? 0;
        return undefined;
      };
    case 'cpu':
      return () => {
        sink ^= spin(rounds);
        return undefined;
      };
    case 'hash':
      return (record) => {
        sink ^= digest(access.value(record) ?? empty, rounds);
        return undefined;
      };
    case 'wait':
      return () =>
        new Promise((resolve) => {
          setTimeout(resolve, waitMs);
        });
  }
}
