import assert from 'node:assert/strict';
import test from 'node:test';
import { Overflow, overflowBytes } from '../../src/pool/overflow.ts';
import type { ToWorker } from '../../src/ring/messages.ts';
import { FakeMemory } from '../concurrency/fake-memory.ts';

const MIB = 1024 * 1024;

function make(): { memory: FakeMemory; posted: ToWorker[]; overflow: Overflow } {
  const memory = new FakeMemory();
  const posted: ToWorker[] = [];
  return { memory, posted, overflow: new Overflow(memory, (message) => posted.push(message)) };
}

test('sizes are powers of two up to 1 MiB, then whole MiB', () => {
  const sizes = [1, 1024, 1025, MIB, MIB + 1, 20 * MIB, 100_000_000].map(overflowBytes);
  assert.deepEqual(sizes, [1024, 1024, 2048, MIB, 2 * MIB, 20 * MIB, 96 * MIB]);
});

test('a buffer is announced once and used again for its size', () => {
  const { memory, posted, overflow } = make();
  const first = overflow.claim(5000);
  overflow.free(first);
  assert.equal(overflow.claim(8000), first);
  assert.notEqual(overflow.claim(8000), first);
  assert.equal(memory.registered, 2);
  assert.deepEqual(
    posted.map(({ kind }) => kind),
    ['buffer', 'buffer'],
  );
});

test('what is kept unused is bounded, and what is dropped is dropped on both sides', () => {
  const { memory, posted, overflow } = make();
  const numbers = Array.from({ length: 12 }, () => overflow.claim(MIB));
  for (const number of numbers) overflow.free(number);
  assert.equal(memory.buffers.size, 8);
  assert.equal(posted.filter(({ kind }) => kind === 'buffer-gone').length, 4);
  overflow.free(overflow.claim(100 * MIB));
  assert.equal(memory.buffers.size, 8);
});

test('a number is never used for another buffer', () => {
  const { overflow } = make();
  const numbers = [100, 200, 100].map((mib) => {
    const number = overflow.claim(mib * MIB);
    overflow.free(number);
    return number;
  });
  assert.equal(new Set(numbers).size, 3);
});

test('nothing stays registered after close', () => {
  const { memory, overflow } = make();
  overflow.claim(5000);
  overflow.free(overflow.claim(50_000));
  overflow.close();
  assert.equal(memory.buffers.size, 0);
});
