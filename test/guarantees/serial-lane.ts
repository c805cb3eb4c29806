/** Serial lane: a record never starts while another of its lane and generation runs, on any worker. */
import { GuaranteeError, laneKey, nameOf } from './guarantee.ts';
import type { Sighting } from './guarantee.ts';

export class SerialLane {
  readonly #running = new Map<string, number>();

  started(run: Sighting): void {
    const lane = laneKey(run);
    if (lane === null) return;
    const other = this.#running.get(lane);
    if (other !== undefined)
      throw new GuaranteeError('serial lane', `${nameOf(run)} starts while ${String(other)} runs`);
    this.#running.set(lane, run.offset);
  }

  /** The run is over, whatever came of it, the death of its thread included. */
  ended(run: Sighting): void {
    const lane = laneKey(run);
    if (lane !== null) this.#running.delete(lane);
  }
}
