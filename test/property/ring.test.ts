import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { RingReader, RingWriter } from '../../src/ring/index-ring.ts';
import { Control, SlotState, SlotWord } from '../../src/ring/layout.ts';
import { SharedRing } from '../../src/ring/shared-ring.ts';
import { RingMemory } from '../../src/ring/slot.ts';

/** Positions at which signed and unsigned arithmetic go apart. */
const STARTS = [0, 5, -3, 0x7fffffff, -0x80000000, 0x7ffffff8, -1];

test('S3: indexes come out as they went in, across 2^31 and 2^32', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...STARTS),
      fc.array(fc.record({ push: fc.nat(8), take: fc.nat(8) }), { maxLength: 60 }),
      (start, steps) => {
        const control = new Int32Array(64);
        control[0] = start;
        control[32] = start;
        const entries = new Int32Array(8);
        const writer = new RingWriter(control, 0, entries);
        const reader = new RingReader(control, 0, 32, entries);
        const model: number[] = [];
        let next = 0;
        for (const { push, take } of steps) {
          for (let left = Math.min(push, 8 - model.length); left > 0; left--) {
            writer.push(next);
            model.push(next++);
          }
          assert.equal(reader.refresh() + writer.unpublished, model.length);
          writer.publish();
          for (let left = Math.min(take, reader.refresh()); left > 0; left--)
            assert.equal(reader.take(), model.shift());
          reader.release();
          assert.equal(reader.available(), model.length);
        }
        assert.equal((Atomics.load(control, 0) - Atomics.load(control, 32)) >>> 0, model.length);
      },
    ),
  );
});

test('S3: a tail that runs more than a ring ahead is a broken invariant', () => {
  const control = new Int32Array(64);
  const reader = new RingReader(control, 0, 32, new Int32Array(8));
  control[0] = 9;
  assert.throws(() => reader.refresh(), /invariant S3/);
  control[0] = -1;
  assert.throws(() => reader.refresh(), /invariant S3/);
});

interface Row {
  readonly row: number;
  readonly lane: number;
}

/** The worker's side, played one step at a time on the same thread. */
class PlayedWorker {
  readonly memory: RingMemory;
  readonly submissions: RingReader;
  readonly completions: RingWriter;
  readonly running: number[] = [];

  constructor(memory: RingMemory) {
    const { words } = memory;
    this.memory = memory;
    this.submissions = new RingReader(
      words,
      Control.submissionTail,
      Control.submissionHead,
      memory.submissions,
    );
    this.completions = new RingWriter(words, Control.completionTail, memory.completions);
  }

  start(): void {
    if (this.submissions.available() === 0) return;
    const slot = this.submissions.take();
    if (this.memory.claim(slot, SlotState.running)) this.running.push(slot);
    else this.completions.push(slot);
    this.completions.publish();
  }

  end(pick: number): void {
    const [slot] = this.running.splice(pick % Math.max(1, this.running.length), 1);
    if (slot === undefined) return;
    this.memory.words[this.memory.wordOf(slot) + SlotWord.state] = SlotState.completed;
    this.completions.push(slot);
    this.completions.publish();
  }
}

const STEP = fc.oneof(
  fc.record({ kind: fc.constant('submit' as const), count: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ kind: fc.constant('start' as const), count: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ kind: fc.constant('end' as const), count: fc.nat(7) }),
  fc.record({ kind: fc.constant('drain' as const), count: fc.constant(1) }),
  fc.record({ kind: fc.constant('recall' as const), count: fc.integer({ min: 1, max: 6 }) }),
);

test('S1, S4, S5: every record comes back exactly once, whatever the order of steps and recalls', () => {
  fc.assert(
    fc.property(fc.constantFrom(...STARTS), fc.array(STEP, { maxLength: 120 }), (start, steps) => {
      const memory = RingMemory.create(8, 256);
      memory.words.fill(start, Control.submissionTail, Control.submissionTail + 1);
      memory.words.fill(start, Control.submissionHead, Control.submissionHead + 1);
      memory.words.fill(start, Control.completionTail, Control.completionTail + 1);
      memory.words.fill(start, Control.completionHead, Control.completionHead + 1);
      const ring = new SharedRing(memory);
      const worker = new PlayedWorker(memory);
      const out = new Set<number>();
      let nextRow = 0;
      const back = (row: number): void => {
        assert.ok(out.delete(row), `row ${String(row)} came back twice`);
      };
      const drain = (): void => {
        for (let left = ring.completions.refresh(); left > 0; left--) {
          const slot = ring.completions.take();
          const row = ring.rows[slot] ?? -1;
          if (memory.stateOf(slot) !== SlotState.recalled) back(row);
          ring.free(slot);
        }
      };
      for (const { kind, count } of steps) {
        if (kind === 'submit') {
          for (let left = Math.min(count, ring.freeSlots); left > 0; left--) {
            out.add(nextRow);
            const claim: Row = { row: nextRow++, lane: -1 };
            ring.claim({ ...claim, attempt: 1, partition: 0, generation: 1 }, -1, false);
          }
          ring.publish();
        } else if (kind === 'start') for (let left = count; left > 0; left--) worker.start();
        else if (kind === 'end') worker.end(count);
        else if (kind === 'drain') drain();
        else {
          const slots = new Int32Array(8);
          const rows = new Int32Array(8);
          const recalled = ring.recall(count, slots, rows);
          const taken = [...rows.subarray(0, recalled)];
          // The latest first, and none that started: what stays is older than what came back.
          assert.deepEqual(
            taken,
            [...taken].sort((a, b) => b - a),
          );
          for (const row of taken) back(row);
        }
        assert.equal(ring.freeSlots + ring.usedSlots, 8);
      }
      for (let left = 16; left > 0; left--) worker.start();
      while (worker.running.length > 0) worker.end(0);
      drain();
      assert.equal(out.size, 0);
      assert.equal(ring.freeSlots, 8);
    }),
  );
});

test('S5: a slot that came back cannot come back again', () => {
  const ring = new SharedRing(RingMemory.create(2, 256));
  const slot = ring.claim({ row: 0, lane: -1, attempt: 1, partition: 0, generation: 1 }, -1, false);
  ring.free(slot);
  assert.throws(() => {
    ring.free(slot);
  }, /invariant S5/);
});

test('S4: a record without a free slot is a broken invariant', () => {
  const ring = new SharedRing(RingMemory.create(2, 256));
  const claim = { row: 0, lane: -1, attempt: 1, partition: 0, generation: 1 };
  ring.claim(claim, -1, false);
  ring.claim(claim, -1, false);
  assert.throws(() => ring.claim(claim, -1, false), /invariant S4/);
});
