import type { Instant } from '@switchyard/values';
import type { AuthorizationServer, OAuthGrant } from './authorization-server.js';
import type { IssuerPin } from './issuer-pin.js';

/**
 * What has become of a sign-in at a seller (docs/protocol/sellers.md#sign-in-by-oauth). `pending`: it waits for a
 * person; `authorised`: its token is used; `expiring`: it cannot be renewed at the moment, and its token still lives;
 * `refused`: the authorization server does not take our client; `needs_person`: a person has to sign in again;
 * `revoked`: we ended it. Only `authorised` and `expiring` are called.
 */
export type AuthorizationState =
  | 'pending'
  | 'authorised'
  | 'expiring'
  | 'refused'
  | 'needs_person'
  | 'revoked';

/** Our sign-in at one seller: who is asked for tokens, as which client, and what came of it. Never a secret. */
export interface SellerAuthorization {
  readonly connectionId: string;
  /** UUID of the client whose own login it is; absent: that of the connection. */
  readonly forClient?: string;
  readonly grant: OAuthGrant;
  readonly state: AuthorizationState;
  readonly code: string;
  /** One sentence. */
  readonly words: string;
  readonly pin: IssuerPin & { readonly by: string; readonly at: Instant };
  readonly server: AuthorizationServer;
  readonly resource: string;
  readonly scopes: readonly string[];
  /** Absent until there is a client: it is registered when a person begins. */
  readonly clientId?: string;
  /** The sealed secret of the client. */
  readonly clientCredentialId?: string;
  readonly accessCredentialId?: string;
  /** The version of the token in use. */
  readonly accessVersion?: number;
  readonly refreshCredentialId?: string;
  readonly refreshVersion?: number;
  readonly obtainedAt?: Instant;
  /** End of the token. */
  readonly expiresAt?: Instant;
  /** When it is renewed next; absent: never by itself. */
  readonly dueAt?: Instant;
  /** Renewals that failed one after the other. */
  readonly failures: number;
  /** From 1; each change makes the next one. */
  readonly version: number;
}

/** Milliseconds of a token whose end is not told. */
const usualLifeMs = 5 * 60_000;

/**
 * When a token of this life is renewed: 60 seconds or a fifth of its life before its end, whichever is longer, and never
 * in the first half of its life. `part` is random, from 0 to 1: many tokens of one age are not renewed at once.
 */
export function refreshAt(
  obtainedAt: Instant,
  lifeMs: number = usualLifeMs,
  part = 0,
): { readonly expiresAt: Instant; readonly dueAt: Instant } {
  const ahead = Math.min(Math.max(60_000, lifeMs / 5), lifeMs / 2);
  const spread = ahead / 10;
  const dueAt = Math.max(obtainedAt + lifeMs / 2, obtainedAt + lifeMs - ahead - spread * part);
  return { expiresAt: obtainedAt + lifeMs, dueAt: Math.floor(dueAt) };
}
