import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Secret } from '@switchyard/values';
import type { CrossOrigin } from './entry-guard.js';
import { bodyCaps, cappedStream, isCrumbs, readableBytes, tooLarge } from './body-caps.js';
import { refusal, sendAnswer, type HttpAnswer } from './http-answer.js';
import { requestIdOf } from './raw-headers.js';
import { answerOfStatus } from './failure-filter.js';

/**
 * How long a sender may take, in milliseconds: for its headers, and for its whole request. A sender that is too slow
 * gets an answer and is disconnected. The time of an answer is not limited here.
 */
interface HttpTimeouts {
  readonly headersMs: number;
  readonly requestMs: number;
}

export const httpTimeouts: HttpTimeouts = { headersMs: 10_000, requestMs: 30_000 };

interface AdapterOptions {
  readonly timeouts?: HttpTimeouts;
  readonly tls?: {
    readonly certificate: string;
    readonly key: Secret;
    /** The authorities of client certificates, PEM. A certificate is optional; an invalid one is refused. */
    readonly clientAuthorities?: string;
  };
  /** True if callers reach this server over TLS, ours or a proxy's. */
  readonly isHttps?: boolean;
  /** Answers why a request may not be admitted at all, before its body is read. */
  readonly guard: (request: FastifyRequest) => ReturnType<typeof refusal> | undefined;
  readonly crossOrigin?: CrossOrigin;
  /** Answers some paths itself, before the body is read. False for all others. */
  readonly takes?: (request: FastifyRequest, reply: FastifyReply) => boolean;
}

/** How much of an unwanted body is still read, in bytes, and for how long, in milliseconds. */
const mostBytes = 16 * 1024 * 1024;
const mostMs = 3_000;

/**
 * Reads and discards the rest of a body. A sender that is disconnected while it writes would see a broken connection
 * instead of the answer; one that never stops is disconnected in the end.
 */
function readRest(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    let [bytes, pieces] = [0, 0];
    const count = (chunk: Buffer): void => {
      bytes += chunk.length;
      pieces += 1;
      if (bytes > mostBytes || isCrumbs(bytes, pieces)) over();
    };
    const over = (): void => {
      clearTimeout(timeout);
      request.off('data', count).off('end', over).off('close', over);
      resolve();
    };
    const timeout = setTimeout(over, mostMs);
    request.on('data', count).once('end', over).once('close', over).resume();
  });
}

/** Requests of one connection that are begun in one turn of the event loop. */
const mostAtOnce = 100;

/**
 * Whether a connection sent more requests at once than `mostAtOnce`. Nobody who waits for answers does, and Node.js begins all
 * requests of one piece in one turn: some thousand, if they are short.
 */
function requestsAtOnce(): (socket: Socket) => boolean {
  const begun = new Map<Socket, number>();
  return (socket) => {
    if (begun.size === 0) setImmediate(() => begun.clear());
    const count = (begun.get(socket) ?? 0) + 1;
    begun.set(socket, count);
    return count > mostAtOnce;
  };
}

/**
 * Fastify for our protocols: every body stays the received bytes, each protocol has its own limit, and an error before
 * a handler runs is still answered with a code in JSON.
 */
export function fastifyAdapter(options: AdapterOptions): FastifyAdapter {
  const { tls, timeouts: limits = httpTimeouts, crossOrigin: others } = options;
  const timeouts = {
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: Math.ceil(limits.headersMs / 5),
  };
  const settings = {
    bodyLimit: bodyCaps.known.bytes,
    // The caller's own, if it can be a name; every answer and the audit have it.
    genReqId: (request: IncomingMessage) => requestIdOf(request.rawHeaders) ?? randomUUID(),
    requestTimeout: limits.requestMs,
    forceCloseConnections: 'idle',
    // A request that was received before listening ended is served normally.
    return503OnClosing: false,
    clientErrorHandler: refuseUnreadable,
    frameworkErrors: (error: { statusCode?: number }, _request: unknown, reply: FastifyReply) => {
      sendAnswer(reply, answerOfStatus(error.statusCode ?? 400));
    },
    ...(tls
      ? {
          https: {
            ...timeouts,
            cert: tls.certificate,
            key: tls.key.useText((text) => text),
            minVersion: 'TLSv1.2' as const,
            ...(tls.clientAuthorities === undefined
              ? {}
              : { requestCert: true, rejectUnauthorized: false, ca: tls.clientAuthorities }),
          },
        }
      : { http: timeouts }),
  };
  // The adapter's constructor has one signature per kind of server; ours is chosen at run time.
  const adapter = new FastifyAdapter(
    settings as ConstructorParameters<typeof FastifyAdapter>[0],
  ) as FastifyAdapter;
  const fastify = adapter.getInstance<FastifyInstance>();
  keepBytes(fastify);
  const known = knownMethods();
  fastify.addHook(
    'onRoute',
    (route: RouteOptions & { readonly config?: { readonly bodyLimit?: number } }) => {
      known.add(route);
      // Nest has no limit of a single route: a row that takes bytes says it here.
      if (route.config?.bodyLimit !== undefined) route.bodyLimit = route.config.bodyLimit;
      if (servesWithSlash.test(route.url) && route.method !== 'HEAD')
        fastify.route({ ...route, url: `${route.url}/` });
      if (route.url.startsWith('/webhooks/')) route.bodyLimit = bodyCaps.webhooks;
      if (route.url.startsWith('/relay/')) route.bodyLimit = bodyCaps.relay;
    },
  );
  const isFlooding = requestsAtOnce();
  fastify.addHook('onRequest', (request, reply, done) => {
    if (isFlooding(request.raw.socket)) {
      reply.hijack();
      request.raw.socket.destroy();
      return;
    }
    // No answer is read as another type than it says, whatever is in it.
    reply.raw.setHeader('x-content-type-options', 'nosniff');
    // A year, the usual time of Strict-Transport-Security (RFC 6797).
    if (options.isHttps === true) void reply.header('strict-transport-security', 'max-age=31536000');
    if (others !== undefined) void reply.headers(others.headersOf(request));
    const refusal = options.guard(request) ?? others?.preflight(request);
    if (refusal === undefined && options.takes?.(request, reply) === true) return;
    // Fastify would refuse a type that it cannot read by itself: before a signature is verified, and in no form of an endpoint.
    const type = request.raw.headers['content-type'];
    if (type !== undefined && !mediaType.test(type)) request.raw.headers['content-type'] = 'unknown/unknown';
    const refused =
      refusal ??
      (request.is404 ? known.refusalAt(pathOf(request)) : (encoded(request) ?? oversized(request)));
    if (refused) sendAnswer(reply, refused);
    else done();
  });
  fastify.addHook('preParsing', (request, _reply, payload, done) => {
    // A body with a Content-Length was checked by it, and Node reads no more than that.
    const bytes = isChunked(request) ? readableBytes(request) : undefined;
    done(null, bytes === undefined ? payload : pipeline(payload, cappedStream(bytes), () => undefined));
  });
  fastify.addHook('onSend', (request, reply, payload, done) => {
    if (reply.statusCode === 413 || reply.statusCode === 415 || isChunked(request))
      void readRest(request.raw).then(() => done(null, payload));
    else done(null, payload);
  });
  fastify.addHook('onResponse', (request, _reply, done) => {
    // Node.js would read the rest, however many chunks that is, to use the connection again.
    if (isChunked(request) && !request.raw.complete) request.raw.socket.destroy();
    done();
  });
  return adapter;
}

