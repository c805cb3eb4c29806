// `npm test`: prepares the checkout, finds or starts a Kafka, and runs the tests with node's runner.
// `npm test -- FILTER…` runs the files whose path contains one of the filters. Ends with one line that
// adds up all parts.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepareOrExit, root } from '../src/setup/prepare.mjs';
import { filesBelow } from '../src/setup/stamps.mjs';

const INTEGRATION = 'test/integration/';
const REAL_KAFKA = 'test/integration/kafka/';
/** Only against a test that hangs: the whole suite takes a fraction of it. */
const PART_MS = 40 * 60_000;
/** The same for one test. The longest takes about a minute on a slow machine. */
const TEST_MS = 5 * 60_000;

/** What has to be ended when this process is told to. */
const running = new Set();
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => {
    interrupted = true;
    for (const child of running) child.kill('SIGTERM');
  });

function select(filters) {
  const files = filesBelow(root, ['test'], (path) => path.endsWith('.test.ts'));
  return files.filter(
    (path) => filters.length === 0 || filters.some((filter) => path.includes(filter)),
  );
}

function compiled(path) {
  return join(root, 'dist', path.replace(/\.ts$/, '.js'));
}

/**
 * Brokers for the real-Kafka tests: those of the environment, else one started here. Without any:
 * `{ problem }`.
 */
async function findKafka() {
  const { KAFKA_BROKERS: brokers } = process.env;
  if (brokers) return { brokers, stop: async () => {} };
  const support = pathToFileURL(compiled('test/support/kafka.ts')).href;
  const { kafkaProblem, startKafka } = await import(support);
  const problem = kafkaProblem();
  if (problem !== null) return { problem };
  console.log('tidemark test: starting Apache Kafka');
  try {
    const kafka = await startKafka();
    return { brokers: kafka.brokers, stop: () => kafka.stop() };
  } catch (error) {
    return { problem: `Apache Kafka did not start: ${error.message}` };
  }
}

/** Runs the files in one call of node's runner; resolves with its counts and whether it succeeded. */
async function run(name, files, concurrency, env) {
  const counts = join(root, '.cache', `test-${name}-${process.pid}.tap`);
  mkdirSync(join(root, '.cache'), { recursive: true });
  const parameters = [
    '--test',
    `--test-concurrency=${concurrency}`,
    `--test-timeout=${TEST_MS}`,
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    '--test-reporter=tap',
    `--test-reporter-destination=${counts}`,
    ...files.map(compiled),
  ];
  const child = spawn(process.execPath, parameters, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: PART_MS,
  });
  running.add(child);
  const succeeded = await new Promise((resolve) => {
    child.once('exit', (code) => resolve(code === 0));
  });
  running.delete(child);
  return { succeeded, ...readCounts(counts) };
}

/** The closing lines of the TAP report. */
function readCounts(file) {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  rmSync(file, { force: true });
  const count = (word) => Number(new RegExp(`^# ${word} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  return {
    passed: count('pass'),
    failed: count('fail') + count('cancelled'),
    skipped: count('skipped') + count('todo'),
  };
}

async function main(filters) {
  prepareOrExit();
  const selected = select(filters);
  if (selected.length === 0) {
    console.error(`tidemark test: no test file's path contains ${filters.join(' or ')}`);
    return 1;
  }
  const real = selected.filter((path) => path.startsWith(REAL_KAFKA));
  const embedded = selected.filter(
    (path) => path.startsWith(INTEGRATION) && !path.startsWith(REAL_KAFKA),
  );
  const others = selected.filter((path) => !path.startsWith(INTEGRATION));

  const kafka = real.length > 0 ? await findKafka() : { problem: 'no test needs one' };
  const withoutKafka = real.length > 0 && kafka.problem !== undefined;
  const required = process.env.TIDEMARK_REQUIRE_KAFKA === '1';
  const serial = [...embedded, ...(withoutKafka ? [] : real)];
  const results = [];
  try {
    const env = kafka.brokers === undefined ? {} : { KAFKA_BROKERS: kafka.brokers };
    if (others.length > 0 && !interrupted) results.push(await run('parallel', others, 2, env));
    if (serial.length > 0 && !interrupted) results.push(await run('serial', serial, 1, env));
  } finally {
    await kafka.stop?.();
  }

  if (withoutKafka)
    console.log(
      `tidemark test: ${real.length} files against a real Kafka were not run: ${kafka.problem} ` +
        '(set KAFKA_BROKERS, or install Java 17 and Maven)',
    );
  const sum = (field) => results.reduce((total, result) => total + result[field], 0);
  const missing = withoutKafka && required ? 1 : 0;
  const failed = sum('failed') + missing;
  const succeeded = results.every((result) => result.succeeded);
  console.log(`\n${sum('passed')} passed, ${failed} failed, ${sum('skipped')} skipped`);
  return succeeded && missing === 0 && !interrupted ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
