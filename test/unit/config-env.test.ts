import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { leaves } from '../../src/config/keys.ts';
import { LIBRDKAFKA_PROPERTIES } from '../../src/config/librdkafka-properties.ts';
import { assertProblems, folderWith, loadData, refusal, valid } from './config-support.ts';

test('every kind of value is read from a variable as its key expects', async () => {
  const env = {
    TIDEMARK_KAFKA__BROKERS: 'a:1,b',
    TIDEMARK_KAFKA__GROUP_ID: '007',
    TIDEMARK_KAFKA__TOPICS: '["x","y"]',
    TIDEMARK_KAFKA__PROPERTIES: '{"client.rack": "r1"}',
    TIDEMARK_KAFKA__PROPERTIES__MAX_POLL_INTERVAL_MS: '60000',
    TIDEMARK_WORKERS__THREADS: 'auto',
    TIDEMARK_WORKERS__MAX_HEAP_MB: '64',
    TIDEMARK_HTTP__ENABLED: 'false',
    TIDEMARK_ORDERING: 'none',
  };
  const data = valid({ kafka: { properties: { 'client.id': 'me' } }, workers: { threads: 5 } });
  const { settings } = await loadData(data, { env });
  assert.deepEqual(settings.kafka.brokers, ['a:1', 'b']);
  assert.equal(settings.kafka.groupId, '007');
  assert.deepEqual(settings.kafka.topics, ['x', 'y']);
  assert.deepEqual(settings.kafka.properties, {
    'client.id': 'me',
    'client.rack': 'r1',
    'max.poll.interval.ms': 60_000,
  });
  assert.equal(settings.workers.maxHeapMb, 64);
  assert.equal(settings.http.enabled, false);
  assert.equal(settings.ordering, 'none');
});

test('every librdkafka property has a variable of its own', () => {
  const names = [...LIBRDKAFKA_PROPERTIES.keys()].map((name) => name.replaceAll('.', '_'));
  assert.equal(new Set(names).size, names.length);
});

test('a variable that ends in _FILE reads the value from that file, without its last line break', async () => {
  const folder = folderWith({ password: ' s3 cret\n', threads: '3\r\n', pin: '0042\n' });
  const env = {
    TIDEMARK_KAFKA__PROPERTIES__SASL_PASSWORD_FILE: join(folder, 'password'),
    TIDEMARK_WORKERS__THREADS_FILE: join(folder, 'threads'),
    TIDEMARK_HANDLER__OPTIONS__PIN_FILE: join(folder, 'pin'),
  };
  const { settings } = await loadData(valid(), { env });
  assert.equal(settings.kafka.properties['sasl.password'], ' s3 cret');
  assert.equal(settings.workers.threads, 3);
  assert.deepEqual(settings.handler.options, { pin: '0042' });
});

test('a property whose own name ends in .file is no file to read', async () => {
  const env = { TIDEMARK_KAFKA__PROPERTIES__SASL_OAUTHBEARER_ASSERTION_FILE: '/run/assertion' };
  const { settings } = await loadData(valid(), { env });
  assert.equal(settings.kafka.properties['sasl.oauthbearer.assertion.file'], '/run/assertion');
});

test('a secret that cannot be read, or is given twice, is refused by the name of its variable', async () => {
  const env = {
    TIDEMARK_KAFKA__GROUP_ID_FILE: '/nonexistent/group',
    TIDEMARK_LOG__LEVEL: 'info',
    TIDEMARK_LOG__LEVEL_FILE: '/nonexistent/level',
  };
  assertProblems(await refusal(loadData(valid(), { env })), [
    ['TIDEMARK_KAFKA__GROUP_ID_FILE', '/nonexistent/group', 'ENOENT', 'readable file'],
    ['TIDEMARK_LOG__LEVEL_FILE', 'log.level', 'TIDEMARK_LOG__LEVEL', 'one of the two'],
  ]);
});

test('handler options take the spelling of the file, else camel case, and keep text that is no JSON', async () => {
  const env = {
    TIDEMARK_HANDLER__OPTIONS__DB_URL: 'postgres://h/x',
    TIDEMARK_HANDLER__OPTIONS__POOL_SIZE: '5',
    TIDEMARK_HANDLER__OPTIONS__NESTED__IS_ON: 'true',
    TIDEMARK_HANDLER__OPTIONS__PIN: '0042',
    TIDEMARK_HANDLER__OPTIONS__LIST: '[1, "a"]',
  };
  const data = valid({ handler: { options: { pool_size: 1, nested: { IS_ON: false, kept: 1 } } } });
  const { settings } = await loadData(data, { env });
  assert.deepEqual(settings.handler.options, {
    dbUrl: 'postgres://h/x',
    pool_size: 5,
    nested: { IS_ON: true, kept: 1 },
    pin: '0042',
    list: [1, 'a'],
  });
});

