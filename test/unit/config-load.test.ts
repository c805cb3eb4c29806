import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { parse, stringify } from 'yaml';
import { leaves } from '../../src/config/keys.ts';
import { loadConfiguration } from '../../src/config/load.ts';
import { settingsText } from '../../src/config/print.ts';
import { TidemarkError } from '../../src/contract/errors.ts';
import type { Data } from './config-support.ts';
import {
  assertProblems,
  folderWith,
  loadData,
  loadText,
  refusal,
  valid,
} from './config-support.ts';

const YAML = stringify(valid());

test('the defaults are those of the contract', async () => {
  const folder = folderWith({ 'c.yaml': YAML });
  const { settings, file } = await loadConfiguration({ file: 'c.yaml', folder, env: {} });
  assert.equal(file, join(folder, 'c.yaml'));
  assert.deepEqual(settings, {
    kafka: {
      brokers: ['localhost:9092'],
      groupId: 'group',
      topics: ['orders'],
      properties: {},
      connectTimeoutMs: 30_000,
      startFrom: 'earliest',
    },
    handler: { module: join(folder, 'handler.js'), options: {} },
    workers: { threads: availableParallelism(), concurrency: 16, slots: 1024, slotBytes: 512 },
    ordering: 'key',
    window: { records: 10_000, bytes: 67_108_864, span: 100_000, totalBytes: 536_870_912 },
    commit: { intervalMs: 1000 },
    rebalance: { drainTimeoutMs: 10_000 },
    shutdown: { drainTimeoutMs: 25_000, forceTimeoutMs: 30_000 },
    http: { enabled: true, host: '127.0.0.1', port: 9464 },
    log: { level: 'info', format: 'json' },
  });
});

const FORMATS: Readonly<Record<string, string | Buffer>> = {
  'c.yml': YAML,
  'c.json': JSON.stringify(valid()),
  'tabs.json': JSON.stringify(valid(), null, '\t'),
  'bom.json': `\ufeff${JSON.stringify(valid())}`,
  'bom.yaml': `\ufeff${YAML}`,
  'crlf.yaml': YAML.replaceAll('\n', '\r\n'),
  'schema.json': JSON.stringify({ $schema: './schema.json', ...valid() }),
  'anchors.yaml': `kafka: { brokers: &b "localhost:9092", groupId: group, topics: orders }\nhandler: { module: handler.js, options: { again: *b } }`,
  'nulls.yaml': `${YAML}workers:\nwindow:\n  bytes:\n`,
  'object.mjs': `export default ${JSON.stringify(valid())};`,
  'function.mjs': `export default async () => (${JSON.stringify(valid())});`,
  'promise.mjs': `export default Promise.resolve(${JSON.stringify(valid())});`,
  'common.cjs': `module.exports = ${JSON.stringify(valid())};`,
  'compiled.cjs': `exports.__esModule = true; exports.default = ${JSON.stringify(valid())};`,
  'typed.ts': `import { defineConfig } from 'tidemark';
    const group: string = 'group';
    export default defineConfig({ ...${JSON.stringify(valid())} as const, });`,
  'typed.mts': `export default (): unknown => (${JSON.stringify(valid())});`,
};

for (const [name, text] of Object.entries(FORMATS))
  test(`${name} is read`, async () => {
    const { settings } = await loadText(name, text);
    assert.deepEqual(settings.kafka.brokers, ['localhost:9092']);
    assert.equal(settings.kafka.groupId, 'group');
    assert.equal(settings.window.bytes, 67_108_864);
  });

test('without a named file the first of the list in the folder is read', async () => {
  const json = JSON.stringify(valid({ kafka: { groupId: 'json' } }));
  const folder = folderWith({ 'tidemark.config.json': json, 'tidemark.config.yaml': YAML });
  const { file } = await loadConfiguration({ folder, env: {} });
  assert.equal(file, join(folder, 'tidemark.config.yaml'));
});

test('relative paths are relative to the file, not to the working directory', async () => {
  const folder = folderWith({ 'sub/c.yaml': YAML, 'sub/handler.js': '' });
  const { settings } = await loadConfiguration({ file: 'sub/c.yaml', folder, env: {} });
  assert.equal(settings.handler.module, join(folder, 'sub/handler.js'));
});

