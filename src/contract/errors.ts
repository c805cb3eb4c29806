/**
 * Errors people see: operational errors with stable codes, and the classes a handler may throw.
 */

/** Exit codes of the process, as the contract lists them. */
export const ExitCode = {
  ok: 0,
  unexpected: 1,
  usage: 2,
  kafkaUnavailable: 69,
  cannotGoOn: 70,
  drainDeadline: 75,
  invalidConfiguration: 78,
  secondSigint: 130,
  secondSigterm: 143,
} as const;
export type ExitCodeValue = (typeof ExitCode)[keyof typeof ExitCode];

/** Every operational error code. Stable: scripts and alerts may match on them. */
export const ERROR_CODES = {
  TIDEMARK_USAGE: ExitCode.usage,
  TIDEMARK_CONFIG_INVALID: ExitCode.invalidConfiguration,
  TIDEMARK_CONFIG_NOT_FOUND: ExitCode.invalidConfiguration,
  TIDEMARK_CONFIG_UNREADABLE: ExitCode.invalidConfiguration,
  TIDEMARK_HANDLER_INVALID: ExitCode.invalidConfiguration,
  TIDEMARK_KAFKA_UNAVAILABLE: ExitCode.kafkaUnavailable,
  TIDEMARK_KAFKA_FATAL: ExitCode.cannotGoOn,
  TIDEMARK_INTAKE_UNAVAILABLE: ExitCode.cannotGoOn,
  TIDEMARK_HTTP_LISTEN: ExitCode.unexpected,
  TIDEMARK_RECORD_FAILED: ExitCode.cannotGoOn,
  TIDEMARK_RECORD_CRASHED: ExitCode.cannotGoOn,
  TIDEMARK_WORKERS_UNAVAILABLE: ExitCode.cannotGoOn,
} as const satisfies Record<string, ExitCodeValue>;
export type ErrorCode = keyof typeof ERROR_CODES;

/** An expected failure of the world around the program, with a stable code and its exit code. */
export class TidemarkError extends Error {
  override readonly name: string = 'TidemarkError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }

  /** The exit code with which the process ends when this error stops it. */
  get exitCode(): ExitCodeValue {
    return ERROR_CODES[this.code];
  }
}

/** How a handler error asks to be treated; recognised by its `tidemark` property alone. */
export type HandlerErrorMark = 'skip' | 'dead-letter' | 'retry' | 'stop';

/** Stops the process in order; the record stays unsettled and will be delivered again. */
export class StopError extends Error {
  override readonly name = 'StopError';
  readonly tidemark = 'stop' satisfies HandlerErrorMark;
}

/** Settles the record without more ado. */
export class SkipError extends Error {
  override readonly name = 'SkipError';
  readonly tidemark = 'skip' satisfies HandlerErrorMark;
}
