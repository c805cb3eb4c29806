import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { TidemarkError } from '../../src/contract/errors.ts';
import type { HandlerContext, SetupContext } from '../../src/contract/handler.ts';
import type { KafkaRecord } from '../../src/contract/record.ts';
import { toRunError } from '../../src/ring/run-error.ts';
import { loadHandler } from '../../workers/load-handler.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-handlers-'));
});
after(() => rm(folder, { recursive: true }));

async function load(name: string, source: string): ReturnType<typeof loadHandler> {
  const path = join(folder, name);
  await writeFile(path, source);
  return loadHandler(path);
}

const RECORD = {} as KafkaRecord;
const CONTEXT = {} as HandlerContext & SetupContext;

const GOOD: readonly (readonly [title: string, name: string, source: string])[] = [
  ['a function as default export', 'a.mjs', 'export default () => 42;'],
  ['an object', 'b.mjs', 'export default { handle() { return 42; } };'],
  [
    'an instance whose methods need their object',
    'c.mjs',
    'class H { n = 42; handle() { return this.n; } }; export default new H();',
  ],
  ['module.exports = function', 'd.cjs', 'module.exports = () => 42;'],
  ['module.exports = object', 'e.cjs', 'module.exports = { handle: () => 42 };'],
  [
    'what a compiler makes of a default export',
    'f.cjs',
    'Object.defineProperty(exports, "__esModule", { value: true }); exports.default = () => 42;',
  ],
  [
    'TypeScript with types and enums',
    'g.ts',
    'enum N { answer = 42 }\nexport default (record: { offset: number }): number => N.answer;',
  ],
  ['a TypeScript object', 'h.mts', 'export default { handle(): number { return 42; } };'],
  ['CommonJS TypeScript', 'i.cts', 'const n: number = 42; module.exports = () => n;'],
];

for (const [title, name, source] of GOOD)
  test(`${title} is a handler`, async () => {
    const handler = await load(name, source);
    assert.equal(handler.handle(RECORD, CONTEXT), 42);
    assert.equal(handler.setup(CONTEXT), undefined);
    assert.equal(handler.teardown(), undefined);
  });

const BAD: readonly (readonly [title: string, name: string, source: string, says: RegExp])[] = [
  [
    'no default export',
    'j.mjs',
    'export const a = 1;',
    /default export is missing.*export default/i,
  ],
  ['null', 'k.mjs', 'export default null;', /is null/],
  ['an array', 'l.mjs', 'export default [];', /`handle` is missing/],
  ['a number', 'm.mjs', 'export default 1;', /is a number/],
  [
    'a handle that is no function',
    'n.mjs',
    'export default { handle: 1 };',
    /`handle` is a number/,
  ],
  [
    'a setup that is no function',
    'o.mjs',
    'export default { handle() {}, setup: true };',
    /`setup` is a boolean/,
  ],
  [
    'handleBatch',
    'p.mjs',
    'export default { handleBatch() {} };',
    /`handleBatch` is not supported yet/,
  ],
  [
    'a schema',
    'q.mjs',
    'export default { handle() {}, schema: {} };',
    /`schema` is not supported yet/,
  ],
  [
    'decode',
    'r.mjs',
    'export default { handle() {}, decode: "json" };',
    /`decode` is not supported yet/,
  ],
];

for (const [title, name, source, says] of BAD)
  test(`${title} is refused with what was found and the cure`, async () => {
    await assert.rejects(load(name, source), (error: unknown) => {
      assert.ok(error instanceof TidemarkError);
      assert.equal(error.code, 'TIDEMARK_HANDLER_INVALID');
      assert.match(error.message, says);
      assert.ok(error.message.includes(name));
      return true;
    });
  });

const BROKEN: readonly (readonly [title: string, name: string, source: string, says: RegExp])[] = [
  ['throws while it loads', 's.mjs', 'throw new RangeError("my own error");', /my own error/],
  ['has a syntax error', 't.mjs', 'export default {', /SyntaxError|Unexpected/],
  ['has a syntax error in TypeScript', 'u.ts', 'export default {', /u\.ts|Unexpected/],
  ['imports what is not there', 'v.mjs', 'import "no-such-package-here";', /no-such-package-here/],
];

for (const [title, name, source, says] of BROKEN)
  test(`a module that ${title} is refused with its own error as the cause`, async () => {
    await assert.rejects(load(name, source), (error: unknown) => {
      assert.ok(error instanceof TidemarkError);
      const { name: kind, message, stack } = toRunError(error.cause);
      assert.match(`${kind} ${message} ${stack}`, says);
      return true;
    });
  });
