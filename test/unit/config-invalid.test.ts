import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Data } from './config-support.ts';
import { assertProblems, loadData, refusal, valid } from './config-support.ts';

type Problem = readonly [key: string, ...parts: string[]];

/** What is wrong, and the key, value, rule and cure that must be told. */
const CASES: readonly (readonly [Data, ...Problem[]])[] = [
  // Types, ranges, lists.
  [{ workers: { threads: 0 } }, ['workers.threads', '= 0', 'from 1 to 256', '"auto"']],
  [{ workers: { threads: 1.5 } }, ['workers.threads', '= 1.5', 'whole number']],
  [{ workers: { threads: 'many' } }, ['workers.threads', '"many"', 'auto']],
  [{ workers: { threads: '4' } }, ['workers.threads', '"4"', 'without quotes']],
  [{ workers: { concurrency: 0 } }, ['workers.concurrency', '= 0', 'from 1', 'default, 16']],
  [{ workers: { concurrency: 1e9 } }, ['workers.concurrency', '16384']],
  [{ workers: { slots: 1000 } }, ['workers.slots', '= 1000', 'power of two']],
  [{ workers: { slotBytes: 500 } }, ['workers.slotBytes', '= 500', 'multiple of 64']],
  [{ workers: { maxHeapMb: 1 } }, ['workers.maxHeapMb', '= 1', 'from 16']],
  [{ workers: [] }, ['workers', '= []', 'mapping']],
  [{ ordering: 'keys' }, ['ordering', '"keys"', 'key, partition, none']],
  [{ commit: { intervalMs: -1 } }, ['commit.intervalMs', '= -1', 'milliseconds']],
  [{ commit: 5 }, ['commit', '= 5', 'mapping']],
  [{ window: { records: 2 ** 60 } }, ['window.records', '10000000']],
  [{ http: { enabled: 'yes' } }, ['http.enabled', '"yes"', 'true or false']],
  [{ http: { port: 65_536 } }, ['http.port', '65536', 'from 0 to 65535', '9464']],
  [{ http: { host: ' ' } }, ['http.host', '" "', 'address']],
  [{ log: { level: 'verbose' } }, ['log.level', '"verbose"', 'trace, debug, info']],
  [{ log: { format: 'xml' } }, ['log.format', '"xml"', 'json, pretty']],
  [{ kafka: { brokers: [] } }, ['kafka.brokers', 'at least one', 'localhost:9092']],
  [{ kafka: { brokers: 'a:0' } }, ['kafka.brokers.0', '"a:0"', 'host:port']],
  [{ kafka: { brokers: 'a b:1,c:99999' } }, ['kafka.brokers.0', '"a b:1"'], ['kafka.brokers.1']],
  [{ kafka: { brokers: [5] } }, ['kafka.brokers', '[5]', 'host:port']],
  [{ kafka: { groupId: '' } }, ['kafka.groupId', '= ""', 'not empty', 'For example']],
  [{ kafka: { groupId: 7 } }, ['kafka.groupId', '= 7', 'name']],
  [{ kafka: { groupId: null } }, ['kafka.groupId', 'required', 'For example']],
  [{ kafka: { topics: ['a b'] } }, ['kafka.topics.0', '"a b"', 'topic']],
  [{ kafka: { topics: '..' } }, ['kafka.topics.0', '".."', 'topic']],
  [{ kafka: { topics: ['ok', '^b('] } }, ['kafka.topics.1', '"^b("', 'regular expression']],
  [{ kafka: { startFrom: 'begin' } }, ['kafka.startFrom', '"begin"', 'zone']],
  [{ kafka: { startFrom: '2026-01-31' } }, ['kafka.startFrom', 'zone', 'default']],
  [{ kafka: { startFrom: '2026-02-30T00:00:00Z' } }, ['kafka.startFrom', '02-30']],
  [{ kafka: { connectTimeoutMs: 0 } }, ['kafka.connectTimeoutMs', '= 0', 'from 1']],
  [{ handler: { options: 'x' } }, ['handler.options', '"x"', 'plain data']],
  // Unknown keys.
  [{ wrokers: {} }, ['wrokers', 'no known key', 'Did you mean workers?']],
  [{ groupId: 'g' }, ['groupId', '"g"', 'Did you mean kafka.groupId?']],
  [{ kafka: { groupid: 'g' } }, ['kafka.groupid', 'Did you mean kafka.groupId?']],
  [{ zzzzzzz: 1 }, ['zzzzzzz', 'no known key', 'tidemark schema']],
  // Named by the contract, not there yet.
  [{ handler: { timeoutMs: 5 } }, ['handler.timeoutMs', '= 5', 'not supported yet', 'Remove it']],
  [{ handler: { graceMs: 5 } }, ['handler.graceMs', 'not supported yet']],
  [{ workers: { threads: { min: 1, max: 2 } } }, ['workers.threads', 'not supported yet']],
  [{ workers: { recycleAfterRecords: 5 } }, ['workers.recycleAfterRecords', 'not supported yet']],
  [{ workers: { zeroCopy: true } }, ['workers.zeroCopy', 'not supported yet', 'false is']],
  [{ batch: { records: 10, waitMs: 5 } }, ['batch.records', '= 10'], ['batch.waitMs', '= 5']],
  [{ retry: { attempts: 3 } }, ['retry.attempts', '= 3', 'not supported yet', '1 is']],
  [{ retry: { attemps: 3 } }, ['retry.attemps', 'no known key', 'retry.attempts']],
  [{ retry: { backoff: { initialMs: 5 } } }, ['retry.backoff', 'not supported yet']],
  [{ retry: { topics: [{ delayMs: 1 }] } }, ['retry.topics', 'not supported yet']],
  [{ retry: 5 }, ['retry', '= 5', 'mapping']],
  [{ onExhausted: 'skip' }, ['onExhausted', '"skip"', 'not supported yet', '"stop" is']],
  [{ deadLetter: { topic: 'd' } }, ['deadLetter.topic', '"d"', 'not supported yet']],
  [{ stall: { action: 'stop' } }, ['stall.action', 'not supported yet']],
  [{ checkpoint: { store: 'file' } }, ['checkpoint.store', 'not supported yet', '"none" is']],
  [{ delivery: 'exactly-once' }, ['delivery', 'not supported yet', '"at-least-once" is']],
  [{ http: { adminToken: 'abc' } }, ['http.adminToken', '****', 'not supported yet']],
  // The handler's path.
  [
    { handler: { module: 'handlr.js' } },
    ['handler.module', 'not exist', 'Did you mean handler.js'],
  ],
  [{ handler: { module: 'handler.mjs' } }, ['handler.module', 'Did you mean handler.js?']],
  [{ handler: { module: '.' } }, ['handler.module', 'no file']],
  [{ handler: { module: 'c.json' } }, ['handler.module', '"c.json"', '.js, .mjs']],
  [{ handler: { module: 'a\0b' } }, ['handler.module', 'cannot be read']],
  [{ handler: { module: null } }, ['handler.module', 'required', './handler.js']],
];

