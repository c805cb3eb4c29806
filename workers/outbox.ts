/**
 * What handlers log and measure, gathered and sent to main in one message instead of one each. Worker
 * thread. What cannot be sent is turned into text rather than thrown back at the handler.
 */
import type { HandlerLog, HandlerMetrics } from '../src/contract/handler.ts';
import type { FromWorker, HandlerLogLine, HandlerMetric } from '../src/ring/messages.ts';
import { toRunError } from '../src/ring/run-error.ts';

/** So many entries are sent without waiting for the next chance. */
const GATHER_MAX = 1000;
const NO_LABELS = Object.freeze({});

interface Gathered {
  readonly kind: HandlerMetric['kind'];
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly values: number[];
}

export class Outbox {
  readonly #post: (message: FromWorker) => void;
  #lines: HandlerLogLine[] = [];
  #metrics = new Map<string, Gathered>();
  #observed = 0;
  readonly metrics: HandlerMetrics;

  constructor(post: (message: FromWorker) => void) {
    this.#post = post;
    this.metrics = {
      count: (name, by = 1, labels = NO_LABELS) => {
        const entry = this.#entry('count', name, labels);
        entry.values[0] = (entry.values[0] ?? 0) + Number(by);
      },
      observe: (name, value, labels = NO_LABELS) => {
        this.#entry('observe', name, labels).values.push(Number(value));
        if (++this.#observed >= GATHER_MAX) this.flush();
      },
    };
  }

  /** A logger whose lines name that record; without one for `setup` and `teardown`. */
  logFor(record?: HandlerLogLine['record']): HandlerLog {
    const at =
      (level: HandlerLogLine['level']) =>
      (message: string, fields: Record<string, unknown> = {}): void => {
        const line = { level, message: String(message), fields: sendable(fields) };
        this.#lines.push(record === undefined ? line : { ...line, record });
        if (this.#lines.length >= GATHER_MAX) this.flush();
      };
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  }

  flush(): void {
    if (this.#lines.length > 0) {
      this.#post({ kind: 'log', lines: this.#lines });
      this.#lines = [];
    }
    if (this.#metrics.size > 0) {
      this.#post({ kind: 'metrics', metrics: [...this.#metrics.values()] });
      this.#metrics = new Map();
      this.#observed = 0;
    }
  }

  #entry(
    kind: HandlerMetric['kind'],
    name: string,
    labels: Readonly<Record<string, string>>,
  ): Gathered {
    const key = kind + name + (labels === NO_LABELS ? '' : JSON.stringify(labels));
    let entry = this.#metrics.get(key);
    if (entry === undefined) {
      const texts = Object.entries(labels).map(([label, value]) => [label, String(value)] as const);
      entry = { kind, name: String(name), labels: Object.fromEntries(texts), values: [] };
      this.#metrics.set(key, entry);
    }
    return entry;
  }
}

/** The fields as they will stand in the log: plain JSON values. */
function sendable(fields: Record<string, unknown>): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) plain[key] = plainValue(value);
  return plain;
}

function plainValue(value: unknown): unknown {
  if (value instanceof Error) return { ...toRunError(value) };
  if (typeof value === 'bigint' || typeof value === 'symbol') return String(value);
  if (typeof value === 'function') return '[function]';
  if (typeof value !== 'object' || value === null) return value;
  try {
    return JSON.parse(JSON.stringify(value)) as unknown;
  } catch (error) {
    return `[not shown: ${toRunError(error).message}]`;
  }
}
