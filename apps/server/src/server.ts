import 'reflect-metadata';
import type { Server } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { GrantDirectory, IdentityDirectory, IsStopped, PrincipalDirectory } from '@switchyard/tenancy';
import { err, ok, type Clock, type JsonObject, type Result, type Secret } from '@switchyard/values';
import type { RecordAct } from './admin/people/record-act.js';
import type { RunRoute } from './admin/routes.js';
import type { ChangeStreams } from './changes/change-streams.js';
import type { MetricsPage, ReadyCheck } from './tasks/ports/health.js';
import type { IssuedTokens } from './tasks/caller/issued-tokens.js';
import type { RateLimits } from './tasks/caller/rate-limits.js';
import type { TestController } from './tasks/ports/test-controller.js';
import type { Relay } from './tasks/ports/relay.js';
import type { RequestSignatures } from './tasks/caller/request-signatures.js';
import type { TaskService } from './tasks/task-call.js';
import type { AnsweredTasks } from './tasks/operation/answered-tasks.js';
import type { TaskPush } from './tasks/operation/task-push.js';
import type { WebhookIntake } from './tasks/ports/webhook-intake.js';
import type { HttpContext } from './http/http-context.js';
import { HttpModule } from './http/http.module.js';
import { admitRequests, type Gate } from './http/admit.js';
import { serveConsole, toConsole } from './http/console/serve-console.js';
import { entryGuard } from './http/entry-guard.js';
import { FailureFilter } from './http/failure-filter.js';
import { doorAdapter } from './http/fastify-adapter.js';
import { listen } from './http/listen.js';
import type { PublishedHead } from './composition/anchor-ledger.js';
import { isLoopback } from './http/loopback.js';
import { fromThisMachine, peerAddress, type ReachRules } from './http/access/peer-address.js';
import { fullChallenge } from './http/access/schemes.js';
import { watchConnections, type Connections } from './http/watch-connections.js';
import { createOAuthServer } from './sign-in/oauth/oauth-server.js';
import { personOf, type SignIn } from './sign-in/sessions.js';
import type { OAuthPorts } from './sign-in/oauth/ports.js';
import { refuseUnknownWebhook } from './http/webhooks.controller.js';

/** Everything that stands behind the doors. */
export interface ServerPorts {
  readonly changes: Pick<ChangeStreams, 'open'>;
  readonly tasks: TaskService;
  readonly taskPush: TaskPush;
  readonly answeredTasks: AnsweredTasks;
  readonly runRoute: RunRoute;
  /** Every act of administration goes through it. */
  readonly recordAct: RecordAct;
  readonly webhooks: WebhookIntake;
  /** The public halves of every key of ours that somebody may still have to verify with. */
  readonly publishedKeys: () => Promise<readonly JsonObject[]>;
  /** Signed heads of an organization's ledger, the newest first; none where nothing was signed, or nobody has this id. */
  readonly publishedHeads: (organizationId: string) => Promise<readonly PublishedHead[]>;
  readonly relay: Relay;
  readonly signatures: RequestSignatures;
  /** In the local profile alone. */
  readonly rehearsal?: TestController;
  readonly principals: Pick<PrincipalDirectory, 'findByTokenHash' | 'mintToken' | 'revokeToken' | 'noteUse'>;
  /** Absent: people sign in with tokens and links alone. */
  readonly signIn?: SignIn;
  /** Who can grant what a caller lacks; absent: nobody is named. */
  readonly grants?: Pick<GrantDirectory, 'holders'>;
  readonly identities: Pick<IdentityDirectory, 'find' | 'prove'>;
  readonly issuedTokens: IssuedTokens;
  /** The authorization server of these doors; absent where people cannot sign in. */
  readonly oauth?: OAuthPorts;
  readonly rates: RateLimits;
  readonly isStopped: IsStopped;
  readonly ready: ReadyCheck;
  readonly metrics: MetricsPage;
  readonly clock: Clock;
}

