/**
 * The effective settings after defaults, file, environment and flags: what the rest of the program
 * reads. The zod schema in src/config produces exactly this type.
 */
export interface Settings {
  readonly kafka: {
    readonly brokers: readonly string[];
    readonly groupId: string;
    /** Names; an entry that begins with `^` is a regular expression. */
    readonly topics: readonly string[];
    /** librdkafka properties, passed on. */
    readonly properties: Readonly<Record<string, string | number | boolean>>;
    readonly connectTimeoutMs: number;
    readonly startFrom: 'earliest' | 'latest' | { readonly timeMs: number };
  };
  readonly handler: {
    /** Absolute path. */
    readonly module: string;
    readonly options: Readonly<Record<string, unknown>>;
  };
  readonly workers: {
    readonly threads: number;
    readonly concurrency: number;
    readonly slots: number;
    readonly slotBytes: number;
    /** Heap limit of a thread in MiB. */
    readonly maxHeapMb?: number;
  };
  readonly ordering: 'key' | 'partition' | 'none';
  readonly window: {
    readonly records: number;
    readonly bytes: number;
    readonly span: number;
    readonly totalBytes: number;
  };
  readonly commit: { readonly intervalMs: number };
  readonly rebalance: { readonly drainTimeoutMs: number };
  readonly shutdown: {
    readonly drainTimeoutMs: number;
    readonly forceTimeoutMs: number;
  };
  readonly http: {
    readonly enabled: boolean;
    readonly host: string;
    readonly port: number;
  };
  readonly log: {
    readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
    readonly format: 'json' | 'pretty';
  };
}
