/** When the quick start ends: Ctrl-C, the end of its time, the end of its orders, or of the program. */
import { ExitCode } from '../contract/errors.ts';
import type { ExitCodeValue } from '../contract/errors.ts';

const LOOK_MS = 20;
/** So long may handling what was produced take after the feed ended. */
const SETTLE_MS = 30_000;

interface Stoppable {
  readonly finished: Promise<ExitCodeValue>;
  stop(cause: string, hurriedCode?: ExitCodeValue): void;
}

export class StopRequest {
  #asked = false;
  /** Asked twice, or the program ended by itself: waiting for more is useless. */
  #over = false;
  #timer: NodeJS.Timeout | null = null;
  readonly #onSigint: () => void;
  readonly #onSigterm: () => void;

  constructor(service: Stoppable) {
    const onSignal = (name: string, code: ExitCodeValue) => (): void => {
      if (this.#asked) {
        this.#over = true;
        service.stop(name, code);
      }
      this.#asked = true;
    };
    this.#onSigint = onSignal('SIGINT', ExitCode.secondSigint);
    this.#onSigterm = onSignal('SIGTERM', ExitCode.secondSigterm);
    process.on('SIGINT', this.#onSigint);
    process.on('SIGTERM', this.#onSigterm);
    void service.finished.then(() => {
      this.#asked = true;
      this.#over = true;
    });
  }

  after(seconds: number): void {
    this.#timer = setTimeout(() => {
      this.#asked = true;
    }, seconds * 1000);
  }

  async untilAskedOr(isComplete: () => boolean): Promise<void> {
    while (!this.#asked && !isComplete()) await pause();
  }

  /** Also returns when it takes too long; then the summary tells what is missing. */
  async untilSettled(isSettled: () => boolean): Promise<void> {
    const deadline = performance.now() + SETTLE_MS;
    while (!this.#over && !isSettled() && performance.now() < deadline) await pause();
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    process.off('SIGINT', this.#onSigint);
    process.off('SIGTERM', this.#onSigterm);
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, LOOK_MS);
  });
}
