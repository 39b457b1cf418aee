import { Buffer } from 'node:buffer';
import type { TenantScope } from '@switchyard/tenancy';
import { err, ok, type Clock, type Result } from '@switchyard/values';
import type { TokenRefusal } from './token-requests.js';

/** Signs bytes with the live key of an organization. */
interface OrganizationKeys {
  signDocument(
    scope: TenantScope,
    use: { readonly purpose: string },
    bytesFor: (kid: string, alg: 'EdDSA' | 'ES256') => Buffer,
  ): Promise<Result<{ readonly bytes: Buffer; readonly signature: Buffer }, unknown>>;
}

export interface AssertionDeps {
  readonly keys: OrganizationKeys;
  readonly clock: Clock;
  /** Returns a new UUID. */
  readonly newId: () => string;
}

/** Proves our client to an authorization server, once (RFC 7523, section 3). */
export type AssertClient = (
  scope: TenantScope,
  clientId: string,
  audience: string,
) => Promise<Result<string, TokenRefusal>>;

/** Life of an assertion in milliseconds: longer than a request takes, and too short to be kept for later. */
const lifeMs = 60_000;

/**
 * Signs assertions with the organization's own key, whose public half is at `/.well-known/jwks.json`: there is no secret
 * that the authorization server could lose. The audience is its issuer alone, so that no other server takes the assertion.
 */
export function clientAssertions({ keys, clock, newId }: AssertionDeps): AssertClient {
  return async (scope, clientId, audience) => {
    const now = clock.now();
    const claims = {
      iss: clientId,
      sub: clientId,
      aud: audience,
      jti: newId(),
      iat: Math.floor(now / 1_000),
      exp: Math.floor((now + lifeMs) / 1_000),
    };
    const made = await keys.signDocument(scope, { purpose: 'oauth.client' }, (kid, alg) =>
      Buffer.from(`${encoded({ alg, kid, typ: 'JWT' })}.${encoded(claims)}`),
    );
    if (!made.ok)
      return err({
        kind: 'passing',
        code: 'key_unavailable',
        words: 'The key that proves us cannot be used now.',
      });
    const { bytes, signature } = made.value;
    return ok(`${bytes.toString('utf8')}.${signature.toString('base64url')}`);
  };
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value), 'utf8').toString('base64url');
