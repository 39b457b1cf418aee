import type { FastifyRequest } from 'fastify';
import { refusal, type HttpAnswer } from './http-answer.js';
import { inNetworks, isLoopback } from './access/peer-address.js';

export interface EntryRules {
  /** True when we are bound to loopback alone. */
  readonly local: boolean;
  readonly tls: boolean;
  readonly trustedProxies: readonly string[];
  readonly publicUrl?: string;
  /** Whether a page of another origin may send this request. No page may, unless this says so. */
  readonly admits?: (request: FastifyRequest) => boolean;
}

/**
 * Decides who may send requests at all. It refuses web pages of other origins, which reach a loopback address through
 * its owner's browser; on loopback every request, also a GET without an origin, to a name that only resolves to us; and
 * plain text from anywhere but a proxy that ends TLS for us.
 */
export function entryGuard(rules: EntryRules): (request: FastifyRequest) => HttpAnswer | undefined {
  const proxies = inNetworks(rules.trustedProxies);
  const ownHost = rules.publicUrl === undefined ? undefined : new URL(rules.publicUrl).host;
  return (request) => {
    const peer = request.raw.socket.remoteAddress ?? '';
    if (!rules.local && !rules.tls && !isLoopback(peer) && !proxies(peer)) {
      return refusal({
        code: 'TLS_REQUIRED',
        message: 'Plain HTTP is accepted only from the trusted proxy.',
      });
    }
    const { origin, host } = request.headers;
    const isOther = origin !== undefined && !isOwnOrigin(origin, host ?? '', rules.local, ownHost);
    if (isOther && rules.admits?.(request) !== true)
      return refusal({
        code: 'ORIGIN_NOT_ALLOWED',
        message: 'Pages of that origin may not call this server.',
      });
    if (rules.local && host !== undefined && !isOwnHost(host, ownHost)) {
      const message = 'This server does not have that host name. Behind a proxy set SWITCHYARD_PUBLIC_URL.';
      return refusal({ code: 'HOST_NOT_ALLOWED', message });
    }
    return undefined;
  };
}

function isOwnHost(host: string, ownHost: string | undefined): boolean {
  if (host.toLowerCase() === ownHost) return true;
  const url = `http://${host}`;
  return URL.canParse(url) && isLoopback(new URL(url).hostname);
}

function isOwnOrigin(origin: string, host: string, local: boolean, ownHost: string | undefined): boolean {
  if (!URL.canParse(origin)) return false;
  const from = new URL(origin);
  if (ownHost !== undefined && from.host === ownHost) return true;
  // On loopback a name that only resolves to us is not ours: DNS rebinding reaches this address that way.
  return from.host === host && (!local || isLoopback(from.hostname));
}

/** Documents that are the same for everybody: discovery, keys, descriptions. */
const publicDocument = /^\/(?:a2a\/)?\.well-known\/|^\/(?:oauth\/jwks|openapi\.json)\/?$/;

/** Where a program calls with a credential in a header. Pages for people, and what a cookie opens, are not among them. */
const forPrograms = /^\/(?:mcp|a2a|register)\/?$|^\/v1\/(?!session)|^\/oauth\/(?:token|register|revoke)$/;

/** The least that a browser needs to know of a refusal, and how to go on. */
const shownHeaders = 'www-authenticate, retry-after, location, content-disposition, idempotency-replayed';

/** How long a browser may keep the answer to a preflight, in seconds. */
const preflightSeconds = '600';

/** What pages of other origins may do here (the CORS protocol of the Fetch standard). No cookie is ever admitted. */
export interface CrossOrigin {
  /** Whether a page of that origin may send this request. */
  admits(request: FastifyRequest): boolean;
  /** The headers of every answer to this request. */
  headersOf(request: FastifyRequest): Readonly<Record<string, string>>;
  /** The answer to a preflight that is admitted; undefined for every other request. */
  preflight(request: FastifyRequest): HttpAnswer | undefined;
}

/** Public documents answer any origin. The listed origins may also call as programs do. */
export function crossOrigin(origins: readonly string[]): CrossOrigin {
  const isPublic = (request: FastifyRequest): boolean =>
    publicDocument.test(pathOf(request)) && ['GET', 'HEAD', 'OPTIONS'].includes(request.method);
  const isListed = (request: FastifyRequest): boolean =>
    forPrograms.test(pathOf(request)) && origins.includes(request.headers.origin ?? '');
  const admits = (request: FastifyRequest): boolean => isPublic(request) || isListed(request);
  return {
    admits,
    headersOf: (request) => {
      if (isPublic(request)) return { 'access-control-allow-origin': '*' };
      if (origins.length === 0 || !forPrograms.test(pathOf(request))) return {};
      return {
        vary: 'Origin',
        ...(isListed(request) && {
          'access-control-allow-origin': request.headers.origin ?? '',
          'access-control-expose-headers': shownHeaders,
        }),
      };
    },
    preflight: (request) => {
      const { 'access-control-request-method': method, 'access-control-request-headers': asked } =
        request.headers;
      if (request.method !== 'OPTIONS' || method === undefined || !admits(request)) return undefined;
      const isFit = typeof asked === 'string' && /^[\w, -]{1,1000}$/.test(asked);
      return {
        status: 204,
        headers: {
          'access-control-allow-methods': isPublic(request) ? 'GET' : 'GET, POST, DELETE',
          ...(isFit && { 'access-control-allow-headers': asked }),
          'access-control-max-age': preflightSeconds,
        },
      };
    },
  };
}

const pathOf = (request: FastifyRequest): string => (request.raw.url ?? '').split('?')[0] ?? '';
