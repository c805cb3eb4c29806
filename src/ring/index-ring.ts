/**
 * A ring of slot indexes in shared memory with one writer and one reader. Loaded on both sides.
 * Positions run modulo 2^32 and are kept as signed words; the entry of a position is at its low bits.
 * Keeps S2 (entries are written before the tail is published, read after it was seen) and S3.
 */
import { invariant } from '../contract/invariant.ts';

/** The writing side: pushes are invisible until {@link publish}. */
export class RingWriter {
  readonly #control: Int32Array;
  readonly #tailWord: number;
  readonly #entries: Int32Array;
  readonly #mask: number;
  #published: number;
  /** Position of the next push. */
  tail: number;

  /** `entries` has a power of two as its length. */
  constructor(control: Int32Array, tailWord: number, entries: Int32Array) {
    this.#control = control;
    this.#tailWord = tailWord;
    this.#entries = entries;
    this.#mask = entries.length - 1;
    this.tail = Atomics.load(control, tailWord);
    this.#published = this.tail;
  }

  /** Pushes that the reader cannot see yet. */
  get unpublished(): number {
    return (this.tail - this.#published) | 0;
  }

  push(index: number): void {
    this.#entries[this.tail & this.#mask] = index;
    this.tail = (this.tail + 1) | 0;
  }

  publish(): void {
    Atomics.store(this.#control, this.#tailWord, this.tail);
    this.#published = this.tail;
  }

  /** The entry written at a position at most one ring's length ago. */
  entryAt(position: number): number {
    return this.#entries[position & this.#mask] as number;
  }
}

/** The reading side. */
export class RingReader {
  readonly #control: Int32Array;
  readonly #tailWord: number;
  readonly #headWord: number;
  readonly #entries: Int32Array;
  readonly #mask: number;
  #head: number;
  #tail: number;

  constructor(control: Int32Array, tailWord: number, headWord: number, entries: Int32Array) {
    this.#control = control;
    this.#tailWord = tailWord;
    this.#headWord = headWord;
    this.#entries = entries;
    this.#mask = entries.length - 1;
    this.#head = Atomics.load(control, headWord);
    this.#tail = this.#head;
  }

  /** Entries to take. Looks at shared memory only when all that was seen before is taken. */
  available(): number {
    const seen = (this.#tail - this.#head) | 0;
    return seen > 0 ? seen : this.refresh();
  }

  /** Entries to take, by the tail as it is published now. */
  refresh(): number {
    this.#tail = Atomics.load(this.#control, this.#tailWord);
    const count = (this.#tail - this.#head) >>> 0;
    if (count > this.#entries.length)
      invariant(
        false,
        'S3',
        `${String(count)} entries in a ring of ${String(this.#entries.length)}`,
      );
    return count;
  }

  /** Takes the oldest entry; the caller knows that there is one. */
  take(): number {
    const index = this.#entries[this.#head & this.#mask] as number;
    this.#head = (this.#head + 1) | 0;
    return index;
  }

  /** Shows the other side how far this one has come. */
  release(): void {
    Atomics.store(this.#control, this.#headWord, this.#head);
  }
}
