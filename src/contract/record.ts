/**
 * What a handler sees of one Kafka record. Objects of this shape exist only on worker threads; on
 * the main thread a record is a row of numbers.
 */

/** One header: its name and its bytes, null where the producer wrote null. */
export type RecordHeader = readonly [name: string, value: Buffer | null];

/** The first copy of a record: the record itself unless it came through a retry topic or a replay. */
export interface RecordOrigin {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** Milliseconds since the epoch, -1 where the producer gave none. */
  readonly timestamp: number;
}

/** One Kafka record as it was produced. Key, value and header bytes are the handler's own copies. */
export interface KafkaRecord {
  readonly topic: string;
  readonly partition: number;
  /** Safe integer, up to 2^53-1. */
  readonly offset: number;
  /** Milliseconds since the epoch, -1 where there is none. */
  readonly timestamp: number;
  /** `create`: set by the producer; `append`: set by the broker. */
  readonly timestampType: 'create' | 'append';
  /** Null and empty are kept apart. */
  readonly key: Buffer | null;
  /** Null (a tombstone) and empty are kept apart. */
  readonly value: Buffer | null;
  /** In the order of the record, duplicates kept. Empty when there are none. */
  readonly headers: readonly RecordHeader[];
  readonly origin: RecordOrigin;
  /** The value of the last header of that name; undefined where there is none. */
  header(name: string): Buffer | null | undefined;
  /** The value as UTF-8 text; an empty string for a null value. */
  text(): string;
  /** The value parsed as JSON. Throws SyntaxError when it is none; null for a null value. */
  json(): unknown;
}
