/** The embedded broker for tests, closed by the test that opened it. */
import type { TestContext } from 'node:test';
import { startEmbeddedBroker } from '../../src/broker/embedded-broker.ts';

/**
 * Makes those topics, with 4 partitions each; others make themselves when they are written to. Returns
 * the addresses; closes after the test.
 */
export async function startMockCluster(
  t: TestContext,
  topics: readonly string[] = [],
): Promise<string> {
  const cluster = await startEmbeddedBroker({ topics });
  t.after(() => cluster.close());
  return cluster.brokers;
}
