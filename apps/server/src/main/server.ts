import 'reflect-metadata';
import type { Server } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { defined, err, ok, type Result, type Secret } from '@switchyard/values';
import { connectionBytes, watchConnections, type Connections } from '../platform/http/watch-connections.js';
import type { HttpContext } from '../platform/http/http-context.js';
import { HttpModule } from './http.module.js';
import type { Served, ServerPorts } from './server-ports.js';
import { admitRequests, callerOf, type Gate } from '../platform/http/admit.js';
import { serveConsole, toConsole } from '../platform/http/serve-console.js';
import { noTracing } from '@switchyard/telemetry';
import { traceOf, traceRequests } from '../platform/http/trace-requests.js';
import { crossOrigin, entryGuard } from '../platform/http/entry-guard.js';
import { FailureFilter } from '../platform/http/failure-filter.js';
import { fastifyAdapter } from '../platform/http/fastify-adapter.js';
import { listen, type ServerFailure } from '../platform/http/listen.js';
import {
  fromThisMachine,
  isLoopback,
  peerAddress,
  type ReachRules,
} from '../platform/http/access/peer-address.js';
import { fullChallenge } from '../platform/http/access/schemes.js';
import { createOAuthServer } from '../people/oauth/oauth-server.js';
import { personOf, sessionOf } from '../people/sign-in/sessions.js';
import { refuseOversized } from '../relay/refuse-oversized.js';
import { refuseUnknownWebhook } from '../webhooks/in/webhooks.controller.js';

export interface ServerOptions {
  readonly ports: ServerPorts;
  readonly served: Served;
  /**
   * The organization that answers callers without credentials
   * (docs/protocol/requests-and-versions.md#callers-without-credentials); if absent, none does.
   */
  readonly publicOrganizationId?: string;
  /** The secret in the admin file of the data folder: it allows `POST /v1/tokens` and nothing else. */
  readonly adminSecret?: Secret;
  /** The address to bind; loopback by default (docs/protocol/accounts.md#credentials-of-callers). */
  readonly host?: string;
  readonly port?: number;
  /** True if this very port was requested: then a port in use is a failure, not a reason to use the next. */
  readonly portIsExplicit?: boolean;
  /** Our own certificate, PEM. Required to bind beyond loopback, unless a trusted proxy is in front. */
  readonly tls?: { readonly certificate: string; readonly key: Secret };
  /**
   * The authorities (PEM) whose client certificates are read, which needs `tls`, and the certificate names of proxies
   * that may pass their caller's certificate (docs/protocol/accounts.md#credentials-of-callers).
   */
  readonly clientCertificates?: { readonly authorities: string; readonly proxies: readonly string[] };
  /** Addresses (CIDR or single) of the proxies that end TLS for us. */
  readonly trustedProxies?: readonly string[];
  /** The public address, if it is not the one to bind. Without a trailing slash. */
  readonly publicUrl?: string;
  /** Origins of other sites whose pages may call as programs do. */
  readonly origins?: readonly string[];
  readonly version?: string;
  /** The text of an answer over MCP: a summary for a model, or the JSON for clients that read no structured content. */
  readonly mcpText?: 'summary' | 'json';
  /** Serves `/healthz`, `/readyz` and `/metrics`, and nothing else. */
  readonly healthOnly?: boolean;
  /** Limits concurrent work; if absent, everything is admitted. */
  readonly gate?: Gate;
  /** How long answers in progress may take once the server closes, in milliseconds. Default 5,000. */
  readonly drainMs?: number;
  /** Gets unexpected errors of handlers. The caller gets only a code. */
  readonly onUnexpected?: (error: unknown, where: string) => void;
}

export interface RunningServer {
  /** Base address, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** The address on which this process listens, for programs on this machine. */
  readonly listensAt: string;
  /** Serves on, but closes each connection with its next answer, so that callers go to another replica. */
  turnAway(): void;
  /** Stops listening, lets answers in progress finish within the time, and resolves when the last one is sent. */
  close(): Promise<void>;
}

