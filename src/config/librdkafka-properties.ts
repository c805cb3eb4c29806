/**
 * The properties librdkafka 2.12 knows, as its CONFIGURATION.md lists them; a test compares this table
 * with the installed package. The binding has no such list at run time.
 */

/** `C` consumer, `P` producer, `*` both. */
export type PropertyScope = 'C' | 'P' | '*';
export type PropertyType =
  'string' | 'integer' | 'float' | 'boolean' | 'enum' | 'flags' | 'callback';

export interface LibrdkafkaProperty {
  readonly name: string;
  readonly scope: PropertyScope;
  readonly level: 'global' | 'topic';
  readonly type: PropertyType;
  /** Of integers. */
  readonly min: number;
  readonly max: number;
  /** Of enums. */
  readonly values: readonly string[];
}

const TABLE = `
builtin.features * global flags
client.id * global string
metadata.broker.list * global string
bootstrap.servers * global string
message.max.bytes * global integer 1000 1000000000
message.copy.max.bytes * global integer 0 1000000000
receive.message.max.bytes * global integer 1000 2147483647
max.in.flight.requests.per.connection * global integer 1 1000000
max.in.flight * global integer 1 1000000
metadata.recovery.strategy * global enum none|rebootstrap
metadata.recovery.rebootstrap.trigger.ms * global integer 0 2147483647
topic.metadata.refresh.interval.ms * global integer -1 3600000
metadata.max.age.ms * global integer 1 86400000
topic.metadata.refresh.fast.interval.ms * global integer 1 60000
topic.metadata.refresh.fast.cnt * global integer 0 1000
topic.metadata.refresh.sparse * global boolean
topic.metadata.propagation.max.ms * global integer 0 3600000
topic.blacklist * global string
debug * global flags
socket.timeout.ms * global integer 10 300000
socket.blocking.max.ms * global integer 1 60000
socket.send.buffer.bytes * global integer 0 100000000
socket.receive.buffer.bytes * global integer 0 100000000
socket.keepalive.enable * global boolean
socket.nagle.disable * global boolean
socket.max.fails * global integer 0 1000000
broker.address.ttl * global integer 0 86400000
broker.address.family * global enum any|v4|v6
socket.connection.setup.timeout.ms * global integer 1000 2147483647
connections.max.idle.ms * global integer 0 2147483647
reconnect.backoff.jitter.ms * global integer 0 3600000
reconnect.backoff.ms * global integer 0 3600000
reconnect.backoff.max.ms * global integer 0 3600000
statistics.interval.ms * global integer 0 86400000
enabled_events * global integer 0 2147483647
error_cb * global callback
throttle_cb * global callback
stats_cb * global callback
log_cb * global callback
log_level * global integer 0 7
log.queue * global boolean
log.thread.name * global boolean
enable.random.seed * global boolean
log.connection.close * global boolean
background_event_cb * global callback
socket_cb * global callback
connect_cb * global callback
closesocket_cb * global callback
open_cb * global callback
resolve_cb * global callback
opaque * global callback
default_topic_conf * global callback
internal.termination.signal * global integer 0 128
api.version.request * global boolean
api.version.request.timeout.ms * global integer 1 300000
api.version.fallback.ms * global integer 0 604800000
broker.version.fallback * global string
allow.auto.create.topics * global boolean
security.protocol * global enum plaintext|ssl|sasl_plaintext|sasl_ssl
ssl.cipher.suites * global string
ssl.curves.list * global string
ssl.sigalgs.list * global string
ssl.key.location * global string
ssl.key.password * global string
ssl.key.pem * global string
ssl_key * global callback
ssl.certificate.location * global string
ssl.certificate.pem * global string
ssl_certificate * global callback
ssl.ca.location * global string
https.ca.location * global string
https.ca.pem * global string
ssl.ca.pem * global string
ssl_ca * global callback
ssl.ca.certificate.stores * global string
ssl.crl.location * global string
ssl.keystore.location * global string
ssl.keystore.password * global string
ssl.providers * global string
ssl.engine.location * global string
ssl.engine.id * global string
ssl_engine_callback_data * global callback
enable.ssl.certificate.verification * global boolean
ssl.endpoint.identification.algorithm * global enum none|https
ssl.certificate.verify_cb * global callback
sasl.mechanisms * global string
sasl.mechanism * global string
sasl.kerberos.service.name * global string
sasl.kerberos.principal * global string
sasl.kerberos.kinit.cmd * global string
sasl.kerberos.keytab * global string
sasl.kerberos.min.time.before.relogin * global integer 0 86400000
sasl.username * global string
sasl.password * global string
sasl.oauthbearer.config * global string
enable.sasl.oauthbearer.unsecure.jwt * global boolean
oauthbearer_token_refresh_cb * global callback
sasl.oauthbearer.method * global enum default|oidc
sasl.oauthbearer.client.id * global string
sasl.oauthbearer.client.credentials.client.id * global string
sasl.oauthbearer.client.credentials.client.secret * global string
sasl.oauthbearer.client.secret * global string
sasl.oauthbearer.scope * global string
sasl.oauthbearer.extensions * global string
sasl.oauthbearer.token.endpoint.url * global string
sasl.oauthbearer.grant.type * global enum client_credentials|urn:ietf:params:oauth:grant-type:jwt-bearer
sasl.oauthbearer.assertion.algorithm * global enum RS256|ES256
sasl.oauthbearer.assertion.private.key.file * global string
sasl.oauthbearer.assertion.private.key.passphrase * global string
sasl.oauthbearer.assertion.private.key.pem * global string
sasl.oauthbearer.assertion.file * global string
sasl.oauthbearer.assertion.claim.aud * global string
sasl.oauthbearer.assertion.claim.exp.seconds * global integer 1 2147483647
sasl.oauthbearer.assertion.claim.iss * global string
sasl.oauthbearer.assertion.claim.jti.include * global boolean
sasl.oauthbearer.assertion.claim.nbf.seconds * global integer 0 2147483647
sasl.oauthbearer.assertion.claim.sub * global string
sasl.oauthbearer.assertion.jwt.template.file * global string
sasl.oauthbearer.metadata.authentication.type * global enum none|azure_imds
plugin.library.paths * global string
interceptors * global callback
group.id C global string
group.instance.id C global string
partition.assignment.strategy C global string
session.timeout.ms C global integer 1 3600000
heartbeat.interval.ms C global integer 1 3600000
group.protocol.type C global string
group.protocol C global enum classic|consumer
group.remote.assignor C global string
coordinator.query.interval.ms C global integer 1 3600000
max.poll.interval.ms C global integer 1 86400000
enable.auto.commit C global boolean
auto.commit.interval.ms C global integer 0 86400000
enable.auto.offset.store C global boolean
queued.min.messages C global integer 1 10000000
queued.max.messages.kbytes C global integer 1 2097151
fetch.wait.max.ms C global integer 0 300000
fetch.queue.backoff.ms C global integer 0 300000
fetch.message.max.bytes C global integer 1 1000000000
max.partition.fetch.bytes C global integer 1 1000000000
fetch.max.bytes C global integer 0 2147483135
fetch.min.bytes C global integer 1 100000000
fetch.error.backoff.ms C global integer 0 300000
offset.store.method C global enum none|file|broker
isolation.level C global enum read_uncommitted|read_committed
consume_cb C global callback
rebalance_cb C global callback
offset_commit_cb C global callback
enable.partition.eof C global boolean
check.crcs C global boolean
client.rack * global string
transactional.id P global string
transaction.timeout.ms P global integer 1000 2147483647
enable.idempotence P global boolean
enable.gapless.guarantee P global boolean
queue.buffering.max.messages P global integer 0 2147483647
queue.buffering.max.kbytes P global integer 1 2147483647
queue.buffering.max.ms P global float
linger.ms P global float
message.send.max.retries P global integer 0 2147483647
retries P global integer 0 2147483647
retry.backoff.ms * global integer 1 300000
retry.backoff.max.ms * global integer 1 300000
queue.buffering.backpressure.threshold P global integer 1 1000000
compression.codec P global enum none|gzip|snappy|lz4|zstd
compression.type P global enum none|gzip|snappy|lz4|zstd
batch.num.messages P global integer 1 1000000
batch.size P global integer 1 2147483647
delivery.report.only.error P global boolean
dr_cb P global callback
dr_msg_cb P global callback
sticky.partitioning.linger.ms P global integer 0 900000
client.dns.lookup * global enum use_all_dns_ips|resolve_canonical_bootstrap_servers_only
enable.metrics.push * global boolean
request.required.acks P topic integer -1 1000
acks P topic integer -1 1000
request.timeout.ms P topic integer 1 900000
message.timeout.ms P topic integer 0 2147483647
delivery.timeout.ms P topic integer 0 2147483647
queuing.strategy P topic enum fifo|lifo
produce.offset.report P topic boolean
partitioner P topic string
partitioner_cb P topic callback
msg_order_cmp P topic callback
opaque * topic callback
compression.codec P topic enum none|gzip|snappy|lz4|zstd|inherit
compression.type P topic enum none|gzip|snappy|lz4|zstd
compression.level P topic integer -1 12
auto.commit.enable C topic boolean
enable.auto.commit C topic boolean
auto.commit.interval.ms C topic integer 10 86400000
auto.offset.reset C topic enum smallest|earliest|beginning|largest|latest|end|error
offset.store.path C topic string
offset.store.sync.interval.ms C topic integer -1 86400000
offset.store.method C topic enum file|broker
consume.callback.max.messages C topic integer 0 1000000
`;

function parse(line: string): LibrdkafkaProperty {
  const [name = '', scope = '*', level = 'global', type = 'string', ...rest] = line.split(' ');
  return {
    name,
    scope: scope as PropertyScope,
    level: level as 'global' | 'topic',
    type: type as PropertyType,
    min: type === 'integer' ? Number(rest[0]) : -Infinity,
    max: type === 'integer' ? Number(rest[1]) : Infinity,
    values: type === 'enum' ? (rest[0] ?? '').split('|') : [],
  };
}

/** By name. A name of both levels stands here with its global meaning. */
export const LIBRDKAFKA_PROPERTIES: ReadonlyMap<string, LibrdkafkaProperty> = new Map(
  TABLE.trim()
    .split('\n')
    .reverse()
    .map((line) => [line.slice(0, line.indexOf(' ')), parse(line)]),
);
