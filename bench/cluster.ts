/** The broker of a bench: the one in KAFKA_BROKERS, else one that is started and stopped here. */
export interface Cluster {
  readonly brokers: string;
  /** For the report. */
  readonly description: string;
  stop(): Promise<void>;
}

export async function openCluster(): Promise<Cluster> {
  const brokers = process.env['KAFKA_BROKERS'];
  if (brokers !== undefined && brokers !== '')
    return { brokers, description: 'KAFKA_BROKERS', stop: () => Promise.resolve() };
  // Loaded only here, so that a bench on a given broker needs neither Java nor Maven.
  const { startKafka } = await import('../test/support/kafka.ts');
  const kafka = await startKafka();
  return {
    brokers: kafka.brokers,
    description: 'Apache Kafka, started for the bench',
    stop: () => kafka.stop(),
  };
}
