import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { produce } from '../../support/clients.ts';
import { kafkaScenario, runTidemark, untilCommitted } from '../../support/scenario.ts';

const MIB = 1024 * 1024;
/** Large ones between small ones, so that slots and extra memory are used by turns. */
const SIZES = [10, MIB, 200, 5 * MIB, 511, 512, 513, MIB, 5 * MIB, 1];

test('records of 1 MB and 5 MB arrive byte by byte beside small ones', async (t) => {
  const scenario = await kafkaScenario(t, 2, { 'max.message.bytes': String(6 * MIB) });
  const sent: string[] = [];
  for (const [at, size] of SIZES.entries()) {
    const value = randomBytes(size);
    await produce(scenario.brokers, scenario.topic, [{ partition: at % 2, value }]);
    sent.push(`${String(size)} ${createHash('sha256').update(value).digest('hex')}`);
  }
  const program = runTidemark(t, scenario, { handler: 'digest.mjs' });
  await untilCommitted(scenario, program);
  await program.while(
    () => program.lines.filter(({ msg }) => msg === 'digest').length === SIZES.length,
    'a digest of each record',
  );
  const digests = program.lines.filter(({ msg }) => msg === 'digest');
  const arrived = digests.map((line) => `${String(line['bytes'])} ${String(line['sha'])}`);
  assert.deepEqual(arrived.sort(), sent.sort());
  assert.equal((await program.stop()).code, 0, program.output);
});
