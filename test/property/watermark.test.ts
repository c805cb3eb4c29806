/** The watermark against a naive model: any order of completion, gaps, growth, wrap of its numbers. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { InvariantError } from '../../src/contract/invariant.ts';
import { Watermark } from '../../src/core/watermark.ts';

interface Entry {
  readonly offset: number;
  readonly sequence: number;
  readonly row: number;
  settled: boolean;
}

/** Says what it should be by looking at everything, every time. */
class Model {
  readonly entries: Entry[] = [];
  next = -1;

  get open(): Entry[] {
    return this.entries.filter(({ settled }) => !settled);
  }

  get position(): number {
    return this.open[0]?.offset ?? this.next;
  }

  get settledAbove(): number {
    const lowest = this.open[0]?.offset ?? Infinity;
    return this.entries.filter(({ settled, offset }) => settled && offset > lowest).length;
  }

  get highestSettled(): number {
    const oldest = this.open[0]?.offset;
    const above = this.entries.filter(
      ({ settled, offset }) => settled && oldest !== undefined && offset > oldest,
    );
    return above.at(-1)?.offset ?? -1;
  }
}

type Step =
  | { readonly kind: 'track'; readonly gap: number }
  | { readonly kind: 'settle'; readonly which: number }
  | { readonly kind: 'advance'; readonly by: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('track' as const), gap: fc.nat(3) }) },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('settle' as const), which: fc.nat(1000) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('advance' as const), by: fc.nat(4) }) },
  ),
  { maxLength: 300, size: 'max' },
);

function play(watermark: Watermark, model: Model, step: Step, base: number): void {
  if (step.kind === 'track') {
    const offset = (model.next < 0 ? base : model.next) + step.gap;
    const row = model.entries.length;
    const sequence = watermark.track(offset, row);
    model.entries.push({ offset, sequence, row, settled: false });
    model.next = offset + 1;
  } else if (step.kind === 'settle') {
    const { open } = model;
    const entry = open[step.which % Math.max(1, open.length)];
    if (entry === undefined) return;
    watermark.settle(entry.sequence);
    entry.settled = true;
  } else {
    const to = Math.max(0, model.next) + step.by - 2;
    if (to < 0) return;
    watermark.advanceTo(to);
    model.next = Math.max(model.next, to);
  }
}

function compare(watermark: Watermark, model: Model): void {
  assert.equal(watermark.position, model.position);
  assert.equal(watermark.next, model.next);
  assert.equal(watermark.oldestRow, model.open[0]?.row ?? -1);
  assert.equal(watermark.settledAbove(), model.settledAbove);
  assert.equal(
    watermark.highest(() => false),
    model.highestSettled,
  );
  const visited: number[] = [];
  watermark.forEachInFlight((row) => visited.push(row) > 0);
  assert.deepEqual(
    visited,
    model.open.map(({ row }) => row),
  );
}

function agrees(firstSequence: number, base: number): void {
  fc.assert(
    fc.property(steps, (list) => {
      const watermark = new Watermark(firstSequence);
      const model = new Model();
      let before = -1;
      for (const step of list) {
        play(watermark, model, step, base);
        compare(watermark, model);
        assert.ok(watermark.position >= before);
        before = watermark.position;
      }
    }),
    { numRuns: 60 },
  );
}

describe('watermark', () => {
  it('agrees with a naive model in any order of completion, never going back (W1, W2, W3)', () => {
    agrees(0, 0);
  });

  it('agrees with the model where its sequence numbers wrap at 2^32', () => {
    agrees(2 ** 32 - 50, 0);
  });

  for (const base of [2 ** 31 - 5, 2 ** 32 - 5, 2 ** 53 - 1 - 1000])
    it(`is exact for offsets around ${String(base)} (W6)`, () => {
      agrees(0, base);
    });

  it('takes every safe offset, whose successor is exact too, and refuses the others (W6)', () => {
    const watermark = new Watermark();
    watermark.settle(watermark.track(Number.MAX_SAFE_INTEGER, 0));
    assert.equal(watermark.position, 2 ** 53);
    for (const wrong of [2 ** 53, 2 ** 53 + 2, -1, 0.5, NaN, Infinity])
      assert.throws(() => new Watermark().track(wrong, 0), isBroken('W6'));
    for (const wrong of [2 ** 53, -1, 0.5, NaN])
      assert.throws(() => {
        new Watermark().advanceTo(wrong);
      }, isBroken('W6'));
  });

  it('refuses an offset that is not above the highest tracked one (W3)', () => {
    const watermark = new Watermark();
    watermark.track(5, 0);
    assert.throws(() => watermark.track(5, 1), isBroken('W3'));
    assert.throws(() => watermark.track(4, 1), isBroken('W3'));
    watermark.advanceTo(9);
    assert.throws(() => watermark.track(8, 1), isBroken('W3'));
    watermark.track(9, 1);
  });

  it('refuses a second settlement, below the head, in the ring and above it (W4)', () => {
    const watermark = new Watermark();
    const sequences = [0, 1, 2].map((offset) => watermark.track(offset, offset));
    for (const at of [2, 0]) watermark.settle(sequences[at] ?? -1);
    for (const wrong of [sequences[0], sequences[2], 3, 2 ** 32 - 1])
      assert.throws(() => {
        watermark.settle(wrong ?? -1);
      }, isBroken('W4'));
    assert.equal(watermark.position, 1);
  });

  it('passes each of 100,000 offsets once when they complete in the worst order', () => {
    const count = 100_000;
    const watermark = new Watermark();
    const sequences = Array.from({ length: count }, (_, offset) => watermark.track(offset, offset));
    let passed = 0;
    // The lowest last: a table that looks at all entries at each completion does not come to its end.
    for (const sequence of sequences.reverse()) {
      const before = watermark.span;
      watermark.settle(sequence);
      passed += before - watermark.span;
      assert.equal(watermark.position, sequence === 0 ? count : 0);
    }
    assert.equal(passed, count);
    assert.equal(watermark.span, 0);
  });
});

function isBroken(id: string): (error: unknown) => boolean {
  return (error) => error instanceof InvariantError && error.id === id;
}
