/**
 * Reads what observers want to know of a worker, on demand, from shared memory and the thread's own
 * counters. Main thread; changes nothing.
 */
import type { EventLoopUtilization } from 'node:perf_hooks';
import type { WorkerSnapshot } from '../contract/snapshot.ts';
import { SlotFloat, SlotState, SlotWord } from '../ring/layout.ts';
import type { PartitionName } from '../ring/messages.ts';
import type { SharedRing } from '../ring/shared-ring.ts';
import type { PoolWorker } from './pool-worker.ts';

export class WorkerReadings {
  readonly #partitions: ReadonlyMap<number, PartitionName>;
  readonly #loops = new WeakMap<object, EventLoopUtilization>();

  constructor(partitions: ReadonlyMap<number, PartitionName>) {
    this.#partitions = partitions;
  }

  read(worker: PoolWorker): WorkerSnapshot {
    const ring = worker.life?.ring ?? null;
    return {
      worker: worker.number,
      incarnation: worker.incarnation,
      state: worker.state,
      slotsUsed: ring?.usedSlots ?? 0,
      slots: ring?.memory.layout.slots ?? 0,
      running: ring === null ? [] : this.#running(ring),
      eventLoopUtilization: this.#utilization(worker),
    };
  }

  #running(ring: SharedRing): WorkerSnapshot['running'] {
    const { memory } = ring;
    const running = [];
    for (let slot = 0; slot < memory.layout.slots; slot++) {
      if (memory.stateOf(slot) !== SlotState.running) continue;
      const at = memory.wordOf(slot);
      const name = this.#partitions.get(memory.words[at + SlotWord.partition] ?? -1);
      if (name === undefined) continue;
      running.push({
        topic: name.topic,
        partition: name.partition,
        offset: memory.floats[(at >> 1) + SlotFloat.offset] ?? 0,
        attempt: memory.words[at + SlotWord.attempt] ?? 0,
      });
    }
    return running;
  }

  /** Since the reading before, of the same thread. */
  #utilization({ thread }: PoolWorker): number {
    if (thread === null) return 0;
    const now = thread.worker.performance.eventLoopUtilization();
    const before = this.#loops.get(thread);
    this.#loops.set(thread, now);
    const { utilization } =
      before === undefined ? now : thread.worker.performance.eventLoopUtilization(now, before);
    return Number.isFinite(utilization) ? utilization : 0;
  }
}
