import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { COMPILED, ROOT } from '../support/project.ts';
import { waitUntil } from '../support/wait.ts';

interface Running {
  output(): string;
  interrupt(): void;
  readonly code: Promise<number | null>;
}

function quickstart(t: TestContext, ...flags: readonly string[]): Running {
  const main = join(COMPILED, 'src/main.js');
  const child = spawn(process.execPath, [main, 'quickstart', ...flags], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      output += String(text);
    });
  t.after(() => child.kill('SIGKILL'));
  return {
    output: () => output,
    interrupt: () => child.kill('SIGINT'),
    code: new Promise((resolve) => {
      child.once('close', (code) => {
        resolve(code);
      });
    }),
  };
}

test('the quick start handles exactly the orders it was asked for and checks what it promises', async (t) => {
  const program = quickstart(t, '--records', '2000');
  assert.equal(await program.code, 0, program.output());
  const output = program.output();
  assert.match(output, /2,000 of 2,000 orders handled/);
  assert.match(output, /every order of each of \d+ customers ran alone and in sequence/);
  assert.match(output, /committed equals end: 2,000 over 4 partitions/);
  const peak = Number(/at most (\d+) orders ran at the same time/.exec(output)?.[1]);
  assert.ok(peak > 2, `orders ran side by side on each thread, not one by one: ${output}`);
});

test('the quick start serves metrics and status while it runs and ends well on SIGINT', async (t) => {
  const program = quickstart(t);
  const url = await waitUntil(() => /status {3}(http:\S+)\/status/.exec(program.output())?.[1], {
    what: 'the line that says where the status is',
  });
  await waitUntil(
    async () =>
      /^tidemark_records_settled_total\{.*outcome="ok".*\} [1-9]/m.test(
        await (await fetch(`${url}/metrics`)).text(),
      ),
    { what: 'a settled order in the metrics' },
  );
  const status = (await (await fetch(`${url}/status`)).json()) as { state?: string };
  assert.equal(status.state, 'running');
  program.interrupt();
  assert.equal(await program.code, 0, program.output());
  assert.match(program.output(), /committed equals end/);
});
