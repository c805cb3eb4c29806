/** How many runs went on at the same time, from their starts and ends, which come late and mixed. */
export class Overlap {
  #edges: { at: number; step: 1 | -1 }[] = [];
  #level = 0;
  /** The highest number of simultaneous runs so far. */
  peak = 0;

  add(startedAt: number, endedAt: number): void {
    this.#edges.push({ at: startedAt, step: 1 }, { at: endedAt, step: -1 });
  }

  /** Counts what happened before `until`; everything earlier must have been added by now. */
  advance(until: number): void {
    // At the same instant an end comes first: one after another is not at the same time.
    const due = this.#edges
      .filter(({ at }) => at < until)
      .sort((a, b) => a.at - b.at || a.step - b.step);
    this.#edges = this.#edges.filter(({ at }) => at >= until);
    for (const { step } of due) {
      this.#level += step;
      this.peak = Math.max(this.peak, this.#level);
    }
  }
}
