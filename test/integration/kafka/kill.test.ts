import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { produce, readCommitted } from '../../support/clients.ts';
import { endsByPlace, placeOf, readLedger } from '../../support/ledger.ts';
import type { LedgerLine } from '../../support/ledger.ts';
import { kafkaScenario, runTidemark, untilCommitted } from '../../support/scenario.ts';

const RECORDS = 20_000;
const PARTITIONS = 8;
const KILLS = 10;
/** A life ends after at most so many bytes in the ledger, where a record takes about 400. */
const LIFE_BYTES = 500_000;

type Positions = ReadonlyMap<number, number | null>;

function sizeOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}

/** The records of these lines that a death after them may repeat: begun, and not committed. */
function mayRepeat(lines: readonly LedgerLine[], committed: Positions): Set<string> {
  return new Set(
    lines.filter(({ partition, offset }) => offset >= (committed.get(partition) ?? 0)).map(placeOf),
  );
}

/** The lowest offset of each partition that no run has finished yet. */
function lowestUnfinished(lines: readonly LedgerLine[], topic: string): Map<number, number> {
  const ended = endsByPlace(lines);
  const lowest = new Map<number, number>();
  for (let partition = 0; partition < PARTITIONS; partition++) {
    let offset = 0;
    while (ended.has(`${topic}/${String(partition)}/${String(offset)}`)) offset++;
    lowest.set(partition, offset);
  }
  return lowest;
}

test('after ten kill -9 no record is missing, and only what was begun and not committed ran again (W5)', async (t) => {
  const scenario = {
    ...(await kafkaScenario(t, PARTITIONS)),
    // A static member comes back at once; a dead dynamic one is waited for.
    properties: { 'group.instance.id': 'one', 'session.timeout.ms': 30_000 },
  };
  const { brokers, topic, groupId, ledger } = scenario;
  await produce(
    brokers,
    topic,
    Array.from({ length: RECORDS }, (_, at) => ({
      partition: at % PARTITIONS,
      key: String(at % 800),
      value: 'v',
    })),
  );

  const runs = { options: { waitMs: 5 } };
  let seen = 0;
  let allowed = 0;
  let repeatable = new Set<string>();
  const judge = (): void => {
    const lines = readLedger(ledger);
    for (const line of lines.slice(seen))
      if (line.kind === 'start' && earlier.has(placeOf(line)))
        assert.ok(repeatable.has(placeOf(line)), `${placeOf(line)} ran again after its commit`);
    for (const line of lines.slice(seen)) earlier.add(placeOf(line));
    seen = lines.length;
  };
  const earlier = new Set<string>();
  let committedBefore = 0;
  for (let life = 1; life <= KILLS; life++) {
    const program = runTidemark(t, scenario, runs);
    const enough = sizeOf(ledger) + randomInt(1, LIFE_BYTES);
    await program.while(() => sizeOf(ledger) >= enough, `${String(enough)} bytes of ledger`);
    assert.equal((await program.stop('SIGKILL')).signal, 'SIGKILL');

    judge();
    const lines = readLedger(ledger);
    const committed = await readCommitted(brokers, groupId, topic);
    for (const [partition, lowest] of lowestUnfinished(lines, topic))
      assert.ok((committed.get(partition) ?? 0) <= lowest, 'nothing unfinished is committed');
    repeatable = mayRepeat(lines, committed);
    allowed += repeatable.size;
    committedBefore = [...committed.values()].reduce<number>((sum, at) => sum + (at ?? 0), 0);
  }
  assert.ok(committedBefore > 0, 'commits happen while it runs, not only at its end');

  const last = runTidemark(t, scenario, runs);
  await untilCommitted(scenario, last, 120_000);
  assert.equal((await last.stop()).code, 0, last.output);
  judge();
  const lines = readLedger(ledger);
  assert.equal(endsByPlace(lines).size, RECORDS);
  const starts = lines.filter(({ kind }) => kind === 'start').length;
  const repeats = starts - RECORDS;
  t.diagnostic(`${String(repeats)} runs were repeats; ${String(allowed)} were allowed`);
  assert.ok(repeats <= allowed);
});
