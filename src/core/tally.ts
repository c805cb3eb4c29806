/**
 * Counts for observers, kept as plain numbers because they change with every record: prom-client
 * reads them at a scrape. Pure; owned by the main thread's turn.
 */
import { HISTOGRAM_BOUNDS } from '../contract/snapshot.ts';
import type { HistogramSnapshot, TopicCounts } from '../contract/snapshot.ts';

const BOUNDS = Float64Array.from(HISTOGRAM_BOUNDS);

/** A histogram of durations. */
export class Histogram {
  readonly #buckets = new Float64Array(BOUNDS.length + 1);
  #sum = 0;
  #count = 0;

  /** Takes milliseconds, keeps seconds. What is negative (clocks that disagree) counts as 0. */
  observeMs(milliseconds: number): void {
    const seconds = milliseconds > 0 ? milliseconds / 1000 : 0;
    let low = 0;
    let high = BOUNDS.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (seconds <= (BOUNDS[middle] as number)) high = middle;
      else low = middle + 1;
    }
    this.#buckets[low] = (this.#buckets[low] as number) + 1;
    this.#sum += seconds;
    this.#count++;
  }

  snapshot(): HistogramSnapshot {
    return { buckets: [...this.#buckets], sum: this.#sum, count: this.#count };
  }
}

/** Counts of one topic. */
export class TopicTally {
  consumed = 0;
  settledOk = 0;
  settledSkipped = 0;
  abandoned = 0;
  runsOk = 0;
  runsError = 0;
  runsCrash = 0;
  runsReturned = 0;
  readonly handlerDuration = new Histogram();
  readonly queueDuration = new Histogram();
  readonly recordLatency = new Histogram();

  snapshot(topic: string): TopicCounts {
    return {
      topic,
      consumed: this.consumed,
      settled: {
        ok: this.settledOk,
        skipped: this.settledSkipped,
        dead_lettered: 0,
        retry_topic: 0,
        abandoned: this.abandoned,
      },
      runs: {
        ok: this.runsOk,
        error: this.runsError,
        timeout: 0,
        crash: this.runsCrash,
        returned: this.runsReturned,
      },
      handlerDuration: this.handlerDuration.snapshot(),
      queueDuration: this.queueDuration.snapshot(),
      recordLatency: this.recordLatency.snapshot(),
    };
  }
}

/** Counts of the whole process. */
export class Tally {
  readonly #topics = new Map<string, TopicTally>();
  commitsOk = 0;
  commitsError = 0;
  assigned = 0;
  revoked = 0;
  lost = 0;
  staleCompletions = 0;
  drainTimeouts = 0;
  readonly drainRebalance = new Histogram();
  readonly drainShutdown = new Histogram();

  topic(name: string): TopicTally {
    let tally = this.#topics.get(name);
    if (tally === undefined) {
      tally = new TopicTally();
      this.#topics.set(name, tally);
    }
    return tally;
  }

  topics(): TopicCounts[] {
    return [...this.#topics].map(([name, tally]) => tally.snapshot(name));
  }
}
