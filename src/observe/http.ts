/**
 * The HTTP server: metrics, health, status, and a page for people. Main thread. Whatever a request
 * does, the runtime goes on: what cannot be answered becomes a response and a log line. The only
 * importer of fastify.
 */
import { fastify } from 'fastify';
import type { FastifyError, FastifyInstance, FastifyReply } from 'fastify';
import { TidemarkError } from '../contract/errors.ts';
import type { RuntimeSnapshot } from '../contract/snapshot.ts';
import { healthz, readyz } from './health.ts';
import type { Verdict } from './health.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { PAGE, PAGE_POLICY } from './page.ts';
import { statusOf } from './status.ts';

export interface HttpOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly snapshot: () => RuntimeSnapshot;
  readonly metrics: Pick<Metrics, 'render' | 'contentType'>;
  /** The configuration as `/status` shows it: secrets masked. */
  readonly config: unknown;
  readonly log: Pick<Log, 'event' | 'throttled'>;
}

export interface HttpServer {
  readonly port: number;
  /** For example `http://127.0.0.1:9464`. */
  readonly url: string;
  /** Ends open connections too; resolves within {@link CLOSE_MS}. Never rejects. */
  readonly close: () => Promise<void>;
}

export const CLOSE_MS = 1000;
const REQUEST_MS = 10_000;
/** No route reads a body. */
const BODY_LIMIT = 64 * 1024;

/** Rejects with TIDEMARK_HTTP_LISTEN when it cannot listen there. */
export async function startHttp(options: HttpOptions): Promise<HttpServer> {
  const { host, port, log } = options;
  const app = fastify({
    forceCloseConnections: true,
    requestTimeout: REQUEST_MS,
    bodyLimit: BODY_LIMIT,
  });
  refuseUnknown(app);
  addRoutes(app, options);
  app.setErrorHandler((error, request, reply) => {
    const { message, statusCode = 500 } = error as FastifyError;
    if (statusCode < 500) return reply.code(statusCode).send({ error: message });
    log.throttled('http_failed', { path: request.routeOptions.url ?? 'unknown', message });
    return reply.code(500).send({ error: 'internal error' });
  });
  try {
    await app.listen({ host, port });
  } catch (error) {
    await app.close();
    throw cannotListen(host, port, error as NodeJS.ErrnoException);
  }
  app.server.on('error', (error) => {
    log.throttled('http_failed', { path: 'none', message: error.message });
  });
  const address = app.server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${String(bound)}`;
  log.event('http_listening', { url, host, port: bound });
  return { port: bound, url, close: () => closeBounded(app) };
}

function addRoutes(app: FastifyInstance, { snapshot, metrics, config }: HttpOptions): void {
  app.get('/metrics', async (_request, reply) => {
    const text = await metrics.render();
    return reply.type(metrics.contentType).send(text);
  });
  app.get('/healthz', (_request, reply) => answer(reply, healthz(snapshot())));
  app.get('/readyz', (_request, reply) => answer(reply, readyz(snapshot())));
  app.get('/status', (_request, reply) => reply.send(statusOf(snapshot(), config, Date.now())));
  app.get('/', (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', PAGE_POLICY)
      .header('referrer-policy', 'no-referrer')
      .send(PAGE),
  );
}

function answer(reply: FastifyReply, { ok, reasons }: Verdict): FastifyReply {
  return reply.code(ok ? 200 : 503).send({ ok, reasons });
}

/** Before any body is read, so that an odd content type is not answered instead. */
function refuseUnknown(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff');
    if (!request.is404) return;
    const path = request.url.split('?', 1)[0] ?? '/';
    if (app.hasRoute({ method: 'GET', url: path }))
      await reply.code(405).header('allow', 'GET, HEAD').send({ error: 'method not allowed' });
    else await reply.code(404).send({ error: 'not found' });
  });
}

const CURES: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'another process listens there. Set http.port to a free port (0 picks one), or http.enabled to false',
  EACCES: 'the system does not allow that port. Set http.port to one above 1023',
  EADDRNOTAVAIL: 'this machine does not have that address. Set http.host to one that it has',
  ENOTFOUND: 'no address has that name. Set http.host to an address or a name of this machine',
};

function cannotListen(host: string, port: number, cause: NodeJS.ErrnoException): TidemarkError {
  const why =
    CURES[cause.code ?? ''] ??
    `${cause.message}. Set http.host and http.port, or http.enabled to false`;
  return new TidemarkError(
    'TIDEMARK_HTTP_LISTEN',
    `cannot listen on http.host ${host}, http.port ${String(port)}: ${why}.`,
    { cause },
  );
}

async function closeBounded(app: FastifyInstance): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const bound = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSE_MS);
  });
  const closed = app.close().then(
    () => undefined,
    () => undefined,
  );
  await Promise.race([closed, bound]);
  clearTimeout(timer);
}
