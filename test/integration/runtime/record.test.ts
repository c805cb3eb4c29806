import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import kafkajs from 'kafkajs';
import type { IHeaders, Message } from 'kafkajs';
import { mockScenario, runTidemark, untilCommitted } from '../../support/scenario.ts';
import { connectProducer } from '../../support/clients.ts';
// Brings a codec that can write a null header value, which kafkajs itself cannot.
import { NULL_HEADER } from '../intake-cluster.ts';

/** What recorder.mjs writes; bytes in hexadecimal. */
interface Echo {
  readonly offset: number;
  readonly timestamp: number;
  readonly timestampType: string;
  readonly key: string | null;
  readonly value: string | null;
  readonly headers: readonly (readonly [string, string | null])[];
  readonly last: string | null;
  readonly text: string;
  readonly origin: unknown;
}

const hex = (text: string): string => Buffer.from(text).toString('hex');
const ALL_BYTES = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
const EMPTY = Buffer.alloc(0);
/** A literal would set the prototype instead. */
const PROTO = JSON.parse('{"__proto__":"x","constructor":"y"}') as IHeaders;
const MANY = Object.fromEntries(
  Array.from({ length: 300 }, (_, n) => [`name-${String(n)}`, `value-${String(n)}`]),
);

const CASES: readonly {
  readonly what: string;
  readonly given: Message;
  readonly seen: Partial<Echo>;
}[] = [
  {
    what: 'text',
    given: { key: 'k', value: 'grüße', timestamp: '1600000000123' },
    seen: { key: hex('k'), value: hex('grüße'), text: 'grüße', timestamp: 1_600_000_000_123 },
  },
  {
    what: 'a null key and a null value',
    given: { key: null, value: null, timestamp: '1' },
    seen: { key: null, value: null, text: '', timestamp: 1 },
  },
  {
    what: 'an empty key and an empty value',
    given: { key: EMPTY, value: EMPTY, timestamp: '253402300799999' },
    seen: { key: '', value: '', text: '', timestamp: 253_402_300_799_999 },
  },
  {
    what: 'every byte in key, value and header',
    given: { key: ALL_BYTES, value: ALL_BYTES, headers: { h: ALL_BYTES } },
    seen: {
      key: ALL_BYTES.toString('hex'),
      value: ALL_BYTES.toString('hex'),
      headers: [['h', ALL_BYTES.toString('hex')]],
    },
  },
  {
    what: 'headers in their order, with duplicates; the last one counts',
    given: { value: 'v', headers: { z: '1', h: ['first', 'second', 'first'], a: '2' } },
    seen: {
      headers: [
        ['z', hex('1')],
        ['h', hex('first')],
        ['h', hex('second')],
        ['h', hex('first')],
        ['a', hex('2')],
      ],
      last: hex('first'),
    },
  },
  {
    what: 'empty and null header values, and an empty name',
    given: { value: 'v', headers: { h: '', '': 'nameless', [NULL_HEADER]: '' } },
    seen: {
      headers: [
        ['h', ''],
        ['', hex('nameless')],
        [NULL_HEADER, null],
      ],
      last: '',
    },
  },
  {
    what: 'header names that mean something to JavaScript',
    given: { value: 'v', headers: PROTO },
    seen: {
      headers: [
        ['__proto__', hex('x')],
        ['constructor', hex('y')],
      ],
      last: 'undefined',
    },
  },
  {
    what: '300 headers',
    given: { value: 'v', headers: MANY },
    seen: { headers: Object.entries(MANY).map(([name, value]) => [name, hex(value)]) },
  },
  {
    what: 'a value larger than a slot',
    given: { key: 'k', value: 'long '.repeat(2000), headers: { h: 'behind it' } },
    seen: { key: hex('k'), value: hex('long '.repeat(2000)), headers: [['h', hex('behind it')]] },
  },
];

test('the handler sees every record exactly as it was produced', async (t) => {
  const scenario = await mockScenario(t);
  const producer = await connectProducer(t, scenario.brokers);
  for (const { given } of CASES)
    await producer.send({
      topic: scenario.topic,
      compression: kafkajs.CompressionTypes.GZIP,
      messages: [{ partition: 2, ...given }],
    });
  const program = runTidemark(t, scenario, { handler: 'recorder.mjs' });
  await untilCommitted(scenario, program);
  assert.equal((await program.stop()).code, 0, program.output);
  const echoes = readFileSync(scenario.ledger, 'utf8')
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text) as Echo);
  assert.equal(echoes.length, CASES.length);
  for (const [offset, { what, seen }] of CASES.entries()) {
    const line = echoes.find((echo) => echo.offset === offset);
    assert.ok(line !== undefined, what);
    const compared = Object.fromEntries(
      Object.keys(seen).map((name) => [name, line[name as keyof Echo]]),
    );
    assert.deepEqual(compared, seen, what);
    assert.equal(line.timestampType, 'create', what);
    const { timestamp } = line;
    assert.deepEqual(line.origin, { topic: scenario.topic, partition: 2, offset, timestamp }, what);
  }
});
