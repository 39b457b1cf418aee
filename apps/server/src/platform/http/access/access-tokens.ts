import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '@switchyard/tenancy';
import type { Result } from '@switchyard/values';

/** The authorization server of this instance (RFC 6749, RFC 7636, RFC 8414, RFC 8707, RFC 9207). */
export interface AccessTokens {
  /** True for a path that it answers itself. */
  owns(path: string): boolean;
  /** Answers a request whose body is still unread. Never rejects. */
  handle(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** True for a token that names us as its issuer. */
  isOurs(token: string): boolean;
  /** The principal of a token at a path, limited to the token's permissions; or, as text, why it is not valid. */
  verify(token: string, path: string): Promise<Result<Principal, string>>;
}
