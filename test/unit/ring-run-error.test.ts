import assert from 'node:assert/strict';
import test from 'node:test';
import { ERROR_MESSAGE_MAX, ERROR_NAME_MAX, ERROR_STACK_MAX } from '../../src/contract/outcome.ts';
import { toRunError } from '../../src/ring/run-error.ts';

const hostile = new Proxy(
  {},
  {
    get() {
      throw new Error('no');
    },
    has() {
      throw new Error('no');
    },
    ownKeys() {
      throw new Error('no');
    },
  },
);
const circular: Record<string, unknown> = { here: 1 };
circular['self'] = circular;
const revoked = Proxy.revocable({}, {});
revoked.revoke();

const ODD: readonly (readonly [title: string, thrown: unknown, message: RegExp])[] = [
  ['undefined', undefined, /undefined/],
  ['null', null, /null|object/],
  ['a string', 'boom', /boom/],
  ['a symbol', Symbol('boom'), /boom/],
  ['a bigint', 12n, /12/],
  ['a function', () => 1, /./],
  ['a plain object', { a: 1 }, /"a":1/],
  ['an object with a BigInt in it', { a: 1n }, /cannot be printed/],
  ['a circular object', circular, /cannot be printed/],
  ['a frozen error', Object.freeze(new Error('boom')), /boom/],
  ['a proxy that throws at every touch', hostile, /./],
  ['a revoked proxy', revoked.proxy, /./],
  ['an object without a prototype', Object.create(null), /./],
];

for (const [title, thrown, message] of ODD)
  test(`${title} that was thrown becomes plain text`, () => {
    const error = toRunError(thrown);
    assert.match(error.message, message);
    assert.equal(typeof error.name, 'string');
    assert.equal(typeof error.stack, 'string');
    assert.deepEqual(structuredClone(error), error);
  });

test('name, message and stack of an error are kept, and its causes follow in the stack', () => {
  const error = toRunError(new TypeError('outer', { cause: new RangeError('inner') }));
  assert.equal(error.name, 'TypeError');
  assert.equal(error.message, 'outer');
  assert.match(error.stack, /TypeError: outer[^]*\[cause\] RangeError: inner/);
});

test('a circle of causes ends', () => {
  const first = new Error('first');
  const second = new Error('second', { cause: first });
  first.cause = second;
  assert.equal(toRunError(first).stack.match(/\[cause\]/g)?.length, 1);
});

test('texts of 10 MB are cut to their budgets, not through a surrogate pair', () => {
  const error = new Error(`x${'😀'.repeat(5_000_000)}`);
  error.name = 'N'.repeat(10_000_000);
  const cut = toRunError(error);
  assert.ok(cut.message.length <= ERROR_MESSAGE_MAX);
  assert.ok(cut.message.length > ERROR_MESSAGE_MAX - 3);
  assert.ok(cut.name.length <= ERROR_NAME_MAX);
  assert.ok(cut.stack.length <= ERROR_STACK_MAX);
  assert.equal(Buffer.from(cut.message).toString(), cut.message);
});

test('a mark is kept when it is one of the four, and only then', () => {
  assert.equal(toRunError({ tidemark: 'skip' }).mark, 'skip');
  assert.equal(toRunError(Object.assign(new Error('x'), { tidemark: 'stop' })).mark, 'stop');
  assert.equal('mark' in toRunError({ tidemark: 'other' }), false);
  assert.equal('mark' in toRunError(new Error('x')), false);
});
