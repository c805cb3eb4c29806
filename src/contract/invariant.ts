/**
 * Invariants: numbered statements (see src/README.md) that hold on every path. A broken one is a bug
 * of this program; the process stops rather than commit something untrue.
 */

/** A broken invariant. The runtime stops with exit code 70 when one reaches it. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
  readonly code = 'TIDEMARK_INVARIANT';
  /** The statement's number, for example `W1`. */
  readonly id: string;

  constructor(id: string, detail: string) {
    super(`invariant ${id} is broken: ${detail}`);
    this.id = id;
  }
}

/** Throws {@link InvariantError} unless `holds`. Build `detail` only on the failing path when hot. */
export function invariant(holds: boolean, id: string, detail: string): asserts holds {
  if (!holds) throw new InvariantError(id, detail);
}
