/**
 * `kafka.properties`: only what librdkafka knows, may be set on a consumer, and does not take from
 * this program what its guarantees rest on.
 */
import type { ConfigIssue } from './issues.ts';
import { didYouMean } from './keys.ts';
import type { LibrdkafkaProperty } from './librdkafka-properties.ts';
import { LIBRDKAFKA_PROPERTIES } from './librdkafka-properties.ts';

export type Properties = Readonly<Record<string, string | number | boolean>>;

const OWN_COMMITS =
  'is reserved: positions are committed only behind finished records, by tidemark itself';
const REMOVE = 'Remove it.';

/** Why a property is not the user's to set, and what to do instead. */
const RESERVED: Readonly<Record<string, readonly [rule: string, cure: string]>> = {
  'enable.auto.commit': [OWN_COMMITS, `${REMOVE} commit.intervalMs sets how often.`],
  'auto.commit.enable': [OWN_COMMITS, `${REMOVE} commit.intervalMs sets how often.`],
  'auto.commit.interval.ms': [OWN_COMMITS, 'Use commit.intervalMs.'],
  'enable.auto.offset.store': [OWN_COMMITS, REMOVE],
  'offset.store.method': [OWN_COMMITS, REMOVE],
  'offset.store.path': [OWN_COMMITS, REMOVE],
  'offset.store.sync.interval.ms': [OWN_COMMITS, REMOVE],
  'group.id': ['is reserved: it has a key of its own', 'Use kafka.groupId.'],
  'metadata.broker.list': ['is reserved: it has a key of its own', 'Use kafka.brokers.'],
  'bootstrap.servers': ['is reserved: it has a key of its own', 'Use kafka.brokers.'],
  'auto.offset.reset': ['is reserved: it has a key of its own', 'Use kafka.startFrom.'],
  'enable.partition.eof': ['is reserved: tidemark needs it to know the end of a partition', REMOVE],
  default_topic_conf: ['is reserved: a configuration file cannot hold it', REMOVE],
  'consume.callback.max.messages': [
    'has no effect: records are taken without that callback',
    REMOVE,
  ],
};

/** These belong to the classic group protocol; the client refuses to start with both. */
const CLASSIC_ONLY = [
  'session.timeout.ms',
  'heartbeat.interval.ms',
  'partition.assignment.strategy',
  'group.protocol.type',
];

function keyOf(name: string): string {
  return `kafka.properties.${name}`;
}

/** What is wrong with the name; null when it may be set. */
function refusal(name: string): Omit<ConfigIssue, 'key' | 'value'> | null {
  const reserved = Object.hasOwn(RESERVED, name) ? RESERVED[name] : undefined;
  if (reserved !== undefined) return { rule: reserved[0], cure: reserved[1] };
  const property = LIBRDKAFKA_PROPERTIES.get(name);
  if (property?.type === 'callback' || name.endsWith('_cb'))
    return { rule: 'is reserved: callbacks belong to tidemark', cure: REMOVE };
  if (property === undefined) {
    const meant = didYouMean(name, [...LIBRDKAFKA_PROPERTIES.keys()]);
    const cure = meant === null ? 'Remove it, or look the name up.' : `Did you mean ${meant}?`;
    return { rule: 'is no property that librdkafka knows', cure, meant };
  }
  if (property.scope === 'P')
    return { rule: 'is a producer property and has no effect on a consumer', cure: REMOVE };
  return null;
}

/** The value in the property's own type; undefined where it cannot be that. */
function typed(property: LibrdkafkaProperty, value: string | number | boolean): unknown {
  const text = String(value).trim();
  switch (property.type) {
    case 'integer': {
      const number = /^[+-]?\d+$/.test(text) ? Number(text) : NaN;
      return number >= property.min && number <= property.max ? number : undefined;
    }
    case 'float':
      return text !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined;
    case 'boolean':
      if (value === true || text === 'true') return true;
      return value === false || text === 'false' ? false : undefined;
    case 'enum':
      return property.values.some((one) => one.toLowerCase() === text.toLowerCase())
        ? text
        : undefined;
    case 'string':
    case 'flags':
    case 'callback':
      return typeof value === 'string' ? value : text;
  }
}

function ruleOf(property: LibrdkafkaProperty): string {
  switch (property.type) {
    case 'integer':
      return `must be a whole number from ${String(property.min)} to ${String(property.max)}`;
    case 'boolean':
      return 'must be true or false';
    case 'enum':
      return `must be one of ${property.values.join(', ')}`;
    case 'float':
    case 'string':
    case 'flags':
    case 'callback':
      return 'must be a number';
  }
}

/** The properties, each in its own type; what cannot pass becomes an issue and is left out. */
export function checkedProperties(
  given: Properties,
  issues: ConfigIssue[],
): Record<string, string | number | boolean> {
  const checked: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(given)) {
    const key = keyOf(name);
    const refused = refusal(name);
    const property = LIBRDKAFKA_PROPERTIES.get(name);
    if (refused !== null || property === undefined) {
      if (refused !== null) issues.push({ key, value, ...refused });
      continue;
    }
    const read = typed(property, value);
    if (typeof read === 'string' || typeof read === 'number' || typeof read === 'boolean')
      checked[name] = read;
    else
      issues.push({ key, value, rule: ruleOf(property), cure: 'Set such a value, or remove it.' });
  }
  if (String(checked['group.protocol']).toLowerCase() === 'consumer')
    for (const name of CLASSIC_ONLY.filter((classic) => classic in checked))
      issues.push({
        key: keyOf(name),
        value: checked[name],
        rule: `cannot be set together with ${keyOf('group.protocol')} = consumer`,
        cure: 'Remove one of the two; under that protocol the broker decides.',
      });
  return checked;
}
