import type { AuditLog, OAuthStore, Organizations, SpendingLimits } from '@switchyard/store';
import type { Egress } from '@switchyard/sellers';
import type { OAuthKeys } from './signing-keys.js';
import type { Clock } from '@switchyard/values';
import type { FastifyRequest } from 'fastify';
import type { RateLimits } from '../../platform/caller/rate-limits.js';
import type { Session } from '../../platform/http/access/session.js';

/** The dependencies of the authorization server. */
export interface OAuthPorts {
  readonly store: OAuthStore;
  readonly keys: OAuthKeys;
  /** Fetches metadata documents of clients whose id is a URL. */
  readonly egress: Pick<Egress, 'fetchLike'>;
  /** Limits of programs, which their persons set when they let them in. */
  readonly limits: Pick<SpendingLimits, 'list' | 'set'>;
  readonly organizations: Pick<Organizations, 'byId'>;
  readonly audit: Pick<AuditLog, 'begin' | 'end'>;
  readonly newId: () => string;
}

export interface OAuthDeps {
  readonly ports: OAuthPorts;
  readonly clock: Clock;
  /** The public address, without a trailing slash. Known once we listen. */
  readonly issuer: () => string;
  /** The person signed in with the browser of a request. */
  readonly sessionOf: (request: FastifyRequest) => Promise<Session | undefined>;
  /** The address that a request is counted under. */
  readonly addressOf: (request: FastifyRequest) => string;
  readonly rates: RateLimits;
  readonly onUnexpected: (error: unknown, where: string) => void;
}
