import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from './agent.js';

/** The caller, from the `Authorization` header; undefined if the header is wrong. */
export function callerOf(request: FastifyRequest, token: string): Caller | undefined {
  const given = request.headers.authorization;
  if (given === undefined) return 'public';
  const [scheme = '', credential = ''] = given.split(' ', 2);
  if (scheme.toLowerCase() !== 'bearer') return undefined;
  return timingSafeEqual(digest(credential), digest(token)) ? 'known' : undefined;
}

export function sendUnauthorized(reply: FastifyReply, code: 'AUTH_INVALID' | 'AUTH_REQUIRED'): FastifyReply {
  const message =
    code === 'AUTH_INVALID' ? 'the credential is not valid here' : 'this task needs a credential';
  const challenge = code === 'AUTH_INVALID' ? 'Bearer error="invalid_token"' : 'Bearer';
  return reply.code(401).header('www-authenticate', challenge).send({ error: { code, message } });
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
