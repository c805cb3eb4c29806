/**
 * Lane order: within one generation the records of a lane start in offset order. A record may start
 * again (its thread died), but never after a later one of its lane has started.
 */
import { GuaranteeError, laneKey, nameOf } from './guarantee.ts';
import type { Sighting } from './guarantee.ts';

export class LaneOrder {
  readonly #highest = new Map<string, number>();

  started(run: Sighting): void {
    const lane = laneKey(run);
    if (lane === null) return;
    const highest = this.#highest.get(lane) ?? -1;
    if (run.offset < highest)
      throw new GuaranteeError('lane order', `${nameOf(run)} starts after ${String(highest)}`);
    this.#highest.set(lane, run.offset);
  }
}
