/** How each contender is started. */
import { fileURLToPath } from 'node:url';
import type { TidemarkJob } from './peers/settings.ts';

export type Contender =
  | { readonly kind: 'tidemark'; readonly ordering: TidemarkJob['ordering'] }
  | { readonly kind: 'peer'; readonly file: string }
  | { readonly kind: 'absent'; readonly reason: string };

const peer = (name: string): Contender => ({
  kind: 'peer',
  file: fileURLToPath(new URL(`./peers/${name}.js`, import.meta.url)),
});
const absent = (what: string): Contender => ({
  kind: 'absent',
  reason: `${what} is not a dependency of this repository`,
});

export const CONTENDERS: Readonly<Record<string, Contender>> = {
  'tidemark-key': { kind: 'tidemark', ordering: 'key' },
  'tidemark-partition': { kind: 'tidemark', ordering: 'partition' },
  'tidemark-none': { kind: 'tidemark', ordering: 'none' },
  rdkafka: peer('rdkafka'),
  kafkajs: peer('kafkajs'),
  piscina: peer('piscina'),
  'handler-only': peer('handler-only'),
  confluent: absent('@confluentinc/kafka-javascript'),
  platformatic: absent('@platformatic/kafka'),
  'parallel-consumer': absent('Parallel Consumer (Java)'),
  decaton: absent('Decaton (Java)'),
  kpipe: absent('KPipe (Java)'),
  java: absent('the Java consumer'),
};

export function contenderNamed(name: string): Contender {
  const contender = CONTENDERS[name];
  if (contender === undefined) throw new Error(`there is no contender ${name}`);
  return contender;
}
