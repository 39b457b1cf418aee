import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { PrincipalCaller } from '../../tasks/call/task-call.js';
import { headerValues } from '../raw-headers.js';

const header = 'x-switchyard-handed-over';

/** Callers of requests that this process makes of itself, by a random text that is good for one request. */
const callers = new Map<string, PrincipalCaller>();

/**
 * Makes a request within this process for a caller that the request before it identified. `send` gets the header that it is
 * known by, which means nothing once the request was answered.
 */
export async function handOver<Answer>(
  caller: PrincipalCaller,
  send: (headers: Readonly<Record<string, string>>) => Promise<Answer>,
): Promise<Answer> {
  const ticket = randomBytes(32).toString('base64url');
  callers.set(ticket, caller);
  try {
    return await send({ [header]: ticket });
  } finally {
    callers.delete(ticket);
  }
}

/** The caller that was handed over with a request, once. */
export function handedOver(request: FastifyRequest): PrincipalCaller | undefined {
  const [ticket = '', more] = headerValues(request.raw.rawHeaders, header);
  const caller = more === undefined ? callers.get(ticket) : undefined;
  callers.delete(ticket);
  return caller;
}
