/** Orders of events in the core that a simulator meets seldom, one by one. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Outcome } from '../../src/contract/outcome.ts';
import { Bench } from './core-fixture.ts';

/** A core that owns partition 0, with records of the keys given, each at its index. */
function running(keys: readonly (string | null)[], bench = new Bench()): Bench {
  bench.assign(0, 0);
  bench.arrive(0, ...keys.map((key, offset) => ({ offset, key })));
  bench.turn();
  return bench;
}

describe('core: commits', () => {
  it('ignores the acknowledgement of a request that an older generation sent (W5, G1)', () => {
    const bench = running(['a', 'b']);
    bench.complete(0);
    bench.complete(1);
    bench.turn();
    assert.deepEqual(bench.positions, [2]);
    bench.revoke(1, [0], true);
    bench.assign(0, null);
    bench.turn();
    bench.answer();
    bench.turn();
    assert.equal(bench.core.state.partitions[0]?.committed, -1);
    // The record is delivered again, so its position is committed again.
    bench.arrive(0, { offset: 0 });
    bench.turn();
    bench.complete(0);
    bench.turn(1000);
    assert.deepEqual(bench.positions, [1]);
  });

  it('commits the end of a partition behind offsets that hold no record (W2)', () => {
    const bench = running(['a']);
    bench.complete(0);
    bench.arrive(0, { offset: 4, end: true });
    bench.turn();
    assert.deepEqual(bench.positions, [4]);
  });

  it('keeps the position below a record that is not finished, whatever ends above it (W2)', () => {
    const bench = running(['a', 'b', 'c']);
    bench.complete(2);
    bench.complete(1);
    bench.turn();
    bench.turn(5000);
    assert.equal(bench.commits.length, 0);
    bench.complete(0);
    bench.turn();
    assert.deepEqual(bench.positions, [3]);
  });
});

describe('core: lanes and workers', () => {
  it('keeps the records of a key at one worker and spreads records without a key (L1)', () => {
    const bench = running(['a', 'a', 'a', null, null, null, null, null, '', '']);
    assert.equal(new Set([0, 1, 2].map((offset) => bench.find(offset).worker)).size, 1);
    const unordered = [3, 4, 5, 6, 7].map((offset) => bench.find(offset));
    assert.ok(unordered.every(({ lane }) => lane === -1));
    assert.equal(new Set(unordered.map(({ worker }) => worker)).size, 2);
    assert.notEqual(bench.find(8).lane, -1);
    assert.equal(bench.find(8).lane, bench.find(9).lane);
  });

  it('gives what waits behind a blocked record to an idle worker, at the time it said (L3)', () => {
    const bench = running(['a', 'b', 'c', 'd'], new Bench({ ordering: 'none' }));
    for (const { offset } of bench.at.filter(({ worker }) => worker === 1)) bench.complete(offset);
    const { wakeAt } = bench.turn(1);
    assert.ok(wakeAt < Infinity);
    const [blocked, behind] = bench.at.map(({ offset }) => offset);
    bench.turn(wakeAt - bench.now);
    bench.turn();
    assert.equal(bench.find(blocked ?? -1).worker, 0);
    assert.equal(bench.find(behind ?? -1).worker, 1);
  });

  it('runs what lay at a dead thread again, in order, and charges only what ran', () => {
    const bench = running(['a', 'a', 'a']);
    bench.die(bench.find(0).worker, [0]);
    bench.turn();
    assert.deepEqual(
      bench.at.map(({ offset, attempt }) => [offset, attempt]),
      [
        [0, 2],
        [1, 1],
        [2, 1],
      ],
    );
  });

  it('stops at the third death of the same record, commits below it and nothing else', () => {
    const bench = running(['a', 'b', 'b']);
    bench.complete(0);
    for (let death = 1; death <= 3; death++) {
      bench.turn();
      bench.die(bench.find(1).worker, [1]);
    }
    bench.turn();
    assert.equal(bench.core.recordFailed, true);
    assert.deepEqual(bench.positions, [1]);
    assert.deepEqual(bench.offsets, []);
    bench.answer();
    bench.turn();
    assert.equal(bench.core.lifecycle, 'stopped');
    assert.equal(bench.handles.size, 0);
  });

  it('stops when a record fails, lets the rest in flight finish, starts nothing of its lane', () => {
    const bench = running(['a', 'a', 'b']);
    bench.complete(0, Outcome.error);
    bench.complete(1, Outcome.returned);
    bench.turn();
    assert.equal(bench.core.lifecycle, 'draining');
    assert.deepEqual(bench.offsets, [2]);
    bench.complete(2);
    bench.turn();
    bench.answer();
    bench.turn();
    assert.equal(bench.core.lifecycle, 'stopped');
    assert.equal(bench.commits.length, 0);
  });
});

