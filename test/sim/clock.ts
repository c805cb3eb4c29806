/** A virtual clock: events in order of time, those of the same time in order of arrival. */
interface Event {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

export class Clock {
  now = 0;
  readonly #heap: Event[] = [];
  #order = 0;

  get pending(): number {
    return this.#heap.length;
  }

  at(time: number, run: () => void): void {
    const heap = this.#heap;
    const event = { at: Math.max(time, this.now), order: this.#order++, run };
    let place = heap.push(event) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || !isBefore(event, above)) break;
      heap[place] = above;
      place = parent;
    }
    heap[place] = event;
  }

  /** Runs the next event; false when there is none. */
  step(): boolean {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined) return false;
    if (heap.length > 0) this.#sink(last);
    this.now = first.at;
    first.run();
    return true;
  }

  #sink(event: Event): void {
    const heap = this.#heap;
    let place = 0;
    for (;;) {
      let child = place * 2 + 1;
      let lower = heap[child];
      const right = heap[child + 1];
      if (lower !== undefined && right !== undefined && isBefore(right, lower)) {
        child++;
        lower = right;
      }
      if (lower === undefined || !isBefore(lower, event)) break;
      heap[place] = lower;
      place = child;
    }
    heap[place] = event;
  }
}

function isBefore(one: Event, other: Event): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

/** Timers of one process: void once it has ended. */
export class Timers {
  readonly clock: Clock;
  #open = true;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  after(ms: number, run: () => void): void {
    this.clock.at(this.clock.now + ms, () => {
      if (this.#open) run();
    });
  }

  close(): void {
    this.#open = false;
  }
}
