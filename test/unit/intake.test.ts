import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { Worker } from 'node:worker_threads';
import Rdkafka from 'node-rdkafka';
import { checkVersions, installedClient } from '../../src/broker/intake/binding.ts';
import { Intake } from '../../src/broker/intake/intake.ts';
import type { IntakeLayout } from '../../src/broker/intake/intake.ts';
import { Row, ROW_STRIDE } from '../../src/core/ports.ts';
import {
  HEADER_ENTRY_FIXED_BYTES,
  LAYOUT_VERSION,
  SLOT_HEADER_BYTES,
  SlotFloat,
  SlotWord,
} from '../../src/ring/layout.ts';

const layout: IntakeLayout = {
  version: LAYOUT_VERSION,
  slotHeaderBytes: SLOT_HEADER_BYTES,
  headerEntryFixedBytes: HEADER_ENTRY_FIXED_BYTES,
  rowStride: ROW_STRIDE,
  slotWord: SlotWord,
  slotFloat: SlotFloat,
  row: Row,
};
const unavailable = (detail: RegExp) => (error: unknown) => {
  assert(error instanceof Error);
  assert.equal((error as Error & { code?: unknown }).code, 'TIDEMARK_INTAKE_UNAVAILABLE');
  assert.match(error.message, detail);
  assert.match(error.message, /npm run build:native/);
  return true;
};

test('the native layout equals the table of the ring and the rows of the core', () => {
  Intake.checkLayout(layout);
  assert.deepEqual(Intake.load().layout.row, { ...Row });
});

test('a layout that differs in any one number is refused by that number’s name', () => {
  const wrong: [IntakeLayout, RegExp][] = [
    [{ ...layout, version: LAYOUT_VERSION + 1 }, /version is 1 in the native part and 2 here/],
    [{ ...layout, slotWord: { ...SlotWord, valueBytes: 3 } }, /slotWord\.valueBytes/],
    [{ ...layout, slotFloat: { ...SlotFloat, timestamp: 3 } }, /slotFloat\.timestamp/],
    [{ ...layout, row: { offset: Row.offset } }, /row\.handle is 0 .* undefined here/],
  ];
  for (const [expected, detail] of wrong)
    assert.throws(() => {
      Intake.checkLayout(expected);
    }, unavailable(detail));
});

test('a build against another node-rdkafka or librdkafka is refused', () => {
  const binding = Intake.load();
  const { version } = installedClient();
  assert.equal(binding.nodeRdkafkaVersion, version);
  assert.throws(
    () => {
      checkVersions(binding, '3.5.0');
    },
    unavailable(/built against node-rdkafka .* but 3\.5\.0 is installed/),
  );
  assert.throws(
    () => {
      checkVersions({ ...binding, librdkafkaBuilt: 0x020b00ff }, version);
    },
    unavailable(/librdkafka 0x20b00ff, but \d/),
  );
});

test('a missing or unreadable build is refused with its path', () => {
  assert.throws(() => Intake.load('/nowhere/intake.node'), unavailable(/\/nowhere\/intake\.node/));
  const folder = mkdtempSync(join(tmpdir(), 'intake-'));
  const file = join(folder, 'intake.node');
  writeFileSync(file, 'no shared object');
  assert.throws(() => Intake.load(file), unavailable(/intake\.node cannot be loaded/));
  rmSync(folder, { recursive: true });
});

test('a client that is not a consumer of the installed binding is refused', () => {
  const { consumer } = installedClient();
  const producer: unknown = new Rdkafka.Producer({
    'bootstrap.servers': '127.0.0.1:1',
  }).getClient();
  for (const client of [undefined, null, 1, {}, consumer, producer])
    assert.throws(() => new Intake(client, () => undefined), unavailable(/is not a consumer/));
  const pretender: unknown = Object.create(consumer.prototype as object);
  assert.throws(() => new Intake(pretender, () => undefined), /native consumer/);
});

test('a consumer that is not connected is refused', () => {
  const client = new Rdkafka.KafkaConsumer(
    { 'bootstrap.servers': '127.0.0.1:1', 'group.id': 'g' },
    {},
  );
  assert.throws(() => new Intake(client.getClient(), () => undefined), /not connected/);
});

test('a worker thread is refused', async () => {
  const url = new URL('../../src/broker/intake/intake.js', import.meta.url).href;
  const worker = new Worker(
    `import(${JSON.stringify(url)}).then(({ Intake }) => {
      try { Intake.load(); } catch (error) {
        require('node:worker_threads').parentPort.postMessage(error.message);
      }
    });`,
    { eval: true },
  );
  const message = await new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => {
      reject(new Error('it was loaded'));
    });
  });
  assert.match(String(message), /main thread only/);
  await worker.terminate();
});
