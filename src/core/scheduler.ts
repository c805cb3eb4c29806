/**
 * The scheduler: which lane's next records go to which worker. Pure; owned by the main thread's turn.
 * Keeps L1 (with the worker: a lane is bound to one worker while it has records there), L3 (a lane
 * with work and a free slot somewhere starts within a turn) and G4 (a drain starts only gaps).
 *
 * A lane's share of a worker starts small and doubles whenever it ran dry, so a hot lane of fast
 * records fills the ring and one of slow records does not crowd its neighbours out.
 */
import { RecordState } from './in-flight.ts';
import type { CoreState, Partition } from './partition.ts';
import type { Submission, WorkersPort } from './ports.ts';
import { ReadyList } from './ready-list.ts';
import { WorkerLoad } from './worker-load.ts';

const LANE_SHARE_MIN = 4;
const LANE_SHARE_MAX = 512;
/** A worker that finished nothing for so long gives records that wait there to an idle one. */
const BLOCKED_MS = 20;
const RECALL_MAX = 256;

export class Scheduler {
  readonly load: WorkerLoad;
  /** After the last run some worker could have taken more. */
  idleRoom = false;
  /** When to look again for blocked workers; Infinity when there is no need. */
  recallAt = Infinity;

  readonly #state: CoreState;
  readonly #workers: WorkersPort;
  readonly #ready = new ReadyList();
  readonly #recallable: Uint8Array;
  readonly #recalledRows = new Int32Array(RECALL_MAX);
  readonly #recalledHandles = new Int32Array(RECALL_MAX);
  readonly #submission: Submission = {
    row: 0,
    lane: 0,
    attempt: 0,
    partition: 0,
    generation: 0,
    handle: 0,
    payloadBytes: 0,
  };

  constructor(state: CoreState, workers: WorkersPort) {
    this.#state = state;
    this.#workers = workers;
    this.load = new WorkerLoad(workers, state.options.concurrency);
    this.#recallable = new Uint8Array(workers.workers);
  }

  /** The lane has something queued that may start. */
  list(lane: number): void {
    const { lanes } = this.#state;
    if (lanes.listed[lane] === 1 || lanes.blocked[lane] === 1) return;
    lanes.listed[lane] = 1;
    this.#ready.push(lane);
  }

  /** Submits what may start, for as long as there is room. */
  run(now: number): void {
    const { lanes, partitions } = this.#state;
    this.load.refresh(now);
    for (let left = this.#ready.size; left > 0 && this.load.total > 0; left--) {
      const lane = this.#ready.shift();
      if (!lanes.unlist(lane) || lanes.queued[lane] === 0 || lanes.blocked[lane] === 1) continue;
      const partition = partitions[lanes.partition[lane] as number];
      if (partition === undefined) continue;
      this.#submitFrom(lane, partition, now);
    }
    this.#workers.flush();
    this.idleRoom = this.load.total > 0;
    this.#recall(now);
  }

  /**
   * Sets up to where the partition's drain closes gaps. Called when the drain begins; from then on the
   * limit can only sink, when the record that sets it comes back unfinished.
   */
  limitDrain(partition: Partition): void {
    const { rows } = this.#state;
    partition.drainLimit = partition.watermark.highest(
      (row) => rows.state[row] === RecordState.submitted,
    );
  }

  /** True while the partition has a queued record that a drain would still start (G4). */
  hasGap(partition: Partition): boolean {
    const { rows, lanes } = this.#state;
    let found = false;
    partition.watermark.forEachInFlight((row, offset) => {
      if (offset >= partition.drainLimit) return false;
      found =
        rows.state[row] === RecordState.queued && lanes.blocked[rows.lane[row] as number] === 0;
      return !found;
    });
    return found;
  }

  /** What stays queued is looked at again when a record of the lane ends or comes back. */
  #submitFrom(lane: number, partition: Partition, now: number): void {
    const { rows, lanes } = this.#state;
    const bound = (lanes.submitted[lane] as number) > 0;
    const worker = bound ? (lanes.worker[lane] as number) : this.load.pick();
    const share = this.#share(lane, bound);
    const gapsOnly = this.#drains(partition);
    let count = Math.min(
      lanes.queued[lane] as number,
      this.load.room[worker] as number,
      share - (lanes.submitted[lane] as number),
    );
    for (; count > 0; count--) {
      const first = lanes.first[lane] as number;
      if (gapsOnly && (rows.offset[first] as number) >= partition.drainLimit) return;
      this.#submit(lanes.shift(lane), lane, worker, partition, now);
    }
  }

  #share(lane: number, bound: boolean): number {
    const { lanes } = this.#state;
    const given = lanes.share[lane] as number;
    const share = given === 0 ? LANE_SHARE_MIN : given;
    if (bound) return share;
    // It ran dry with work left: what it may have at a worker was finished within one turn.
    lanes.share[lane] = Math.min(share * 2, LANE_SHARE_MAX);
    return share;
  }

  #submit(row: number, lane: number, worker: number, partition: Partition, now: number): void {
    const { rows, lanes } = this.#state;
    const submission = this.#submission;
    rows.move(row, RecordState.submitted);
    rows.worker[row] = worker;
    lanes.worker[lane] = worker;
    lanes.submitted[lane] = (lanes.submitted[lane] as number) + 1;
    partition.submitted++;
    this.#state.queued--;
    this.#recallable[worker] = 1;
    this.load.submitted(worker, now);
    submission.row = row;
    submission.lane = lanes.ordered[lane] === 1 ? lane : -1;
    submission.attempt = rows.attempt[row] as number;
    submission.partition = partition.index;
    submission.generation = partition.generation;
    submission.handle = rows.handle[row] as number;
    submission.payloadBytes = rows.bytes[row] as number;
    rows.handle[row] = -1;
    this.#workers.submit(worker, submission);
  }

  /** A blocked thread must not hold up what waits behind its record while others are idle. */
  #recall(now: number): void {
    this.recallAt = Infinity;
    if (!this.idleRoom) return;
    const { outstanding, progressAt } = this.load;
    const idle = outstanding.some((count, worker) => count === 0 && this.load.room[worker] !== 0);
    if (!idle) return;
    for (let worker = 0; worker < outstanding.length; worker++) {
      if ((outstanding[worker] as number) < 2 || this.#recallable[worker] === 0) continue;
      const due = (progressAt[worker] as number) + BLOCKED_MS;
      if (now < due) this.recallAt = Math.min(this.recallAt, due);
      else this.#recallFrom(worker, now);
    }
  }

  #recallFrom(worker: number, now: number): void {
    const { rows, lanes } = this.#state;
    const half = Math.min(RECALL_MAX, ((this.load.outstanding[worker] as number) + 1) >> 1);
    const count = this.#workers.recall(worker, half, this.#recalledRows, this.#recalledHandles);
    if (count === 0) {
      this.#recallable[worker] = 0;
      return;
    }
    for (let at = 0; at < count; at++)
      this.requeue(this.#recalledRows[at] as number, this.#recalledHandles[at] as number);
    let neighbours = false;
    for (let at = 0; at < count; at++) {
      const lane = rows.lane[this.#recalledRows[at] as number] as number;
      const left = lanes.submitted[lane] as number;
      // What waits behind its own lane's record cannot go elsewhere: it stays here until that ends.
      if (left > 0) lanes.share[lane] = left;
      else neighbours = true;
    }
    if (neighbours) this.load.block(worker);
    this.recallAt = now;
  }

  /** A submitted record is back, unrun or to run again: to its place in its lane. */
  requeue(row: number, handle: number): void {
    const { rows, lanes, partitions } = this.#state;
    const lane = rows.lane[row] as number;
    this.load.left(rows.worker[row] as number);
    rows.move(row, RecordState.queued);
    rows.handle[row] = handle;
    lanes.submitted[lane] = (lanes.submitted[lane] as number) - 1;
    lanes.insert(lane, row);
    this.#state.queued++;
    const partition = partitions[rows.partition[row] as number];
    if (partition !== undefined) {
      partition.submitted--;
      if (this.#drains(partition) && rows.offset[row] === partition.drainLimit)
        this.limitDrain(partition);
    }
    this.list(lane);
  }

  #drains(partition: Partition): boolean {
    return this.#state.draining || partition.state === 'revoking';
  }
}
