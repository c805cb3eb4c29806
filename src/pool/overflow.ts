/**
 * Overflow buffers of one worker: where payloads lie that are larger than a slot. Main thread. Buffers
 * come in size classes, are announced to the worker once and used again; what is kept unused is
 * bounded. A buffer's number is never used again, so an old announcement cannot be mistaken for a new.
 */
import type { ToWorker } from '../ring/messages.ts';
import { NO_BUFFER } from './memory.ts';
import type { PayloadMemory } from './memory.ts';

const SMALLEST_BYTES = 1024;
const MIB = 1024 * 1024;
/** Unused bytes kept per worker. */
const CACHE_BYTES = 8 * MIB;

/** Powers of two up to 1 MiB, then whole MiB: at most twice, or 1 MiB more than, what is needed. */
export function overflowBytes(payloadBytes: number): number {
  if (payloadBytes > MIB) return Math.ceil(payloadBytes / MIB) * MIB;
  let bytes = SMALLEST_BYTES;
  while (bytes < payloadBytes) bytes *= 2;
  return bytes;
}

interface OverflowBuffer {
  readonly number: number;
  /** The intake's name for it. */
  readonly id: number;
  readonly bytes: number;
}

export class Overflow {
  readonly #memory: PayloadMemory;
  readonly #post: (message: ToWorker) => void;
  readonly #used = new Map<number, OverflowBuffer>();
  readonly #unused = new Map<number, OverflowBuffer[]>();
  #unusedBytes = 0;
  #next = 0;

  constructor(memory: PayloadMemory, post: (message: ToWorker) => void) {
    this.#memory = memory;
    this.#post = post;
  }

  /** A buffer for that many bytes; its number. */
  claim(payloadBytes: number): number {
    const bytes = overflowBytes(payloadBytes);
    const kept = this.#unused.get(bytes)?.pop();
    if (kept !== undefined) this.#unusedBytes -= bytes;
    const buffer = kept ?? this.#create(bytes);
    this.#used.set(buffer.number, buffer);
    return buffer.number;
  }

  /** The intake's name for a claimed buffer; {@link NO_BUFFER} when `number` is that. */
  idOf(number: number): number {
    return this.#used.get(number)?.id ?? NO_BUFFER;
  }

  /** The slot that used it is free. */
  free(number: number): void {
    const buffer = this.#used.get(number);
    if (buffer === undefined) return;
    this.#used.delete(number);
    if (this.#unusedBytes + buffer.bytes > CACHE_BYTES) {
      this.#memory.unregisterBuffer(buffer.id);
      this.#post({ kind: 'buffer-gone', id: number });
      return;
    }
    const kept = this.#unused.get(buffer.bytes);
    if (kept === undefined) this.#unused.set(buffer.bytes, [buffer]);
    else kept.push(buffer);
    this.#unusedBytes += buffer.bytes;
  }

  /** The thread is gone, and nothing reads the buffers any more. */
  close(): void {
    for (const { id } of this.#used.values()) this.#memory.unregisterBuffer(id);
    for (const kept of this.#unused.values())
      for (const { id } of kept) this.#memory.unregisterBuffer(id);
    this.#used.clear();
    this.#unused.clear();
  }

  #create(bytes: number): OverflowBuffer {
    const memory = new SharedArrayBuffer(bytes);
    const buffer = { number: this.#next++, id: this.#memory.registerBuffer(memory), bytes };
    this.#post({ kind: 'buffer', id: buffer.number, memory });
    return buffer;
  }
}
