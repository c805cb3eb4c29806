import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startEmbeddedBroker } from '../../../src/broker/embedded-broker.ts';
import { produce } from '../../support/clients.ts';
import { mockScenario, runTidemark, scenarioOn, untilCommitted } from '../../support/scenario.ts';

interface Status {
  readonly state: string;
  readonly connected: boolean;
  readonly partitions: readonly {
    readonly partition: number;
    readonly watermark: number | null;
    readonly committed: number | null;
    readonly lag: number | null;
    readonly inFlight: number;
  }[];
  readonly workers: readonly { readonly state: string }[];
}

test('what a handler logs and measures comes out, bound to its record', async (t) => {
  const scenario = await mockScenario(t);
  const { brokers, topic } = scenario;
  await produce(brokers, topic, [
    { partition: 1, value: 'four' },
    { partition: 1, value: 'letters' },
  ]);
  const program = runTidemark(t, scenario, { handler: 'tells.mjs' });
  await untilCommitted(scenario, program);
  const seen = await program.waitFor('handler', (line) => line['offset'] === 1);
  assert.deepEqual(
    [seen.level, seen.msg, seen['topic'], seen['partition'], seen['bytes']],
    ['warn', 'seen', topic, 1, 7],
  );
  assert.equal((seen['cause'] as { message: string }).message, 'just told');
  const ready = program.lines.filter(({ msg }) => msg === 'ready to go');
  assert.deepEqual(ready.map((line) => line['worker']).sort(), [0, 1]);
  assert.ok(ready.every((line) => line['colour'] === 'green'));
  await program.while(
    async () => (await program.metric('tidemark_handler_seen', { kind: 'plain' })) === 4,
    "the handler's counter",
  );
  assert.equal(await program.metric('tidemark_handler_size_sum'), 'fourletters'.length);
  assert.equal((await program.stop()).code, 0, program.output);
});

test("timers of a handler's module run while no record comes (B22)", async (t) => {
  const program = runTidemark(t, await mockScenario(t), {
    handler: 'beats.mjs',
    config: { workers: { threads: 1 } },
  });
  await program.waitFor('assigned');
  const read = async (): Promise<number> => (await program.metric('tidemark_handler_beats')) ?? 0;
  const before = await read();
  // A thread that blocked while idle would beat once in each of its waits, at best.
  await program.while(async () => (await read()) > before + 1000, 'a thousand beats', 30_000);
  assert.equal((await program.stop()).code, 0, program.output);
});

test('status, health and metrics answer while the broker is away, and the program still stops', async (t) => {
  const topic = 'orders';
  const broker = await startEmbeddedBroker({ topics: [topic] });
  const scenario = scenarioOn(t, broker.brokers, topic, { 'group.protocol': 'consumer' });
  await produce(
    broker.brokers,
    topic,
    Array.from({ length: 100 }, (_, at) => ({ partition: at % 4, key: String(at), value: 'v' })),
  );
  const program = runTidemark(t, scenario);
  await untilCommitted(scenario, program);
  const status = async (): Promise<Status> => (await program.status()) as Status;
  await program.while(async () => (await program.get('/readyz')).status === 200, 'ready');
  await program.while(
    async () =>
      (await status()).partitions.every(({ committed, lag }) => committed === 25 && lag === 0),
    'the acknowledged commits',
  );
  const running = await status();
  assert.equal(running.state, 'running');
  assert.deepEqual(
    running.partitions
      .map(({ partition, watermark, inFlight }) => [partition, watermark, inFlight])
      .sort(),
    [0, 1, 2, 3].map((partition) => [partition, 25, 0]),
  );
  assert.deepEqual(
    running.workers.map(({ state }) => state),
    ['ready', 'ready'],
  );
  assert.match(await (await program.get('/')).text(), /<html/i);

  await broker.close();
  await program.while(async () => (await program.get('/readyz')).status === 503, 'not ready');
  assert.equal((await program.get('/healthz')).status, 200);
  assert.equal((await status()).connected, false);
  assert.equal(await program.metric('tidemark_records_settled_total', { topic }), 100);
  assert.equal((await program.stop()).code, 0, program.output);
});
