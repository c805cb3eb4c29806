/**
 * One word by which one thread sleeps and others wake it. Loaded on both sides. The sleeper says that
 * it sleeps (1), looks again for work, then waits; whoever brings work rings only when the word is 1.
 * Both orders are sequentially consistent, so either the ringer sees the 1 or the sleeper sees the
 * work: no wake-up is lost (L3).
 */

declare global {
  // The library of ES2023 does not list it; every supported Node has it.
  interface Atomics {
    waitAsync(
      words: Int32Array,
      index: number,
      value: number,
    ):
      | { readonly async: false; readonly value: 'not-equal' | 'timed-out' }
      | { readonly async: true; readonly value: Promise<'ok' | 'timed-out'> };
  }
}

export class Doorbell {
  readonly #words: Int32Array;
  readonly #index: number;
  #listening = false;

  constructor(words: Int32Array, index: number) {
    this.#words = words;
    this.#index = index;
  }

  /** Wakes the sleeper, if it sleeps. Called by every thread but the sleeper's. */
  ring(): void {
    if (
      Atomics.load(this.#words, this.#index) === 1 &&
      Atomics.compareExchange(this.#words, this.#index, 1, 0) === 1
    )
      Atomics.notify(this.#words, this.#index);
  }

  /** The sleeper is about to sleep. It has to look for work once more before it waits. */
  lieDown(): void {
    Atomics.store(this.#words, this.#index, 1);
  }

  /** The sleeper is awake: nobody needs to ring. */
  getUp(): void {
    if (this.#words[this.#index] === 1) Atomics.store(this.#words, this.#index, 0);
  }

  /** Blocks the thread until the bell rings, at most `ms`. */
  block(ms: number): void {
    Atomics.wait(this.#words, this.#index, 1, ms);
  }

  /**
   * Calls `onRing` when the bell rings; the event loop goes on. One wait is outstanding at a time: a
   * sleeper that got up by itself and lies down again is still waited for.
   */
  listen(onRing: () => void): void {
    if (this.#listening) return;
    const wait = Atomics.waitAsync(this.#words, this.#index, 1);
    if (!wait.async) {
      onRing();
      return;
    }
    this.#listening = true;
    void wait.value.then(() => {
      this.#listening = false;
      onRing();
    });
  }
}
