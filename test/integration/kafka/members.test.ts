import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { connectProducer, readCommitted } from '../../support/clients.ts';
import { endsByPlace, keyLane, laneBreaches, readLedger } from '../../support/ledger.ts';
import type { LedgerLine } from '../../support/ledger.ts';
import { kafkaScenario, runTidemark, untilCommitted } from '../../support/scenario.ts';
import type { Scenario } from '../../support/scenario.ts';
import { waitUntil } from '../../support/wait.ts';

const PARTITIONS = 8;
const KEYS = 400;
/** So many records may wait: enough for work at every moment of a hand-over. */
const AHEAD = 600;
const BATCH = 200;

/** Writes records without an end, never far ahead of the runs; `stop` tells how many it wrote. */
async function feed(t: TestContext, scenario: Scenario): Promise<{ stop(): Promise<number> }> {
  const producer = await connectProducer(t, scenario.brokers);
  let written = 0;
  let stopping = false;
  const write = async (): Promise<void> => {
    while (!stopping) {
      const messages = Array.from({ length: BATCH }, (_, at) => ({
        partition: (written + at) % PARTITIONS,
        key: String((written + at) % KEYS),
        value: 'v',
      }));
      await producer.send({ topic: scenario.topic, messages });
      written += BATCH;
      await waitUntil(() => stopping || readLedger(scenario.ledger).length > 2 * (written - AHEAD));
    }
  };
  const writing = write();
  // Awaited in `stop`; a test that fails before leaves it behind.
  writing.catch(() => undefined);
  return {
    stop: async () => {
      stopping = true;
      await writing;
      return written;
    },
  };
}

/** Reads the group's positions again and again and notes where one goes back. */
function watchCommits(scenario: Scenario): { stop(): Promise<string[]> } {
  const wentBack: string[] = [];
  let newest = new Map<number, number>();
  let stopping = false;
  const watch = async (): Promise<void> => {
    while (!stopping) {
      const read = await readCommitted(scenario.brokers, scenario.groupId, scenario.topic);
      const positions = new Map([...read].map(([partition, at]) => [partition, at ?? 0]));
      for (const [partition, at] of positions)
        if (at < (newest.get(partition) ?? 0))
          wentBack.push(`${String(partition)}: ${String(newest.get(partition))} to ${String(at)}`);
      newest = positions;
    }
  };
  const watching = watch();
  watching.catch(() => undefined);
  return {
    stop: async () => {
      stopping = true;
      await watching;
      return wentBack;
    },
  };
}

const startedBy = (lines: readonly LedgerLine[], pid: number): number =>
  lines.filter((line) => line.kind === 'start' && line.pid === pid).length;

const PROTOCOLS = [
  { name: 'the default, cooperative', properties: { 'heartbeat.interval.ms': 500 } },
  {
    name: 'range',
    properties: { 'partition.assignment.strategy': 'range', 'heartbeat.interval.ms': 500 },
  },
  { name: 'group.protocol consumer', properties: { 'group.protocol': 'consumer' } },
] as const;

for (const { name, properties } of PROTOCOLS)
  test(`a second member comes and goes under load (${name}): every record runs once, in the order of its key (G1, G2)`, async (t) => {
    const scenario = { ...(await kafkaScenario(t, PARTITIONS)), properties };
    const { ledger } = scenario;
    const feeding = await feed(t, scenario);
    const run = { options: { waitMs: 2 } };
    const first = runTidemark(t, scenario, run);
    await first.while(() => startedBy(readLedger(ledger), first.pid) > 500, 'work of the first');
    const watch = watchCommits(scenario);

    const second = runTidemark(t, scenario, run);
    await second.while(() => startedBy(readLedger(ledger), second.pid) > 500, 'work of the second');
    assert.equal((await second.stop()).code, 0, second.output);
    const before = startedBy(readLedger(ledger), first.pid);
    await first.while(
      () => startedBy(readLedger(ledger), first.pid) > before + 2000,
      'work of the first after the second has left',
    );
    const written = await feeding.stop();
    await untilCommitted(scenario, first);
    assert.deepEqual(await watch.stop(), [], 'committed never goes back');
    assert.equal((await first.stop()).code, 0, first.output);

    const lines = readLedger(ledger);
    const ended = endsByPlace(lines);
    assert.equal(ended.size, written);
    assert.deepEqual(
      [...ended].filter(([, runs]) => runs !== 1),
      [],
      'nothing ran twice',
    );
    // Both members write the ledger with one clock, so a lane may not overlap between them either.
    assert.deepEqual(laneBreaches(lines, keyLane), []);
  });
