// Builds the intake against the installed node-rdkafka: run by the package's install script and by
// `npm run build:native`. Skips what is built already. `--sanitize` makes a second build with
// AddressSanitizer in build/asan, for a test.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, realpathSync } from 'node:fs';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = realpathSync(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
const sanitize = process.argv.includes('--sanitize');

function fail(reason, cure) {
  console.error(`tidemark: the intake cannot be built: ${reason}\n  ${cure}`);
  process.exit(1);
}

/** The real folder of an installed package, as `from` would find it. */
function packageFolder(name, from) {
  try {
    return realpathSync(dirname(require.resolve(`${name}/package.json`, { paths: [from] })));
  } catch {
    return fail(`the package ${name} is not installed`, 'Run `npm install` first.');
  }
}

function sources() {
  return readdirSync(here)
    .filter((name) => /\.(cc|h|gyp|mjs)$/.test(name))
    .sort();
}

/** Changes when anything changes that the addon's bytes depend on. */
function stampOf(version, librdkafkaFromAddon) {
  const hash = createHash('sha256');
  for (const name of sources()) hash.update(name).update(readFileSync(join(here, name)));
  const { versions, platform, arch } = process;
  return [hash.digest('hex'), version, versions.modules, platform, arch, librdkafkaFromAddon].join(
    ' ',
  );
}

/** npm's node-gyp: named by npm inside its scripts, else beside npm itself, else on the PATH. */
function nodeGyp() {
  const { npm_config_node_gyp: named, npm_execpath: npm } = process.env;
  const found = [named, npm && join(dirname(npm), '../node_modules/node-gyp/bin/node-gyp.js')];
  if (!found.some((file) => file && existsSync(file))) {
    try {
      const root = execFileSync('npm', ['root', '-g'], { encoding: 'utf8' }).trim();
      found.push(join(root, 'npm/node_modules/node-gyp/bin/node-gyp.js'));
    } catch {
      // Without npm there may still be a node-gyp on the PATH.
    }
  }
  const file = found.find((candidate) => candidate && existsSync(candidate));
  return file ? [process.execPath, file] : ['node-gyp'];
}

/** Headers that came with this node make a download needless. */
function nodeDirArgument() {
  const prefix = join(dirname(realpathSync(process.execPath)), '..');
  const file = join(prefix, 'include/node/node_version.h');
  if (process.env.npm_config_nodedir || !existsSync(file)) return [];
  const text = readFileSync(file, 'utf8');
  const part = (name) => new RegExp(`define NODE_${name}_VERSION (\\d+)`).exec(text)?.[1];
  const version = ['MAJOR', 'MINOR', 'PATCH'].map(part).join('.');
  return version === process.versions.node ? [`--nodedir=${prefix}`] : [];
}

const nodeRdkafka = packageFolder('node-rdkafka', here);
const nan = packageFolder('nan', nodeRdkafka);
const { version } = JSON.parse(readFileSync(join(nodeRdkafka, 'package.json'), 'utf8'));
const deps = join(nodeRdkafka, 'build/deps');
if (!existsSync(join(nodeRdkafka, 'build/Release/node-librdkafka.node')) || !existsSync(deps))
  fail(
    'node-rdkafka is installed but not built from source',
    'Run `npm rebuild node-rdkafka` (it needs a C++20 compiler, make and python3).',
  );

const target = join(here, 'build', sanitize ? 'asan' : '');
const addon = join(target, 'Release/intake.node');
const stampFile = join(target, 'stamp');
const librdkafkaFromAddon = relative(dirname(addon), deps);
const stamp = stampOf(version, librdkafkaFromAddon);
if (existsSync(addon) && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp)
  process.exit(0);

// Built in a folder of its own and moved at the end: two builds at once do not disturb each other, and
// a process that runs keeps the file it has loaded.
const work = join(target, `work-${String(process.pid)}`);
mkdirSync(work, { recursive: true });
for (const name of sources()) cpSync(join(here, name), join(work, name));
const variables = {
  nan_dir: nan,
  node_rdkafka_dir: nodeRdkafka,
  node_rdkafka_version: version,
  librdkafka_from_addon: librdkafkaFromAddon,
  sanitize: sanitize ? 1 : 0,
};
const [command, ...before] = nodeGyp();
const result = spawnSync(
  command,
  [
    ...before,
    'rebuild',
    '--loglevel=error',
    ...nodeDirArgument(),
    '--',
    ...Object.entries(variables).map(([name, value]) => `-D${name}=${String(value)}`),
  ],
  { cwd: work, stdio: ['ignore', 'inherit', 'inherit'] },
);
const built = join(work, 'build/Release/intake.node');
const succeeded = result.status === 0 && existsSync(built);
if (succeeded) {
  mkdirSync(dirname(addon), { recursive: true });
  renameSync(built, addon);
  writeFileSync(stampFile, stamp);
}
rmSync(work, { recursive: true, force: true });
if (!succeeded)
  fail(
    result.error ? `${command} could not be started: ${result.error.message}` : 'node-gyp failed',
    'It needs a C++20 compiler, make and python3 (Debian: apt-get install g++ make python3; ' +
      'macOS: xcode-select --install). Then run `npm run build:native`.',
  );
