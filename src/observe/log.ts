/**
 * The log: JSON lines on stdout, or lines for people. Main thread. Every line has `level`, `time`,
 * `event` and `msg`; the events are those of the catalogue. Lines are written synchronously, so that
 * the last ones are there however the process ends, and are bounded in size. The only importer of
 * pino.
 */
import { pino } from 'pino';
import type { DestinationStream, Level, LevelWithSilent, Logger } from 'pino';
import { PinoPretty } from 'pino-pretty';
import { HANDLER_LOG_EVENT, LOG_EVENTS } from './catalog.ts';
import type { LogEventEntry, LogEventName } from './catalog.ts';
import { bounded } from './bounded.ts';
import { Throttle } from './throttle.ts';

/** Never a record's key or value. */
export type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  /** One line per change of state. */
  event(name: LogEventName, fields?: LogFields): void;
  /**
   * For what may come in storms: at most one line per {@link THROTTLE_MS} for the event (and the
   * field that its catalogue entry names), with the number of those left out as `suppressed`.
   */
  throttled(name: LogEventName, fields?: LogFields): void;
  /** A line of the handler's own. */
  handler(level: 'debug' | 'info' | 'warn' | 'error', message: string, fields?: LogFields): void;
}

export interface LogOptions {
  /** Takes the lines instead of stdout. */
  readonly stream?: DestinationStream;
  /** Milliseconds; any zero. Default `performance.now`. */
  readonly now?: () => number;
}

export const THROTTLE_MS = 10_000;
const STDOUT = 1;
/** Written by the log itself; a field of that name gets a _ at its end. */
const OWN_FIELDS = new Set(['level', 'time', 'event', 'msg']);

export function createLog(
  level: LevelWithSilent,
  format: 'json' | 'pretty',
  options: LogOptions = {},
): Log {
  const logger = createLogger(level, format, options.stream);
  const throttle = new Throttle(THROTTLE_MS);
  const now = options.now ?? (() => performance.now());
  const write = (at: Level, event: string, message: string, fields: LogFields): void => {
    if (logger.isLevelEnabled(at)) logger[at]({ event, ...lineFields(fields) }, message);
  };
  const log: Log = {
    event(name, fields = {}) {
      const entry = LOG_EVENTS[name];
      write(entry.level, name, entry.message, fields);
    },
    throttled(name, fields = {}) {
      const { throttleBy }: LogEventEntry = LOG_EVENTS[name];
      const key = throttleBy === undefined ? name : `${name} ${String(fields[throttleBy])}`;
      const suppressed = throttle.pass(key, now());
      if (suppressed !== null)
        log.event(name, suppressed === 0 ? fields : { ...fields, suppressed });
    },
    handler(at, message, fields = {}) {
      write(at, HANDLER_LOG_EVENT, String(bounded(message)), fields);
    },
  };
  return log;
}

function createLogger(
  level: LevelWithSilent,
  format: 'json' | 'pretty',
  stream: DestinationStream | undefined,
): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  if (format === 'json') return pino(options, stream ?? stdout());
  const pretty = PinoPretty({
    destination: stream ?? STDOUT,
    sync: true,
    colorize: stream === undefined && process.stdout.isTTY,
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'event',
    singleLine: true,
  });
  return pino(options, ignoringErrors(pretty));
}

function stdout(): DestinationStream {
  return ignoringErrors(pino.destination({ dest: STDOUT, sync: true }));
}

/** A full disk or a closed pipe behind stdout must not stop records. */
function ignoringErrors<T extends { on(event: 'error', listener: () => void): unknown }>(
  stream: T,
): T {
  stream.on('error', () => undefined);
  return stream;
}

function lineFields(fields: LogFields): Record<string, unknown> {
  const entries = Object.entries(bounded(fields) as Record<string, unknown>);
  return Object.fromEntries(
    entries.map(([name, value]) => [OWN_FIELDS.has(name) ? `${name}_` : name, value]),
  );
}
