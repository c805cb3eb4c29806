/**
 * One assigned partition in one generation, and the state that all parts of the core share. Pure;
 * owned by the main thread's turn.
 */
import type { HeldBackReason } from '../contract/snapshot.ts';
import type { InFlightTable } from './in-flight.ts';
import type { Lanes } from './lanes.ts';
import type { Tally, TopicTally } from './tally.ts';
import { Watermark } from './watermark.ts';

export class Partition {
  readonly index: number;
  readonly topic: string;
  readonly generation: number;
  readonly tally: TopicTally;
  readonly watermark = new Watermark();
  state: 'active' | 'revoking' = 'active';
  /** In-flight records and their payload bytes; those of them in a worker's slots. */
  inFlight = 0;
  bytes = 0;
  submitted = 0;
  /** While it drains: highest offset finished or at a worker, -1 for none. Gaps below are closed (G4). */
  drainLimit = -1;
  /** Its queue is known to hold rows, and the taker's list names it. */
  ready = false;
  heldBack: HeldBackReason | null = null;
  /** Last acknowledged position, -1 where there is none. */
  committed = -1;

  constructor(index: number, topic: string, generation: number, tally: TopicTally) {
    this.index = index;
    this.topic = topic;
    this.generation = generation;
    this.tally = tally;
  }

  /** There is a position to commit that the group does not have. */
  get dirty(): boolean {
    return this.watermark.position > this.committed;
  }
}

/** Limits and modes the core is built with. Milliseconds and bytes. */
export interface CoreOptions {
  readonly ordering: 'key' | 'partition' | 'none';
  readonly concurrency: number;
  readonly window: {
    readonly records: number;
    readonly bytes: number;
    readonly span: number;
    readonly totalBytes: number;
  };
  readonly commitIntervalMs: number;
  readonly rebalanceDrainMs: number;
}

/** What all parts of the core read and write, inside a turn only. */
export interface CoreState {
  readonly options: CoreOptions;
  readonly rows: InFlightTable;
  readonly lanes: Lanes;
  readonly tally: Tally;
  /** By partition index; undefined where this process does not own the partition. */
  readonly partitions: (Partition | undefined)[];
  inFlight: number;
  bytes: number;
  /** Rows that wait in lanes. */
  queued: number;
  /** The whole runtime drains: nothing is taken, only gaps start. */
  draining: boolean;
}
