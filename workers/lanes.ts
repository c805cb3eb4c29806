/**
 * Lanes as a worker knows them: which are busy with an asynchronous run, what waits behind it, and
 * which have failed. Worker thread. Keeps L1 and L2 on this side. Waiting records form a chain from
 * slot to slot, so that a lane costs one entry in a map however long it is. A negative lane is a record
 * without order: it is in none.
 */
const NONE = -1;

export class Lanes {
  /** Lane to the last slot of its chain, which begins with the running one. */
  readonly #lastOf = new Map<number, number>();
  readonly #failed = new Set<number>();
  /** By slot: the one behind it in its lane. */
  readonly #next: Int32Array;
  /** Heads of chains that may start: a ring, as at most every slot is in it once. */
  readonly #ready: Int32Array;
  #readyHead = 0;
  #readyTail = 0;

  constructor(slots: number) {
    this.#next = new Int32Array(slots).fill(NONE);
    this.#ready = new Int32Array(slots);
  }

  hasReady(): boolean {
    return this.#readyHead !== this.#readyTail;
  }

  /** A slot whose turn in its lane has come; -1 when there is none. */
  takeReady(): number {
    if (this.#readyHead === this.#readyTail) return NONE;
    const slot = this.#ready[this.#readyHead & (this.#ready.length - 1)] as number;
    this.#readyHead = (this.#readyHead + 1) | 0;
    return slot;
  }

  /** True while records of the lane have to go back. `reopens`: from this record on they need not. */
  hasFailed(lane: number, reopens: boolean): boolean {
    if (this.#failed.size === 0) return false;
    if (reopens) this.#failed.delete(lane);
    return this.#failed.has(lane);
  }

  /** True when the lane is busy: the slot now waits at the end of its chain. */
  queueBehind(lane: number, slot: number): boolean {
    if (this.#lastOf.size === 0) return false;
    const last = this.#lastOf.get(lane);
    if (last === undefined) return false;
    this.#next[last] = slot;
    this.#lastOf.set(lane, slot);
    return true;
  }

  /** An asynchronous run of the lane is in progress. A slot out of a chain has its lane already. */
  occupy(lane: number, slot: number): void {
    if (lane >= 0 && !this.#lastOf.has(lane)) this.#lastOf.set(lane, slot);
  }

  /** The slot's record is over: the one behind it may start. */
  leave(lane: number, slot: number): void {
    if (this.#lastOf.size === 0) return;
    const last = this.#lastOf.get(lane);
    if (last === undefined) return;
    if (last === slot) {
      this.#lastOf.delete(lane);
      return;
    }
    this.#ready[this.#readyTail & (this.#ready.length - 1)] = this.#next[slot] as number;
    this.#readyTail = (this.#readyTail + 1) | 0;
  }

  /** The slot's record failed: the lane takes nothing more. Returns what waited behind it, in order. */
  fail(lane: number, slot: number): number[] {
    const waiting: number[] = [];
    const last = this.#lastOf.get(lane);
    for (let at = slot; last !== undefined && at !== last;) {
      at = this.#next[at] as number;
      waiting.push(at);
    }
    this.#lastOf.delete(lane);
    this.#failed.add(lane);
    return waiting;
  }
}
