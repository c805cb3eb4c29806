import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { produce } from '../../support/clients.ts';
import { mockScenario, runTidemark, scenarioOn, untilCommitted } from '../../support/scenario.ts';
import type { Scenario } from '../../support/scenario.ts';

/** Nothing listens there. */
const NOWHERE = '127.0.0.1:1';
const PATIENT = { kafka: { connectTimeoutMs: 120_000 } };

/** A handler module of the test's own. */
function moduleIn(scenario: Scenario, name: string, source: string): string {
  const path = join(scenario.folder, name);
  writeFileSync(path, source);
  return path;
}

test('a broker that is not there ends the program with 69 once connectTimeoutMs has passed', async (t) => {
  const program = runTidemark(t, scenarioOn(t, NOWHERE, 'orders', {}), {
    config: { kafka: { connectTimeoutMs: 1500 } },
  });
  assert.equal((await program.ended).code, 69, program.output);
  assert.match(program.output, /TIDEMARK_KAFKA_UNAVAILABLE/);
  assert.match(program.output, /127\.0\.0\.1:1\b/);
  assert.match(program.output, /kafka\.connectTimeoutMs/);
});

test('while no broker answers the program is healthy, not ready, and shows that it is starting', async (t) => {
  const program = runTidemark(t, scenarioOn(t, NOWHERE, 'orders', {}), { config: PATIENT });
  await program.waitFor('kafka_error');
  assert.equal((await program.get('/healthz')).status, 200);
  assert.equal((await program.get('/readyz')).status, 503);
  assert.equal(((await program.status()) as { state: string }).state, 'starting');
  assert.match(await (await program.get('/metrics')).text(), /^tidemark_build_info\{/m);
});

test('SIGTERM while no broker answers ends the program with 0', async (t) => {
  const program = runTidemark(t, scenarioOn(t, NOWHERE, 'orders', {}), { config: PATIENT });
  await program.waitFor('kafka_error');
  assert.equal((await program.stop()).code, 0, program.output);
});

test('SIGTERM while the handler module is being loaded ends the program with 0', async (t) => {
  const scenario = await mockScenario(t);
  const gate = join(scenario.folder, 'gate');
  const handler = moduleIn(
    scenario,
    'slow.mjs',
    `import { existsSync } from 'node:fs';
     import { setTimeout } from 'node:timers/promises';
     while (!existsSync(${JSON.stringify(gate)})) await setTimeout(5);
     export default () => {};`,
  );
  const program = runTidemark(t, scenario, { handler });
  await program.waitFor('http_listening');
  program.signal('SIGTERM');
  await program.waitFor('stopping');
  writeFileSync(gate, '');
  assert.equal((await program.ended).code, 0, program.output);
});

test('a handler module that never gets loaded does not keep the program alive past a stop', async (t) => {
  const scenario = scenarioOn(t, NOWHERE, 'orders', {});
  const handler = moduleIn(
    scenario,
    'never.mjs',
    'setInterval(() => {}, 1000); await new Promise(() => {});',
  );
  const program = runTidemark(t, scenario, {
    handler,
    config: { shutdown: { drainTimeoutMs: 500, forceTimeoutMs: 1000 } },
  });
  await program.waitFor('http_listening');
  assert.notEqual((await program.stop()).code, 0, program.output);
});

const BROKEN: readonly (readonly [title: string, file: string, source: string, says: RegExp[]])[] =
  [
    [
      'with a syntax error',
      'syntax.mjs',
      'export default () => {\n  retrun 1 +;\n};\n',
      [/SyntaxError/, /syntax\.mjs/],
    ],
    [
      'that throws when it is imported',
      'throws.mjs',
      "\n\nthrow new RangeError('no licence found');\n",
      [/RangeError: no licence found/, /throws\.mjs:3/],
    ],
    [
      'that imports what is not there',
      'misses.mjs',
      "import 'no-such-package';\nexport default () => {};\n",
      [/no-such-package/, /misses\.mjs/],
    ],
    [
      'without a handler',
      'empty.mjs',
      'export const handle = () => {};\n',
      [/empty\.mjs/, /default export is missing/],
    ],
  ];

for (const [title, file, source, says] of BROKEN)
  test(`a handler module ${title} ends the program with 78 and its own error`, async (t) => {
    const scenario = scenarioOn(t, NOWHERE, 'orders', {});
    const program = runTidemark(t, scenario, { handler: moduleIn(scenario, file, source) });
    assert.equal((await program.ended).code, 78, program.output);
    for (const pattern of [/TIDEMARK_HANDLER_INVALID/, ...says])
      assert.match(program.output, pattern);
  });

test('a setup that throws ends the program with 78 and its own error and stack', async (t) => {
  const scenario = await mockScenario(t);
  const handler = moduleIn(
    scenario,
    'setup.mjs',
    "export default {\n  setup() {\n    throw new RangeError('no database');\n  },\n  handle() {},\n};\n",
  );
  const program = runTidemark(t, scenario, { handler });
  assert.equal((await program.ended).code, 78, program.output);
  assert.match(program.output, /RangeError: no database/);
  assert.match(program.output, /setup\.mjs:3/);
});

for (const [title, file, source] of [
  [
    'CommonJS',
    'plain.cjs',
    'module.exports = function (record, context) { context.log.info("ran", { at: record.offset }); };',
  ],
  [
    'TypeScript',
    'typed.ts',
    'enum Word { ran = "ran" }\nexport default { handle(record: { offset: number }, context: any): void { context.log.info(Word.ran, { at: record.offset }); } };',
  ],
] as const)
  test(`a ${title} handler runs`, async (t) => {
    const scenario = await mockScenario(t);
    await produce(scenario.brokers, scenario.topic, [{ partition: 0, value: randomUUID() }]);
    const program = runTidemark(t, scenario, { handler: moduleIn(scenario, file, source) });
    await untilCommitted(scenario, program);
    const ran = await program.waitFor('handler', ({ msg }) => msg === 'ran');
    assert.equal(ran['at'], 0);
    assert.equal((await program.stop()).code, 0, program.output);
  });
