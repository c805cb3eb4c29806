/** A topic, a group and a ledger of a test's own, and the configuration that runs over them. */
import { randomUUID } from 'node:crypto';
import { isAbsolute, join } from 'node:path';
import type { TestContext } from 'node:test';
import { createTopic, isCommittedToEnd } from './clients.ts';
import { kafkaBrokers } from './kafka.ts';
import { startMockCluster } from './mock-cluster.ts';
import { fixtureHandler, spawnTidemark, temporaryFolder } from './tidemark.ts';
import type { Program, SpawnOptions } from './tidemark.ts';

type Section = Readonly<Record<string, unknown>>;

export interface Scenario {
  readonly brokers: string;
  readonly topic: string;
  readonly groupId: string;
  /** librdkafka properties that every member of the scenario gets. */
  readonly properties: Section;
  /** Where the handler ledger.mjs writes. */
  readonly ledger: string;
  readonly folder: string;
}

/** On the embedded broker, four partitions. Joining takes 10 ms with this protocol, else 3 s. */
export async function mockScenario(t: TestContext): Promise<Scenario> {
  const topic = `topic-${randomUUID()}`;
  const brokers = await startMockCluster(t, [topic]);
  return scenarioOn(t, brokers, topic, { 'group.protocol': 'consumer' });
}

/** On the real Kafka, with a topic made for it. */
export async function kafkaScenario(
  t: TestContext,
  partitions = 4,
  topicConfig: Readonly<Record<string, string>> = {},
): Promise<Scenario> {
  const topic = `topic-${randomUUID()}`;
  const brokers = kafkaBrokers();
  await createTopic(brokers, topic, partitions, topicConfig);
  return scenarioOn(t, brokers, topic, {});
}

export function scenarioOn(
  t: TestContext,
  brokers: string,
  topic: string,
  properties: Section,
): Scenario {
  const folder = temporaryFolder(t);
  const groupId = `group-${randomUUID()}`;
  return { brokers, topic, groupId, properties, ledger: join(folder, 'ledger'), folder };
}

export interface RunOptions extends SpawnOptions {
  /** A file of test/fixtures/handlers, or an absolute path. Default ledger.mjs. */
  readonly handler?: string;
  /** The handler's options; `ledger` is among them always. */
  readonly options?: Section;
  /** Further sections of the configuration; `kafka` is laid over the scenario's own. */
  readonly config?: Section & { readonly kafka?: Section };
}

/** Starts `tidemark run` on the scenario, with 2 threads and frequent commits. */
export function runTidemark(t: TestContext, scenario: Scenario, run: RunOptions = {}): Program {
  const { handler = 'ledger.mjs', options = {}, config = {}, ...spawning } = run;
  const { brokers, topic, groupId, properties, ledger } = scenario;
  const { kafka = {}, ...sections } = config;
  return spawnTidemark(
    t,
    {
      workers: { threads: 2 },
      commit: { intervalMs: 100 },
      ...sections,
      kafka: { brokers, groupId, topics: [topic], properties, ...kafka },
      handler: {
        module: isAbsolute(handler) ? handler : fixtureHandler(handler),
        options: { ledger, ...options },
      },
    },
    spawning,
  );
}

/** Waits until the group's commits stand at the end of the topic; throws when the program ends first. */
export async function untilCommitted(
  scenario: Scenario,
  program: Program,
  timeoutMs = 60_000,
): Promise<void> {
  const { brokers, groupId, topic } = scenario;
  await program.while(
    () => isCommittedToEnd(brokers, groupId, topic),
    `committed equals end of ${topic}`,
    timeoutMs,
  );
}
