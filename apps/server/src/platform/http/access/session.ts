import type { FastifyRequest } from 'fastify';
import type { Principal, TokenRecord } from '@switchyard/tenancy';
import type { Instant, Result } from '@switchyard/values';
import type { HttpAnswer } from '../http-answer.js';

/** A person signed in with a browser. */
export interface Session {
  readonly principal: Principal;
  readonly token: TokenRecord;
  /** Until when its sign-in counts as recent. */
  readonly recentUntil: Instant;
}

/** The session of a request; undefined without a cookie, and an answer if the cookie may not be used. */
export type ReadSession = (request: FastifyRequest) => Promise<Result<Session | undefined, HttpAnswer>>;
