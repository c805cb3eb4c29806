// Brings a checkout into a state in which it runs: packages, native parts, compiled TypeScript. Needs
// nothing but Node, says in one line each what it does, and skips in silence what is done. Behind
// `npm run quickstart`, `npm test` and `npm run build`.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fingerprint, filesBelow, isStamped, writeStamp } from './stamps.mjs';
import {
  missingMessage,
  missingParts,
  nodeHeaders,
  nodeProblem,
  zstdIsMissing,
} from './system.mjs';

export const root = resolve(fileURLToPath(import.meta.url), '../../..');
const COMPILED = ['src', 'workers', 'bench', 'test'];

/** An expected failure: its message says what to do, a stack would say nothing. */
class SetupError extends Error {}

/** Does what is not done yet; throws a SetupError that says what stands in the way. */
export function prepare() {
  const problem = nodeProblem();
  if (problem !== null) throw new SetupError(problem);
  installPackages();
  buildIntake();
  compile();
}

function installPackages() {
  const file = join(root, 'node_modules/.tidemark-stamp');
  const stamp = fingerprint(root, ['package-lock.json'], process.versions.modules, process.arch);
  if (isStamped(file, stamp) && nodeRdkafkaIsBuilt()) return;
  const installed = lockIsInstalled();
  if (installed && nodeRdkafkaLoads()) {
    writeStamp(file, stamp);
    return;
  }
  const missing = missingParts();
  if (missing.length > 0) throw new SetupError(missingMessage(missing));
  if (zstdIsMissing())
    say(
      'zstd.h is missing (Debian: libzstd-dev): topics compressed with zstd will not be readable',
    );
  if (installed) rebuildNodeRdkafka();
  else {
    say('installing packages and compiling node-rdkafka (npm ci, 2 to 5 minutes)');
    npm('ci', '--include=dev', '--ignore-scripts=false', '--no-audit', '--no-fund');
    if (!nodeRdkafkaLoads()) rebuildNodeRdkafka();
  }
  writeStamp(file, stamp);
}

function rebuildNodeRdkafka() {
  say('compiling node-rdkafka (2 to 5 minutes)');
  npm('rebuild', 'node-rdkafka', '--ignore-scripts=false');
  if (!nodeRdkafkaLoads())
    throw new SetupError(
      'node-rdkafka was compiled but does not load.\n' +
        '  To see why: npm rebuild node-rdkafka --foreground-scripts; node -e "require(\'node-rdkafka\')"',
    );
}

function nodeRdkafkaIsBuilt() {
  return existsSync(join(root, 'node_modules/node-rdkafka/build/Release/node-librdkafka.node'));
}

/** Also false when it was built for another Node. */
function nodeRdkafkaLoads() {
  if (!nodeRdkafkaIsBuilt()) return false;
  const parameters = ['-e', "require('node-rdkafka')"];
  return spawnSync(process.execPath, parameters, { cwd: root, stdio: 'ignore' }).status === 0;
}

/** True when the packages on disk are those of the lock, also when somebody else installed them. */
function lockIsInstalled() {
  const hidden = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(hidden)) return false;
  const here = packagesOf(hidden);
  return Object.entries(packagesOf(join(root, 'package-lock.json'))).every(
    ([path, { version, integrity, optional }]) => {
      if (path === '') return true;
      const found = here[path];
      if (found === undefined) return optional === true;
      return found.version === version && found.integrity === integrity;
    },
  );
}

function packagesOf(lock) {
  return JSON.parse(readFileSync(lock, 'utf8')).packages ?? {};
}

/** The build script knows itself whether it has something to do. */
function buildIntake() {
  const addon = join(root, 'src/broker/intake/build/Release/intake.node');
  if (!existsSync(addon)) say('compiling the intake (half a minute)');
  node(['src/broker/intake/build.mjs'], 'the intake could not be built', { quiet: true });
}

function compile() {
  const sources = filesBelow(root, COMPILED, (path) => path.endsWith('.ts'));
  const stamp = fingerprint(root, [...sources, 'tsconfig.json', 'package-lock.json']);
  const file = join(root, 'dist/.tidemark-stamp');
  if (isStamped(file, stamp)) return;
  say('compiling TypeScript');
  rmSync(file, { force: true });
  removeLeftOvers(new Set(sources));
  node(['node_modules/typescript/bin/tsc', '-p', '.'], 'the TypeScript sources do not compile');
  writeStamp(file, stamp);
}

/** What was compiled from a source that is gone would still be run and packed. */
function removeLeftOvers(sources) {
  const dist = join(root, 'dist');
  const suffix = /(\.d\.ts|\.js|\.js\.map)$/;
  for (const path of filesBelow(dist, COMPILED, (name) => suffix.test(name)))
    if (!sources.has(path.replace(suffix, '.ts'))) rmSync(join(dist, path));
}

function say(line) {
  console.log(`tidemark setup: ${line}`);
}

/** Runs a script of this checkout; a quiet one's output is shown only when it fails. */
function node(parameters, failure, { quiet = false } = {}) {
  const stdio = ['ignore', quiet ? 'pipe' : 'inherit', quiet ? 'pipe' : 'inherit'];
  const options = { cwd: root, stdio, maxBuffer: 64 * 1024 ** 2 };
  const { status, stdout, stderr } = spawnSync(process.execPath, parameters, options);
  if (status === 0) return;
  if (quiet) process.stderr.write(`${stdout}${stderr}`);
  throw new SetupError(`${failure}; the reason stands above.`);
}

function npm(...parameters) {
  const { npm_execpath: cli } = process.env;
  const [command, ...before] =
    cli?.endsWith('.js') && existsSync(cli) ? [process.execPath, cli] : ['npm'];
  const headers = nodeHeaders();
  const env = { ...process.env };
  if (headers !== null) env.npm_config_nodedir ??= headers;
  const { status, error } = spawnSync(command, [...before, ...parameters], {
    cwd: root,
    env,
    stdio: 'inherit',
  });
  if (error) throw new SetupError(`npm could not be started: ${error.message}`);
  if (status !== 0)
    throw new SetupError(`\`npm ${parameters.join(' ')}\` failed; the reason stands above.`);
}

/** For entry points: prepares, or ends the process with a message. */
export function prepareOrExit() {
  try {
    prepare();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    console.error(`tidemark setup: ${error.message}`);
    process.exit(1);
  }
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  prepareOrExit();