describe('core: drains', () => {
  it('closes the gap below a finished record and starts nothing above it (G4)', () => {
    const bench = new Bench({ window: { records: 9, bytes: 999, span: 9, totalBytes: 999 } }, 1);
    bench.slots = 2;
    running(['a', 'b', 'c', 'd'], bench);
    assert.deepEqual(bench.offsets, [0, 1]);
    bench.complete(1);
    bench.slots = 1;
    bench.turn();
    bench.die(0, []);
    bench.revoke(1, [0]);
    bench.turn();
    assert.deepEqual(bench.offsets, [0]);
    bench.complete(0);
    bench.turn();
    bench.answer();
    bench.turn();
    assert.deepEqual(bench.positions, [2]);
    assert.deepEqual(bench.releases, [1]);
  });

  it('does not wait for records that came back unrun with nothing finished above (G4)', () => {
    const bench = running(['a', 'b', 'c']);
    bench.die(0, []);
    bench.die(1, []);
    bench.slots = 0;
    bench.revoke(1, [0]);
    bench.turn();
    assert.deepEqual(bench.releases, [1]);
    assert.equal(bench.handles.size, 0);
  });

  it('releases only after the final commit was acknowledged (G2)', () => {
    const bench = running(['a']);
    bench.complete(0);
    bench.revoke(1, [0]);
    bench.turn();
    assert.deepEqual([bench.positions, bench.releases], [[1], []]);
    bench.answer();
    bench.turn();
    assert.deepEqual(bench.releases, [1]);
    assert.deepEqual(bench.aborted, ['0/1']);
  });

  it('releases at the deadline what still runs, and drops its completion (G1, W4)', () => {
    const bench = running(['a']);
    bench.revoke(1, [0]);
    const { wakeAt } = bench.turn();
    assert.equal(wakeAt, 500);
    bench.turn(500);
    assert.deepEqual(bench.releases, [1]);
    bench.assign(0, 0);
    bench.arrive(0, { offset: 0 });
    bench.turn();
    const [old] = bench.at;
    assert.ok(old !== undefined);
    bench.complete(0);
    bench.turn(1000);
    assert.equal(bench.core.state.tally.staleCompletions, 1);
    assert.equal(bench.commits.length, 0);
    assert.equal(bench.core.state.partitions[0]?.inFlight, 1);
  });

  it('gives no answer to a revocation that a newer assignment overtook (G3)', () => {
    const bench = running(['a']);
    bench.revoke(1, [0]);
    bench.turn();
    bench.assign(1);
    bench.turn();
    bench.complete(0);
    bench.turn(5000);
    assert.deepEqual(bench.releases, []);
    assert.equal(bench.commits.length, 0);
  });

  it('commits nothing for a lost partition and answers at once (G5)', () => {
    const bench = running(['a']);
    bench.complete(0);
    bench.revoke(1, [0], true);
    bench.turn(5000);
    assert.deepEqual([bench.releases, bench.commits.length], [[1], 0]);
  });

  it('takes on at once when what was given up made room in the total (B2)', () => {
    const window = { records: 9, bytes: 999, span: 9, totalBytes: 20 };
    const bench = running(['a', 'b'], new Bench({ window, rebalanceDrainMs: 0 }));
    bench.assign(1);
    bench.arrive(1, { offset: 7 });
    bench.turn();
    assert.equal(bench.core.state.partitions[1]?.heldBack, 'total');
    bench.revoke(1, [0]);
    bench.turn();
    assert.deepEqual(bench.releases, [1]);
    assert.equal(bench.find(7, 1).offset, 7);
  });

  it('waits no longer for the final commit when a second stop is in a hurry', () => {
    const bench = running(['a']);
    bench.complete(0);
    bench.core.inbox.stop(25_000);
    assert.equal(bench.turn().wakeAt, 25_000);
    bench.core.inbox.stop(0);
    assert.equal(bench.turn(100).wakeAt, 2100);
    bench.turn(2000);
    assert.equal(bench.core.lifecycle, 'stopped');
    assert.ok(bench.core.leftOver > 0);
  });
});

describe('core: bounds of a turn', () => {
  it('takes a bounded number of rows, and asks for another turn (R3)', () => {
    const bench = new Bench({
      ordering: 'none',
      concurrency: 8192,
      window: { records: 50_000, bytes: 1e9, span: 50_000, totalBytes: 1e9 },
    });
    bench.slots = 8192;
    for (let index = 0; index < 40; index++) bench.assign(index, 0);
    bench.turn();
    const records = Array.from({ length: 256 }, (_, offset) => ({ offset }));
    for (let index = 0; index < 40; index++) bench.arrive(index, ...records);
    const first = bench.core.turn(bench.now, bench.now);
    assert.equal(bench.core.state.inFlight, 2048);
    assert.equal(first.again, true);
    bench.turn();
    assert.equal(bench.core.state.inFlight, 40 * 256);
  });
});
