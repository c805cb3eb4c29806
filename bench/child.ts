/** Processes of the bench: started, listened to, ended. Only those started here are ever ended. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { JOB_VARIABLE, answerIn } from './peers/job.ts';

const END_MS = 10_000;
const STDERR_MAX = 2000;
const alive = new Set<ChildProcess>();

export interface Command {
  /** Arguments of node. */
  readonly args: readonly string[];
  readonly job: unknown;
}

export class BenchProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  readonly #answered: Promise<unknown>;
  readonly #lines: string[] = [];
  #stderr = '';

  constructor({ args, job }: Command) {
    const child = spawn(process.execPath, [...args], {
      env: { ...process.env, [JOB_VARIABLE]: JSON.stringify(job) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    alive.add(child);
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_MAX);
    });
    this.#exited = new Promise((resolve) => {
      child.once('close', () => {
        alive.delete(child);
        resolve();
      });
    });
    this.#answered = new Promise((resolve, reject) => {
      createInterface({ input: child.stdout }).on('line', (line) => {
        const found = answerIn(line);
        if (found === undefined) this.#lines.push(line);
        else resolve(found);
      });
      void this.#exited.then(() => {
        reject(new Error(this.#death()));
      });
    });
    // Not everybody waits for an answer; a death is then told by `success`.
    this.#answered.catch(() => undefined);
  }

  /** Other lines of its output so far. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  /** Its answer. Throws when it dies before, or after `timeoutMs`. */
  async answer(timeoutMs: number): Promise<unknown> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => {
        reject(new Error(`no answer in ${String(timeoutMs / 1000)} s`));
      }, timeoutMs);
    });
    try {
      return await Promise.race([this.#answered, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Resolves when it has gone by itself; throws when that was no success. */
  async success(): Promise<void> {
    await this.#exited;
    if (this.#child.exitCode !== 0) throw new Error(this.#death());
  }

  /** Ends it in order, and by force if that takes long. */
  async end(): Promise<void> {
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), END_MS);
    await this.#exited;
    clearTimeout(timer);
  }

  #death(): string {
    const { exitCode, signalCode } = this.#child;
    const lines = [...this.#stderr.split('\n'), ...this.#lines.slice(-3)];
    const why = lines.find((line) => /Error(?: \[\w+\])?: /.test(line)) ?? lines.at(-1) ?? '';
    return `ended early (${String(exitCode ?? signalCode)}): ${why.trim()}`;
  }
}

/** When the bench itself is ended: nothing it started stays behind. */
export function endAll(): void {
  for (const child of alive) child.kill('SIGKILL');
}
