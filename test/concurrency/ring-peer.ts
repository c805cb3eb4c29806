/**
 * The other thread of the ring test: takes indexes, checks that the slot holds what belongs to that
 * position of the sequence, and answers in the slot. A word of the answer tells main what it saw.
 */
import { workerData } from 'node:worker_threads';
import { Doorbell } from '../../src/ring/doorbell.ts';
import { RingReader, RingWriter } from '../../src/ring/index-ring.ts';
import { Control, SlotState, SlotWord } from '../../src/ring/layout.ts';
import { RingMemory } from '../../src/ring/slot.ts';
import { answerTo, PAYLOAD_WORD, PAYLOAD_WORDS, payloadWord } from './ring-words.ts';

const { buffer, mainBell, count } = workerData as {
  readonly buffer: SharedArrayBuffer;
  readonly mainBell: SharedArrayBuffer;
  readonly count: number;
};
const memory = new RingMemory(buffer);
const { words } = memory;
const bell = new Doorbell(words, Control.workerSleeps);
const toMain = new Doorbell(new Int32Array(mainBell), 0);
const submissions = new RingReader(
  words,
  Control.submissionTail,
  Control.submissionHead,
  memory.submissions,
);
const completions = new RingWriter(words, Control.completionTail, memory.completions);

let sequence = 0;
let held = -1;

function answer(slot: number, at: number, sum: number): void {
  words[at + SlotWord.outcome] = sum;
  Atomics.store(words, at + SlotWord.state, SlotState.completed);
  completions.push(slot);
}

while (sequence < count) {
  const available = submissions.available();
  if (available === 0) {
    bell.lieDown();
    if (submissions.refresh() === 0) bell.block(1000);
    bell.getUp();
    continue;
  }
  for (let left = available; left > 0; left--) {
    const slot = submissions.take();
    const at = memory.wordOf(slot);
    const row = words[at + SlotWord.row] ?? -1;
    let sum = memory.claim(slot, SlotState.running) && row === sequence ? 1 : 0;
    for (let word = 0; word < PAYLOAD_WORDS; word++)
      if (words[at + PAYLOAD_WORD + word] !== payloadWord(sequence, word)) sum = 0;
    // Slots complete in any order: one is held back and answered later.
    const answerNow = (sequence & 7) !== 3 || held >= 0;
    if (answerNow) answer(slot, at, sum === 1 ? answerTo(row) : 0);
    else held = slot;
    if ((sequence & 63) === 63 && held >= 0) {
      const heldAt = memory.wordOf(held);
      answer(held, heldAt, answerTo(words[heldAt + SlotWord.row] ?? -1));
      held = -1;
    }
    sequence = (sequence + 1) | 0;
    if ((sequence & 31) === 0) {
      completions.publish();
      toMain.ring();
    }
  }
  submissions.release();
  completions.publish();
  toMain.ring();
}
if (held >= 0) {
  const heldAt = memory.wordOf(held);
  answer(held, heldAt, answerTo(words[heldAt + SlotWord.row] ?? -1));
}
completions.publish();
toMain.ring();
