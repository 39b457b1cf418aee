import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SignInServer } from '../sign-in/sign-in-server.js';
import type { Caller } from './agent.js';

/** Who is let in. */
export interface Door {
  /** The caller, from the `Authorization` header; undefined if it is refused. */
  callerOf(request: FastifyRequest): Promise<Caller | undefined>;
  /** What a refused caller is told in `WWW-Authenticate`. */
  readonly challenge: string;
}

/** Takes one token, and shows strangers what is for everybody. */
export function tokenDoor(token: string): Door {
  return {
    challenge: 'Bearer',
    callerOf: (request) => {
      const given = bearerOf(request);
      if (given === undefined) return Promise.resolve('public');
      return Promise.resolve(timingSafeEqual(digest(given), digest(token)) ? 'known' : undefined);
    },
  };
}

/** Takes the access tokens of an authorization server, and nobody without one (RFC 6750, RFC 9728). */
export function oauthDoor(server: SignInServer, metadataUrl: string, scope: string): Door {
  return {
    challenge: `Bearer resource_metadata="${metadataUrl}", scope="${scope}"`,
    callerOf: async (request) => {
      const given = bearerOf(request);
      return given !== undefined && (await server.takes(given)) ? 'known' : undefined;
    },
  };
}

/** The token of the request; undefined without the header, and empty where it is of another scheme. */
function bearerOf(request: FastifyRequest): string | undefined {
  const given = request.headers.authorization;
  if (given === undefined) return undefined;
  const [scheme = '', credential = ''] = given.split(' ', 2);
  return scheme.toLowerCase() === 'bearer' ? credential : '';
}

export function sendUnauthorized(
  reply: FastifyReply,
  code: 'AUTH_INVALID' | 'AUTH_REQUIRED',
  { challenge }: Door,
): FastifyReply {
  const message =
    code === 'AUTH_INVALID' ? 'the credential is not valid here' : 'this task needs a credential';
  const fault = code === 'AUTH_INVALID' && challenge === 'Bearer' ? ' error="invalid_token"' : '';
  return reply
    .code(401)
    .header('www-authenticate', `${challenge}${fault}`)
    .send({ error: { code, message } });
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
