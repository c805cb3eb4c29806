/**
 * A record as the handler sees it. Worker thread. Keeps nothing of the slot it came from.
 */
import type { KafkaRecord, RecordHeader, RecordOrigin } from '../src/contract/record.ts';
import { readHeaders } from '../src/ring/codec.ts';

const NO_HEADERS: readonly RecordHeader[] = Object.freeze([]);
const APPEND = 2;


export class WorkerRecord implements KafkaRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly timestamp: number;
  readonly timestampType: 'create' | 'append';
  readonly #bytes: Buffer;
  readonly #at: number;
  readonly #keyBytes: number;
  readonly #valueBytes: number;
  readonly #headerCount: number;
  #key: Buffer | undefined;
  #value: Buffer | undefined;
  #headers: readonly RecordHeader[] | undefined;

  /** `bytes` are private to the record; its payload begins at `at`. */
  constructor(
    name: { readonly topic: string; readonly partition: number },
    offset: number,
    timestamp: number,
    timestampType: number,
    bytes: Buffer,
    at: number,
    keyBytes: number,
    valueBytes: number,
    headerCount: number,
  ) {
    this.topic = name.topic;
    this.partition = name.partition;
    this.offset = offset;
    this.timestamp = timestamp;
    this.timestampType = timestampType === APPEND ? 'append' : 'create';
    this.#bytes = bytes;
    this.#at = at;
    this.#keyBytes = keyBytes;
    this.#valueBytes = valueBytes;
    this.#headerCount = headerCount;
  }

  get key(): Buffer | null {
    if (this.#keyBytes < 0) return null;
    return (this.#key ??= this.#bytes.subarray(this.#at, this.#at + this.#keyBytes));
  }

  get value(): Buffer | null {
    if (this.#valueBytes < 0) return null;
    const start = this.#valueAt();
    return (this.#value ??= this.#bytes.subarray(start, start + this.#valueBytes));
  }

  get headers(): readonly RecordHeader[] {
    if (this.#headerCount === 0) return NO_HEADERS;
    return (this.#headers ??= readHeaders(
      this.#bytes,
      this.#valueAt() + Math.max(0, this.#valueBytes),
      this.#headerCount,
    ));
  }

  get origin(): RecordOrigin {
    const { topic, partition, offset, timestamp } = this;
    return { topic, partition, offset, timestamp };
  }

  header(name: string): Buffer | null | undefined {
    return this.headers.findLast((header) => header[0] === name)?.[1];
  }

  text(): string {
    if (this.#valueBytes <= 0) return '';
    const start = this.#valueAt();
    return this.#bytes.toString('utf8', start, start + this.#valueBytes);
  }

  json(): unknown {
    return this.#valueBytes < 0 ? null : JSON.parse(this.text());
  }

  #valueAt(): number {
    return this.#at + Math.max(0, this.#keyBytes);
  }
}
