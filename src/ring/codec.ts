/**
 * Reads a record's headers out of its serialised payload (format: layout.ts). The intake writes them.
 * Bytes in, objects out; the worker's side.
 */
import type { RecordHeader } from '../contract/record.ts';

/** `bytes` holds `count` serialised headers from `at` on; values are views on `bytes`. */
export function readHeaders(bytes: Buffer, at: number, count: number): readonly RecordHeader[] {
  const headers: RecordHeader[] = [];
  let next = at;
  for (let index = 0; index < count; index++) {
    const nameBytes = bytes.readUInt32LE(next);
    next += 4;
    const name = bytes.toString('utf8', next, next + nameBytes);
    next += nameBytes;
    const valueBytes = bytes.readInt32LE(next);
    next += 4;
    if (valueBytes < 0) headers.push([name, null]);
    else {
      headers.push([name, bytes.subarray(next, next + valueBytes)]);
      next += valueBytes;
    }
  }
  return headers;
}
