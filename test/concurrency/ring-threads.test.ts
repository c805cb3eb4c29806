import assert from 'node:assert/strict';
import test from 'node:test';
import { Worker } from 'node:worker_threads';
import { Doorbell } from '../../src/ring/doorbell.ts';
import { Control, SlotWord } from '../../src/ring/layout.ts';
import { SharedRing } from '../../src/ring/shared-ring.ts';
import { RingMemory } from '../../src/ring/slot.ts';
import { answerTo, PAYLOAD_WORD, PAYLOAD_WORDS, payloadWord } from './ring-words.ts';

const COUNT = 10_000_000;
/** The tails run modulo 2^32 and cross it, 0 as a signed word, half way. */
const START = -5_000_000;
const BATCH = 256;

test('S2, S3, S5: 10,000,000 records cross two threads, each with its own words, and come back once', async () => {
  const memory = RingMemory.create(1024, 256);
  const { words } = memory;
  for (const word of [
    Control.submissionTail,
    Control.submissionHead,
    Control.completionTail,
    Control.completionHead,
  ])
    words[word] = START;
  const ring = new SharedRing(memory);
  const mainBell = new SharedArrayBuffer(4);
  const bell = new Doorbell(new Int32Array(mainBell), 0);
  const claim = { row: 0, lane: -1, attempt: 1, partition: 0, generation: 1 };
  const peer = new Worker(new URL('./ring-peer.js', import.meta.url), {
    workerData: { buffer: memory.buffer, mainBell, count: COUNT },
  });
  let died: unknown = null;
  peer.on('error', (error) => {
    died = error;
  });
  let sent = 0;
  let back = 0;
  let wrong = 0;
  const turn = (): boolean => {
    const before = back + sent;
    for (let left = ring.completions.refresh(); left > 0; left--) {
      const slot = ring.completions.take();
      const at = memory.wordOf(slot);
      const row = ring.rows[slot] ?? -1;
      if (words[at + SlotWord.outcome] !== answerTo(row)) wrong++;
      words[at + SlotWord.outcome] = 0;
      ring.free(slot);
      back++;
    }
    ring.completions.release();
    for (let left = Math.min(BATCH, ring.freeSlots, COUNT - sent); left > 0; left--) {
      claim.row = sent;
      const at = memory.wordOf(ring.claim(claim, -1, false));
      for (let word = 0; word < PAYLOAD_WORDS; word++)
        words[at + PAYLOAD_WORD + word] = payloadWord(sent, word);
      sent++;
    }
    if (ring.staged > 0) ring.publish();
    return back + sent !== before;
  };
  while (back < COUNT && wrong === 0 && died === null) {
    if (turn()) continue;
    bell.lieDown();
    if (ring.completions.refresh() === 0) bell.block(1000);
    bell.getUp();
    // A death of the peer shows only when the event loop turns.
    await new Promise((resolve) => setImmediate(resolve));
  }
  await peer.terminate();
  assert.equal(died, null);
  assert.equal(wrong, 0);
  assert.equal(back, COUNT);
  assert.equal(ring.freeSlots, 1024);
  assert.equal(words[Control.submissionTail], (START + COUNT) | 0);
});
