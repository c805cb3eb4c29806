import assert from 'node:assert/strict';
import { test } from 'node:test';
import { produce } from '../../support/clients.ts';
import {
  endsByPlace,
  keyLane,
  laneBreaches,
  partitionLane,
  readLedger,
} from '../../support/ledger.ts';
import type { LedgerLine } from '../../support/ledger.ts';
import { kafkaScenario, runTidemark, untilCommitted } from '../../support/scenario.ts';

const PARTITIONS = 16;
const KEYS = 1000;

/** The most runs in progress at one time. */
function peak(lines: readonly LedgerLine[]): number {
  let running = 0;
  let most = 0;
  for (const { kind } of lines) {
    running += kind === 'start' ? 1 : -1;
    most = Math.max(most, running);
  }
  return most;
}

const MODES = [
  { ordering: 'key', records: 50_000, laneOf: keyLane },
  { ordering: 'partition', records: 20_000, laneOf: partitionLane },
  { ordering: 'none', records: 20_000, laneOf: () => null },
] as const;

for (const { ordering, records, laneOf } of MODES)
  test(`ordering ${ordering}: ${String(records)} records are handled once each, lanes run serially and in order, committed equals end (L1, L2)`, async (t) => {
    const scenario = await kafkaScenario(t, PARTITIONS);
    const value = Buffer.alloc(200, 'v');
    await produce(
      scenario.brokers,
      scenario.topic,
      Array.from({ length: records }, (_, at) => ({
        partition: at % PARTITIONS,
        // Each key has one partition, as a producer's partitioner would see to.
        key: String(at % PARTITIONS) + '-' + String(at % KEYS),
        value,
      })),
    );
    const program = runTidemark(t, scenario, { options: { waitMs: 1 }, config: { ordering } });
    await untilCommitted(scenario, program, 240_000);
    const { topic } = scenario;
    const settled = await program.metric('tidemark_records_settled_total', {
      topic,
      outcome: 'ok',
    });
    assert.equal(settled, records, program.output);
    assert.equal((await program.stop()).code, 0, program.output);

    const lines = readLedger(scenario.ledger);
    const ended = endsByPlace(lines);
    assert.equal(ended.size, records);
    assert.ok([...ended.values()].every((runs) => runs === 1));
    assert.deepEqual(laneBreaches(lines, laneOf).slice(0, 5), []);
    const most = peak(lines);
    t.diagnostic(`at most ${String(most)} runs at the same time`);
    // One lane per partition is the least that any mode may reach; others overlap more.
    assert.ok(most > (ordering === 'partition' ? PARTITIONS / 2 : PARTITIONS));
  });
