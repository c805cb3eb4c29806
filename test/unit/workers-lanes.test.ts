import assert from 'node:assert/strict';
import test from 'node:test';
import { Lanes } from '../../workers/lanes.ts';

test('L1, L2: records of a busy lane wait behind it and come one after another', () => {
  const lanes = new Lanes(8);
  lanes.occupy(5, 0);
  assert.equal(lanes.queueBehind(5, 1), true);
  assert.equal(lanes.queueBehind(5, 2), true);
  assert.equal(lanes.queueBehind(6, 3), false);
  assert.equal(lanes.takeReady(), -1);
  lanes.leave(5, 0);
  assert.equal(lanes.takeReady(), 1);
  assert.equal(lanes.takeReady(), -1);
  lanes.occupy(5, 1);
  assert.equal(lanes.queueBehind(5, 4), true);
  lanes.leave(5, 1);
  assert.equal(lanes.takeReady(), 2);
  lanes.leave(5, 2);
  assert.equal(lanes.takeReady(), 4);
  lanes.leave(5, 4);
  assert.equal(lanes.queueBehind(5, 6), false);
});

test('records without order are never busy', () => {
  const lanes = new Lanes(8);
  lanes.occupy(-1, 0);
  assert.equal(lanes.queueBehind(-1, 1), false);
});

test('what waits behind a failed record comes back in order, and the lane stays shut until reopened', () => {
  const lanes = new Lanes(8);
  lanes.occupy(5, 3);
  lanes.queueBehind(5, 1);
  lanes.queueBehind(5, 2);
  assert.deepEqual(lanes.fail(5, 3), [1, 2]);
  assert.equal(lanes.hasFailed(5, false), true);
  assert.equal(lanes.hasFailed(6, false), false);
  assert.equal(lanes.hasFailed(5, true), false);
  assert.equal(lanes.hasFailed(5, false), false);
  assert.equal(lanes.queueBehind(5, 4), false);
});

test('a record that failed alone leaves nothing behind but a shut lane', () => {
  const lanes = new Lanes(8);
  assert.deepEqual(lanes.fail(5, 3), []);
  assert.equal(lanes.hasFailed(5, false), true);
});
