// What the machine must have before anything is compiled. Everything that is missing is named at
// once, with the line that installs it.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

const NODE_MINIMUM = [20, 11];

export const PARTS = [
  {
    name: 'a C++20 compiler',
    debian: 'g++',
    mac: 'xcode-select --install',
    found: () => compiles('template <typename T> concept Any = true; Any auto one = 1;'),
  },
  {
    name: 'make',
    debian: 'make',
    mac: 'xcode-select --install',
    found: () => runs(process.env.MAKE ?? 'make', ['--version']),
  },
  {
    name: 'python3',
    debian: 'python3',
    mac: 'brew install python3',
    found: () =>
      runs(process.env.PYTHON ?? 'python3', [
        '-c',
        'import sys; assert sys.version_info >= (3, 8)',
      ]),
  },
  {
    name: 'the headers of OpenSSL',
    debian: 'libssl-dev',
    mac: 'brew install openssl@3',
    found: () => compiles('#include <openssl/ssl.h>'),
    needs: 'a C++20 compiler',
  },
  {
    name: 'the headers of zlib',
    debian: 'zlib1g-dev',
    mac: 'xcode-select --install',
    found: () => compiles('#include <zlib.h>'),
    needs: 'a C++20 compiler',
  },
];

/** Null when this Node is new enough, else what is wrong and how to cure it. */
export function nodeProblem(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > NODE_MINIMUM[0] || (major === NODE_MINIMUM[0] && minor >= NODE_MINIMUM[1]))
    return null;
  return (
    `Node ${NODE_MINIMUM.join('.')} or newer is needed, this is ${version}.\n` +
    '  Any system: https://nodejs.org/en/download'
  );
}

/** The parts that are missing. What cannot be tried without a compiler counts only when there is one. */
export function missingParts(parts = PARTS) {
  const missing = [];
  for (const part of parts) {
    if (part.needs !== undefined && missing.some(({ name }) => name === part.needs)) {
      missing.push({ ...part, name: `${part.name} (not looked for without a compiler)` });
    } else if (!part.found()) missing.push(part);
  }
  return missing;
}

/** The message that names every missing part and how to get it. */
export function missingMessage(missing) {
  const debian = missing.map((part) => part.debian);
  const mac = [...new Set(missing.map((part) => part.mac))];
  return [
    'parts of the system that the native build needs are missing:',
    ...missing.map((part) => `  - ${part.name}`),
    'Install them and start again.',
    `  Debian, Ubuntu: sudo apt-get update && sudo apt-get install -y ${debian.join(' ')}`,
    `  macOS:          ${mac.join(' && ')}`,
  ].join('\n');
}

/** librdkafka is built without zstd when its headers are missing, and says nothing. */
export function zstdIsMissing() {
  return !compiles('#include <zstd.h>');
}

/** The prefix whose headers belong to this very Node, so that node-gyp need not download them. */
export function nodeHeaders() {
  const prefix = join(dirname(realpathSync(process.execPath)), '..');
  const file = join(prefix, 'include/node/node_version.h');
  if (!existsSync(join(prefix, 'include/node/node.h')) || !existsSync(file)) return null;
  const text = readFileSync(file, 'utf8');
  const part = (name) => new RegExp(`define NODE_${name}_VERSION (\\d+)`).exec(text)?.[1];
  const version = ['MAJOR', 'MINOR', 'PATCH'].map(part).join('.');
  return version === process.versions.node ? prefix : null;
}

function runs(command, parameters) {
  return spawnSync(command, parameters, { stdio: 'ignore' }).status === 0;
}

function compiles(source) {
  const words = (text) => (text ?? '').split(/\s+/).filter((word) => word !== '');
  const [command, ...before] = words(process.env.CXX ?? 'c++');
  const { CPPFLAGS, CXXFLAGS } = process.env;
  const flags = [...before, ...words(CPPFLAGS), ...words(CXXFLAGS), ...homebrewFlags()];
  const result = spawnSync(command, [...flags, '-std=c++20', '-fsyntax-only', '-x', 'c++', '-'], {
    input: `${source}\n`,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  return result.status === 0;
}

/** Homebrew keeps OpenSSL out of the compiler's way; librdkafka's build finds it by itself. */
function homebrewFlags() {
  if (process.platform !== 'darwin') return [];
  return ['/opt/homebrew', '/usr/local'].flatMap((prefix) => [
    `-I${prefix}/opt/openssl@3/include`,
    `-I${prefix}/include`,
  ]);
}
