/**
 * What became of one run of a record, as the worker reports it. A number, because it crosses shared
 * memory in a slot's header.
 */
export const Outcome = {
  /** The slot holds no outcome. */
  none: 0,
  /** The handler returned. */
  ok: 1,
  /** The handler threw; the error went ahead through the worker's port. */
  error: 2,
  /** The worker hands the record back unrun. */
  returned: 3,
  /** The handler asked for the record to be settled without more ado. */
  skipped: 4,
} as const;
export type OutcomeCode = (typeof Outcome)[keyof typeof Outcome];

/** An error as it travels from a worker: always plain text, each field cut to its budget. */
export interface RunError {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  /** How the handler asked to be treated, when it did. */
  readonly mark?: 'skip' | 'dead-letter' | 'retry' | 'stop';
}

/** Budgets in UTF-16 units. */
export const ERROR_NAME_MAX = 256;
export const ERROR_MESSAGE_MAX = 4096;
export const ERROR_STACK_MAX = 8192;