/** Starts the HTTP server. Process signals are handled by the caller, not here. */
export async function createServer(options: ServerOptions): Promise<Result<RunningServer, ServerFailure>> {
  const host = options.host ?? '127.0.0.1';
  const local = isLoopback(host);
  const trustedProxies = options.trustedProxies ?? [];
  if (!local && !options.tls && trustedProxies.length === 0) return err(refusedAddress(host));
  let url = options.publicUrl ?? '';
  const http = httpContext(options, () => url);
  const others = crossOrigin(options.origins ?? []);
  const mayEnter = entryGuard({ local, ...reachOf(options), admits: (request) => others.admits(request) });
  const { tls, clientCertificates, healthOnly = false } = options;
  const clientAuthorities = clientCertificates?.authorities;
  const adapter = fastifyAdapter({
    isHttps: tls !== undefined || options.publicUrl?.startsWith('https://') === true,
    crossOrigin: others,
    guard: (request) =>
      mayEnter(request) ??
      refuseUnknownWebhook(request, options.ports.webhooks, http) ??
      (healthOnly ? undefined : toConsole(request)),
    takes: (request, reply) => {
      const path = request.raw.url?.split('?')[0] ?? '';
      if (healthOnly || http.accessTokens?.owns(path) !== true) return false;
      void http.accessTokens.handle(request, reply);
      return true;
    },
    ...(tls ? { tls: { ...tls, ...(clientAuthorities === undefined ? {} : { clientAuthorities }) } } : {}),
  });
  if (!healthOnly) serveConsole(adapter.getInstance<FastifyInstance>());
  const { metrics } = options.ports;
  const bytesOf = connectionBytes();
  adapter.getInstance<FastifyInstance>().addHook('onResponse', (request, reply, done) => {
    metrics.answered?.({
      requestId: request.id,
      method: request.method,
      path: request.raw.url?.split('?')[0] ?? '',
      status: reply.statusCode,
      durationMs: reply.elapsedTime,
      ...bytesOf(request.raw.socket),
      ...defined({ route: request.routeOptions.url, caller: callerOf(request), traceId: traceOf(request) }),
    });
    done();
  });
  adapter.getInstance<FastifyInstance>().addHook('onRequest', (request, reply, done) => {
    // On the raw answer, so that whoever writes it, it has the header.
    reply.raw.setHeader('x-request-id', request.id);
    done();
  });
  const { gate } = options;
  const { tracing = noTracing } = options.ports;
  if (tracing.isOn) traceRequests(adapter.getInstance<FastifyInstance>(), tracing);
  if (gate !== undefined) admitRequests(adapter.getInstance<FastifyInstance>(), gate, http);
  adapter.getInstance<FastifyInstance>().addHook('onSend', (request, reply, payload, done) => {
    const challenge = reply.getHeader('www-authenticate');
    if (typeof challenge === 'string')
      void reply.header('www-authenticate', fullChallenge(challenge, url, request.url, http.schemes));
    done(null, payload);
  });
  // We parse bodies and write errors ourselves: Nest adds neither parser nor logger.
  const nestOptions = { bodyParser: false, logger: false, abortOnError: false } as const;
  const module = HttpModule.behind(http, { ...options.served, ports: options.ports }, healthOnly);
  // Nest types its options as a class and accepts any object of that shape.
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, nestOptions);
  app.useGlobalFilters(new FailureFilter(http, [refuseOversized(http, options.ports.relay)]));
  await app.init();
  const fastify = app.getHttpAdapter().getInstance();
  const connections = watchConnections(fastify.server, options.tls !== undefined);
  const bound = await listen(fastify, host, options);
  if (!bound.ok) {
    await app.close();
    return bound;
  }
  const scheme = options.tls ? 'https' : 'http';
  const shown = host.includes(':') ? `[${host.replace(/^\[|\]$/g, '')}]` : host;
  if (options.publicUrl === undefined) url = `${scheme}://${shown}:${bound.value}`;
  const near = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : shown;
  const listensAt = `${scheme}://${near}:${bound.value}`;
  return ok({
    url,
    port: bound.value,
    listensAt,
    turnAway: () => connections.endAfterAnswer(),
    close: () => closeEndpoints(app, fastify.server, connections, options.drainMs ?? 5_000),
  });
}

function httpContext(options: ServerOptions, url: () => string): HttpContext {
  const addressOf = peerAddress(options.trustedProxies ?? []);
  const onUnexpected = options.onUnexpected ?? (() => undefined);
  const { oauth, clock } = options.ports;
  const sessions = { ...options.ports, url };
  return {
    ...options.ports,
    readSession: (request) => sessionOf(request, sessions),
    ...(oauth === undefined
      ? {}
      : {
          accessTokens: createOAuthServer({
            ports: oauth,
            clock,
            issuer: url,
            sessionOf: (request) => personOf(request, sessions),
            addressOf,
            rates: options.ports.rates,
            onUnexpected,
          }),
        }),
    ...(options.publicOrganizationId === undefined
      ? {}
      : { publicOrganizationId: options.publicOrganizationId }),
    ...(options.adminSecret ? { adminSecret: options.adminSecret } : {}),
    schemes: {
      issuers: options.ports.issuedTokens.issuers ?? [],
      certificates: options.clientCertificates !== undefined,
      isOwnIssuer: oauth !== undefined,
    },
    certificateProxies: options.clientCertificates?.proxies ?? [],
    addressOf,
    fromThisMachine: fromThisMachine(reachOf(options)),
    version: options.version ?? '0.1.0',
    mcpText: options.mcpText ?? 'summary',
    onUnexpected,
    url,
  };
}

function reachOf({ tls, trustedProxies = [], publicUrl }: ServerOptions): ReachRules {
  return { tls: tls !== undefined, trustedProxies, ...(publicUrl === undefined ? {} : { publicUrl }) };
}

function refusedAddress(host: string): ServerFailure {
  return {
    code: 'address_refused',
    message:
      `Binding to ${host} would take credentials in plain text. Give a certificate (TLS 1.2 or later), ` +
      'or name the trusted proxy that ends TLS in front, or bind to 127.0.0.1.',
  };
}

/** Stops accepting connections, lets requests in progress finish within `drainMs`, and then ends them. */
async function closeEndpoints(
  app: NestFastifyApplication,
  server: Server,
  connections: Connections,
  drainMs: number,
): Promise<void> {
  const impatient = setTimeout(() => {
    server.closeAllConnections();
  }, drainMs);
  try {
    connections.endAfterAnswer();
    const closed = app.close();
    connections.endSilent();
    await closed;
  } finally {
    clearTimeout(impatient);
  }
}
