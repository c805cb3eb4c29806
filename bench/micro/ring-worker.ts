/** The other side of the ring's micro bench: gives every slot straight back. Worker thread. */
import { workerData } from 'node:worker_threads';
import { Doorbell } from '../../src/ring/doorbell.ts';
import { RingReader, RingWriter } from '../../src/ring/index-ring.ts';
import { Control } from '../../src/ring/layout.ts';
import { RingMemory } from '../../src/ring/slot.ts';
import type { RingJob } from './ring.ts';

const WAIT_MS = 100;
const PUBLISH_EVERY = 32;

const job = workerData as RingJob;
const { words, submissions, completions } = new RingMemory(job.ring);
const incoming = new RingReader(words, Control.submissionTail, Control.submissionHead, submissions);
const outgoing = new RingWriter(words, Control.completionTail, completions);
const bell = new Doorbell(words, Control.workerSleeps);
const mainBell = new Doorbell(new Int32Array(job.mainBell), 0);

const publish = (): void => {
  incoming.release();
  outgoing.publish();
  mainBell.ring();
};

for (let done = 0; done < job.records;) {
  if (incoming.available() === 0) {
    bell.lieDown();
    if (incoming.refresh() === 0) bell.block(WAIT_MS);
    bell.getUp();
  }
  for (let left = incoming.available(); left > 0; left--) {
    outgoing.push(incoming.take());
    done++;
    if (outgoing.unpublished === PUBLISH_EVERY) publish();
  }
  publish();
}