export interface ServerOptions {
  readonly ports: ServerPorts;
  /**
   * The organization that answers callers without credentials
   * (docs/protocol/requests-and-versions.md#callers-without-credentials); absent: nobody does.
   */
  readonly publicOrganizationId?: string;
  /** What the admin file of the data folder holds: opens `POST /v1/tokens` and nothing else. */
  readonly adminSecret?: Secret;
  /** Where the doors bind; loopback unless told (docs/protocol/accounts.md#credentials-of-callers). */
  readonly host?: string;
  readonly port?: number;
  /** True when somebody asked for this very port: then a taken one is a failure, not a reason to take the next. */
  readonly portIsExplicit?: boolean;
  /** Our own certificate, PEM. Needed to bind beyond loopback unless a trusted proxy stands in front. */
  readonly tls?: { readonly certificate: string; readonly key: Secret };
  /**
   * The authorities (PEM) whose client certificates are looked at, which needs `tls`, and the names of proxies whose own
   * certificate lets them hand over their caller's (docs/protocol/accounts.md#credentials-of-callers).
   */
  readonly clientCertificates?: { readonly authorities: string; readonly proxies: readonly string[] };
  /** Addresses (CIDR or single) of the proxies that end TLS for us. */
  readonly trustedProxies?: readonly string[];
  /** The address that counterparties reach us at, when it is not where we bind. Without a trailing slash. */
  readonly publicUrl?: string;
  readonly version?: string;
  /** The text of an answer over MCP: a summary for a model, or the JSON for clients that read no structured content. */
  readonly mcpText?: 'summary' | 'json';
  /** Serves `/healthz`, `/readyz` and `/metrics`, and nothing else. */
  readonly healthOnly?: boolean;
  /** Bounds what is at work at once; everything is let in when absent. */
  readonly gate?: Gate;
  /** How long answers under way may take once the server closes, in milliseconds. Default 5,000. */
  readonly drainMs?: number;
  /** Told of what should not have happened: a thrown error behind a door. The caller hears no more than a code. */
  readonly onUnexpected?: (error: unknown, where: string) => void;
}

export interface ServerFailure {
  readonly code: 'port_taken' | 'address_refused' | 'cannot_listen';
  /** For a person: says what to do. */
  readonly message: string;
}

export interface RunningServer {
  /** Base address, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Where this process itself listens, as a program on this machine calls it. */
  readonly listensAt: string;
  /** Serves on, and has each connection end with its next answer: whoever calls again is to find another replica. */
  turnAway(): void;
  /** Stops listening, lets what is under way be answered within the time, and resolves when the last answer has left. */
  close(): Promise<void>;
}

/** Opens the doors. Signals are the caller's business: nothing here listens for them. */
export async function createServer(options: ServerOptions): Promise<Result<RunningServer, ServerFailure>> {
  const host = options.host ?? '127.0.0.1';
  const local = isLoopback(host);
  const trustedProxies = options.trustedProxies ?? [];
  if (!local && !options.tls && trustedProxies.length === 0) return err(refusedAddress(host));
  let url = options.publicUrl ?? '';
  const doors = doorsContext(options, () => url);
  const mayEnter = entryGuard({ local, ...reachOf(options) });
  const { tls, clientCertificates, healthOnly = false } = options;
  const clientAuthorities = clientCertificates?.authorities;
  const adapter = doorAdapter({
    isHttps: tls !== undefined || options.publicUrl?.startsWith('https://') === true,
    guard: (request) =>
      mayEnter(request) ??
      refuseUnknownWebhook(request, doors) ??
      (healthOnly ? undefined : toConsole(request)),
    takes: (request, reply) => {
      const path = request.raw.url?.split('?')[0] ?? '';
      if (healthOnly || doors.accessTokens?.owns(path) !== true) return false;
      void doors.accessTokens.handle(request, reply);
      return true;
    },
    ...(tls ? { tls: { ...tls, ...(clientAuthorities === undefined ? {} : { clientAuthorities }) } } : {}),
  });
  if (!healthOnly) serveConsole(adapter.getInstance<FastifyInstance>());
  const { metrics } = options.ports;
  adapter.getInstance<FastifyInstance>().addHook('onResponse', (request, reply, done) => {
    metrics.answered?.(request.raw.url?.split('?')[0] ?? '', reply.statusCode);
    done();
  });
  const { gate } = options;
  if (gate !== undefined) admitRequests(adapter.getInstance<FastifyInstance>(), gate, doors);
  adapter.getInstance<FastifyInstance>().addHook('onSend', (request, reply, payload, done) => {
    const challenge = reply.getHeader('www-authenticate');
    if (typeof challenge === 'string')
      void reply.header('www-authenticate', fullChallenge(challenge, url, request.url, doors.schemes));
    done(null, payload);
  });
  // Bodies are ours to read and failures ours to word: Nest brings neither parser nor logger.
  const nestOptions = { bodyParser: false, logger: false, abortOnError: false } as const;
  const module = HttpModule.behind(doors, healthOnly);
  // Nest types its options as a class and takes any object of that form.
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, nestOptions);
  app.useGlobalFilters(new FailureFilter(doors));
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
    close: () => closeDoors(app, fastify.server, connections, options.drainMs ?? 5_000),
  });
}

function doorsContext(options: ServerOptions, url: () => string): HttpContext {
  const addressOf = peerAddress(options.trustedProxies ?? []);
  const onUnexpected = options.onUnexpected ?? (() => undefined);
  const { oauth, clock } = options.ports;
  return {
    ...options.ports,
    ...(oauth === undefined
      ? {}
      : {
          accessTokens: createOAuthServer({
            ports: oauth,
            clock,
            issuer: url,
            sessionOf: (request) => personOf(request, { ...options.ports, url }),
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

/** Stops taking connections, lets what is under way finish within `drainMs`, and then ends it. */
async function closeDoors(
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
