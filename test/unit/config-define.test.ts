import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineConfig } from '../../src/index.ts';

test('defineConfig returns what it is given, and its types know the keys', () => {
  const kafka = { brokers: 'localhost:9092', groupId: 'group', topics: ['orders'] };
  const handler = { module: './handler.js' };
  const given = { kafka, handler, workers: { threads: 'auto' as const, maxHeapMb: 100 } };
  assert.equal(defineConfig(given), given);
  const make = (): typeof given => given;
  assert.equal(defineConfig(make), make);
  // @ts-expect-error a mistyped key
  defineConfig({ kafka, handler, worker: {} });
  // @ts-expect-error a section that is required
  defineConfig({ handler });
  // @ts-expect-error a value of the wrong kind
  defineConfig({ kafka, handler, ordering: 'keys' });
});
