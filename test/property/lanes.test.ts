/** Lanes against a naive model: a Map of sorted lists. Hashes are chosen to collide in the table. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { InFlightTable } from '../../src/core/in-flight.ts';
import { Lanes } from '../../src/core/lanes.ts';

/** Low halves that differ above every mask the table has: all want the same place. */
const SAME_PLACE = 1 << 20;

interface Key {
  readonly partition: number;
  readonly low: number;
  readonly high: number;
}

const keys: fc.Arbitrary<Key> = fc.record({
  partition: fc.nat(1),
  low: fc.oneof(
    fc.nat(40),
    fc.nat(40).map((n) => n * SAME_PLACE),
  ),
  high: fc.constantFrom(0, 1, -1),
});

type Step =
  | { readonly kind: 'append'; readonly key: Key }
  | { readonly kind: 'single' }
  | { readonly kind: 'shift' | 'back' | 'finish' | 'unlist'; readonly which: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('append' as const), key: keys }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'single' as const }) },
    {
      weight: 9,
      arbitrary: fc.record({
        kind: fc.constantFrom(
          'shift' as const,
          'back' as const,
          'finish' as const,
          'unlist' as const,
        ),
        which: fc.nat(10_000),
      }),
    },
  ),
  { maxLength: 400, size: 'max' },
);

interface ModelLane {
  readonly lane: number;
  readonly name: string;
  readonly queued: number[];
  readonly out: number[];
}

class Subject {
  readonly rows = new InFlightTable();
  readonly lanes = new Lanes(this.rows);
  readonly model = new Map<string, ModelLane>();
  readonly listed: number[] = [];
  #offset = 0;

  append(name: string, lane: number): void {
    const known = this.model.get(name);
    if (known === undefined) {
      for (const other of this.model.values()) assert.notEqual(other.lane, lane, 'a lane in use');
      this.model.set(name, { lane, name, queued: [], out: [] });
    } else assert.equal(lane, known.lane, 'a key has one lane');
    const row = this.rows.allocate();
    this.rows.offset[row] = this.#offset++;
    this.lanes.append(lane, row);
    this.model.get(name)?.queued.push(row);
    if (this.lanes.listed[lane] === 0) {
      this.lanes.listed[lane] = 1;
      this.listed.push(lane);
    }
  }

  shift(entry: ModelLane): void {
    const row = entry.queued.shift();
    if (row === undefined) return;
    assert.equal(this.lanes.shift(entry.lane), row);
    this.lanes.submitted[entry.lane] = (this.lanes.submitted[entry.lane] ?? 0) + 1;
    entry.out.push(row);
  }

  back(entry: ModelLane, which: number): void {
    const [row] = entry.out.splice(which % Math.max(1, entry.out.length), 1);
    if (row === undefined) return;
    this.lanes.submitted[entry.lane] = (this.lanes.submitted[entry.lane] ?? 0) - 1;
    this.lanes.insert(entry.lane, row);
    entry.queued.push(row);
    entry.queued.sort((a, b) => (this.rows.offset[a] ?? 0) - (this.rows.offset[b] ?? 0));
  }

  finish(entry: ModelLane, which: number): void {
    const [row] = entry.out.splice(which % Math.max(1, entry.out.length), 1);
    if (row === undefined) return;
    this.rows.release(row);
    this.lanes.submitted[entry.lane] = (this.lanes.submitted[entry.lane] ?? 0) - 1;
    this.lanes.endIfEmpty(entry.lane);
    if (entry.queued.length === 0 && entry.out.length === 0) this.model.delete(entry.name);
  }

  play(step: Step): void {
    if (step.kind === 'append') {
      const { partition, low, high } = step.key;
      this.append(
        `${String(partition)}/${String(low)}/${String(high)}`,
        this.lanes.ofKey(partition, low, high),
      );
      return;
    }
    if (step.kind === 'single') {
      this.append(`single ${String(this.#offset)}`, this.lanes.ofOne(0));
      return;
    }
    const all = [...this.model.values()];
    const entry = all[step.which % Math.max(1, all.length)];
    if (step.kind === 'unlist') {
      const lane = this.listed.shift();
      if (lane !== undefined)
        assert.equal(
          this.lanes.unlist(lane),
          all.some((one) => one.lane === lane),
        );
    } else if (entry !== undefined)
      if (step.kind === 'shift') this.shift(entry);
      else if (step.kind === 'back') this.back(entry, step.which);
      else this.finish(entry, step.which);
  }
}

describe('lanes', () => {
  it('keep one lane per key and its records in offset order, whatever comes back (L1, L2)', () => {
    fc.assert(
      fc.property(steps, (list) => {
        const subject = new Subject();
        for (const step of list) {
          subject.play(step);
          for (const { lane, queued } of subject.model.values()) {
            assert.equal(subject.lanes.queued[lane], queued.length);
            assert.equal(subject.lanes.first[lane], queued[0] ?? -1);
            assert.equal(subject.lanes.last[lane], queued.at(-1) ?? -1);
          }
        }
        // All are found again, also those that moved when a neighbour left the table.
        for (const name of subject.model.keys()) {
          const [partition, low, high] = name.split('/').map(Number);
          if (low === undefined || high === undefined || partition === undefined) continue;
          assert.equal(subject.lanes.ofKey(partition, low, high), subject.model.get(name)?.lane);
        }
      }),
      { numRuns: 80 },
    );
  });

  it('finds every key again after growth, and none of those that ended', () => {
    const rows = new InFlightTable();
    const lanes = new Lanes(rows);
    const count = 3000;
    const made = Array.from({ length: count }, (_, n) => lanes.ofKey(n % 7, n * 256, n % 3));
    assert.equal(new Set(made).size, count);
    for (let n = 0; n < count; n += 2) lanes.end(made[n] ?? -1);
    assert.equal(lanes.size, count / 2);
    for (let n = 1; n < count; n += 2) assert.equal(lanes.ofKey(n % 7, n * 256, n % 3), made[n]);
    assert.equal(lanes.size, count / 2);
    const again = new Set(made.filter((_, n) => n % 2 === 1));
    for (let n = 0; n < count; n += 2) again.add(lanes.ofKey(n % 7, n * 256, n % 3));
    assert.equal(again.size, count);
  });

  it('gives the number of a lane away again only when the ready list has let go of it', () => {
    const lanes = new Lanes(new InFlightTable());
    const lane = lanes.ofKey(0, 1, 2);
    lanes.listed[lane] = 1;
    lanes.end(lane);
    const others = Array.from({ length: 600 }, () => lanes.ofOne(0));
    assert.ok(!others.includes(lane));
    assert.equal(lanes.unlist(lane), false);
    assert.equal(lanes.ofOne(0), lane);
  });
});
