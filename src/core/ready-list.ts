/** A FIFO of small integers in a growing ring of memory: lanes or partitions that wait for their turn. Pure. */
export class ReadyList {
  #items = new Int32Array(64);
  #head = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(item: number): void {
    if (this.#size === this.#items.length) this.#grow();
    this.#items[(this.#head + this.#size) & (this.#items.length - 1)] = item;
    this.#size++;
  }

  /** The oldest item; -1 when there is none. */
  shift(): number {
    if (this.#size === 0) return -1;
    const item = this.#items[this.#head] as number;
    this.#head = (this.#head + 1) & (this.#items.length - 1);
    this.#size--;
    return item;
  }

  #grow(): void {
    const items = new Int32Array(this.#items.length * 2);
    for (let at = 0; at < this.#size; at++)
      items[at] = this.#items[(this.#head + at) & (this.#items.length - 1)] as number;
    this.#items = items;
    this.#head = 0;
  }
}
