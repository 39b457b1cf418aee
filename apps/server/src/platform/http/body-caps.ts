import { TLSSocket } from 'node:tls';
import { Transform } from 'node:stream';
import { dialects } from '@switchyard/protocol';
import type { FastifyRequest } from 'fastify';
import type { HttpFault } from './http-answer.js';

/** The limits of one body. Members are members of objects and items of lists, of the whole document. */
export interface BodyCap {
  readonly bytes: number;
  readonly members: number;
}

/** By protocol, and where callers need no credential, by whether they send one. */
export const bodyCaps = {
  webhooks: 1024 * 1024,
  relay: 2 * 1024 * 1024,
  known: { bytes: 1024 * 1024, members: 20_000 },
  anonymous: { bytes: 64 * 1024, members: 2_000 },
} as const;

export function capFor(caller: { readonly kind: string }): BodyCap {
  return caller.kind === 'public' ? bodyCaps.anonymous : bodyCaps.known;
}

/**
 * How many bytes of a body are read before the caller is known. Without anything that could be a credential the caller
 * stays anonymous, so no more is read than an anonymous caller may send.
 */
export function readableBytes(request: FastifyRequest): number {
  const { bodyLimit } = request.routeOptions;
  const url = request.raw.url ?? '';
  if (url.startsWith('/webhooks/') || url.startsWith('/relay/') || showsCredential(request)) return bodyLimit;
  return bodyCaps.anonymous.bytes;
}

export function tooLarge(bytes: number): HttpFault {
  return {
    code: 'PAYLOAD_TOO_LARGE',
    message: `The body is larger than the ${bytes} bytes that this caller may send.`,
    suggestion:
      bytes === bodyCaps.anonymous.bytes
        ? `Send a smaller body, or a credential: with one it may have ${bodyCaps.known.bytes} bytes.`
        : 'Send a smaller body.',
  };
}

/** Thrown while a body is read. */
export class BodyTooLarge extends Error {
  readonly statusCode = 413;

  constructor(readonly bytes: number) {
    super('The body is too large.');
  }
}

/** Whether a body comes in thousands of chunks of a few bytes: each costs as much time as a long one. */
export function isCrumbs(bytes: number, pieces: number): boolean {
  return pieces > 10_000 && bytes < pieces * 32;
}

/** Passes the bytes on, and fails if there are more than `bytes`, or if they are crumbs. */
export function cappedStream(bytes: number): Transform {
  let [seen, pieces] = [0, 0];
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      seen += chunk.length;
      pieces += 1;
      if (seen > bytes || isCrumbs(seen, pieces)) done(new BodyTooLarge(bytes));
      else done(null, chunk);
    },
  });
}

const credentialHeaders = [
  'authorization',
  'client-cert',
  'signature',
  dialects.ads.bearerAliasHeader,
  dialects.adcp.bearerAliasHeader,
];

function showsCredential({ headers, raw: { socket } }: FastifyRequest): boolean {
  if (credentialHeaders.some((name) => headers[name] !== undefined)) return true;
  return socket instanceof TLSSocket && socket.getPeerX509Certificate() !== undefined;
}
