/**
 * The one consumer of the process: connection, group membership, rebalance callbacks, commits. Records
 * do not come through it but through the intake beside it. Main thread. Keeps G3 (an answer to an
 * older rebalance is void) and G5 (while closing nothing is committed).
 */
import Kafka from 'node-rdkafka';
import type { KafkaConsumer, LibrdKafkaError, TopicPartition } from 'node-rdkafka';
import { TidemarkError } from '../contract/errors.ts';
import type { Settings } from '../contract/settings.ts';
import type { CommitEntry, GroupPort } from '../core/ports.ts';
import { Intake } from './intake/intake.ts';
import { PartitionRegistry } from './partitions.ts';
import { consumerProperties } from './properties.ts';
import { startPositions } from './start-positions.ts';
import type { StartPosition } from './start-positions.ts';

const ASSIGN = -175;
const REVOKE = -174;
/** The broker had nothing to store: every position was stored already. */
const NO_OFFSET = -168;
const TIMED_OUT = -185;
const CONNECT_TRY_MS = 2000;
const LOOKUP_RETRY_MS = 500;
/** librdkafka answers a commit long before; without an answer the next one must not wait for ever. */
const COMMIT_ANSWER_MS = 60_000;
const CLOSE_MS = 5000;

/** What the consumer tells its owner; calls come on the main thread, outside a turn or inside `poll`. */
export interface ConsumerEvents {
  /** A topic-partition got its number. */
  partitionNamed(index: number, topic: string, partition: number): void;
  assigned(partitions: readonly { index: number; topic: string; committed: number | null }[]): void;
  revoked(rebalance: number, indexes: readonly number[], lost: boolean): void;
  commitResult(id: number, error: number): void;
  /** Something waits in librdkafka's queues. */
  wake(): void;
  /** An error or log line of the client; throttling is the receiver's. */
  clientError(message: string, code: number): void;
  clientLog(level: number, facility: string, message: string): void;
  /** The client cannot go on and has to be made anew. */
  fatal(message: string): void;
}

export class Consumer implements GroupPort {
  readonly partitions: PartitionRegistry;
  readonly #settings: Settings;
  readonly #events: ConsumerEvents;
  #client: KafkaConsumer | null = null;
  #intake: Intake | null = null;
  /** Number of the newest rebalance callback; answers to older ones are void. */
  #rebalance = 0;
  #revoked: readonly TopicPartition[] = [];
  readonly #split = new Set<number>();
  #commit: { readonly id: number; readonly timer: NodeJS.Timeout } | null = null;
  /** What the client last complained of; tells more than the time-out that follows. */
  #lastError: string | null = null;
  #closing = false;
  #connected = false;
  #joined = false;

  constructor(settings: Settings, events: ConsumerEvents) {
    this.#settings = settings;
    this.#events = events;
    this.partitions = new PartitionRegistry((index, topic, partition) => {
      events.partitionNamed(index, topic, partition);
    });
  }

  get connected(): boolean {
    return this.#connected;
  }

  /** A first assignment came, empty or not. */
  get joined(): boolean {
    return this.#joined;
  }

