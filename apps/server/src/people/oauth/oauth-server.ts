import type { IncomingMessage } from 'node:http';
import type { FastifyReply } from 'fastify';
import { errors as joseErrors, jwtVerify } from 'jose';
import type Provider from 'oidc-provider';
import {
  expandScopes,
  permissionsOfScopes,
  programScopes,
  withFewerPermissions,
  type Principal,
} from '@switchyard/tenancy';
import { err, ok, type Result } from '@switchyard/values';
import type { AccessTokens } from '../../platform/http/access/access-tokens.js';
import { resourcePaths } from '../../platform/http/access/schemes.js';
import { claimedIssuer } from '../../platform/caller/claimed-issuer.js';
import { interact, pathOf, send } from './interaction.js';
import { faultPage } from './pages.js';
import type { OAuthDeps, OAuthPorts } from './ports.js';
import { grantedScope, oauthRoutes, personOf, providerOptions } from './provider-options.js';
import { refreshSuccessor } from './refresh-successor.js';
import { createRegistrationBudget } from './registration-budget.js';

const metadataPath = '/.well-known/oauth-authorization-server';
/** The same document for clients of OpenID Connect Discovery. */
const metadataPaths: readonly string[] = [metadataPath, '/.well-known/openid-configuration'];
/** Where a client registers that reads no metadata (MCP 2025-03-26). */
const bareRegistration = '/register';
/** The accepted clock difference of our own processes, in seconds. */
const skewSeconds = 5;

/** The authorization server: tokens for programs that a person lets in. */
export function createOAuthServer(deps: OAuthDeps): AccessTokens {
  const providers = providersOf(deps);
  const registrations = createRegistrationBudget(deps.clock);
  return {
    owns: (path) => {
      const bare = withoutSlash(path);
      return metadataPaths.includes(bare) || bare === bareRegistration || path.startsWith('/oauth/');
    },
    isOurs: (token) => claimedIssuer(token) === deps.issuer(),
    verify: (token, path) => verify(deps, token, path),
    handle: async (request, reply) => {
      const headers = reply.getHeaders();
      reply.hijack();
      for (const [name, value] of Object.entries(headers))
        if (value !== undefined) reply.raw.setHeader(name, value);
      try {
        const bare = withoutSlash(pathOf(request.raw));
        if (bare === bareRegistration) request.raw.url = oauthRoutes.registration;
        else if (metadataPaths.includes(bare)) request.raw.url = bare;
        const path = pathOf(request.raw);
        const address = deps.addressOf(request);
        const isRead = request.method === 'GET';
        const isRegistration = path === oauthRoutes.registration && request.method === 'POST';
        const wait =
          deps.rates.take(`address:${address}`, isRead ? 'read' : 'write')?.retryAfter ??
          (isRegistration ? registrations.take(address) : undefined);
        if (wait !== undefined) {
          reply.raw.setHeader('retry-after', String(wait));
          sendJson(reply, 429, {
            error: 'temporarily_unavailable',
            error_description: `Too many requests came from this address. Wait ${wait} seconds.`,
          });
          return;
        }
        const provider = await providers();
        asKnownByOthers(request.raw, deps.issuer());
        if (path.startsWith(`${oauthRoutes.interaction}/`)) await interact(deps, provider, request, reply);
        else {
          if (path === oauthRoutes.authorization) asNewRequest(request.raw);
          await (provider.callback() as (req: unknown, res: unknown) => Promise<void>)(
            request.raw,
            reply.raw,
          );
        }
      } catch (error) {
        deps.onUnexpected(error, 'the authorization server');
        if (!reply.raw.headersSent) send(reply, faultPage(500, 'Something went wrong here. Try again.'));
        else reply.raw.destroy();
      }
    },
  };
}

/** The library takes its keys when it is made, so it is made again when they change. */
function providersOf(deps: OAuthDeps): () => Promise<Provider> {
  let made: { readonly version: string; readonly provider: Promise<Provider> } | undefined;
  return async () => {
    const keys = await deps.ports.keys.current();
    const version = `${deps.issuer()} ${keys.version}`;
    if (made?.version !== version) {
      const provider = createProvider(deps, keys);
      made = { version, provider };
      provider.catch(() => {
        made = undefined;
      });
    }
    return made.provider;
  };
}

