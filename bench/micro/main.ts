/** `npm run bench -- --micro`: parts alone, without a broker. What they cost is the floor of the whole. */
import { round } from '../goals.ts';
import { align } from '../report.ts';
import { BASE, P12, coreMicros } from './core.ts';
import { ringNanos } from './ring.ts';
import { lanesNanos, watermarkNanos } from './structures.ts';

/** The fastest of three: what disturbs only makes slower. */
const TRIES = 3;

async function best(measure: () => number | Promise<number>): Promise<number> {
  let least = Infinity;
  for (let turn = 0; turn < TRIES; turn++) least = Math.min(least, await measure());
  return least;
}

/** Cost per record with many partitions, keys, records in flight, each against the base (P12). */
export async function scaling(quick: boolean): Promise<Record<string, number>> {
  const records = quick ? 200_000 : 2_000_000;
  const base = await best(() => coreMicros(BASE, records));
  const values: Record<string, number> = { 'core.microsPerRecord': round(base) };
  for (const [name, change] of Object.entries(P12)) {
    const cost = await best(() => coreMicros({ ...BASE, ...change }, records));
    values[`P12.${name}`] = round(cost / base);
  }
  return values;
}

export async function runMicro(quick: boolean): Promise<void> {
  const records = quick ? 200_000 : 5_000_000;
  const lines: [string, string][] = [];
  const put = (what: string, value: number, unit: string): void => {
    lines.push([what, `${String(round(value))} ${unit}`]);
  };
  for (const batch of [1, 64])
    put(
      `ring: there and back between two threads, ${String(batch)} to a bell`,
      await best(() => ringNanos(batch === 1 ? records / 10 : records, batch)),
      'ns a record',
    );
  put('watermark: in order', await best(() => watermarkNanos(records, 1)), 'ns a record');
  put('watermark: out of order', await best(() => watermarkNanos(records, 7919)), 'ns a record');
  put('lanes: 10,000 keys', await best(() => lanesNanos(records)), 'ns a record');
  for (const [name, value] of Object.entries(await scaling(quick)))
    put(
      name === 'core.microsPerRecord' ? 'core: a whole turn' : `${name}, against that`,
      value,
      name === 'core.microsPerRecord' ? 'µs a record' : 'times',
    );
  process.stdout.write(`${align(lines)}\n`);
}