test('flags win over the environment, and that over the file', async () => {
  const data = valid({ workers: { threads: 1, concurrency: 1, maxHeapMb: 100 } });
  const env = { TIDEMARK_WORKERS__THREADS: '2', TIDEMARK_WORKERS__CONCURRENCY: '2' };
  const set = ['workers.threads=7', 'workers.threads=3'];
  const { workers } = (await loadData(data, { env, set })).settings;
  assert.deepEqual(workers, {
    threads: 3,
    concurrency: 2,
    maxHeapMb: 100,
    slots: 1024,
    slotBytes: 512,
  });
});

test('a configuration may come from the environment and flags alone', async () => {
  const folder = folderWith({});
  const env = {
    TIDEMARK_KAFKA__BROKERS: 'a:1, b:2',
    TIDEMARK_KAFKA__GROUP_ID: '12',
    TIDEMARK_HANDLER__MODULE: 'handler.js',
  };
  const set = ['kafka.topics=["x", "^y{1,2}"]'];
  const { settings, file } = await loadConfiguration({ folder, env, set });
  assert.equal(file, null);
  assert.deepEqual(settings.kafka.brokers, ['a:1', 'b:2']);
  assert.equal(settings.kafka.groupId, '12');
  assert.deepEqual(settings.kafka.topics, ['x', '^y{1,2}']);
  assert.equal(settings.handler.module, join(folder, 'handler.js'));
});

test('the slots left out are a power of two from twice the concurrency on', async () => {
  for (const [concurrency, slots] of [
    [1, 1024],
    [512, 1024],
    [513, 2048],
    [16_384, 32_768],
  ]) {
    const { settings } = await loadData(valid({ workers: { concurrency } }));
    assert.equal(settings.workers.slots, slots);
  }
});

test('window.bytes left out follows a smaller window.totalBytes', async () => {
  const { settings } = await loadData(valid({ window: { totalBytes: 1000 } }));
  assert.equal(settings.window.bytes, 1000);
});

test('startFrom takes a time with a zone', async () => {
  const startFrom = '2026-01-31T08:00:00.5+02:00';
  const { settings } = await loadData(valid({ kafka: { startFrom } }));
  assert.deepEqual(settings.kafka.startFrom, { timeMs: Date.UTC(2026, 0, 31, 6, 0, 0, 500) });
});

test('properties get their own types, whatever the file wrote them as', async () => {
  const properties = {
    'max.poll.interval.ms': '60000',
    'check.crcs': 'true',
    'security.protocol': 'SASL_SSL',
    'client.id': 7,
  };
  const { settings } = await loadData(valid({ kafka: { properties } }));
  assert.deepEqual(settings.kafka.properties, {
    'max.poll.interval.ms': 60_000,
    'check.crcs': true,
    'security.protocol': 'SASL_SSL',
    'client.id': '7',
  });
});

const BROKEN: readonly (readonly [string, string | Buffer, ...string[]])[] = [
  ['dup.yaml', `${YAML}ordering: key\nordering: none\n`, 'line 8', 'second time', 'Remove one'],
  ['dup.json', `{"ordering":"key",\n"ordering":"none"}`, 'line 2', 'second time'],
  ['syntax.yaml', 'kafka:\n  groupId: "hunter2\n', 'line ', 'syntax'],
  ['tab.yaml', 'kafka:\n\tgroupId: x\n', 'line 2', 'spaces'],
  ['tag.yaml', 'kafka: !secret x\n', 'line 1', 'tag'],
  ['two.yaml', `${YAML}---\n${YAML}`, 'one document'],
  ['loop.yaml', 'kafka: &k\n  groupId: *k\n', 'contain itself'],
  ['bomb.yaml', bomb(), 'alias'],
  ['syntax.json', '{"kafka": {"groupId": "hunter2",}}', 'not valid JSON', 'comma'],
  ['comment.json', '{\n// no\n}', 'not valid JSON'],
  ['empty.yaml', '', 'is empty', 'kafka.brokers'],
  ['comment.yaml', '# nothing yet\n', 'is empty'],
  ['empty.json', ' ', 'is empty'],
  ['list.yaml', '- a\n', '["a"]', 'mapping'],
  ['text.json', '"kafka"', '"kafka"', 'mapping'],
  ['latin1.yaml', Buffer.from('kafka: {groupId: "\xe9"}', 'latin1'), 'UTF-8'],
  ['c.toml', 'a = 1', '.yaml, .yml, .json, .ts'],
  ['none.mjs', 'export const config = {};', 'default export', 'defineConfig'],
  ['number.mjs', 'export default 5;', 'default export', '= 5'],
  ['class.mjs', 'export default { kafka: new Map() };', 'kafka', 'class'],
  ['nan.mjs', 'export default { workers: { threads: NaN } };', 'workers.threads', 'finite'],
  ['code.mjs', 'export default { handler: { module: () => 5 } };', 'handler.module', 'function'],
  ['self.mjs', 'const a = {}; a.a = a; export default a;', 'a', 'contain itself'],
];

