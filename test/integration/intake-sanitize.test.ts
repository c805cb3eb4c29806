import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

function projectRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}

/** The sanitizer's runtime of the compiler that builds the addon; null where there is none. */
function sanitizerRuntime(): string | null {
  if (process.platform !== 'linux') return null;
  try {
    const path = execFileSync('g++', ['-print-file-name=libasan.so'], { encoding: 'utf8' }).trim();
    return existsSync(path) ? path : null;
  } catch {
    return null;
  }
}

const runtime = sanitizerRuntime();
const skip = runtime === null && 'libasan is not installed (on Debian it comes with g++)';

test('every path of the intake is clean under AddressSanitizer', { skip }, () => {
  const intake = join(projectRoot(), 'src/broker/intake');
  const build = spawnSync(process.execPath, [join(intake, 'build.mjs'), '--sanitize'], {
    encoding: 'utf8',
  });
  assert.equal(build.status, 0, build.stderr);
  const script = fileURLToPath(new URL('./intake-exercise.js', import.meta.url));
  const { status, signal, stdout, stderr } = spawnSync(
    process.execPath,
    [script, join(intake, 'build/asan/Release/intake.node')],
    {
      encoding: 'utf8',
      timeout: 120_000,
      env: {
        ...process.env,
        LD_PRELOAD: runtime ?? '',
        // Node itself leaves much to the end of the process; leaks are tested by counts and size.
        ASAN_OPTIONS: 'detect_leaks=0',
      },
    },
  );
  assert.deepEqual([status, signal, stdout.trim()], [0, null, 'exercised'], stderr);
});
