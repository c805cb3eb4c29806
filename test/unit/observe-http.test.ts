import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { TidemarkError } from '../../src/contract/errors.ts';
import type { RuntimeSnapshot } from '../../src/contract/snapshot.ts';
import { METRICS } from '../../src/observe/catalog.ts';
import { startHttp } from '../../src/observe/http.ts';
import type { HttpOptions, HttpServer } from '../../src/observe/http.ts';
import { createMetrics } from '../../src/observe/metrics.ts';
import { parseExposition } from './observe-exposition.ts';
import { snapshotOf } from './observe-snapshots.ts';

interface Started extends HttpServer {
  readonly events: [name: string, fields: unknown][];
  readonly get: (path: string, init?: RequestInit) => Promise<Response>;
}

async function start(
  t: TestContext,
  snapshot: () => RuntimeSnapshot = snapshotOf,
  overrides: Partial<HttpOptions> = {},
): Promise<Started> {
  const events: [string, unknown][] = [];
  const note = (name: string, fields?: unknown) => void events.push([name, fields]);
  const server = await startHttp({
    host: '127.0.0.1',
    port: 0,
    snapshot,
    metrics: createMetrics(snapshot, () => undefined),
    config: { kafka: { groupId: 'billing', properties: { 'sasl.password': '****' } } },
    log: { event: note, throttled: note },
    ...overrides,
  });
  t.after(() => server.close());
  return { ...server, events, get: (path, init) => fetch(server.url + path, init) };
}

test('port 0 picks a free port, and the log tells where the server listens', async (t) => {
  const { port, url, events } = await start(t);
  assert.ok(port > 0);
  assert.equal(url, `http://127.0.0.1:${String(port)}`);
  assert.deepEqual(events, [['http_listening', { url, host: '127.0.0.1', port }]]);
});

test('/metrics is text that Prometheus reads', async (t) => {
  const { get } = await start(t);
  const response = await get('/metrics');
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  const families = parseExposition(await response.text());
  for (const name of Object.keys(METRICS)) assert.ok(families.has(`tidemark_${name}`), name);
});

test('/healthz and /readyz answer 200 or 503 with reasons', async (t) => {
  let snapshot = snapshotOf();
  const { get } = await start(t, () => snapshot);
  const ask = async (path: string) => {
    const response = await get(path);
    return [response.status, await response.json()];
  };
  assert.deepEqual(await ask('/healthz'), [200, { ok: true, reasons: [] }]);
  assert.deepEqual(await ask('/readyz'), [200, { ok: true, reasons: [] }]);
  snapshot = snapshotOf({ state: 'draining', sinceTurnMs: 20_000 });
  assert.deepEqual(await ask('/healthz'), [
    503,
    { ok: false, reasons: ['the main loop has not turned for 20 s'] },
  ]);
  assert.deepEqual(await ask('/readyz'), [
    503,
    { ok: false, reasons: ['the runtime is draining'] },
  ]);
});

test('/status shows partitions, workers, errors and the configuration it is given', async (t) => {
  const error = { name: 'Error', message: 'no', stack: 'at x', topic: 'orders', partition: 3 };
  const snapshot = snapshotOf({ lastErrors: [{ ...error, offset: 101, at: 0 }] });
  const { get } = await start(t, () => snapshot);
  const response = await get('/status');
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
  const status = (await response.json()) as Record<string, unknown>;
  assert.equal(status['state'], 'running');
  assert.equal(status['version'], '1.2.3');
  assert.equal(status['startedAt'], '2026-01-02T03:04:05.000Z');
  assert.deepEqual(status['partitions'], snapshot.partitions);
  assert.deepEqual(status['workers'], snapshot.workers);
  assert.deepEqual(status['lastErrors'], [
    { ...error, offset: 101, at: '1970-01-01T00:00:00.000Z' },
  ]);
  assert.deepEqual(status['config'], {
    kafka: { groupId: 'billing', properties: { 'sasl.password': '****' } },
  });
});

test('every route answers HEAD without a body, and nothing is cached', async (t) => {
  const { get } = await start(t);
  for (const path of ['/', '/metrics', '/healthz', '/readyz', '/status', '/status?x=1']) {
    for (const method of ['GET', 'HEAD']) {
      const response = await get(path, { method });
      assert.equal(response.status, 200, `${method} ${path}`);
      assert.equal(response.headers.get('cache-control'), 'no-store', path);
      const body = await response.text();
      assert.equal(body === '', method === 'HEAD', `${method} ${path}`);
    }
  }
});

test('an unknown path is 404, another method is 405, both in JSON', async (t) => {
  const { get } = await start(t);
  const missing = await get('/nothing');
  assert.equal(missing.status, 404);
  assert.deepEqual(await missing.json(), { error: 'not found' });
  for (const init of [
    { method: 'POST', body: '<odd/>', headers: { 'content-type': 'application/xml' } },
    { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } },
    { method: 'DELETE' },
  ]) {
    const response = await get('/metrics', init);
    assert.equal(response.status, 405);
    assert.equal(response.headers.get('allow'), 'GET, HEAD');
    assert.deepEqual(await response.json(), { error: 'method not allowed' });
  }
  assert.equal((await get('/%zz')).status, 400);
});

test('a snapshot that cannot be taken is an answer of 500 and a log line, and the server goes on', async (t) => {
  let broken = true;
  const { get, events } = await start(t, () => {
    if (broken) throw new Error('no snapshot: secret');
    return snapshotOf();
  });
  for (const path of ['/metrics', '/healthz', '/readyz', '/status']) {
    const response = await get(path);
    assert.equal(response.status, 500, path);
    assert.deepEqual(await response.json(), { error: 'internal error' });
  }
  assert.deepEqual(events.at(-1), [
    'http_failed',
    { path: '/status', message: 'no snapshot: secret' },
  ]);
  broken = false;
  assert.equal((await get('/status')).status, 200);
});

test('a port in use is an error that names the key, the value and the cure', async (t) => {
  const { port } = await start(t);
  await assert.rejects(start(t, snapshotOf, { port }), (error) => {
    assert.ok(error instanceof TidemarkError);
    assert.equal(error.code, 'TIDEMARK_HTTP_LISTEN');
    assert.match(error.message, new RegExp(`http\\.port ${String(port)}.*Set http\\.port`));
    return true;
  });
});

test('an address that is not of this machine is an error that names http.host', async (t) => {
  await assert.rejects(start(t, snapshotOf, { host: '192.0.2.1' }), {
    code: 'TIDEMARK_HTTP_LISTEN',
    message: /http\.host 192\.0\.2\.1.*Set http\.host/,
  });
});

test('an IPv6 address stands in brackets', async (t) => {
  try {
    const { url, get } = await start(t, snapshotOf, { host: '::1' });
    assert.match(url, /^http:\/\/\[::1\]:\d+$/);
    assert.equal((await get('/healthz')).status, 200);
  } catch (error) {
    // A machine without IPv6 must say so in the same way.
    assert.ok(error instanceof TidemarkError, String(error));
    t.skip('no IPv6 here');
  }
});

test('closing ends connections that are open and frees the port', async (t) => {
  const { close, port } = await start(t);
  const socket = connect(port, '127.0.0.1');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  // Half a request: the server must not wait for the rest of it.
  socket.write('GET /status HTTP/1.1\r\n');
  await close();
  await closed;
  const again = await start(t, snapshotOf, { port });
  assert.equal(again.port, port);
});
