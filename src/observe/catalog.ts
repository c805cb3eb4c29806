/**
 * Every metric and every log event, as data: the program can show nothing that does not stand here,
 * and documents and dashboards are checked against these tables. Names are stable.
 */

export interface MetricEntry {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly unit: 'records' | 'bytes' | 'seconds' | 'offset' | 'ratio' | 'count';
  readonly labels: readonly string[];
  readonly help: string;
}

/** Stands before every name of {@link METRICS}. */
export const METRIC_PREFIX = 'tidemark_';
/** Stands before the names that a handler gives to its own metrics. */
export const HANDLER_METRIC_PREFIX = 'tidemark_handler_';

const PARTITION = ['topic', 'partition'] as const;

function metric(
  type: MetricEntry['type'],
  unit: MetricEntry['unit'],
  labels: readonly string[],
  help: string,
): MetricEntry {
  return { type, unit, labels, help };
}

/** The program's own metrics. `partition` is a label of gauges only: their series end with it. */
export const METRICS = {
  build_info: metric('gauge', 'count', ['version', 'node'], 'Always 1; the labels say what runs.'),

  records_consumed_total: metric('counter', 'records', ['topic'], 'Records taken from Kafka.'),
  records_settled_total: metric(
    'counter',
    'records',
    ['topic', 'outcome'],
    'Records that will not run again here, by what became of them.',
  ),
  handler_runs_total: metric(
    'counter',
    'count',
    ['topic', 'result'],
    'Runs of the handler that ended, by how; returned: handed back before it began.',
  ),
  handler_duration_seconds: metric(
    'histogram',
    'seconds',
    ['topic'],
    'How long the handler ran on one record.',
  ),
  queue_duration_seconds: metric(
    'histogram',
    'seconds',
    ['topic'],
    'From taking a record out of the client to the start of its run.',
  ),
  record_latency_seconds: metric(
    'histogram',
    'seconds',
    ['topic'],
    "From the record's timestamp to its settlement.",
  ),

  in_flight_records: metric('gauge', 'records', PARTITION, 'Records taken and not settled.'),
  in_flight_bytes: metric('gauge', 'bytes', [], 'Bytes of the records in flight.'),
  watermark_offset: metric(
    'gauge',
    'offset',
    PARTITION,
    'Every record below it is settled: the position to commit.',
  ),
  committed_offset: metric('gauge', 'offset', PARTITION, 'Last position that Kafka acknowledged.'),
  log_end_offset: metric('gauge', 'offset', PARTITION, 'End of the log as the client knows it.'),
  lag_records: metric('gauge', 'records', PARTITION, 'From the committed position to the log end.'),
  oldest_in_flight_seconds: metric(
    'gauge',
    'seconds',
    PARTITION,
    'Age of the record that holds the watermark; 0 when nothing is in flight.',
  ),
  replay_if_crashed_records: metric(
    'gauge',
    'records',
    PARTITION,
    'Records that would run a second time if the process died now.',
  ),

  commits_total: metric('counter', 'count', ['result'], 'Commit requests that were answered.'),
  rebalances_total: metric(
    'counter',
    'count',
    ['kind'],
    'Changes of the assignment: assigned, revoked (asked for), lost (taken).',
  ),
  drain_duration_seconds: metric(
    'histogram',
    'seconds',
    ['cause'],
    'How long running records were waited for.',
  ),
  drain_timeouts_total: metric(
    'counter',
    'count',
    [],
    'Drains that left records unfinished at their deadline.',
  ),
  stale_completions_total: metric(
    'counter',
    'records',
    [],
    'Runs that ended after their partition was gone; dropped.',
  ),
  held_back_partitions: metric(
    'gauge',
    'count',
    ['reason'],
    'Partitions from which nothing is taken at the moment, by reason.',
  ),
  assigned_partitions: metric('gauge', 'count', [], 'Partitions assigned to this process.'),

  workers: metric('gauge', 'count', ['state'], 'Workers by state.'),
  worker_restarts_total: metric(
    'counter',
    'count',
    ['reason'],
    'Threads that were replaced, by the way in which they ended.',
  ),
  worker_event_loop_utilization: metric(
    'gauge',
    'ratio',
    ['worker'],
    "Busy share of a worker's event loop since the last reading, 0 to 1.",
  ),
  slots_used: metric('gauge', 'count', ['worker'], "Occupied slots in a worker's shared memory."),
  turn_duration_seconds: metric(
    'histogram',
    'seconds',
    [],
    'How long one turn of the main loop took.',
  ),

  handler_metrics_refused_total: metric(
    'counter',
    'count',
    ['reason'],
    "Values of the handler's own metrics that were dropped: not valid, or past a limit.",
  ),
} as const satisfies Record<string, MetricEntry>;
export type MetricName = keyof typeof METRICS;

export interface LogEventEntry {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'fatal';
  /** The line's `msg`. */
  readonly message: string;
  /** A field that keeps lines apart when the event is throttled. */
  readonly throttleBy?: string;
}

/** The program's log lines by their `event`. */
export const LOG_EVENTS = {
  started: { level: 'info', message: 'connected and consuming' },
  stopping: { level: 'info', message: 'stopping: running records are finished and committed' },
  stop_hurried: { level: 'warn', message: 'asked to stop again: the drain is cut short' },
  stop_forced: { level: 'error', message: 'the stop took too long: the process ends now' },
  stopped: { level: 'info', message: 'stopped' },
  failed: { level: 'fatal', message: 'the program cannot go on' },
  assigned: { level: 'info', message: 'partitions assigned' },
  revoked: { level: 'info', message: 'partitions are asked back' },
  lost: { level: 'warn', message: 'partitions were taken away: nothing is committed for them' },
  drained: { level: 'info', message: 'drain ended' },
  record_failed: { level: 'error', message: 'the handler failed: the program stops' },
  record_crashed: { level: 'error', message: 'a thread died while it ran this record' },
  partition_error: {
    level: 'warn',
    message: 'Kafka reported an error of a partition',
    throttleBy: 'code',
  },
  commit_failed: { level: 'warn', message: 'a commit failed', throttleBy: 'code' },
  kafka_error: { level: 'warn', message: 'the Kafka client reported an error', throttleBy: 'code' },
  kafka_log: { level: 'warn', message: 'the Kafka client says', throttleBy: 'facility' },
  worker_ready: { level: 'info', message: 'worker ready' },
  worker_died: { level: 'error', message: 'a worker thread died and is replaced' },
  http_listening: { level: 'info', message: 'HTTP server listening' },
  http_failed: {
    level: 'error',
    message: 'an HTTP request could not be answered',
    throttleBy: 'path',
  },
  handler_metric_refused: {
    level: 'warn',
    message: "a value of the handler's own metrics is dropped; told once for this name and reason",
  },
} as const satisfies Record<string, LogEventEntry>;
export type LogEventName = keyof typeof LOG_EVENTS;

/** The `event` of lines that the handler writes; their level and message are the handler's own. */
export const HANDLER_LOG_EVENT = 'handler';
