/**
 * A record as the handler sees it. Worker thread. Key, value and headers are copied out of shared
 * memory when they are first read, which has to be before the run ends, because then the slot belongs
 * to the next record (src/decisions/0003-record-bytes.md). What was read stays.
 */
import type { KafkaRecord, RecordHeader, RecordOrigin } from '../src/contract/record.ts';
import { readHeaders } from '../src/ring/codec.ts';
import { SlotFloat, SlotWord } from '../src/ring/layout.ts';
import { copyOf } from './payload.ts';

const NO_HEADERS: readonly RecordHeader[] = Object.freeze([]);
const APPEND = 2;

/** The run has ended: what was not read cannot be read any more. */
export let endRecord: (record: WorkerRecord) => void;

export class WorkerRecord implements KafkaRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly timestamp: number;
  readonly timestampType: 'create' | 'append';
  /** Shared memory that holds the payload at `#at`; null once the run has ended. */
  #bytes: Buffer | null;
  readonly #at: number;
  readonly #keyBytes: number;
  readonly #valueBytes: number;
  readonly #headerCount: number;
  readonly #headersBytes: number;
  #key: Buffer | undefined = undefined;
  #value: Buffer | undefined = undefined;
  #headers: readonly RecordHeader[] | undefined = undefined;

  static {
    endRecord = (record) => {
      record.#bytes = null;
    };
  }

  /** Reads the header at word `word` of a slot; the payload lies in `bytes` at `at`. */
  constructor(
    name: { readonly topic: string; readonly partition: number },
    words: Int32Array,
    floats: Float64Array,
    word: number,
    bytes: Buffer,
    at: number,
  ) {
    this.topic = name.topic;
    this.partition = name.partition;
    this.offset = floats[(word >> 1) + SlotFloat.offset] as number;
    this.timestamp = floats[(word >> 1) + SlotFloat.timestamp] as number;
    this.timestampType = words[word + SlotWord.timestampType] === APPEND ? 'append' : 'create';
    this.#bytes = bytes;
    this.#at = at;
    this.#keyBytes = words[word + SlotWord.keyBytes] as number;
    this.#valueBytes = words[word + SlotWord.valueBytes] as number;
    this.#headerCount = words[word + SlotWord.headerCount] as number;
    this.#headersBytes = words[word + SlotWord.headersBytes] as number;
  }

  get key(): Buffer | null {
    if (this.#keyBytes < 0) return null;
    return (this.#key ??= copyOf(this.#live('key'), this.#at, this.#keyBytes));
  }

  get value(): Buffer | null {
    if (this.#valueBytes < 0) return null;
    return (this.#value ??= copyOf(this.#live('value'), this.#valueAt(), this.#valueBytes));
  }

  get headers(): readonly RecordHeader[] {
    if (this.#headerCount === 0) return NO_HEADERS;
    if (this.#headers === undefined) {
      const at = this.#valueAt() + Math.max(0, this.#valueBytes);
      const copy = copyOf(this.#live('headers'), at, this.#headersBytes);
      this.#headers = readHeaders(copy, 0, this.#headerCount);
    }
    return this.#headers;
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
    if (this.#value !== undefined) return this.#value.toString();
    const at = this.#valueAt();
    return this.#live('value').toString('utf8', at, at + this.#valueBytes);
  }

  json(): unknown {
    return this.#valueBytes < 0 ? null : JSON.parse(this.text());
  }

  #valueAt(): number {
    return this.#at + Math.max(0, this.#keyBytes);
  }

  #live(field: string): Buffer {
    if (this.#bytes !== null) return this.#bytes;
    throw new Error(
      `the ${field} of ${this.topic}[${String(this.partition)}]@${String(this.offset)} was first read ` +
        'after its run had ended, and its memory holds another record by now: read it before the ' +
        'handler returns or its promise settles (what was read once may be kept)',
    );
  }
}
