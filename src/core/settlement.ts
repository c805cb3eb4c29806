/**
 * Settlement: what a completion, or the death of a thread, means for its record. Pure; owned by the
 * main thread's turn. Keeps W4 (an offset settles once), G1 (nothing of a given-up generation changes
 * state) and R2 (the counts agree).
 */
import { Outcome } from '../contract/outcome.ts';
import type { OutcomeCode } from '../contract/outcome.ts';
import { RecordState } from './in-flight.ts';
import type { CoreState, Partition } from './partition.ts';
import type { CompletionSink, DeadRow, EventsPort, SourcePort } from './ports.ts';
import type { Scheduler } from './scheduler.ts';
import { InvariantError } from '../contract/invariant.ts';

/** A record during whose runs so many threads died stops the process. */
const DEATHS_MAX = 3;

export class Settlement implements CompletionSink {
  readonly #state: CoreState;
  readonly #source: SourcePort;
  readonly #scheduler: Scheduler;
  readonly #events: EventsPort;
  readonly #fail: () => void;
  #now = 0;
  #wall = 0;

  constructor(
    state: CoreState,
    source: SourcePort,
    scheduler: Scheduler,
    events: EventsPort,
    fail: () => void,
  ) {
    this.#state = state;
    this.#source = source;
    this.#scheduler = scheduler;
    this.#events = events;
    this.#fail = fail;
  }

  /** The clocks of this turn: monotonic, and milliseconds since the epoch. */
  begin(now: number, wall: number): void {
    this.#now = now;
    this.#wall = wall;
  }

  completion(
    row: number,
    outcome: OutcomeCode,
    startedAt: number,
    durationMs: number,
    handle: number,
  ): void {
    const { rows } = this.#state;
    const worker = rows.worker[row] as number;
    if (rows.state[row] === RecordState.abandoned) {
      this.#scheduler.load.finished(worker, this.#now);
      this.#dropAbandoned(row, handle);
      return;
    }
    const partition = this.#ownerOf(row);
    if (outcome === Outcome.returned) {
      partition.tally.runsReturned++;
      this.#scheduler.requeue(row, handle);
      return;
    }
    this.#scheduler.load.finished(worker, this.#now);
    this.#leaveWorker(row, partition);
    const { tally } = partition;
    tally.handlerDuration.observeMs(durationMs);
    tally.queueDuration.observeMs(startedAt - (rows.takenAt[row] as number));
    if (outcome === Outcome.error) {
      tally.runsError++;
      this.#failRecord(row, 'record-failed');
      return;
    }
    tally.runsOk++;
    if (outcome === Outcome.skipped) tally.settledSkipped++;
    else tally.settledOk++;
    const timestamp = rows.timestamp[row] as number;
    if (timestamp >= 0) tally.recordLatency.observeMs(this.#wall - timestamp);
    this.#settle(row, partition);
  }

  /** The records that lay at a thread that died; those that ran are charged an attempt. */
  died(dead: readonly DeadRow[]): void {
    const { rows } = this.#state;
    for (const { row, handle, ran } of dead) {
      if (rows.state[row] === RecordState.abandoned) {
        this.#scheduler.load.left(rows.worker[row] as number);
        this.#dropAbandoned(row, handle);
        continue;
      }
      const partition = this.#ownerOf(row);
      if (!ran) {
        this.#scheduler.requeue(row, handle);
        continue;
      }
      partition.tally.runsCrash++;
      rows.deaths[row] = (rows.deaths[row] as number) + 1;
      if (rows.deaths[row] >= DEATHS_MAX) {
        this.#scheduler.load.left(rows.worker[row] as number);
        this.#leaveWorker(row, partition);
        this.#source.free(handle);
        this.#failRecord(row, 'record-crashed');
      } else {
        rows.attempt[row] = (rows.attempt[row] as number) + 1;
        this.#scheduler.requeue(row, handle);
      }
    }
  }

  /** Forgets a partition's unfinished records: it is released, lost, or assigned anew. */
  abandon(partition: Partition): void {
    const { rows, lanes } = this.#state;
    const ended = new Set<number>();
    partition.watermark.forEachInFlight((row) => {
      const lane = rows.lane[row] as number;
      if (!ended.has(lane)) {
        ended.add(lane);
        lanes.end(lane);
      }
      this.#state.bytes -= rows.bytes[row] as number;
      this.#state.inFlight--;
      if (rows.state[row] === RecordState.submitted) {
        rows.move(row, RecordState.abandoned);
      } else {
        if (rows.state[row] === RecordState.queued) {
          this.#state.queued--;
          this.#source.free(rows.handle[row] as number);
        }
        rows.release(row);
      }
      partition.tally.abandoned++;
      return true;
    });
    this.#state.partitions[partition.index] = undefined;
  }

  #ownerOf(row: number): Partition {
    const { rows, partitions } = this.#state;
    const partition = partitions[rows.partition[row] as number];
    if (partition === undefined || partition.generation !== rows.generation[row])
      throw new InvariantError('G1', `row ${String(row)} outlived its generation`);
    return partition;
  }

  #dropAbandoned(row: number, handle: number): void {
    this.#state.tally.staleCompletions++;
    if (handle >= 0) this.#source.free(handle);
    this.#state.rows.release(row);
  }

  #leaveWorker(row: number, partition: Partition): void {
    const { rows, lanes } = this.#state;
    const lane = rows.lane[row] as number;
    partition.submitted--;
    lanes.submitted[lane] = (lanes.submitted[lane] as number) - 1;
  }

  #settle(row: number, partition: Partition): void {
    const { rows, lanes } = this.#state;
    const lane = rows.lane[row] as number;
    const bytes = rows.bytes[row] as number;
    partition.watermark.settle(rows.sequence[row] as number);
    partition.inFlight--;
    partition.bytes -= bytes;
    this.#state.inFlight--;
    this.#state.bytes -= bytes;
    rows.release(row);
    if ((lanes.queued[lane] as number) > 0) this.#scheduler.list(lane);
    else lanes.endIfEmpty(lane);
  }

  #failRecord(row: number, kind: 'record-failed' | 'record-crashed'): void {
    const { rows, lanes } = this.#state;
    lanes.blocked[rows.lane[row] as number] = 1;
    rows.move(row, RecordState.failed);
    this.#events.emit({
      kind,
      partition: rows.partition[row] as number,
      offset: rows.offset[row] as number,
      attempt: rows.attempt[row] as number,
      worker: rows.worker[row] as number,
    });
    this.#fail();
  }
}
