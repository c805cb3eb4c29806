/** The runtime's life: legal moves as data, one setter. Keeps R1 (forward only). Pure. */
import { invariant } from '../contract/invariant.ts';
import type { RuntimeState } from '../contract/snapshot.ts';

export const LIFECYCLE_MOVES: Readonly<Record<RuntimeState, readonly RuntimeState[]>> = {
  starting: ['running', 'draining', 'stopped', 'failed'],
  running: ['draining', 'failed'],
  draining: ['stopped', 'failed'],
  stopped: [],
  failed: [],
};

export class Lifecycle {
  #state: RuntimeState = 'starting';

  get state(): RuntimeState {
    return this.#state;
  }

  move(to: RuntimeState): void {
    invariant(
      LIFECYCLE_MOVES[this.#state].includes(to),
      'R1',
      `${this.#state} cannot become ${to}`,
    );
    this.#state = to;
  }
}
