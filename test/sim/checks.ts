/** What must hold between turns: the counts of the core agree with its rows and with the fakes (R2). */
import { RecordState } from '../../src/core/in-flight.ts';
import type { CoreState } from '../../src/core/partition.ts';
import { GuaranteeError } from '../guarantees/guarantee.ts';

/** Counts made from the rows alone. */
class Counts {
  tracked = 0;
  queued = 0;
  submitted = 0;
  bytes = 0;
}

export interface Seen {
  /** Records at each worker, as the fake workers know it; null for a worker whose thread is dead. */
  readonly atWorkers: readonly (number | null)[];
  readonly handles: number;
  readonly handlesInCompletions: number;
}

export function checkCounts(state: CoreState, seen: Seen): void {
  const { rows, lanes } = state;
  const total = new Counts();
  const byPartition = new Map<number, Counts>();
  const byLane = new Map<number, Counts>();
  const atWorkers = seen.atWorkers.map(() => 0);
  let used = 0;
  for (const [row, recordState] of rows.state.entries()) {
    if (recordState === RecordState.free) continue;
    used++;
    const worker = rows.worker[row] ?? 0;
    if (recordState === RecordState.submitted || recordState === RecordState.abandoned)
      atWorkers[worker] = (atWorkers[worker] ?? 0) + 1;
    if (recordState === RecordState.abandoned) continue;
    const partition = rows.partition[row] ?? -1;
    equal('generation of a row', rows.generation[row], state.partitions[partition]?.generation);
    for (const counts of [total, of(byPartition, partition), of(byLane, rows.lane[row] ?? -1)]) {
      counts.tracked++;
      counts.bytes += rows.bytes[row] ?? 0;
      if (recordState === RecordState.queued) counts.queued++;
      if (recordState === RecordState.submitted) counts.submitted++;
    }
  }
  equal('rows', rows.size, used);
  equal('in flight', state.inFlight, total.tracked);
  equal('queued', state.queued, total.queued);
  equal('bytes', state.bytes, total.bytes);
  for (const partition of state.partitions) {
    if (partition === undefined) continue;
    const counts = of(byPartition, partition.index);
    equal('in flight of a partition', partition.inFlight, counts.tracked);
    equal('submitted of a partition', partition.submitted, counts.submitted);
    equal('bytes of a partition', partition.bytes, counts.bytes);
  }
  for (const [lane, counts] of byLane) {
    equal('queued of a lane', lanes.queued[lane], counts.queued);
    equal('submitted of a lane', lanes.submitted[lane], counts.submitted);
  }
  for (const [worker, held] of seen.atWorkers.entries())
    if (held !== null) equal('records at a worker', atWorkers[worker], held);
  equal('handles', seen.handles - seen.handlesInCompletions, total.queued);
}

function of(map: Map<number, Counts>, key: number): Counts {
  let counts = map.get(key);
  if (counts === undefined) map.set(key, (counts = new Counts()));
  return counts;
}

function equal(what: string, actual: number | undefined, expected: number | undefined): void {
  if (actual !== expected)
    throw new GuaranteeError('R2', `${what}: ${String(actual)}, counted ${String(expected)}`);
}
