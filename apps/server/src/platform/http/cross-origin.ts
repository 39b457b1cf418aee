import type { FastifyRequest } from 'fastify';
import type { HttpAnswer } from './http-answer.js';

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