test('unknown variables are refused with what was probably meant', async () => {
  const env = {
    TIDEMARK_KAFKA__GROUPID: 'x',
    TIDEMARK_GROUP_ID: 'x',
    TIDEMARK_KAFKA__PROPERTIES__SASL_PASWORD: 'hunter2',
    TIDEMARK_KAFKA__PROPERTIES__LINGER_MS: '5',
    TIDEMARK_RETRY__ATTEMPTS: '5',
    TIDEMARK_HANDLER__OPTIONS__a: 'x',
  };
  const message = await refusal(loadData(valid(), { env }));
  assertProblems(message, [
    ['TIDEMARK_KAFKA__GROUPID', 'Did you mean TIDEMARK_KAFKA__GROUP_ID?'],
    ['TIDEMARK_GROUP_ID', 'no known'],
    ['TIDEMARK_KAFKA__PROPERTIES__SASL_PASWORD', 'TIDEMARK_KAFKA__PROPERTIES__SASL_PASSWORD'],
    [
      'kafka.properties.linger.ms',
      'producer property',
      'from TIDEMARK_KAFKA__PROPERTIES__LINGER_MS',
    ],
    ['retry.attempts', '= 5', 'not supported yet', 'from TIDEMARK_RETRY__ATTEMPTS'],
    ['TIDEMARK_HANDLER__OPTIONS__a', 'no known'],
  ]);
  assert.doesNotMatch(message, /hunter2/);
});

test('variables of tests, tools and Kubernetes service links are left alone', async () => {
  await loadData(valid(), {
    env: {
      TIDEMARK_REQUIRE_KAFKA: '1',
      TIDEMARK_TEST_SEED: '5',
      TIDEMARK_SERVICE_HOST: '10.0.0.1',
      TIDEMARK_SERVICE_PORT: '9464',
      TIDEMARK_SERVICE_PORT_METRICS: '9464',
      TIDEMARK_PORT: 'tcp://10.0.0.1:9464',
      TIDEMARK_PORT_9464_TCP: 'tcp://10.0.0.1:9464',
      TIDEMARK_PORT_9464_TCP_ADDR: '10.0.0.1',
      TIDEMARK_METRICS_SERVICE_HOST: '10.0.0.1',
      TIDEMARKER: 'x',
    },
  });
});

test('--set reaches every key, also names with dots in them', async () => {
  const set = [
    'kafka.properties.sasl.password=a=b',
    'handler.options.deep.url=x',
    'handler.options.deep.n=5',
    'http.port=0',
  ];
  const { settings } = await loadData(valid(), { set });
  assert.deepEqual(settings.kafka.properties, { 'sasl.password': 'a=b' });
  assert.deepEqual(settings.handler.options, { deep: { url: 'x', n: 5 } });
  assert.equal(settings.http.port, 0);
});

test('--set of an unknown key is a wrong configuration, and without = wrong usage', async () => {
  const message = await refusal(loadData(valid(), { set: ['workers.thread=5'] }));
  assertProblems(message, [['workers.thread', '(from --set workers.thread)', 'workers.threads?']]);
  for (const flag of ['workers.threads', '=5', 'workers..threads=5', ''])
    await refusal(loadData(valid(), { set: [flag] }), 'TIDEMARK_USAGE');
});

test('${NAME} and ${NAME:-default} are filled in and read as their key expects', async () => {
  const data = valid({
    kafka: {
      groupId: '${GROUP}-${STAGE:-dev}',
      topics: ['${TOPIC}'],
      properties: { 'client.id': '${N}' },
    },
    workers: { threads: '${THREADS:-4}' },
    http: { enabled: '${HTTP:-false}' },
    handler: { options: { n: '${N}', text: '$${N} $N $$', empty: '${EMPTY}', or: '${EMPTY:-x}' } },
  });
  const env = { GROUP: 'g', TOPIC: 'a,b', N: '12', EMPTY: '' };
  const message = await refusal(loadData(data, { env }));
  assertProblems(message, [['kafka.topics.0', '"a,b"']]);
  const { settings } = await loadData(data, { env: { ...env, TOPIC: 'a' } });
  assert.equal(settings.kafka.groupId, 'g-dev');
  assert.equal(settings.kafka.properties['client.id'], '12');
  assert.equal(settings.workers.threads, 4);
  assert.equal(settings.http.enabled, false);
  assert.deepEqual(settings.handler.options, { n: '12', text: '${N} $N $$', empty: '', or: 'x' });
});

test('a missing variable or a broken reference is told with its key, once', async () => {
  const data = valid({
    kafka: { groupId: '${GROUP}' },
    handler: { options: { a: ['${B'], c: '${D-e}', f: '${G:-${H}}' } },
  });
  assertProblems(await refusal(loadData(data)), [
    ['kafka.groupId', 'variable GROUP', 'Set GROUP', '${GROUP:-default}'],
    ['handler.options.a.0', '${B', '$${'],
    ['handler.options.c', '${D-e}'],
    ['handler.options.f', '${G:-${H}'],
  ]);
});

test('what a variable holds is not filled in again', async () => {
  const data = valid({ handler: { options: { a: '${A}' } } });
  const { settings } = await loadData(data, { env: { A: '${B}' } });
  assert.deepEqual(settings.handler.options, { a: '${B}' });
});

test('no two keys share a variable', () => {
  const paths = leaves().map((leaf) => leaf.path.replaceAll(/[A-Z]/g, '_$&').toUpperCase());
  assert.equal(new Set(paths).size, paths.length);
});
