/** Command line of `npm run bench`. */
import { parseArgs } from 'node:util';
import { CONTENDERS } from './contenders.ts';
import { WORKLOADS } from './workloads.ts';

export interface Options {
  readonly json: string | null;
  readonly quick: boolean;
  readonly micro: boolean;
  readonly help: boolean;
  /** Null for all. */
  readonly workloads: readonly string[] | null;
  readonly contenders: readonly string[] | null;
  readonly rounds: number;
}

export const USAGE = `npm run bench -- [options]

  --workloads a,b    only these: ${WORKLOADS.join(', ')}
  --contenders a,b   only these: ${Object.keys(CONTENDERS).join(', ')}
  --rounds N         rounds per workload, interleaved (default 3; 1 with --quick)
  --quick            a tenth of the records: shows that all runs, not how fast
  --json FILE        writes the results there too
  --micro            instead of all that: parts alone, without a broker

KAFKA_BROKERS names the broker; without it one is started.
`;

/** Throws an Error that says what is wrong with the arguments. */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      json: { type: 'string' },
      quick: { type: 'boolean', default: false },
      micro: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      workloads: { type: 'string' },
      contenders: { type: 'string' },
      rounds: { type: 'string' },
    },
  });
  const { quick, micro, help, json } = values;
  const rounds = Number(values.rounds ?? (quick ? 1 : 3));
  if (!Number.isInteger(rounds) || rounds < 1)
    throw new Error(`--rounds ${String(values.rounds)}: must be a whole number from 1`);
  return {
    quick,
    micro,
    help,
    rounds,
    json: json ?? null,
    workloads: listOf('--workloads', values.workloads, WORKLOADS),
    contenders: listOf('--contenders', values.contenders, Object.keys(CONTENDERS)),
  };
}

function listOf(
  flag: string,
  text: string | undefined,
  known: readonly string[],
): readonly string[] | null {
  if (text === undefined) return null;
  const names = text.split(',').map((name) => name.trim());
  for (const name of names)
    if (!known.includes(name))
      throw new Error(`${flag}: there is no ${JSON.stringify(name)}, only ${known.join(', ')}`);
  return names;
}
