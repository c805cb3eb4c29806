/** Slot indexes there and back between two threads, by the rings and bells the product uses. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { SharedRing } from '../../src/ring/shared-ring.ts';
import { Doorbell } from '../../src/ring/doorbell.ts';
import { RingMemory } from '../../src/ring/slot.ts';

const SLOTS = 1024;
const SLOT_BYTES = 512;
const NO_BUFFER = -1;
/** Bounds a wait, so that a lost bell shows as slowness rather than as a hang. */
const WAIT_MS = 100;

export interface RingJob {
  readonly ring: SharedArrayBuffer;
  readonly mainBell: SharedArrayBuffer;
  readonly records: number;
}

/** Nanoseconds per record there and back, `batch` records to a bell. */
export async function ringNanos(records: number, batch: number): Promise<number> {
  const memory = RingMemory.create(SLOTS, SLOT_BYTES);
  const mainBell = new SharedArrayBuffer(4);
  const ring = new SharedRing(memory);
  const bell = new Doorbell(new Int32Array(mainBell), 0);
  const workerData: RingJob = { ring: memory.buffer, mainBell, records };
  const worker = new Worker(new URL('./ring-worker.js', import.meta.url), { workerData });
  await once(worker, 'online');
  const { completions } = ring;
  const record = { row: 0, lane: 0, attempt: 1, partition: 0, generation: 1 };
  const since = performance.now();
  for (let sent = 0, back = 0; back < records;) {
    const room = Math.min(batch, ring.freeSlots, records - sent);
    for (let at = 0; at < room; at++) ring.claim(record, NO_BUFFER, false);
    if (room > 0) ring.publish();
    sent += room;
    if (completions.available() === 0 && (ring.freeSlots === 0 || sent === records)) {
      bell.lieDown();
      if (completions.refresh() === 0) bell.block(WAIT_MS);
      bell.getUp();
    }
    for (let left = completions.available(); left > 0; left--) {
      ring.free(completions.take());
      back++;
    }
    completions.release();
  }
  const nanos = ((performance.now() - since) * 1e6) / records;
  await once(worker, 'exit');
  return nanos;
}
