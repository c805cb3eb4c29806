/**
 * An embedded cluster, a producer that keeps bytes exact, and a consumer with an intake on it.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { setTimeout as after } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import kafkajs from 'kafkajs';
import type { Message } from 'kafkajs';
import Rdkafka from 'node-rdkafka';
import type { KafkaConsumer, LibrdKafkaError } from 'node-rdkafka';
import { Row, ROW_STRIDE } from '../../src/core/ports.ts';
import { SLOT_HEADER_BYTES, SlotFloat, SlotWord } from '../../src/ring/layout.ts';
import { Intake } from '../../src/broker/intake/intake.ts';
import type { IntakeOptions, MainError } from '../../src/broker/intake/intake.ts';

const { CompressionCodecs, CompressionTypes, Kafka: KafkaJs, logLevel } = kafkajs;
const PATIENCE_MS = 20_000;
/** A header of this name that is produced empty is written as null. */
export const NULL_HEADER = 'null-header';
let numbers = 0;

// kafkajs cannot write a null header value. In a record an empty value is the length 0 and a null one
// the length -1, both one byte: where the batch is compressed, its bytes can still be changed.
CompressionCodecs[CompressionTypes.GZIP] = () => ({
  compress: ({ buffer }: { buffer: Buffer }) => {
    const bytes = Buffer.from(buffer);
    const at = bytes.indexOf(NULL_HEADER);
    if (at >= 0) bytes[at + NULL_HEADER.length] = 1;
    return Promise.resolve(gzipSync(bytes));
  },
});

export interface Cluster {
  readonly brokers: string;
  /** Writes to a topic of that name, which comes into being with four partitions. */
  produce(topic: string, messages: Message[], compressed?: boolean): Promise<void>;
  stop(): Promise<void>;
}

export async function startCluster(): Promise<Cluster> {
  const host = new Rdkafka.Producer({ 'test.mock.num.brokers': 1 } as object);
  const metadata = await new Promise<{ brokers: { host: string; port: number }[] }>(
    (resolve, reject) => {
      host.connect({}, (error: LibrdKafkaError | null, data) => {
        if (error) reject(new Error(error.message));
        else resolve(data);
      });
    },
  );
  const brokers = metadata.brokers.map((broker) => `${broker.host}:${String(broker.port)}`);
  const producer = new KafkaJs({ brokers, logLevel: logLevel.NOTHING }).producer();
  await producer.connect();
  return {
    brokers: brokers.join(','),
    produce: async (topic, messages, compressed = false) => {
      const compression = compressed ? CompressionTypes.GZIP : CompressionTypes.None;
      await producer.send({ topic, messages, compression });
    },
    stop: async () => {
      await producer.disconnect();
      host.disconnect();
      await once(host, 'disconnected');
    },
  };
}

/** A taken row, by name. */
export type TakenRow = Record<keyof typeof Row, number>;

export class Tap {
  readonly client: KafkaConsumer;
  readonly intake: Intake;
  readonly rows = new Float64Array(1024 * ROW_STRIDE);
  wakes = 0;
  /** What the main queue reported while waiting. */
  readonly errors: MainError[] = [];

  /** Connects a consumer in a group of its own, with nothing assigned. */
  static async open(cluster: Cluster, properties: object = {}, options: IntakeOptions = {}) {
    const client = await connectConsumer(cluster, properties);
    return new Tap(client, options);
  }

  private constructor(client: KafkaConsumer, options: IntakeOptions) {
    this.client = client;
    this.intake = new Intake(
      client.getClient(),
      () => {
        this.wakes++;
      },
      options,
    );
  }

  /** Assigns partitions by hand from offset 0 and splits them, numbered as they stand in the list. */
  assign(topic: string, ids: readonly number[], offset = 0): void {
    this.client.assign(ids.map((partition) => ({ topic, partition, offset })));
    ids.forEach((id, index) => {
      this.intake.split(index, topic, id);
    });
  }

