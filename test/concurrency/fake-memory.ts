/**
 * A stand-in for the intake: records by handle, written into slots in the documented format. Counts
 * what lives, so that tests see leaks.
 */
import type { RecordHeader } from '../../src/contract/record.ts';
import type { PayloadMemory } from '../../src/pool/memory.ts';
import { SLOT_HEADER_BYTES, SlotFloat, SlotWord } from '../../src/ring/layout.ts';

export interface FakeRecord {
  readonly offset: number;
  readonly timestamp: number;
  readonly timestampType: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: readonly RecordHeader[];
}

export function fakeRecord(parts: Partial<FakeRecord> = {}): FakeRecord {
  return {
    offset: 0,
    timestamp: 1,
    timestampType: 1,
    key: null,
    value: null,
    headers: [],
    ...parts,
  };
}

function headerBytes(headers: readonly RecordHeader[]): Buffer {
  const parts: Buffer[] = [];
  for (const [name, value] of headers) {
    const text = Buffer.from(name);
    const lengths = [Buffer.alloc(4), Buffer.alloc(4)] as const;
    lengths[0].writeUInt32LE(text.length);
    lengths[1].writeInt32LE(value === null ? -1 : value.length);
    parts.push(lengths[0], text, lengths[1], value ?? Buffer.alloc(0));
  }
  return Buffer.concat(parts);
}

export function payloadOf(record: FakeRecord): Buffer {
  const empty = Buffer.alloc(0);
  return Buffer.concat([record.key ?? empty, record.value ?? empty, headerBytes(record.headers)]);
}

export class FakeMemory implements PayloadMemory {
  readonly buffers = new Map<number, SharedArrayBuffer>();
  readonly records = new Map<number, FakeRecord>();
  fills = 0;
  registered = 0;
  #nextBuffer = 100;
  #nextHandle = 1;

  hold(record: FakeRecord): number {
    const handle = this.#nextHandle++;
    this.records.set(handle, record);
    return handle;
  }

  registerBuffer(memory: SharedArrayBuffer): number {
    const id = this.#nextBuffer++;
    this.buffers.set(id, memory);
    this.registered++;
    return id;
  }

  unregisterBuffer(id: number): void {
    if (!this.buffers.delete(id)) throw new RangeError(`buffer ${String(id)} is unknown`);
  }

  fill(
    count: number,
    handles: Int32Array,
    buffers: Int32Array,
    offsets: Float64Array,
    payloadBuffers: Int32Array,
  ): void {
    this.fills++;
    for (let at = 0; at < count; at++) {
      const handle = handles[at] ?? -1;
      const record = this.records.get(handle);
      if (record === undefined) throw new RangeError(`handle ${String(handle)} is unknown`);
      this.records.delete(handle);
      this.#write(record, buffers[at] ?? -1, offsets[at] ?? -1, payloadBuffers[at] ?? -1);
    }
  }

  parkFromSlot(buffer: number, slotOffset: number, payloadBuffer: number): number {
    const memory = this.#memoryOf(buffer);
    const words = new Int32Array(memory);
    const at = slotOffset >> 2;
    const bytes =
      payloadBuffer < 0
        ? Buffer.from(memory, slotOffset + SLOT_HEADER_BYTES)
        : Buffer.from(this.#memoryOf(payloadBuffer));
    const keyBytes = words[at + SlotWord.keyBytes] ?? 0;
    const valueBytes = words[at + SlotWord.valueBytes] ?? 0;
    let next = 0;
    const take = (length: number): Buffer | null => {
      if (length < 0) return null;
      next += length;
      return Buffer.from(bytes.subarray(next - length, next));
    };
    const key = take(keyBytes);
    const value = take(valueBytes);
    const headers: RecordHeader[] = [];
    for (let left = words[at + SlotWord.headerCount] ?? 0; left > 0; left--) {
      const nameBytes = bytes.readUInt32LE(next);
      next += 4;
      const name = String(take(nameBytes));
      const length = bytes.readInt32LE(next);
      next += 4;
      headers.push([name, take(length)]);
    }
    const floats = new Float64Array(memory);
    return this.hold({
      offset: floats[(at >> 1) + SlotFloat.offset] ?? -1,
      timestamp: floats[(at >> 1) + SlotFloat.timestamp] ?? -1,
      timestampType: words[at + SlotWord.timestampType] ?? 0,
      key,
      value,
      headers,
    });
  }

  #memoryOf(buffer: number): SharedArrayBuffer {
    const memory = this.buffers.get(buffer);
    if (memory === undefined) throw new RangeError(`buffer ${String(buffer)} is unknown`);
    return memory;
  }

  #write(record: FakeRecord, buffer: number, offset: number, payloadBuffer: number): void {
    const memory = this.#memoryOf(buffer);
    const words = new Int32Array(memory);
    const floats = new Float64Array(memory);
    const at = offset >> 2;
    const headers = headerBytes(record.headers);
    words[at + SlotWord.timestampType] = record.timestampType;
    words[at + SlotWord.keyBytes] = record.key === null ? -1 : record.key.length;
    words[at + SlotWord.valueBytes] = record.value === null ? -1 : record.value.length;
    words[at + SlotWord.headerCount] = record.headers.length;
    words[at + SlotWord.headersBytes] = headers.length;
    floats[(at >> 1) + SlotFloat.offset] = record.offset;
    floats[(at >> 1) + SlotFloat.timestamp] = record.timestamp;
    const payload = payloadOf(record);
    const target = payloadBuffer < 0 ? memory : this.#memoryOf(payloadBuffer);
    const start = payloadBuffer < 0 ? offset + SLOT_HEADER_BYTES : 0;
    Buffer.from(target).set(payload, start);
  }
}