function bomb(): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
  for (let at = 1; at < 9; at++) {
    const one = `*a${String(at - 1)}`;
    lines.push(`a${String(at)}: &a${String(at)} [${Array(10).fill(one).join(', ')}]`);
  }
  return lines.join('\n');
}

for (const [name, text, ...parts] of BROKEN)
  test(`${name} is refused without quoting its text`, async () => {
    const message = await refusal(loadText(name, text));
    for (const part of parts) assert.ok(message.includes(part), message);
    assert.doesNotMatch(message, /hunter2/);
  });

test('a module that throws is refused with its own error and stack', async () => {
  const message = await refusal(loadText('t.mjs', 'throw new Error("no vault today");'));
  assert.match(message, /no vault today/);
  assert.match(message, /t\.mjs:1/);
});

test('a missing or unreadable file has its own code', async () => {
  const folder = folderWith({ 'secret.yaml': YAML });
  const load = (file?: string): Promise<unknown> =>
    loadConfiguration({ ...(file === undefined ? {} : { file }), folder, env: {} });
  assert.match(await refusal(load('nope.yaml'), 'TIDEMARK_CONFIG_NOT_FOUND'), /nope\.yaml/);
  assert.match(await refusal(load(), 'TIDEMARK_CONFIG_NOT_FOUND'), /tidemark\.config\.ts/);
  mkdirSync(join(folder, 'folder.yaml'));
  assert.match(await refusal(load('folder.yaml'), 'TIDEMARK_CONFIG_UNREADABLE'), /no file/);
  if (process.getuid?.() === 0) return;
  chmodSync(join(folder, 'secret.yaml'), 0);
  assert.match(await refusal(load('secret.yaml'), 'TIDEMARK_CONFIG_UNREADABLE'), /EACCES/);
});

test('__proto__ is refused and pollutes nothing', async () => {
  const message = await refusal(loadText('p.json', '{"__proto__": {"polluted": 1}}'));
  assertProblems(message, [['__proto__']]);
  assert.equal(({} as Data)['polluted'], undefined);
  await refusal(loadData(valid(), { set: ['__proto__.polluted=1'] }), 'TIDEMARK_USAGE');
  assert.equal(({} as Data)['polluted'], undefined);
});

test('any data is either settings or a TidemarkError', async () => {
  const name = fc.constantFrom(
    ...['kafka', 'brokers', 'topics', 'properties', 'handler', 'module', 'options', 'workers'],
    ...['threads', 'window', 'retry', 'attempts', 'constructor', 'toString', '', 'a.b', '0'],
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof({ depthSize: 'small' }, fc.jsonValue(), fc.dictionary(name, tie('tree'))),
  }));
  const folder = folderWith({});
  await fc.assert(
    fc.asyncProperty(tree, async (data) => {
      const path = join(folder, 'any.json');
      writeFileSync(path, JSON.stringify(data));
      try {
        await loadConfiguration({ file: path, folder, env: {} });
      } catch (error) {
        assert.ok(error instanceof TidemarkError, String(error));
        assert.match(error.message, /not valid/);
      }
    }),
    { numRuns: 300 },
  );
});

test('printed settings without secrets load again as the same settings', async () => {
  const more = {
    kafka: { startFrom: '2026-01-31T08:00:00Z', properties: { 'check.crcs': true } },
    handler: { options: { empty: null, deep: { list: [1, 'two'] } } },
    workers: { maxHeapMb: 64 },
  };
  const { settings } = await loadData(valid(more));
  const again = await loadText('again.yaml', settingsText(settings, 'yaml'));
  assert.deepEqual(again.settings, settings);
  assert.deepEqual(
    parse(settingsText(settings, 'yaml')),
    JSON.parse(settingsText(settings, 'json')),
  );
});

test('every key has a rule and a description', () => {
  for (const leaf of leaves().filter(({ notYet }) => notYet === null))
    assert.ok(leaf.rule !== null && leaf.description !== '', leaf.path);
});