for (const [data, ...problems] of CASES)
  test(`${JSON.stringify(data)} is refused with key, value, rule and cure`, async () => {
    assertProblems(await refusal(loadData(valid(data))), problems);
  });

const PROPERTY_CASES: readonly (readonly [string, unknown, ...string[]])[] = [
  ['enable.auto.commit', true, '= true', 'reserved', 'commit.intervalMs'],
  ['enable.auto.commit', false, 'reserved'],
  ['enable.auto.offset.store', true, 'reserved'],
  ['rebalance_cb', true, 'reserved', 'callbacks'],
  ['offset_commit_cb', 'x', 'reserved', 'callbacks'],
  ['made_up_cb', true, 'reserved', 'callbacks'],
  ['group.id', 'x', 'reserved', 'kafka.groupId'],
  ['metadata.broker.list', 'x:1', 'reserved', 'kafka.brokers'],
  ['bootstrap.servers', 'x:1', 'reserved', 'kafka.brokers'],
  ['auto.offset.reset', 'latest', 'reserved', 'kafka.startFrom'],
  ['enable.partition.eof', true, 'reserved', 'end of a partition'],
  ['linger.ms', 5, '= 5', 'producer property'],
  ['acks', 'all', 'producer property'],
  ['fetch.wait.max.mss', 5, 'no property', 'Did you mean fetch.wait.max.ms?'],
  ['sasl.pasword', 'hunter2', '= "****"', 'Did you mean sasl.password?'],
  ['constructor', 1, 'no property'],
  ['fetch.wait.max.ms', 'soon', '"soon"', 'whole number from 0 to 300000'],
  ['fetch.wait.max.ms', 300_001, 'whole number from 0 to 300000'],
  ['check.crcs', 'maybe', '"maybe"', 'true or false'],
  ['isolation.level', 'dirty', '"dirty"', 'read_uncommitted, read_committed'],
  ['client.id', ['a'], 'kafka.properties.client.id = ["a"]', 'names of librdkafka properties'],
];

for (const [name, value, ...parts] of PROPERTY_CASES)
  test(`the property ${name} = ${JSON.stringify(value)} is refused with a reason`, async () => {
    const message = await refusal(loadData(valid({ kafka: { properties: { [name]: value } } })));
    assertProblems(message, [[`kafka.properties.${name}`, ...parts]]);
    assert.doesNotMatch(message, /hunter2/);
  });

test('all problems are told at once, whatever part finds them', async () => {
  const data = {
    kafka: { groupId: '', topics: 'a', properties: { 'linger.ms': 5, 'session.timeout.ms': 'x' } },
    handler: { module: 'nope.js', timeoutMs: 1 },
    workers: { concurrency: 0 },
    shutdown: { drainTimeoutMs: 50_000, forceTimeoutMs: 40_000 },
    extra: 1,
  };
  const env = { TIDEMARK_HTTP__PRT: '5', TIDEMARK_LOG__LEVEL: 'loud' };
  assertProblems(await refusal(loadData(data, { env, set: ['ordering=never'] })), [
    ['TIDEMARK_HTTP__PRT', 'Did you mean TIDEMARK_HTTP__PORT?'],
    ['kafka.brokers', 'required'],
    ['kafka.groupId'],
    ['kafka.properties.linger.ms'],
    ['kafka.properties.session.timeout.ms'],
    ['handler.module'],
    ['handler.timeoutMs'],
    ['workers.concurrency'],
    ['shutdown.drainTimeoutMs', 'shutdown.forceTimeoutMs'],
    ['extra'],
    ['log.level', '"loud"', 'from TIDEMARK_LOG__LEVEL'],
    ['ordering', '"never"', 'from --set ordering'],
  ]);
});

test('what asks for the present behaviour is accepted', async () => {
  const { settings } = await loadData({
    ...valid({ workers: { zeroCopy: false } }),
    delivery: 'at-least-once',
    onExhausted: 'stop',
    retry: { attempts: 1, topics: [], keepOrder: false },
    batch: { records: 1, waitMs: 0 },
    checkpoint: { store: 'none' },
    deadLetter: {},
  });
  const { settings: plain } = await loadData(valid());
  assert.deepEqual({ ...settings, handler: plain.handler }, plain);
});