async function createProvider(
  deps: OAuthDeps,
  keys: Awaited<ReturnType<OAuthPorts['keys']['current']>>,
): Promise<Provider> {
  // Loaded only when somebody signs in.
  const { default: Provider, errors } = await import('oidc-provider');
  const provider = new Provider(deps.issuer(), providerOptions(deps, keys, errors));
  const [successorKey = ''] = keys.cookieKeys;
  const refreshTokens = provider.RefreshToken.prototype as unknown as { generateTokenId: () => string };
  const randomId = refreshTokens.generateTokenId;
  refreshTokens.generateTokenId = function () {
    const spent = Provider.ctx?.oidc.entities.RotatedRefreshToken?.jti;
    return spent === undefined ? randomId.call(this) : refreshSuccessor(spent, successorKey);
  };
  // It trusts these headers, which `asKnownByOthers` sets.
  provider.proxy = true;
  provider.use(async (ctx, next) => {
    await next();
    // The library creates a secret unless the client requests none. The secret is never used.
    const answer = ctx.body as Record<string, unknown> | undefined;
    if (ctx.path !== oauthRoutes.registration || ctx.status !== 201) return;
    ctx.body = {
      ...answer,
      client_secret: undefined,
      client_secret_expires_at: undefined,
      scope: ctx.state[grantedScope] as string | undefined,
    };
  });
  provider.use(async (ctx, next) => {
    await next();
    if (ctx.path !== oauthRoutes.authorization) return;
    const to = ctx.res.getHeader('location');
    // With `form_post` the library answers a page that sends itself on.
    const leadsOn =
      to === undefined ? String(ctx.body).includes('<form') : !String(to).startsWith(oauthRoutes.interaction);
    if (!leadsOn) return;
    const shown = faultPage(400, faultIn(String(to)));
    ctx.remove('location');
    ctx.set(shown.headers as Record<string, string>);
    ctx.status = shown.status;
    ctx.body = shown.html;
  });
  provider.on('server_error', (_ctx, error) => deps.onUnexpected(error, 'the authorization server'));
  return provider;
}

/**
 * What a refusal that would lead to the client says, as text. Anybody can register a client, so before a person has
 * answered the browser is led nowhere: an address of ours would open any other (RFC 9700, 4.11.2).
 */
function faultIn(location: string): string {
  const { search, hash } = new URL(location, 'http://localhost');
  const members = new URLSearchParams(search === '' ? hash.slice(1) : search);
  const [error, why] = [members.get('error'), members.get('error_description')];
  return `${error ?? 'invalid_request'}: ${why ?? 'the program requested something that is not offered'}`;
}

/** Addresses in answers are built from our public address, never from a caller's headers. */
function asKnownByOthers(request: IncomingMessage, issuer: string): void {
  const { host, protocol } = new URL(issuer);
  delete request.headers['x-forwarded-for'];
  delete request.headers['x-forwarded-host'];
  request.headers.host = host;
  request.headers['x-forwarded-proto'] = protocol.slice(0, -1);
}

/**
 * Each authorization request starts without a person: the current session decides who it is for, so that an ended
 * session, or another person's, grants nothing. Without a scope it requests `read`. A name for several scopes is written
 * out, so that the person can give some of them.
 */
function asNewRequest(request: IncomingMessage): void {
  const cookies = (request.headers.cookie ?? '').split(/; */);
  request.headers.cookie = cookies.filter((cookie) => !cookie.startsWith('switchyard_oauth')).join('; ');
  const [path = '', query = ''] = (request.url ?? '').split('?');
  if (request.method !== 'GET') return;
  const members = new URLSearchParams(query);
  const requested = (members.get('scope') ?? 'read').split(' ');
  const others = requested.filter((name) => !programScopes.includes(name));
  members.set('scope', [...others, ...expandScopes(requested.join(' '))].join(' '));
  request.url = `${path}?${members.toString()}`;
}

async function verify(deps: OAuthDeps, token: string, path: string): Promise<Result<Principal, string>> {
  const { ports, clock } = deps;
  const now = clock.now();
  const resource = resourcePaths.find(
    (resourcePath) => path === resourcePath || path.startsWith(`${resourcePath}/`),
  );
  if (resource === undefined) return err('is for another resource');
  const checked = await jwtVerify(token, ports.keys.resolve, {
    issuer: deps.issuer(),
    audience: `${deps.issuer()}${resource}`,
    algorithms: ['ES256'],
    typ: 'at+jwt',
    requiredClaims: ['sub', 'exp', 'scope', 'grant_id'],
    clockTolerance: skewSeconds,
    currentDate: new Date(now),
  }).catch((error: unknown) => error);
  if (checked instanceof joseErrors.JWTExpired) return err('has expired');
  if (checked instanceof joseErrors.JWTClaimValidationFailed) return err(`does not hold: ${checked.claim}`);
  if (checked instanceof joseErrors.JOSEError) return err('does not hold');
  if (checked instanceof Error) throw checked;
  const { payload } = checked as Awaited<ReturnType<typeof jwtVerify>>;
  const account = String(payload.sub);
  const grant = await ports.store.find('Grant', String(payload['grant_id']), now);
  if (grant === undefined || grant.payload['accountId'] !== account) return err('was revoked');
  const person = await personOf(deps, account);
  if (person === undefined) return err('belongs to a disabled principal');
  const program = grant.payload['clientId'];
  if (typeof program !== 'string') return err('was revoked');
  return ok({ ...withFewerPermissions(person, permissionsOfScopes(String(payload['scope']))), program });
}

const withoutSlash = (path: string): string => path.replace(/\/$/, '');

function sendJson(reply: FastifyReply, status: number, body: object): void {
  const text = JSON.stringify(body);
  reply.raw.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  reply.raw.end(text);
}
