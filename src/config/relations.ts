/** C1: relations between settings, each told with both keys. */
import type { Settings } from '../contract/settings.ts';
import type { ConfigIssue } from './issues.ts';

/** librdkafka's defaults. */
const MAX_POLL_INTERVAL_MS = 300_000;
const SESSION_TIMEOUT_MS = 45_000;
const HEARTBEAT_INTERVAL_MS = 3000;
const RING_BYTES_MAX = 1024 ** 3;

export interface RelationIssue extends ConfigIssue {
  /** The other key; the relation means nothing while either of the two is wrong by itself. */
  readonly other: string;
}

interface Relation {
  readonly holds: (settings: Settings) => boolean;
  readonly issue: (settings: Settings) => RelationIssue;
}

const POLL = 'kafka.properties.max.poll.interval.ms';
const SESSION = 'kafka.properties.session.timeout.ms';
const HEARTBEAT = 'kafka.properties.heartbeat.interval.ms';

function propertyMs(settings: Settings, key: string, byDefault: number): number {
  return Number(settings.kafka.properties[key.slice('kafka.properties.'.length)] ?? byDefault);
}
const pollMs = (settings: Settings): number => propertyMs(settings, POLL, MAX_POLL_INTERVAL_MS);
const sessionMs = (settings: Settings): number => propertyMs(settings, SESSION, SESSION_TIMEOUT_MS);
const heartbeatMs = (settings: Settings): number =>
  propertyMs(settings, HEARTBEAT, HEARTBEAT_INTERVAL_MS);

/** Under `group.protocol: consumer` the broker decides on sessions. */
function isClassic(settings: Settings): boolean {
  return String(settings.kafka.properties['group.protocol']).toLowerCase() !== 'consumer';
}

const RELATIONS: readonly Relation[] = [
  {
    holds: (settings) => settings.rebalance.drainTimeoutMs < pollMs(settings),
    issue: (settings) => ({
      key: 'rebalance.drainTimeoutMs',
      other: POLL,
      value: settings.rebalance.drainTimeoutMs,
      rule: `must be less than ${POLL}, which is ${String(pollMs(settings))}: past that the group drops this member in the middle of its drain`,
      cure: 'Lower the first or raise the second.',
    }),
  },
  {
    holds: (settings) => settings.shutdown.drainTimeoutMs <= settings.shutdown.forceTimeoutMs,
    issue: (settings) => ({
      key: 'shutdown.drainTimeoutMs',
      other: 'shutdown.forceTimeoutMs',
      value: settings.shutdown.drainTimeoutMs,
      rule: `must not be more than shutdown.forceTimeoutMs, which is ${String(settings.shutdown.forceTimeoutMs)}: the process would be ended before its drain is`,
      cure: 'Lower the first or raise the second.',
    }),
  },
  {
    holds: ({ workers }) => workers.slots >= workers.concurrency,
    issue: ({ workers }) => ({
      key: 'workers.slots',
      other: 'workers.concurrency',
      value: workers.slots,
      rule: `must be at least workers.concurrency, which is ${String(workers.concurrency)}: every run needs a slot`,
      cure: 'Leave workers.slots out, or raise it.',
    }),
  },
  {
    holds: ({ workers }) => workers.slots * workers.slotBytes <= RING_BYTES_MAX,
    issue: ({ workers }) => ({
      key: 'workers.slotBytes',
      other: 'workers.slots',
      value: workers.slotBytes,
      rule: `times workers.slots, which is ${String(workers.slots)}, must not be more than 1 GiB of memory per worker`,
      cure: 'Lower one of the two; larger records pass without large slots.',
    }),
  },
  {
    holds: ({ window }) => window.bytes <= window.totalBytes,
    issue: ({ window }) => ({
      key: 'window.bytes',
      other: 'window.totalBytes',
      value: window.bytes,
      rule: `must not be more than window.totalBytes, which is ${String(window.totalBytes)}: one partition could never use it`,
      cure: 'Leave window.bytes out, lower it, or raise window.totalBytes.',
    }),
  },
  {
    holds: (settings) => !isClassic(settings) || sessionMs(settings) <= pollMs(settings),
    issue: (settings) => ({
      key: SESSION,
      other: POLL,
      value: sessionMs(settings),
      rule: `must not be more than ${POLL}, which is ${String(pollMs(settings))}: the client refuses to start`,
      cure: 'Lower the first or raise the second.',
    }),
  },
  {
    holds: (settings) => !isClassic(settings) || heartbeatMs(settings) < sessionMs(settings),
    issue: (settings) => ({
      key: HEARTBEAT,
      other: SESSION,
      value: heartbeatMs(settings),
      rule: `must be less than ${SESSION}, which is ${String(sessionMs(settings))}: the group would drop this member between two heartbeats`,
      cure: 'Set it to a third of the session timeout or less.',
    }),
  },
];

/** The relations that do not hold. */
export function brokenRelations(settings: Settings): RelationIssue[] {
  return RELATIONS.filter(({ holds }) => !holds(settings)).map(({ issue }) => issue(settings));
}
