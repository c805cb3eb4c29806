/**
 * Every key of the configuration file that this version understands: unit, default, meaning and rule.
 * `tidemark schema`, the environment, `--set` and all messages are made from this one table.
 */
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import type { Settings } from '../contract/settings.ts';

const MIB = 1024 * 1024;
const HOUR_MS = 3_600_000;
export const THREADS_MAX = 256;
const CONCURRENCY_MAX = 16_384;
export const SLOTS_MAX = 65_536;

/** `rule` ends a sentence that begins with the key; messages take it, the public schema leaves it out. */
interface KeyText {
  readonly meaning: string;
  readonly rule: string;
  readonly example?: unknown;
}

function key<Schema extends z.ZodType>(schema: Schema, text: KeyText): Schema {
  const { meaning, rule, example } = text;
  return schema.meta({
    description: meaning,
    rule,
    ...(example === undefined ? {} : { examples: [example] }),
  });
}

function whole(unit: string, min: number, max: number, meaning: string): z.ZodInt {
  return key(z.int().min(min).max(max), {
    meaning: `${meaning}, in ${unit}.`,
    rule: `must be a whole number of ${unit} from ${String(min)} to ${String(max)}`,
  });
}

function milliseconds(min: number, meaning: string): z.ZodInt {
  return whole('milliseconds', min, HOUR_MS, meaning);
}

function oneOf<const Values extends readonly [string, ...string[]]>(
  values: Values,
  meaning: string,
): z.ZodEnum<{ [V in Values[number]]: V }> {
  return key(z.enum(values), { meaning, rule: `must be one of ${values.join(', ')}` });
}

/** A list, or its entries in one string with commas between them; equal entries count once. */
function list(item: z.ZodString, text: KeyText) {
  return key(z.union([z.string(), z.array(z.string())]), text)
    .transform((given) =>
      typeof given === 'string' ? given.split(',').map((entry) => entry.trim()) : given,
    )
    .transform((entries) => [...new Set(entries)])
    .pipe(z.array(item).min(1));
}

const HOST = String.raw`(?:\[[0-9a-fA-F:.%]+\]|[^\s:/,@[\]]+)`;
const BROKER = new RegExp(`^(?:[a-zA-Z_]+://)?${HOST}(?::(\\d{1,5}))?$`);

function isBroker(text: string): boolean {
  const port = BROKER.exec(text);
  return (
    port !== null && (port[1] === undefined || (Number(port[1]) > 0 && Number(port[1]) < 65536))
  );
}

function isTopic(text: string): boolean {
  if (!text.startsWith('^')) return /^(?!\.{1,2}$)[a-zA-Z0-9._-]{1,249}$/.test(text);
  try {
    return new RegExp(text).source !== '';
  } catch {
    return false;
  }
}

/** Any text that is more than spaces. */
function filled() {
  return z.string().regex(/\S/);
}

const kafka = z.strictObject({
  brokers: list(z.string().refine(isBroker), {
    meaning: 'Addresses to start from: a list, or one string with commas.',
    rule: 'must name at least one broker, each as host or host:port',
    example: 'localhost:9092',
  }),
  groupId: key(filled(), {
    meaning: 'Name of the consumer group.',
    rule: 'must be a name, not empty',
    example: 'order-mailer',
  }),
  topics: list(z.string().refine(isTopic), {
    meaning:
      'Topics to consume: a list, or one string with commas. An entry that begins with ^ is a ' +
      'regular expression (write a list when it holds a comma).',
    rule:
      'must name at least one topic (letters, digits, dot, underscore, hyphen; up to 249), or a valid ' +
      'regular expression that begins with ^',
    example: 'orders',
  }),
  properties: key(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])), {
    meaning: "librdkafka's own consumer properties, passed on.",
    rule: 'must be names of librdkafka properties, each with a text, a number, true or false',
  }).default({}),
  connectTimeoutMs: milliseconds(1, 'How long start-up waits for a broker').default(30_000),
  startFrom: key(z.union([z.enum(['earliest', 'latest']), z.iso.datetime({ offset: true })]), {
    meaning:
      'Where to start in partitions without a committed position: earliest, latest, or a time as ' +
      '2026-01-31T08:00:00Z.',
    rule: 'must be earliest, latest, or a date and time with seconds and a zone',
    example: '2026-01-31T08:00:00Z',
  })
    .default('earliest')
    .transform((from) =>
      from === 'earliest' || from === 'latest' ? from : { timeMs: Date.parse(from) },
    ),
});

const handler = z.strictObject({
  module: key(filled(), {
    meaning: 'Path of the handler module (.js, .mjs, .cjs or .ts), relative to this file.',
    rule: 'must be the path of a handler module',
    example: './handler.js',
  }),
  options: key(z.record(z.string(), z.unknown()), {
    meaning: 'Plain data given to the handler as context.options.',
    rule: 'must be a mapping of plain data',
  }).default({}),
});

/** A power of two, as ring indexes need: twice the runs at a time, and room to stay busy meanwhile. */
function defaultSlots(concurrency: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1024, 2 * concurrency)));
}

