import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { produce, readCommitted } from '../../support/clients.ts';
import { endsByPlace, keyLane, laneBreaches, readLedger } from '../../support/ledger.ts';
import { kafkaScenario, runTidemark, untilCommitted } from '../../support/scenario.ts';

const RECORDS = 12_000;
const PARTITIONS = 4;
const SLOW = { partition: 1, offset: 5 };
const SLOW_PLACE = `${String(SLOW.partition)}/${String(SLOW.offset)}`;

/** Keys that come back every 400 records, so that the slow one has 29 more records behind it. */
const TOPIC = Array.from({ length: RECORDS }, (_, at) => ({
  partition: at % PARTITIONS,
  key: String(at % 400),
  value: 'v',
}));
const SLOW_KEY = String((SLOW.offset * PARTITIONS + SLOW.partition) % 400);
const BEHIND = TOPIC.filter(({ key }) => key === SLOW_KEY).length;

// What runs beside it on a thread that is blocked cannot end either; here nothing does.
for (const [how, option, concurrency] of [
  ['waits', 'gateAt', 16],
  ['blocks its thread', 'blockAt', 1],
] as const)
  test(`while one record ${how} all other keys go on and its partition's commit stays below it; then it jumps to the end (W2)`, async (t) => {
    const scenario = await kafkaScenario(t, PARTITIONS);
    const { brokers, topic, groupId, ledger } = scenario;
    await produce(brokers, topic, TOPIC);
    const gate = join(scenario.folder, 'gate');
    const program = runTidemark(t, scenario, {
      options: { [option]: { [SLOW_PLACE]: gate } },
      config: { workers: { threads: 2, concurrency } },
    });
    await program.while(
      () => endsByPlace(readLedger(ledger)).size === RECORDS - BEHIND,
      'everything but the records of that key',
    );
    const end = RECORDS / PARTITIONS;
    const others = [0, 2, 3];
    await program.while(async () => {
      const committed = await readCommitted(brokers, groupId, topic);
      return others.every((partition) => committed.get(partition) === end);
    }, 'the commits of the other partitions');
    assert.equal((await readCommitted(brokers, groupId, topic)).get(SLOW.partition), SLOW.offset);

    writeFileSync(gate, '');
    await untilCommitted(scenario, program);
    assert.equal((await program.stop()).code, 0, program.output);
    const lines = readLedger(ledger);
    const ended = endsByPlace(lines);
    assert.equal(ended.size, RECORDS);
    assert.ok([...ended.values()].every((runs) => runs === 1));
    assert.deepEqual(laneBreaches(lines, keyLane), []);
  });
