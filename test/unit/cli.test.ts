import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { folderWith, valid } from './config-support.ts';

const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command line in a folder, without variables of ours from outside. */
function tidemark(
  args: readonly string[],
  folder = folderWith({}),
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const clean = Object.entries(process.env).filter(([name]) => !name.startsWith('TIDEMARK_'));
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: folder,
    env: { ...Object.fromEntries(clean), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      resolve({ code, stdout, stderr });
    });
  });
}

const USAGE: readonly (readonly [args: string, said: RegExp])[] = [
  ['', /Usage: tidemark/],
  ['chek', /unknown command 'chek'[\s\S]*check/],
  ['run --confg x', /unknown option '--confg'[\s\S]*--config/],
  ['run --set workers', /--set workers is not KEY=VALUE/],
  ['run extra', /too many arguments/],
  ['check --log-level loud', /trace, debug, info/],
  ['check --broker', /not supported yet/],
  ['quickstart --seconds soon', /--seconds/],
  ['quickstart --records 1.5', /--records/],
];

for (const [args, said] of USAGE)
  test(`\`tidemark ${args}\` is wrong usage: exit 2, told on stderr without a stack`, async () => {
    const { code, stdout, stderr } = await tidemark(args.split(' ').filter((arg) => arg !== ''));
    assert.equal(code, 2, stderr);
    assert.match(stderr, said);
    assert.equal(stdout, '');
    assert.doesNotMatch(stderr, /\n {4}at /);
  });

test('--version and --help answer on stdout with exit 0, at every command', async () => {
  for (const args of [['--version'], ['run', '--version'], ['check', '-V']]) {
    const { code, stdout } = await tidemark(args);
    assert.equal(code, 0);
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
  }
  const { code, stdout } = await tidemark(['run', '--help']);
  assert.equal(code, 0);
  for (const flag of ['--config', '--set', '--log-level']) assert.ok(stdout.includes(flag));
});

test('run, check and config end with 78 and the whole list for a wrong configuration', async () => {
  const folder = folderWith({ 'tidemark.config.yaml': 'kafka: { groupid: g }\n' });
  for (const command of ['run', 'check', 'config']) {
    const { code, stdout, stderr } = await tidemark([command], folder);
    assert.equal(code, 78);
    assert.equal(stdout, '');
    assert.match(stderr, /TIDEMARK_CONFIG_INVALID/);
    for (const part of ['kafka.groupId?', 'kafka.brokers: is required', 'handler.module'])
      assert.ok(stderr.includes(part), stderr);
    assert.doesNotMatch(stderr, /\n {4}at /);
  }
});

test('without any configuration the exit is 78 and the message tells what was looked for', async () => {
  const { code, stderr } = await tidemark(['run']);
  assert.equal(code, 78);
  assert.match(stderr, /TIDEMARK_CONFIG_NOT_FOUND[\s\S]*tidemark\.config\.yaml[\s\S]*-c FILE/);
});

test('config prints what file, environment and flags come to, as YAML and as JSON', async () => {
  const folder = folderWith({ 'c.yaml': stringify(valid()) });
  const env = { TIDEMARK_KAFKA__PROPERTIES__SASL_PASSWORD: 'hunter2' };
  const args = ['config', '-c', 'c.yaml', '--set', 'workers.threads=3', '--log-level', 'debug'];
  const yaml = await tidemark(args, folder, env);
  assert.equal(yaml.code, 0, yaml.stderr);
  assert.match(yaml.stdout, / {2}threads: 3\n/);
  const { stdout } = await tidemark([...args, '--json'], folder, env);
  const shown = JSON.parse(stdout) as Record<string, Record<string, unknown>>;
  assert.equal(shown['log']?.['level'], 'debug');
  assert.equal(shown['handler']?.['module'], join(folder, 'handler.js'));
  assert.deepEqual(shown['kafka']?.['properties'], { 'sasl.password': '****' });
});

test('schema prints the JSON Schema of the file: every key described, nothing else allowed', async () => {
  const { code, stdout } = await tidemark(['schema']);
  assert.equal(code, 0);
  const schema = JSON.parse(stdout) as {
    required: string[];
    additionalProperties: boolean;
    properties: Record<string, { properties?: Record<string, { description?: string }> }>;
  };
  assert.deepEqual(schema.required, ['kafka', 'handler']);
  assert.equal(schema.additionalProperties, false);
  assert.ok(schema.properties['workers']?.properties?.['slotBytes']?.description);
  assert.doesNotMatch(stdout, /"rule"/);
});

test('check loads the handler in a thread of its own and ends with 0', async () => {
  const folder = folderWith({ 'c.yaml': stringify(valid()) });
  const { code, stdout, stderr } = await tidemark(['check', '-c', 'c.yaml'], folder);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /configuration ok: .*c\.yaml\nhandler ok: .*handler\.js\n/);
});

test('check ends with 78 and the module own error and stack when the handler cannot be loaded', async () => {
  const handler = 'const limit = missing.limit;\nexport default () => limit;\n';
  const folder = folderWith({ 'c.yaml': stringify(valid()), 'handler.js': handler });
  const { code, stderr } = await tidemark(['check', '-c', 'c.yaml'], folder);
  assert.equal(code, 78);
  assert.match(stderr, /TIDEMARK_HANDLER_INVALID/);
  assert.match(stderr, /missing is not defined[\s\S]*handler\.js:1/);
});

test('a reader that goes away does not crash the command', async () => {
  const child = spawn(process.execPath, [MAIN, 'schema'], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const code = await new Promise((resolve) => child.on('close', resolve));
  assert.equal(stderr, '');
  assert.equal(code, 0);
});
