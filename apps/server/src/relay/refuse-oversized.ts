import type { FastifyReply, FastifyRequest } from 'fastify';
import { rateKeyOf } from '../platform/caller/rate-limits.js';
import { authenticate } from '../platform/http/access/auth.js';
import type { AnswerOversized } from '../platform/http/failure-filter.js';
import { rateLimited, sendAnswer, type HttpAnswer } from '../platform/http/http-answer.js';
import type { HttpContext } from '../platform/http/http-context.js';
import { relayRefusal } from './relay-refusal.js';
import type { Relay } from './relay.js';

/** The seller and the protocol in the address of a relayed request. */
const relayPath = /^\/relay\/([^/?]+)\/(mcp|a2a)(?:\?|$)/;

/** The relay records what it refuses, also if the body was never read. */
export function refuseOversized(http: HttpContext, relay: Pick<Relay, 'tooLarge'>): AnswerOversized {
  return (request, reply, plain) => {
    if (request.raw.url?.startsWith('/relay/') !== true) return false;
    void answer(request, reply, { http, relay, plain });
    return true;
  };
}

/**
 * Refuses a sealed request whose body is too large, and stores a record of it: its caller is known without the body.
 * Nothing of the body is stored or hashed. An unknown caller gets `plain`, which has no record.
 */
async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    http,
    relay,
    plain,
  }: {
    readonly http: HttpContext;
    readonly relay: Pick<Relay, 'tooLarge'>;
    readonly plain: HttpAnswer;
  },
): Promise<void> {
  const [, seller, protocol] = relayPath.exec(request.raw.url ?? '') ?? [];
  if (seller === undefined || request.method !== 'POST') return sendAnswer(reply, plain);
  try {
    const caller = await authenticate(request, http, { aliases: false, signaturesAreForSeller: true });
    if (!caller.ok) return sendAnswer(reply, caller.error);
    if (caller.value.kind === 'public') return sendAnswer(reply, plain);
    const wait = http.rates.take(rateKeyOf(caller.value), 'read');
    if (wait !== undefined) return sendAnswer(reply, rateLimited(wait));
    const declared = Number(request.headers['content-length']);
    const refused = await relay.tooLarge({
      caller: caller.value,
      seller: decoded(seller),
      protocol: protocol === 'a2a' ? 'a2a' : 'mcp',
      ...(Number.isSafeInteger(declared) ? { declaredBytes: declared } : {}),
    });
    sendAnswer(reply, relayRefusal(refused, Buffer.alloc(0)));
  } catch (error) {
    http.onUnexpected(error, 'relay');
    if (!reply.sent) sendAnswer(reply, plain);
  }
}

function decoded(seller: string): string {
  try {
    return decodeURIComponent(seller);
  } catch {
    return seller;
  }
}
