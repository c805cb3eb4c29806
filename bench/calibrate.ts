/** How many rounds of a computing handler take about as long as the plan says, on this machine. */
import { digest, spin } from './handlers/work.ts';

const TARGET_MS = 0.2;
const TRIES = 15;
const TRY_MS = 4;
const VALUE = Buffer.alloc(200, 'x');

export interface Calibration {
  readonly cpu: number;
  readonly hash: number;
}

/** The fastest try counts: whatever disturbs a try only makes it slower. */
export function roundsFor(
  work: (rounds: number) => unknown,
  targetMs: number,
  now: () => number = () => performance.now(),
): number {
  let rounds = 16;
  let best = Infinity;
  for (let tries = 0; tries < TRIES;) {
    const since = now();
    work(rounds);
    const took = now() - since;
    if (took < TRY_MS) {
      rounds *= 2;
      continue;
    }
    best = Math.min(best, took / rounds);
    tries++;
  }
  return Math.max(1, Math.round(targetMs / best));
}

export function calibrate(): Calibration {
  return {
    cpu: roundsFor(spin, TARGET_MS),
    hash: roundsFor((rounds) => digest(VALUE, rounds), TARGET_MS),
  };
}
