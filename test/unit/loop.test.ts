/** The main loop, with timers that the test turns. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { Loop } from '../../src/loop.ts';
import type { LoopTurn } from '../../src/loop.ts';

const REST: LoopTurn = { again: false, wakeAt: Infinity };

/** A loop whose turns give the results listed, then rest. */
function looped(
  t: TestContext,
  results: LoopTurn[],
): { readonly loop: Loop; turns: () => number; sleeps: () => number } {
  t.mock.timers.enable({ apis: ['setImmediate', 'setInterval', 'setTimeout'] });
  let turns = 0;
  let sleeps = 0;
  const loop = new Loop(
    () => results[turns++] ?? REST,
    () => {
      sleeps++;
    },
  );
  loop.start();
  t.after(() => {
    loop.stop();
  });
  return { loop, turns: () => turns, sleeps: () => sleeps };
}

test('B3: a loop to which nothing happens turns, and so polls, once a second', (t) => {
  const { turns } = looped(t, []);
  t.mock.timers.tick(1);
  assert.equal(turns(), 1);
  for (let second = 1; second <= 5; second++) t.mock.timers.tick(1000);
  assert.equal(turns(), 6);
});

test('a turn that could go on is followed by another without sleep', (t) => {
  const again = { again: true, wakeAt: Infinity };
  const { turns, sleeps } = looped(t, [again, again]);
  for (let tick = 0; tick < 5; tick++) t.mock.timers.tick(1);
  assert.equal(turns(), 3);
  assert.equal(sleeps(), 1);
});

test('many calls of wake make one turn', (t) => {
  const { loop, turns } = looped(t, []);
  t.mock.timers.tick(1);
  for (let call = 0; call < 10; call++) loop.wake();
  t.mock.timers.tick(1);
  assert.equal(turns(), 2);
});

test('the loop turns when the time has come that a turn asked for', (t) => {
  const { turns } = looped(t, [{ again: false, wakeAt: performance.now() + 50 }]);
  t.mock.timers.tick(1);
  assert.equal(turns(), 1);
  t.mock.timers.tick(60);
  t.mock.timers.tick(1);
  assert.equal(turns(), 2);
});

test('a stopped loop turns no more', (t) => {
  const { loop, turns } = looped(t, []);
  t.mock.timers.tick(1);
  loop.stop();
  loop.wake();
  t.mock.timers.tick(5000);
  assert.equal(turns(), 1);
});