  /** One take, as objects. */
  take(partition: number, max: number): TakenRow[] {
    const count = this.intake.take(partition, max, this.rows);
    return Array.from({ length: count }, (_, i) => {
      const row = this.rows.subarray(i * ROW_STRIDE, (i + 1) * ROW_STRIDE);
      return Object.fromEntries(
        Object.entries(Row).map(([name, at]) => [name, row[at]]),
      ) as TakenRow;
    });
  }

  /** Takes until `count` rows are there. */
  async collect(partition: number, count: number, batch = 1024): Promise<TakenRow[]> {
    const rows: TakenRow[] = [];
    await this.until(() => {
      while (rows.length < count) {
        const more = this.take(partition, Math.min(batch, count - rows.length));
        if (more.length === 0) return false;
        rows.push(...more);
      }
      return true;
    });
    return rows;
  }

  /** Fills one slot. */
  fill(handle: number, buffer: number, offset: number, payloadBuffer = -1): void {
    const [handles, buffers, offsets, payloads] = [handle, buffer, offset, payloadBuffer].map((n) =>
      Int32Array.of(n),
    ) as [Int32Array, Int32Array, Int32Array, Int32Array];
    this.intake.fill(1, handles, buffers, offsets, payloads);
  }

  /** Waits until the condition holds, within a bound, and serves the main queue unless told not to. */
  async until(condition: () => boolean, serve = true): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      if (serve) this.errors.push(...this.intake.pollMain());
      if (condition()) return;
      if (performance.now() > deadline) throw new Error('the condition did not come about');
      await after(5);
    }
  }

  /** Closes both; fails when the disconnect does not return. */
  async close(): Promise<void> {
    this.intake.close();
    await disconnect(this.client);
  }
}

/** What a slot holds, read by the documented format. */
export interface SlotContent {
  readonly offset: number;
  readonly timestamp: number;
  readonly timestampType: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: (readonly [name: string, value: Buffer | null])[];
}

/** Reads a slot; the payload lies behind its header, or at the start of `overflow`. */
export function readSlot(
  memory: SharedArrayBuffer,
  at: number,
  overflow: SharedArrayBuffer | null = null,
): SlotContent {
  const header = Buffer.from(memory, at, SLOT_HEADER_BYTES);
  const payload = Buffer.from(Buffer.from(overflow ?? memory.slice(at + SLOT_HEADER_BYTES)));
  let position = 0;
  const bytes = (length: number): Buffer | null => {
    if (length < 0) return null;
    position += length;
    return payload.subarray(position - length, position);
  };
  const int = (): number => {
    position += 4;
    return payload.readInt32LE(position - 4);
  };
  const key = bytes(header.readInt32LE(SlotWord.keyBytes * 4));
  const value = bytes(header.readInt32LE(SlotWord.valueBytes * 4));
  const before = position;
  const headers: (readonly [string, Buffer | null])[] = [];
  for (let i = header.readInt32LE(SlotWord.headerCount * 4); i > 0; i--) {
    const name = (bytes(int()) ?? Buffer.alloc(0)).toString();
    headers.push([name, bytes(int())]);
  }
  assert.equal(position - before, header.readInt32LE(SlotWord.headersBytes * 4));
  return {
    offset: header.readDoubleLE(SlotFloat.offset * 8),
    timestamp: header.readDoubleLE(SlotFloat.timestamp * 8),
    timestampType: header.readInt32LE(SlotWord.timestampType * 4),
    key,
    value,
    headers,
  };
}

export function connectConsumer(cluster: Cluster, properties: object = {}): Promise<KafkaConsumer> {
  const client = new Rdkafka.KafkaConsumer(
    {
      'bootstrap.servers': cluster.brokers,
      'group.id': `intake-${String(process.pid)}-${String(++numbers)}`,
      'enable.auto.commit': false,
      'fetch.wait.max.ms': 10,
      ...properties,
    },
    { 'auto.offset.reset': 'earliest' },
  );
  return new Promise((resolve, reject) => {
    client.connect({}, (error: LibrdKafkaError | null) => {
      if (error) reject(new Error(error.message));
      else resolve(client);
    });
  });
}

export function disconnect(client: KafkaConsumer): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error('disconnect() did not return'));
    }, PATIENCE_MS);
    client.disconnect(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
