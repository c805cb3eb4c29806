/**
 * No lost wake-up: when the program has come to rest and a worker is empty, no lane has a record that
 * waits while nothing of that lane is at a worker.
 */
import { GuaranteeError } from './guarantee.ts';
import type { PartitionKey, Sighting } from './guarantee.ts';

interface Lane {
  readonly partition: PartitionKey;
  waiting: number;
  atWorker: number;
}

export class NoLostWakeUp {
  readonly #lanes = new Map<string, Lane>();

  /** Taken from the log, or back from a worker: it waits for one. */
  waits(record: Sighting): void {
    this.#laneOf(record).waiting++;
  }

  submitted(record: Sighting): void {
    const lane = this.#laneOf(record);
    lane.waiting--;
    lane.atWorker++;
  }

  /** It is at no worker any more, settled or about to wait again. */
  left(record: Sighting): void {
    const key = keyOf(record);
    const lane = this.#lanes.get(key);
    if (lane === undefined) return;
    lane.atWorker--;
    if (lane.atWorker === 0 && lane.waiting === 0) this.#lanes.delete(key);
  }

  dropped(partition: PartitionKey): void {
    for (const [key, lane] of this.#lanes)
      if (lane.partition === partition) this.#lanes.delete(key);
  }

  /** The program rests although a worker is empty; `mayStart` tells partitions that do not drain. */
  rests(mayStart: (partition: PartitionKey) => boolean): void {
    for (const [key, lane] of this.#lanes)
      if (lane.waiting > 0 && lane.atWorker === 0 && mayStart(lane.partition))
        throw new GuaranteeError('no lost wake-up', `lane ${key} waits and a worker is empty`);
  }

  #laneOf(record: Sighting): Lane {
    const key = keyOf(record);
    let lane = this.#lanes.get(key);
    if (lane === undefined)
      this.#lanes.set(key, (lane = { partition: record.partition, waiting: 0, atWorker: 0 }));
    return lane;
  }
}

/** A record without order is a lane of its own. */
function keyOf({ partition, generation, lane, offset }: Sighting): string {
  const name = lane === null ? `@${String(offset)}` : String(lane);
  return `${String(partition)}/${String(generation)}/${name}`;
}
