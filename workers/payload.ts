/**
 * The handler's own copies of records' bytes. Worker thread. Small ones share chunks, as Node's own
 * pool does, but from memory that cannot be transferred away under a neighbour.
 */
import { markAsUntransferable } from 'node:worker_threads';

const CHUNK_BYTES = 32 * 1024;
/** Larger copies get memory of their own, so that keeping one keeps nothing else alive. */
const SHARED_MAX_BYTES = 4 * 1024;

let chunk = Buffer.alloc(0);
let used = 0;

/** A private copy of `length` bytes of shared memory. */
export function copyOf(bytes: Buffer, at: number, length: number): Buffer {
  let copy: Buffer;
  if (length > SHARED_MAX_BYTES) copy = Buffer.allocUnsafeSlow(length);
  else {
    if (used + length > chunk.length) renew();
    copy = chunk.subarray(used, used + length);
    used += (length + 7) & ~7;
  }
  copy.set(new Uint8Array(bytes.buffer, bytes.byteOffset + at, length));
  return copy;
}

function renew(): void {
  chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  used = 0;
  // A handler that transfers its Buffer's memory to another thread would take the neighbours along.
  markAsUntransferable(chunk.buffer);
}