  /** Only after `connect`. */
  get intake(): Intake {
    if (this.#intake === null) throw new Error('the consumer is not connected');
    return this.#intake;
  }

  /**
   * Connects and subscribes. Tries until `kafka.connectTimeoutMs` or until `cancelled` says so; throws
   * TIDEMARK_KAFKA_UNAVAILABLE past it.
   */
  async connect(cancelled: () => boolean): Promise<void> {
    const deadline = performance.now() + this.#settings.kafka.connectTimeoutMs;
    for (;;) {
      const left = deadline - performance.now();
      const client = this.#build();
      const problem = await connectOnce(client, Math.max(100, Math.min(CONNECT_TRY_MS, left)));
      if (problem === null) {
        this.#client = client;
        break;
      }
      if (cancelled()) return;
      this.#events.clientError(problem, 0);
      if (performance.now() >= deadline) throw this.#unavailable(problem);
    }
    if (cancelled()) return;
    this.#connected = true;
    this.#intake = new Intake(this.#client.getClient(), () => {
      this.#events.wake();
    });
    this.#client.subscribe([...this.#settings.kafka.topics]);
  }

  /** Serves librdkafka's callbacks and errors. At least once a second, whatever else happens (B3). */
  poll(): void {
    if (this.#intake === null) return;
    for (const { error, topic, message } of this.#intake.pollMain())
      this.#events.clientError(topic === null ? message : `${topic}: ${message}`, error);
  }

  commit(id: number, entries: readonly CommitEntry[]): void {
    const timer = setTimeout(() => {
      this.#answerCommit(TIMED_OUT);
    }, COMMIT_ANSWER_MS);
    this.#commit = { id, timer };
    try {
      this.#live().commit(
        entries.map(({ partition, position }) => ({
          ...this.partitions.nameOf(partition),
          offset: position,
        })),
      );
    } catch (error) {
      this.#events.clientError(`commit refused: ${messageOf(error)}`, codeOf(error));
      setImmediate(() => {
        this.#answerCommit(codeOf(error) || TIMED_OUT);
      });
    }
  }

  release(rebalance: number, _indexes: readonly number[]): void {
    if (rebalance !== this.#rebalance) return;
    this.#unassign(this.#revoked);
  }

  /** The client's cached low and high ends of a partition's log; null where it does not know. */
  logEnds(index: number): readonly [low: number | null, high: number | null] {
    if (this.#intake === null || !this.#split.has(index)) return [null, null];
    return this.#intake.watermarks(index);
  }

  /** Ends the process at once, past whatever hangs in native code. */
  exitNow(code: number): never {
    // Without an intake nothing native can hang.
    this.#intake?.exitNow(code);
    process.exit(code);
  }

  /**
   * Leaves the group and closes everything, in bounded time; false when the client did not close in
   * it. Drain and commit come before.
   */
  async close(): Promise<boolean> {
    this.#closing = true;
    if (this.#commit !== null) clearTimeout(this.#commit.timer);
    this.#commit = null;
    const client = this.#client;
    if (client === null) return true;
    try {
      client.unsubscribe();
      const deadline = performance.now() + CLOSE_MS;
      // The answer to the last revocation, or to an assignment on its way, needs a live intake to serve
      // its callback.
      do {
        this.poll();
        await new Promise((resolve) => setTimeout(resolve, 5));
      } while (this.#split.size > 0 && performance.now() < deadline);
    } catch (error) {
      this.#events.clientError(`leaving the group: ${messageOf(error)}`, codeOf(error));
    }
    this.#intake?.close();
    const closed = await Promise.race([
      new Promise<boolean>((resolve) => {
        client.disconnect(() => {
          resolve(true);
        });
      }),
      new Promise<boolean>((resolve) => {
        setTimeout(resolve, CLOSE_MS, false).unref();
      }),
    ]);
    this.#connected = false;
    return closed;
  }

  #build(): KafkaConsumer {
    const { global, topic } = consumerProperties(this.#settings);
    const client = new Kafka.KafkaConsumer(
      {
        ...global,
        event_cb: true,
        rebalance_cb: (error: LibrdKafkaError, assignment: TopicPartition[]) => {
          this.#onRebalance(error, assignment);
        },
        offset_commit_cb: (error: LibrdKafkaError | null) => {
          const code = codeOf(error);
          this.#answerCommit(code === NO_OFFSET ? 0 : code);
        },
      },
      topic,
    );
    client.on('event.error', (error) => {
      if (/all broker connections are down/i.test(error.message)) this.#brokersDown();
      else this.#lastError = error.message;
      this.#events.clientError(error.message, error.code);
    });
    client.on('event.log', (line: unknown) => {
      const { severity, fac, message } = line as { severity: number; fac: string; message: string };
      if (fac === 'FATAL') this.#events.fatal(message);
      else this.#events.clientLog(severity, fac, message);
    });
    return client;
  }

  #onRebalance(error: unknown, assignment: readonly TopicPartition[]): void {
    const rebalance = ++this.#rebalance;
    const code = codeOf(error);
    if (code === ASSIGN) {
      if (this.#closing) this.#decline();
      else void this.#onAssign(rebalance, assignment);
      return;
    }
    if (code !== REVOKE) this.#events.clientError(`rebalance: ${messageOf(error)}`, code);
    this.#revoked = assignment;
    if (this.#closing) {
      this.#unassign(assignment);
      return;
    }
    const lost = code !== REVOKE || this.intake.assignmentLost();
    const indexes = assignment.map(({ topic, partition }) =>
      this.partitions.indexOf(topic, partition),
    );
    this.#events.revoked(rebalance, indexes, lost);
    this.#events.wake();
  }

  /** Answers an assignment once the start positions are known; a newer event voids it. */
  async #onAssign(rebalance: number, assignment: readonly TopicPartition[]): Promise<void> {
    let positions: StartPosition[] = [];
    while (assignment.length > 0) {
      try {
        positions = await startPositions(this.#live(), assignment, this.#settings.kafka.startFrom);
        break;
      } catch (error) {
        if (this.#closing || rebalance !== this.#rebalance) return;
        this.#events.clientError(`start positions: ${messageOf(error)}`, codeOf(error));
        await new Promise((resolve) => setTimeout(resolve, LOOKUP_RETRY_MS));
      }
    }
    if (rebalance !== this.#rebalance || this.#closing) return;
    try {
      this.#assign(positions);
    } catch (error) {
      this.#events.fatal(`answering an assignment: ${messageOf(error)}`);
      return;
    }
    this.#joined = true;
    this.#connected = true;
    this.#events.assigned(
      positions.map(({ topic, partition, committed }) => ({
        index: this.partitions.indexOf(topic, partition),
        topic,
        committed,
      })),
    );
    this.#events.wake();
  }

  /**
   * Answers an assignment that comes while the consumer closes: without an answer `disconnect` would
   * wait for ever. Once that has begun, the binding (3.6.1) refuses to assign and to name the
   * protocol, but lets both ways of unassigning through; the wrong one of them throws.
   */
  #decline(): void {
    const client = this.#live();
    const answers = [
      () => {
        this.#assign([]);
      },
      () => client.unassign(),
      () => client.incrementalUnassign([]),
    ];
    for (const answer of answers)
      try {
        answer();
        return;
      } catch (error) {
        this.#events.clientError(`declining an assignment: ${messageOf(error)}`, codeOf(error));
      }
  }

  #assign(positions: readonly StartPosition[]): void {
    const client = this.#live();
    const list = positions.map(({ topic, partition, offset }) => ({ topic, partition, offset }));
    if (client.rebalanceProtocol() === 'COOPERATIVE') {
      if (!this.#closing) this.intake.restorePositions();
      client.incrementalAssign(list);
    } else client.assign(list);
    for (const { topic, partition } of positions) {
      const index = this.partitions.indexOf(topic, partition);
      this.intake.split(index, topic, partition);
      this.#split.add(index);
    }
  }

  #unassign(revoked: readonly TopicPartition[]): void {
    const client = this.#live();
    const cooperative = client.rebalanceProtocol() === 'COOPERATIVE';
    // Of an assignment that was declined or never answered nothing is held, and naming it is an error.
    const held = revoked.filter(({ topic, partition }) =>
      this.#split.has(this.partitions.indexOf(topic, partition)),
    );
    const gone = cooperative
      ? held.map(({ topic, partition }) => this.partitions.indexOf(topic, partition))
      : [...this.#split];
    for (const index of gone) {
      this.#split.delete(index);
      this.#intake?.unsplit(index);
    }
    try {
      if (cooperative) {
        if (!this.#closing) this.intake.restorePositions();
        client.incrementalUnassign(held);
      } else client.unassign();
    } catch (error) {
      this.#events.clientError(`answering a revocation: ${messageOf(error)}`, codeOf(error));
    }
  }

  #answerCommit(error: number): void {
    if (this.#commit === null) return;
    const { id, timer } = this.#commit;
    clearTimeout(timer);
    this.#commit = null;
    this.#events.commitResult(id, error);
    this.#events.wake();
  }

  /** librdkafka reconnects by itself but does not say when; a metadata request does. */
  #brokersDown(): void {
    if (!this.#connected || this.#closing) return;
    this.#connected = false;
    const probe = (): void => {
      if (this.#closing || this.#client === null) return;
      this.#client.getMetadata({ timeout: 2000 }, (error: LibrdKafkaError | null) => {
        if (error === null) this.#connected = true;
        else setTimeout(probe, 1000).unref();
      });
    };
    probe();
  }

  #live(): KafkaConsumer {
    if (this.#client === null) throw new Error('the consumer is not connected');
    return this.#client;
  }

  #unavailable(problem: string): TidemarkError {
    const { brokers, connectTimeoutMs } = this.#settings.kafka;
    const why = this.#lastError === null ? problem : `${problem} (${this.#lastError})`;
    return new TidemarkError(
      'TIDEMARK_KAFKA_UNAVAILABLE',
      `Kafka at ${brokers.join(', ')} could not be reached within kafka.connectTimeoutMs ` +
        `(${String(connectTimeoutMs)} ms): ${why}. Check kafka.brokers and the security ` +
        `properties, or raise kafka.connectTimeoutMs.`,
    );
  }
}

/** One try; returns what went wrong, null when connected. A failed client closes itself. */
function connectOnce(client: KafkaConsumer, timeout: number): Promise<string | null> {
  return new Promise((resolve) => {
    client.connect({ timeout }, (error: LibrdKafkaError | null) => {
      resolve(error ? messageOf(error) : null);
    });
  });
}

function codeOf(error: unknown): number {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'number' ? code : 0;
}

function messageOf(error: unknown): string {
  const message = (error as { message?: unknown } | null | undefined)?.message;
  return typeof message === 'string' ? message : String(error);
}
