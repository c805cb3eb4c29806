/**
 * Command line of the simulator: `npm run sim -- --seed S [--steps N] [--minutes M] [--seeds N]`. One
 * seed unless told how long or how many; ends at the first that fails.
 */
import { parseArgs } from 'node:util';
import { runSeed } from './simulation.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    steps: { type: 'string' },
    minutes: { type: 'string' },
    seeds: { type: 'string' },
  },
});
const first = Number(values.seed);
const steps = values.steps === undefined ? null : Number(values.steps);
const until = performance.now() + Number(values.minutes ?? '0') * 60_000;
const count = values.minutes === undefined ? Number(values.seeds ?? '1') : Infinity;

let ran = 0;
let records = 0;
try {
  for (let seed = first; ran < count && (count < Infinity || performance.now() < until); seed++) {
    records += runSeed(seed, steps).records;
    ran++;
  }
  console.log(`${String(ran)} seeds from ${String(first)} hold, ${String(records)} records`);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
