/** The core's two structures alone: nanoseconds per record. */
import { InFlightTable } from '../../src/core/in-flight.ts';
import { Lanes } from '../../src/core/lanes.ts';
import { Watermark } from '../../src/core/watermark.ts';

const WINDOW = 10_000;
const KEYS = 10_000;

/** Tracks and settles, always `WINDOW` in flight; `stride` says in what order within it they settle. */
export function watermarkNanos(records: number, stride: number): number {
  const watermark = new Watermark();
  const sequences = new Int32Array(WINDOW);
  const since = performance.now();
  for (let done = 0; done < records; done += WINDOW) {
    for (let at = 0; at < WINDOW; at++) sequences[at] = watermark.track(done + at, at);
    for (let at = 0; at < WINDOW; at++) watermark.settle(sequences[(at * stride) % WINDOW] ?? 0);
  }
  return ((performance.now() - since) * 1e6) / records;
}

/** Puts records into lanes by key and takes them out again, `WINDOW` at a time. */
export function lanesNanos(records: number): number {
  const rows = new InFlightTable();
  const lanes = new Lanes(rows);
  const laneOf = new Int32Array(WINDOW);
  const since = performance.now();
  for (let done = 0; done < records; done += WINDOW) {
    for (let at = 0; at < WINDOW; at++) {
      const key = (Math.imul(done + at + 1, 0x9e3779b1) >>> 0) % KEYS;
      const lane = lanes.ofKey(key & 15, Math.imul(key + 1, 0x85ebca6b), key);
      lanes.append(lane, rows.allocate());
      laneOf[at] = lane;
    }
    for (const lane of laneOf) {
      rows.release(lanes.shift(lane));
      lanes.endIfEmpty(lane);
    }
  }
  return ((performance.now() - since) * 1e6) / records;
}
