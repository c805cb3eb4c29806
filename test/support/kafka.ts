/** A real Apache Kafka (one KRaft broker) for tests: jars from Maven, one Java process per broker. */
import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { openSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kafka as KafkaJs, logLevel } from 'kafkajs';
import { inProject } from './project.ts';
import { waitUntil } from './wait.ts';

const FOLDER = inProject('test/support/kafka');
const JAVA_MINIMUM = 17;

/** Why no broker can be had on this machine; null when one can. */
export function kafkaProblem(): string | null {
  const java = spawnSync('java', ['-version'], { encoding: 'utf8' });
  const version = Number(/version "(\d+)/.exec(java.stderr)?.[1] ?? 0);
  if (java.status !== 0) return 'java is missing';
  if (version < JAVA_MINIMUM)
    return `Java ${String(JAVA_MINIMUM)} or newer is needed, this is ${String(version)}`;
  if (existsSync(libsFolder())) return null;
  const maven = spawnSync('mvn', ['-v'], { stdio: 'ignore' });
  return maven.status === 0 ? null : 'Maven is missing';
}

/** Where the jars of exactly this list of dependencies lie. */
function libsFolder(): string {
  const hash = createHash('sha256')
    .update(readFileSync(join(FOLDER, 'pom.xml')))
    .digest('hex');
  return inProject('.cache', 'kafka-libs', hash.slice(0, 16));
}

/** Downloads the jars once; returns their folder. */
export function kafkaLibs(): string {
  const libs = libsFolder();
  if (existsSync(libs)) return libs;
  const part = `${libs}.${String(process.pid)}`;
  const goal = ['-q', '-B', 'dependency:copy-dependencies', `-DoutputDirectory=${part}`];
  const maven = spawnSync('mvn', ['-f', join(FOLDER, 'pom.xml'), ...goal], { encoding: 'utf8' });
  if (maven.status !== 0)
    throw new Error(`Maven could not fetch Apache Kafka:\n${maven.stdout}${maven.stderr}`);
  if (existsSync(libs)) rmSync(part, { recursive: true });
  else renameSync(part, libs);
  return libs;
}

export interface KafkaOptions {
  /** Further lines of server.properties. */
  readonly properties?: Readonly<Record<string, string | number | boolean>>;
}

export class Kafka {
  readonly brokers: string;
  readonly #folder: string;
  readonly #libs: string;
  #server: ChildProcess | null = null;
  readonly #killAtExit = (): void => {
    this.#server?.kill('SIGKILL');
  };

  /** Use {@link startKafka}. */
  constructor(libs: string, folder: string, port: number) {
    this.#libs = libs;
    this.#folder = folder;
    this.brokers = `127.0.0.1:${String(port)}`;
    process.on('exit', this.#killAtExit);
  }

  /** The broker's process number, for signals; undefined while it is down. */
  get pid(): number | undefined {
    return this.#server?.pid;
  }

  /** Starts the process on the same folder and ports and waits until it answers. */
  async start(): Promise<void> {
    const config = join(this.#folder, 'server.properties');
    const log = openSync(join(this.#folder, 'server.log'), 'a');
    const logging = `-Dlog4j2.configurationFile=${join(FOLDER, 'log4j2.properties')}`;
    const java = ['-Xmx768m', logging, '-cp', `${this.#libs}/*`, 'kafka.Kafka', config];
    const server = spawn('java', java, { stdio: ['ignore', log, log] });
    this.#server = server;
    const admin = new KafkaJs({
      brokers: [this.brokers],
      logLevel: logLevel.NOTHING,
      retry: { retries: 0 },
      connectionTimeout: 2000,
    }).admin();
    try {
      await waitUntil(
        async () => {
          if (server.exitCode !== null || server.signalCode !== null) return 'ended';
          await admin.connect();
          await admin.listTopics();
          return 'ready';
        },
        { timeoutMs: 120_000, what: 'an answer of the broker' },
      );
      if (server.exitCode !== null) throw new Error(`the broker ended:\n${this.log()}`);
    } finally {
      await admin.disconnect();
    }
  }

  /** Ends the process and keeps its data; `start` brings it back. */
  async halt(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server?.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise<void>((resolve) => {
      server.once('exit', () => {
        resolve();
      });
    });
    server.kill(signal);
    // A broker that was stopped by a signal, or hangs, must not hold up the tests.
    const last = setTimeout(() => server.kill('SIGKILL'), 15_000);
    await ended;
    clearTimeout(last);
  }

  /** Ends the process and removes its data. */
  async stop(): Promise<void> {
    await this.halt('SIGKILL');
    process.off('exit', this.#killAtExit);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** What the broker has written so far. */
  log(): string {
    return readFileSync(join(this.#folder, 'server.log'), 'utf8');
  }
}

/** Starts a broker of one's own on free ports and waits until it answers. */
export async function startKafka(options: KafkaOptions = {}): Promise<Kafka> {
  const libs = kafkaLibs();
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-kafka-'));
  const [port, controller] = await freePorts();
  const config = join(folder, 'server.properties');
  writeFileSync(config, serverProperties(folder, port, controller, options.properties ?? {}));
  const tool = ['kafka.tools.StorageTool', 'format', '-t', clusterId(), '-c', config];
  const format = spawnSync('java', ['-Xmx128m', '-cp', `${libs}/*`, ...tool, '--standalone'], {
    encoding: 'utf8',
  });
  if (format.status !== 0)
    throw new Error(
      `the broker's folder could not be formatted:\n${format.stdout}${format.stderr}`,
    );
  const kafka = new Kafka(libs, folder, port);
  try {
    await kafka.start();
  } catch (error) {
    await kafka.stop();
    throw error;
  }
  return kafka;
}

/** Kafka's form of a UUID. */
function clusterId(): string {
  return Buffer.from(randomUUID().replaceAll('-', ''), 'hex').toString('base64url');
}

function serverProperties(
  folder: string,
  port: number,
  controller: number,
  more: NonNullable<KafkaOptions['properties']>,
): string {
  const client = `PLAINTEXT://127.0.0.1:${String(port)}`;
  const lines = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.bootstrap.servers': `127.0.0.1:${String(controller)}`,
    listeners: `${client},CONTROLLER://127.0.0.1:${String(controller)}`,
    'advertised.listeners': client,
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'PLAINTEXT',
    'log.dirs': join(folder, 'data'),
    'num.partitions': 4,
    // Few internal partitions make a broker ready sooner.
    'offsets.topic.num.partitions': 4,
    'offsets.topic.replication.factor': 1,
    'transaction.state.log.num.partitions': 4,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'group.initial.rebalance.delay.ms': 0,
    ...more,
  };
  return Object.entries(lines)
    .map(([name, value]) => `${name}=${String(value)}\n`)
    .join('');
}

/** Two ports that were free a moment ago; both are held until both are known. */
async function freePorts(): Promise<[number, number]> {
  const servers = [createServer(), createServer()] as const;
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) => {
          server.listen(0, '127.0.0.1', () => {
            resolve((server.address() as AddressInfo).port);
          });
        }),
    ),
  );
  await Promise.all(
    servers.map(
      (server) =>
        new Promise((resolve) => {
          server.close(resolve);
        }),
    ),
  );
  return ports as [number, number];
}

/** The brokers of the real-Kafka tests, which `npm test` found or started. */
export function kafkaBrokers(): string {
  const brokers = process.env['KAFKA_BROKERS'];
  if (brokers === undefined || brokers === '')
    throw new Error('KAFKA_BROKERS is not set; run this file through `npm test`');
  return brokers;
}