const isChunked = ({ headers }: FastifyRequest): boolean => headers['transfer-encoding'] !== undefined;

/** Addresses that people write with a slash at the end: the protocols' doors, and metadata. Nothing is redirected. */
const servesWithSlash = /^\/(?:mcp|a2a|(?:a2a\/)?\.well-known\/.*[^/])$/;

/** A type and a subtype, with parameters or without. */
const mediaType = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/;

const pathOf = (request: FastifyRequest): string => (request.raw.url ?? '').split('?')[0] ?? '';

/** Signatures and limits apply to the received bytes: nothing is decompressed here. */
function encoded(request: FastifyRequest): HttpAnswer | undefined {
  // The relay refuses the same itself, because its refusals are recorded.
  if (request.raw.url?.startsWith('/relay/') === true) return undefined;
  const named = request.headers['content-encoding'] ?? 'identity';
  if (named.trim().toLowerCase() === 'identity') return undefined;
  const message = 'Compressed bodies are not supported: send this one without a Content-Encoding.';
  return refusal({ code: 'UNSUPPORTED_MEDIA_TYPE', message, field: 'Content-Encoding' });
}

/** The length decides, so nothing of the body is read. The relay records its refusals for length itself. */
function oversized(request: FastifyRequest): HttpAnswer | undefined {
  if (request.raw.url?.startsWith('/relay/') === true) return undefined;
  const bytes = readableBytes(request);
  return Number(request.headers['content-length'] ?? 0) > bytes ? refusal(tooLarge(bytes)) : undefined;
}

function keepBytes(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}

/** Bytes that are not HTTP, or too late: there is no request to answer, only a socket. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [answer, reason] = unreadable(error.code);
  const body = JSON.stringify(answer.body);
  socket.end(
    `HTTP/1.1 ${answer.status} ${reason}\r\ncontent-type: application/json\r\nx-content-type-options: nosniff\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    // A sender that does not read the answer is disconnected.
    () => socket.destroy(),
  );
}

function unreadable(code: string | undefined): readonly [answer: HttpAnswer, reason: string] {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const message = 'The headers are too large.';
    return [refusal({ code: 'HEADERS_TOO_LARGE', message }), 'Request Header Fields Too Large'];
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    const message = 'The request did not arrive in time and was not processed. Send it again.';
    return [refusal({ code: 'REQUEST_TIMEOUT', message }), 'Request Timeout'];
  }
  return [answerOfStatus(400), 'Bad Request'];
}

/** The methods that each address accepts, collected from the declared routes. */
interface KnownMethods {
  add(route: { readonly method: string | readonly string[]; readonly url: string }): void;
  /** The refusal of a method that an address does not accept; undefined if there is no such address. */
  refusalAt(path: string): HttpAnswer | undefined;
}

/**
 * Answers a wrong method at an existing address with `405` and the accepted methods (RFC 9110, section 15.5.6). It uses
 * only the routes, so that the answer does not reveal whether the object in the address exists.
 */
function knownMethods(): KnownMethods {
  const methodsOf = new Map<string, Set<string>>();
  return {
    add: ({ method, url }) => {
      const methods = methodsOf.get(url) ?? new Set();
      for (const text of typeof method === 'string' ? [method] : method) methods.add(text);
      methodsOf.set(url, methods);
    },
    refusalAt: (path) => {
      const allowed = [...methodsOf].flatMap(([url, methods]) => (isAt(url, path) ? [...methods] : []));
      if (allowed.length === 0) return undefined;
      const allow = [...new Set(allowed)].sort().join(', ');
      const message = `This address supports only ${allow}.`;
      return refusal({ code: 'METHOD_NOT_ALLOWED', message }, { allow });
    },
  };
}

/** Whether a path without its query matches the pattern of a route. Parameters are whole segments. */
function isAt(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const given = path.split('/');
  return (
    wanted.length === given.length &&
    wanted.every((segment, at) => (segment.startsWith(':') ? given[at] !== '' : segment === given[at]))
  );
}
