/**
 * Leads every path of the intake once or more, with slots that fit to the byte. Run by
 * intake-sanitize.test.ts as a process of its own, with the addon's path as argument.
 */
import assert from 'node:assert/strict';
import { Intake } from '../../src/broker/intake/intake.ts';
import { SLOT_HEADER_BYTES } from '../../src/ring/layout.ts';
import { NULL_HEADER, Tap, readSlot, startCluster } from './intake-cluster.ts';

const binding = Intake.load(process.argv[2]);
const cluster = await startCluster();
const headers = { a: ['1', Buffer.from([0, 255])], [NULL_HEADER]: '', '': 'x' };
const messages = Array.from({ length: 60 }, (_, i) => ({
  partition: i % 3,
  key: i % 4 === 0 ? null : 'k'.repeat(i),
  value: i % 5 === 0 ? null : Buffer.alloc(i * 37, i),
  ...(i % 2 === 0 ? { headers } : {}),
}));
await cluster.produce('exercise', messages, true);

for (let round = 0; round < 5; round++) {
  const tap = await Tap.open(cluster, { 'enable.partition.eof': true }, { binding });
  const { wakes } = tap;
  tap.client.assign([0, 1, 2].map((partition) => ({ topic: 'exercise', partition, offset: 0 })));
  if (round % 2 === 0) await tap.until(() => tap.wakes > wakes, false);
  for (const id of [0, 1]) tap.intake.split(id, 'exercise', id);
  tap.intake.ready(new Int32Array(8));
  const rows = (await tap.collect(0, 21, 4)).filter((row) => row.error === 0);
  const held: number[] = [];
  rows.forEach(({ handle, payloadBytes }, i) => {
    if (i % 3 === 0) tap.intake.park(handle);
    const bytes = Math.max(payloadBytes, 1);
    const inline = new SharedArrayBuffer(SLOT_HEADER_BYTES + (i % 2 === 0 ? payloadBytes : 0));
    const overflow = i % 2 === 0 ? null : new SharedArrayBuffer(bytes);
    const slot = tap.intake.registerBuffer(inline);
    const payload = overflow === null ? -1 : tap.intake.registerBuffer(overflow);
    tap.fill(handle, slot, 0, payload);
    const content = readSlot(inline, 0, overflow);
    const again = tap.intake.parkFromSlot(slot, 0, payload);
    tap.fill(again, slot, 0, payload);
    assert.deepEqual(readSlot(inline, 0, overflow), content);
    assert.throws(() => {
      tap.intake.free(again);
    });
    held.push(tap.intake.parkFromSlot(slot, 0, payload));
    tap.intake.unregisterBuffer(slot);
    if (payload >= 0) tap.intake.unregisterBuffer(payload);
  });
  for (const handle of held.slice(5)) tap.intake.free(handle);
  tap.take(1, 7);
  tap.intake.unsplit(0);
  tap.intake.split(5, 'exercise', 0);
  tap.intake.watermarks(5);
  assert.throws(() => tap.take(0, 1));
  assert.equal(tap.intake.assignmentLost(), false);
  await tap.close();
}
await cluster.stop();
process.stdout.write('exercised\n');
