/** What both threads of the ring test know: which words belong to which record of the sequence. */
import { SLOT_HEADER_BYTES } from '../../src/ring/layout.ts';

export const PAYLOAD_WORD = SLOT_HEADER_BYTES / 4;
export const PAYLOAD_WORDS = 4;

export function payloadWord(sequence: number, word: number): number {
  return Math.imul(sequence ^ (word << 29), 0x9e3779b1) | 0;
}

/** Never 0: that is the answer for a slot with wrong contents. */
export function answerTo(row: number): number {
  return Math.imul(row, 0x85ebca6b) | 1;
}
