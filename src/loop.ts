/**
 * The main loop: calls one function, `turn`, whenever something has happened, and sleeps otherwise.
 * Main thread. While there is work it turns from `setImmediate`, so that sockets, timers and signals
 * get their share; idle it costs one turn a second, which also polls the consumer (B3).
 */
const POLL_MS = 1000;

export interface LoopTurn {
  /** More can be done at once. */
  readonly again: boolean;
  /** The latest time for the next turn, of `performance.now()`; Infinity for none. */
  readonly wakeAt: number;
}

export class Loop {
  readonly #turn: () => LoopTurn;
  readonly #sleep: () => void;
  readonly #wakeNow: () => void;
  #scheduled = false;
  #running = false;
  #timer: NodeJS.Timeout | null = null;
  #timerAt = Infinity;
  #poll: NodeJS.Timeout | null = null;
  /** When the last turn ended, of `performance.now()`. */
  turnedAt = performance.now();

  /** `sleep` is called when there is nothing to do: it arms what will call {@link wake}. */
  constructor(turn: () => LoopTurn, sleep: () => void) {
    this.#turn = turn;
    this.#sleep = sleep;
    this.#wakeNow = () => {
      this.#scheduled = false;
      this.#run();
    };
  }

  start(): void {
    this.#running = true;
    this.#poll = setInterval(() => {
      this.wake();
    }, POLL_MS);
    this.wake();
  }

  /** Something happened: turns soon. Cheap, may be called at any rate. */
  wake(): void {
    if (this.#scheduled || !this.#running) return;
    this.#scheduled = true;
    setImmediate(this.#wakeNow);
  }

  stop(): void {
    this.#running = false;
    if (this.#poll !== null) clearInterval(this.#poll);
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #run(): void {
    if (!this.#running) return;
    const { again, wakeAt } = this.#turn();
    this.turnedAt = performance.now();
    if (again) {
      this.wake();
      return;
    }
    this.#arm(wakeAt);
    this.#sleep();
  }

  #arm(wakeAt: number): void {
    if (wakeAt === this.#timerAt) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#timerAt = wakeAt;
    if (wakeAt === Infinity) return;
    const ms = Math.max(0, wakeAt - this.turnedAt);
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#timerAt = Infinity;
      this.wake();
    }, ms);
  }
}
