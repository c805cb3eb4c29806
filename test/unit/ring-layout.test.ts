import assert from 'node:assert/strict';
import test from 'node:test';
import {
  CONTROL_BYTES,
  Control,
  SLOT_HEADER_BYTES,
  SlotFloat,
  SlotWord,
  WORD_SPACING,
  ringLayout,
} from '../../src/ring/layout.ts';

/** Who writes each control word; the constants are written before the memory is shared. */
const WRITERS: Record<keyof typeof Control, 'creator' | 'main' | 'worker' | 'both'> = {
  version: 'creator',
  slots: 'creator',
  slotBytes: 'creator',
  submissionTail: 'main',
  submissionHead: 'worker',
  completionTail: 'worker',
  completionHead: 'main',
  workerSleeps: 'both',
  running: 'worker',
  command: 'main',
};

function assertApart(ranges: readonly { name: string; from: number; to: number }[]): void {
  const sorted = [...ranges].sort((a, b) => a.from - b.from);
  for (const [at, range] of sorted.entries()) {
    const next = sorted[at + 1];
    if (next !== undefined) assert.ok(range.to <= next.from, `${range.name} overlaps ${next.name}`);
  }
}

test('S7: control words of different writers are at least 128 bytes apart', () => {
  const words = Object.entries(Control).map(([name, index]) => ({
    name,
    at: index * 4,
    writer: WRITERS[name as keyof typeof Control],
  }));
  const shared = words.filter(({ writer }) => writer !== 'creator');
  for (const one of shared)
    for (const other of shared)
      if (one.name !== other.name && (one.writer !== other.writer || one.writer === 'both'))
        assert.ok(Math.abs(one.at - other.at) >= WORD_SPACING, `${one.name} and ${other.name}`);
  for (const { at } of words) assert.ok(at + 4 <= CONTROL_BYTES);
});

test('S7: the words of a slot header do not overlap and lie inside it', () => {
  const ranges = [
    ...Object.entries(SlotWord).map(([name, at]) => ({ name, from: at * 4, to: at * 4 + 4 })),
    ...Object.entries(SlotFloat).map(([name, at]) => ({ name, from: at * 8, to: at * 8 + 8 })),
  ];
  assertApart(ranges);
  for (const { to } of ranges) assert.ok(to <= SLOT_HEADER_BYTES);
});

test('S7: control block, rings and slots do not overlap, for every size', () => {
  for (const slots of [2, 16, 64, 1024, 65536])
    for (const slotBytes of [256, 320, 512, 4096]) {
      const layout = ringLayout(slots, slotBytes);
      assertApart([
        { name: 'control', from: 0, to: CONTROL_BYTES },
        { name: 'submissions', from: layout.submissionAt, to: layout.submissionAt + slots * 4 },
        { name: 'completions', from: layout.completionAt, to: layout.completionAt + slots * 4 },
        { name: 'slots', from: layout.slotsAt, to: layout.totalBytes },
      ]);
      assert.ok(layout.completionAt - layout.submissionAt >= WORD_SPACING);
      assert.equal(layout.totalBytes - layout.slotsAt, slots * slotBytes);
      assert.equal(layout.slotsAt % 64, 0);
      assert.equal(layout.inlineBytes, slotBytes - SLOT_HEADER_BYTES);
    }
});

test('sizes that the rings cannot have are refused by name and value', () => {
  for (const slots of [0, 1, 3, 1000, 131072, 2.5, NaN, -2])
    assert.throws(() => ringLayout(slots, 512), { name: 'RangeError', message: /slots/ });
  for (const slotBytes of [0, 128, 255, 500, NaN, 512.5])
    assert.throws(() => ringLayout(64, slotBytes), { name: 'RangeError', message: /slotBytes/ });
});
