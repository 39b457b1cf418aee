import type { FastifyReply } from 'fastify';
import type { JsonObject } from '@switchyard/values';
import { sendAnswer } from '../http-answer.js';
import type { HttpContext } from '../http-context.js';

/** Others may cache these documents for this time, in seconds: much less than a published key waits before it signs. */
const headers = { 'cache-control': 'public, max-age=300' };

/** Our agents and the address of their keys. The addresses are exactly those that callers use. */
function brandDocument(url: string): JsonObject {
  const jwksUri = `${url}/.well-known/jwks.json`;
  const agent = (id: string, path: string): JsonObject => ({
    type: 'buying',
    id,
    url: `${url}/${path}`,
    jwks_uri: jwksUri,
  });
  return { agents: [agent('switchyard_mcp', 'mcp'), agent('switchyard_a2a', 'a2a')] };
}

const publicMembers = ['kid', 'kty', 'crv', 'alg', 'use', 'key_ops', 'ads_use', 'adcp_use', 'x', 'y'];

/** Only public members, selected by name: other members of a stored key are never sent. */
export function publicKeyOf(jwk: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(jwk).filter(([name]) => publicMembers.includes(name)));
}

export async function answerKeySet(reply: FastifyReply, http: HttpContext): Promise<void> {
  const keys = (await http.publishedKeys()).map(publicKeyOf);
  sendAnswer(reply, { status: 200, headers, body: { keys } });
}

export function answerBrand(reply: FastifyReply, http: HttpContext): void {
  sendAnswer(reply, { status: 200, headers, body: brandDocument(http.url()) });
}
