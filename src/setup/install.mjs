// The package's install script: builds the intake against the node-rdkafka that was installed. In a
// checkout npm runs it after all packages; as somebody's dependency npm may run it beside
// node-rdkafka's own build, and then that build is waited for.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const LOOK_MS = 250;
/** So long may node-rdkafka's build take to begin; without one its install script is not allowed. */
const BEGIN_MS = 20_000;
const BUILD_MS = 20 * 60_000;

function nodeRdkafkaFolder() {
  const require = createRequire(import.meta.url);
  try {
    return dirname(require.resolve('node-rdkafka/package.json'));
  } catch {
    return null;
  }
}

/** node-gyp links the addon last, into this place. */
async function isBuilt(folder) {
  const addon = join(folder, 'build/Release/node-librdkafka.node');
  const startedAt = performance.now();
  while (!existsSync(addon)) {
    const waited = performance.now() - startedAt;
    if (waited > BUILD_MS) return false;
    if (waited > BEGIN_MS && !existsSync(join(folder, 'build'))) return false;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return true;
}

const folder = nodeRdkafkaFolder();
if (folder !== null && (await isBuilt(folder))) await import('../broker/intake/build.mjs');
else
  // Failing here would undo the whole installation; the program says the same when it starts.
  console.error(
    'tidemark: node-rdkafka is not built, so the intake is not either. ' +
      'Allow its install script, then run: npm rebuild node-rdkafka && npm rebuild tidemark',
  );
