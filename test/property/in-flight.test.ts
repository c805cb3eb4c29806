/** The state tables: each move over all pairs of states, and nothing else. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { InvariantError } from '../../src/contract/invariant.ts';
import { InFlightTable, RECORD_MOVES, RecordState } from '../../src/core/in-flight.ts';
import type { RecordStateCode } from '../../src/core/in-flight.ts';
import { LIFECYCLE_MOVES, Lifecycle } from '../../src/core/lifecycle.ts';
import type { RuntimeState } from '../../src/contract/snapshot.ts';

const RECORD_STATES = Object.values(RecordState);
const RUNTIME_STATES = Object.keys(LIFECYCLE_MOVES) as RuntimeState[];

/** A shortest way from `from` to `to` by the table; null where there is none. */
function wayTo<S>(from: S, to: S, moves: (state: S) => readonly S[]): S[] | null {
  const ways: S[][] = [[from]];
  for (const way of ways) {
    const last = way.at(-1) as S;
    if (last === to) return way.slice(1);
    for (const next of moves(last)) if (!way.includes(next)) ways.push([...way, next]);
  }
  return null;
}

function isColumn(entry: [string, unknown]): entry is [string, Int32Array] {
  return ArrayBuffer.isView(entry[1]);
}

function rowIn(state: RecordStateCode): { readonly table: InFlightTable; readonly row: number } {
  const table = new InFlightTable();
  const row = table.allocate();
  const way = wayTo<RecordStateCode>(RecordState.queued, state, (one) => RECORD_MOVES[one]);
  assert.ok(way !== null, 'every state is reached');
  for (const next of way) table.move(row, next);
  return { table, row };
}

describe('record states', () => {
  for (const from of RECORD_STATES)
    for (const to of RECORD_STATES) {
      const isLegal = RECORD_MOVES[from].includes(to);
      it(`${String(from)} to ${String(to)} is ${isLegal ? 'legal' : 'refused'} (R2)`, () => {
        const { table, row } = rowIn(from);
        if (isLegal) table.move(row, to);
        else
          assert.throws(() => {
            table.move(row, to);
          }, InvariantError);
        assert.equal(table.state[row], isLegal ? to : from);
      });
    }

  it('let a record that is finished, failed or given up never run again', () => {
    for (const state of [RecordState.failed, RecordState.abandoned])
      assert.deepEqual(RECORD_MOVES[state], [RecordState.free]);
  });
});

describe('in-flight table', () => {
  it('gives each row to one record at a time and keeps its columns through growth', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 4000, size: 'max' }), (allocations) => {
        const table = new InFlightTable();
        const used = new Map<number, number>();
        let stamp = 0;
        for (const isAllocation of allocations) {
          const oldest = used.keys().next().value;
          if (isAllocation || oldest === undefined) {
            const row = table.allocate();
            assert.ok(!used.has(row));
            table.offset[row] = ++stamp;
            table.handle[row] = stamp;
            table.sequence[row] = stamp;
            used.set(row, stamp);
          } else {
            table.release(oldest);
            used.delete(oldest);
          }
          assert.equal(table.size, used.size);
        }
        for (const [row, value] of used)
          assert.deepEqual(
            [table.offset[row], table.handle[row], table.sequence[row], table.state[row]],
            [value, value, value, RecordState.queued],
          );
      }),
      { numRuns: 30 },
    );
  });

  it('keeps every column when it grows', () => {
    const table = new InFlightTable();
    const columns = (): [string, Int32Array][] => Object.entries(table).filter(isColumn);
    assert.ok(columns().length >= 14);
    const row = table.allocate();
    for (const [name, column] of columns()) if (name !== 'state') column[row] = 7;
    while (table.size < 5000) table.allocate();
    for (const [name, column] of columns())
      assert.equal(column[row], name === 'state' ? RecordState.queued : 7, name);
  });
});

describe('lifecycle', () => {
  for (const from of RUNTIME_STATES)
    for (const to of RUNTIME_STATES) {
      const isLegal = LIFECYCLE_MOVES[from].includes(to);
      it(`${from} to ${to} is ${isLegal ? 'legal' : 'refused'} (R1)`, () => {
        const lifecycle = new Lifecycle();
        for (const next of wayTo<RuntimeState>('starting', from, (one) => LIFECYCLE_MOVES[one]) ??
          [])
          lifecycle.move(next);
        assert.equal(lifecycle.state, from);
        if (isLegal) lifecycle.move(to);
        else
          assert.throws(() => {
            lifecycle.move(to);
          }, InvariantError);
        assert.equal(lifecycle.state, isLegal ? to : from);
      });
    }

  it('never goes back (R1)', () => {
    for (const from of RUNTIME_STATES)
      for (const to of LIFECYCLE_MOVES[from])
        assert.equal(
          wayTo<RuntimeState>(to, from, (one) => LIFECYCLE_MOVES[one]),
          null,
        );
  });
});
