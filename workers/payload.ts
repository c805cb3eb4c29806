/**
 * The handler's own copies of records' bytes. Worker thread. Each payload is copied once, whole, when
 * its run starts, into a chunk that payloads share; key, value and headers are views on that copy, so
 * they stay what they are after the slot is used again (src/decisions/0003-record-bytes.md).
 */
import { markAsUntransferable } from 'node:worker_threads';

const CHUNK_BYTES = 32 * 1024;
/** Larger payloads get memory of their own, so that keeping one keeps nothing else alive. */
const SHARED_MAX_BYTES = 4 * 1024;

export class PayloadCopies {
  /** Where the latest copy lies: at {@link at} in these bytes. */
  bytes = Buffer.alloc(0);
  at = 0;
  #chunk = Buffer.alloc(0);
  #used = 0;

  copy(memory: SharedArrayBuffer, at: number, length: number): void {
    if (length > SHARED_MAX_BYTES) {
      this.bytes = Buffer.allocUnsafeSlow(length);
      this.at = 0;
    } else {
      if (this.#used + length > this.#chunk.length) this.#renew();
      this.bytes = this.#chunk;
      this.at = this.#used;
      this.#used += (length + 7) & ~7;
    }
    this.bytes.set(new Uint8Array(memory, at, length), this.at);
  }

  #renew(): void {
    this.#chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    this.#used = 0;
    // A handler that transfers its Buffer's memory to another thread would take the neighbours along.
    markAsUntransferable(this.#chunk.buffer);
  }
}