const workers = z
  .strictObject({
    threads: key(z.union([z.int().min(1).max(THREADS_MAX), z.literal('auto')]), {
      meaning: 'Worker threads: a number, or auto for one per core this process may use.',
      rule: `must be auto or a whole number from 1 to ${String(THREADS_MAX)}`,
    })
      .default('auto')
      .transform((threads) =>
        threads === 'auto' ? Math.min(THREADS_MAX, Math.max(1, availableParallelism())) : threads,
      ),
    concurrency: whole(
      'runs',
      1,
      CONCURRENCY_MAX,
      'Handler runs at the same time per thread',
    ).default(16),
    maxHeapMb: whole(
      'MiB',
      16,
      1_048_576,
      'Heap limit of a thread; none when left out',
    ).exactOptional(),
    slots: key(
      z
        .int()
        .min(2)
        .max(SLOTS_MAX)
        .refine((slots) => Number.isInteger(Math.log2(slots))),
      {
        meaning:
          'Slots for records in the memory shared with one thread. When left out, the power of two ' +
          'from twice workers.concurrency on, at least 1024.',
        rule: `must be a power of two from 2 to ${String(SLOTS_MAX)}`,
      },
    ).optional(),
    slotBytes: key(z.int().min(256).max(MIB).multipleOf(64), {
      meaning: 'Size of a slot, in bytes; a record that is larger goes another, slower way.',
      rule: `must be a multiple of 64 from 256 to ${String(MIB)}`,
    }).default(512),
  })
  .prefault({})
  .transform(({ slots, ...rest }) => ({ ...rest, slots: slots ?? defaultSlots(rest.concurrency) }));

const DEFAULT_WINDOW_BYTES = 64 * MIB;
const window = z
  .strictObject({
    records: whole('records', 1, 10_000_000, 'In-flight records per partition').default(10_000),
    bytes: whole(
      'bytes',
      1,
      Number.MAX_SAFE_INTEGER,
      'Bytes of in-flight records per partition; 64 MiB (or window.totalBytes, if less) when left out',
    ).optional(),
    span: whole(
      'offsets',
      1,
      10_000_000,
      'Newest minus oldest in-flight offset of a partition',
    ).default(100_000),
    totalBytes: whole(
      'bytes',
      1,
      Number.MAX_SAFE_INTEGER,
      'Bytes of in-flight records over all partitions',
    ).default(512 * MIB),
  })
  .prefault({})
  .transform(({ bytes, ...rest }) => ({
    ...rest,
    bytes: bytes ?? Math.min(DEFAULT_WINDOW_BYTES, rest.totalBytes),
  }));

const schema = z.strictObject({
  kafka: kafka
    .describe('The cluster and the consumer group.')
    .prefault({} as z.input<typeof kafka>),
  handler: handler
    .describe('The code that runs on records.')
    .prefault({} as z.input<typeof handler>),
  workers: workers.describe('Threads, and the memory shared with them.'),
  ordering: oneOf(
    ['key', 'partition', 'none'],
    'What runs in order: records of one key, of one partition, or nothing. Under key, records ' +
      'with a null key are unordered.',
  ).default('key'),
  window: window.describe('How much may be in flight.'),
  commit: z
    .strictObject({
      intervalMs: milliseconds(1, 'Time between commits').default(1000),
    })
    .prefault({}),
  rebalance: z
    .strictObject({
      drainTimeoutMs: milliseconds(0, 'How long a revocation waits for running records').default(
        10_000,
      ),
    })
    .prefault({}),
  shutdown: z
    .strictObject({
      drainTimeoutMs: milliseconds(0, 'How long a stop waits for running records').default(25_000),
      forceTimeoutMs: milliseconds(
        1,
        'The process ends within this time, whatever happens',
      ).default(30_000),
    })
    .prefault({}),
  http: z
    .strictObject({
      enabled: key(z.boolean(), {
        meaning: 'Serve metrics, health and status.',
        rule: 'must be true or false',
      }).default(true),
      host: key(filled(), {
        meaning: 'Address to listen on.',
        rule: 'must be an address or a host name',
      }).default('127.0.0.1'),
      port: key(z.int().min(0).max(65_535), {
        meaning: 'Port to listen on; 0 picks a free one and logs it.',
        rule: 'must be a whole number from 0 to 65535',
      }).default(9464),
    })
    .prefault({}),
  log: z
    .strictObject({
      level: oneOf(
        ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
        'Least severity that is logged.',
      ).default('info'),
      format: oneOf(['json', 'pretty'], 'One JSON object a line, or lines for people.').default(
        'json',
      ),
    })
    .prefault({}),
});

type Input = z.input<typeof schema>;
/** What a configuration file or `defineConfig` may hold. */
export type Configuration = Input & Required<Pick<Input, 'kafka' | 'handler'>>;

type Bare<T> = T extends object ? { -readonly [K in keyof T]-?: Bare<T[K]> } : T;
type Same<A, B> = [A, B] extends [B, A] ? true : false;
/** `never`, and so of no use to anybody, when the schema and {@link Settings} differ. */
type Checked<Schema extends z.ZodType> =
  Same<Bare<z.output<Schema>>, Bare<Settings>> extends true ? Schema : never;
export const settingsSchema: Checked<typeof schema> = schema;

/** The shape of the input as JSON Schema, each key with the `rule` that messages are made from. */
export function schemaWithRules(): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(schema, { io: 'input' });
}

/** The JSON Schema of the configuration file, for editors and other tools. */
export function publicSchema(): Record<string, unknown> {
  const made = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => {
      delete jsonSchema['rule'];
      // A section that may be left out is not a value that people write as {}.
      if (jsonSchema.properties !== undefined) delete jsonSchema.default;
    },
  });
  return {
    ...made,
    title: 'Configuration of tidemark',
    properties: { $schema: { type: 'string' }, ...made.properties },
    required: ['kafka', 'handler'],
  };
}
