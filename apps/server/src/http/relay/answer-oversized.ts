import type { FastifyReply, FastifyRequest } from 'fastify';
import { rateKeyOf } from '../../tasks/caller/rate-limits.js';
import { authenticate } from '../access/auth.js';
import { rateLimited, sendAnswer, type DoorAnswer } from '../door-answer.js';
import type { HttpContext } from '../http-context.js';
import { relayRefusal } from './relay-refusal.js';

/** The seller and the protocol in the address of a relayed request. */
const relayPath = /^\/relay\/([^/?]+)\/(mcp|a2a)(?:\?|$)/;

/**
 * Refuses a sealed request whose body is too large, and stores a record of it: its caller is known without the body.
 * Nothing of the body is stored or hashed. An unknown caller gets `plain`, which has no record.
 */
export async function answerOversized(
  request: FastifyRequest,
  reply: FastifyReply,
  doors: HttpContext,
  plain: DoorAnswer,
): Promise<void> {
  const [, seller, protocol] = relayPath.exec(request.raw.url ?? '') ?? [];
  if (seller === undefined || request.method !== 'POST') return sendAnswer(reply, plain);
  try {
    const caller = await authenticate(request, doors, { aliases: false, signaturesAreForSeller: true });
    if (!caller.ok) return sendAnswer(reply, caller.error);
    if (caller.value.kind === 'public') return sendAnswer(reply, plain);
    const wait = doors.rates.take(rateKeyOf(caller.value), 'read');
    if (wait !== undefined) return sendAnswer(reply, rateLimited(wait));
    const declared = Number(request.headers['content-length']);
    const answer = await doors.relay.tooLarge({
      caller: caller.value,
      seller: decoded(seller),
      protocol: protocol === 'a2a' ? 'a2a' : 'mcp',
      ...(Number.isSafeInteger(declared) ? { declaredBytes: declared } : {}),
    });
    sendAnswer(reply, relayRefusal(answer, Buffer.alloc(0)));
  } catch (error) {
    doors.onUnexpected(error, 'relay');
    if (!reply.sent) sendAnswer(reply, plain);
  }
}

export function isRelayed(request: FastifyRequest): boolean {
  return request.raw.url?.startsWith('/relay/') === true;
}

function decoded(seller: string): string {
  try {
    return decodeURIComponent(seller);
  } catch {
    return seller;
  }
}
