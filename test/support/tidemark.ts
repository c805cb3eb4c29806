/** The program as a child process: started with a configuration, watched through its log lines. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { COMPILED, inProject } from './project.ts';
import { waitUntil } from './wait.ts';

/** One line of the program's log. */
export interface LogLine {
  readonly level: string;
  readonly event: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

export interface ProgramEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface SpawnOptions {
  /** Default `run`. */
  readonly command?: string;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Flags of node itself. */
  readonly nodeFlags?: readonly string[];
}

/** Absolute path of a handler in test/fixtures/handlers. */
export function fixtureHandler(name: string): string {
  return inProject('test/fixtures/handlers', name);
}

/** A folder of the test's own, removed after it. */
export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-test-'));
  t.after(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

export class Program {
  readonly lines: LogLine[] = [];
  /** Everything it wrote, for messages of failing tests. */
  output = '';
  readonly ended: Promise<ProgramEnd>;
  readonly #child: ChildProcess;
  #end: ProgramEnd | null = null;

  constructor(child: ChildProcess) {
    this.#child = child;
    const { stdout, stderr } = child;
    if (stdout === null || stderr === null) throw new Error('the program has no pipes');
    createInterface({ input: stdout }).on('line', (line) => {
      this.#line(line);
    });
    stderr.on('data', (text) => {
      this.output += String(text);
    });
    this.ended = new Promise((resolve) => {
      child.once('close', (code, signal) => {
        this.#end = { code, signal };
        resolve(this.#end);
      });
    });
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('the program did not start');
    return this.#child.pid;
  }

  get isRunning(): boolean {
    return this.#end === null;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Asks the program to stop and waits for its end. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<ProgramEnd> {
    this.signal(signal);
    return this.ended;
  }

  /** The first line of that event that `matches`, now or later. Throws when the program ends first. */
  waitFor(
    event: string,
    matches: (line: LogLine) => boolean = () => true,
    timeoutMs = 60_000,
  ): Promise<LogLine> {
    return this.while(
      () => this.lines.find((each) => each.event === event && matches(each)),
      `log event ${event}`,
      timeoutMs,
    );
  }

  /** Waits for the condition like `waitUntil`, but only for as long as the program runs. */
  async while<T>(
    condition: () => T | Promise<T>,
    what: string,
    timeoutMs = 60_000,
  ): Promise<Exclude<T, false | null | undefined>> {
    const hasEnded = (): boolean => this.#end !== null;
    const found = await waitUntil(
      async () => {
        // What the program did right before its end counts.
        const wasOver = hasEnded();
        const value = await condition();
        if (value !== false && value !== null && value !== undefined) return { value };
        return wasOver ? { value: null } : null;
      },
      { timeoutMs, what },
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${this.output}`, { cause: error });
    });
    if (found.value !== null) return found.value as Exclude<T, false | null | undefined>;
    const how = String(this.#end?.code ?? this.#end?.signal);
    throw new Error(`the program ended (${how}) before ${what}:\n${this.output}`);
  }

  /** GET on the program's HTTP server, once it listens. */
  async get(path: string): Promise<Response> {
    const line = await this.waitFor('http_listening');
    return fetch(new URL(path, String(line['url'])));
  }

  /** `/status` as JSON. */
  async status(): Promise<unknown> {
    return (await this.get('/status')).json();
  }

  /** Sum of a metric's series whose labels all match; null when there is none. */
  async metric(
    name: string,
    labels: Readonly<Record<string, string>> = {},
  ): Promise<number | null> {
    const text = await (await this.get('/metrics')).text();
    const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
    const values = text
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
      .filter((line) => wanted.every((label) => line.includes(label)))
      .map((line) => Number(line.slice(line.lastIndexOf(' ') + 1)));
    return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0);
  }

  #line(line: string): void {
    this.output += `${line}\n`;
    try {
      this.lines.push(JSON.parse(line) as LogLine);
    } catch {
      // Not every command writes JSON; the text stands in `output`.
    }
  }
}

/**
 * Starts the program with that configuration (written as JSON into a folder of the test) and kills it
 * after the test if it still runs.
 */
export function spawnTidemark(
  t: TestContext,
  config: Readonly<Record<string, unknown>>,
  options: SpawnOptions = {},
): Program {
  const { command = 'run', flags = [], env = {}, nodeFlags = [] } = options;
  const file = join(temporaryFolder(t), 'tidemark.config.json');
  writeFileSync(file, JSON.stringify({ http: { port: 0 }, ...config }));
  const main = join(COMPILED, 'src/main.js');
  const child = spawn(process.execPath, [...nodeFlags, main, command, '-c', file, ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // A variable of the machine must not change what a test runs.
    env: { ...withoutTidemark(process.env), ...env },
  });
  const program = new Program(child);
  t.after(async () => {
    if (!program.isRunning) return;
    program.signal('SIGKILL');
    await program.ended;
  });
  return program;
}

function withoutTidemark(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('TIDEMARK_')));
}
