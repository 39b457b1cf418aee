import { createLocalJWKSet, errors, jwtVerify, type JSONWebKeySet } from 'jose';
import { type Egress, egressCaps } from '@switchyard/sellers';
import { err, ok, type Clock, type Result, parseStrictJson, peerJsonLimits } from '@switchyard/values';
import { claimedIssuer } from '../platform/caller/claimed-issuer.js';
import type { IssuedTo, IssuedTokens } from '../platform/caller/issued-tokens.js';
import type { TrustedIssuer } from './trusted-issuers.js';
import { readKeySet } from './read-key-set.js';

/** The accepted clock difference, in seconds. */
const skewSeconds = 60;
/** How long a fetched key set is used, and how soon one that lacks a key is fetched again. Milliseconds. */
const keepMs = 5 * 60_000;
const cooldownMs = 30_000;

/**
 * Verifies tokens of trusted issuers: signature by the issuer's own keys, `iss`, `aud`, `exp` and `iat`, and a `sub`
 * (docs/protocol/accounts.md#credentials-of-callers). We fix the accepted algorithms, never the token; none of them
 * uses a shared secret.
 */
export function createIssuedTokens(
  issuers: readonly TrustedIssuer[],
  egress: Pick<Egress, 'request'>,
  clock: Clock,
): IssuedTokens {
  const keys = new Map(issuers.map((issuer) => [issuer.issuer, keysOf(issuer, egress, clock)]));
  return {
    issuers: issuers.map(({ issuer }) => issuer),
    verify: async (token) => {
      const trusted = issuers.find(({ issuer }) => issuer === claimedIssuer(token));
      const source = trusted && keys.get(trusted.issuer);
      if (trusted === undefined || source === undefined) return err('is of no issuer that is trusted here');
      const first = await source.get();
      if (!first.ok) return err('cannot be checked now: the keys of its issuer cannot be reached');
      const verdict = await verifyWith(first.value, token, trusted, clock);
      if (verdict.ok || verdict.error !== unknownKey) return verdict;
      const again = await source.refetch();
      return again?.ok === true ? verifyWith(again.value, token, trusted, clock) : verdict;
    },
  };
}

const unknownKey = 'is signed with a key that its issuer does not publish';

async function verifyWith(
  keySet: JSONWebKeySet,
  token: string,
  trusted: TrustedIssuer,
  clock: Clock,
): Promise<Result<IssuedTo, string>> {
  const now = clock.now();
  try {
    const { payload } = await jwtVerify(token, createLocalJWKSet(keySet), {
      issuer: trusted.issuer,
      audience: [...trusted.audience],
      algorithms: [...trusted.algorithms],
      requiredClaims: ['sub', 'exp', 'iat'],
      clockTolerance: skewSeconds,
      currentDate: new Date(now),
    });
    const { sub, iat } = payload;
    if (typeof sub !== 'string' || sub === '') return err('names no subject');
    if (typeof iat !== 'number' || iat > now / 1000 + skewSeconds) return err('is issued in the future');
    return ok({ issuer: trusted.issuer, subject: sub });
  } catch (error) {
    return err(reasonOf(error));
  }
}

/** The reason that the caller sees: the claim that failed, never the expected value. */
function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'has expired';
  if (error instanceof errors.JWTClaimValidationFailed) return `does not hold: ${error.claim}`;
  if (error instanceof errors.JWKSNoMatchingKey) return unknownKey;
  if (error instanceof errors.JOSEAlgNotAllowed) return 'is signed with an algorithm that is not taken here';
  return 'does not hold';
}

interface KeySource {
  get(): Promise<Result<JSONWebKeySet, undefined>>;
  /** A newer copy; undefined if one was fetched a moment ago. */
  refetch(): Promise<Result<JSONWebKeySet, undefined> | undefined>;
}

const fetchTimeoutMs = 10_000;

/** The key set at an address; undefined for any other answer, or none. */
export async function fetchKeySet(
  egress: Pick<Egress, 'request'>,
  url: string,
): Promise<JSONWebKeySet | undefined> {
  const answer = await egress.request({
    method: 'GET',
    url,
    headers: { accept: 'application/json' },
    maxBytes: egressCaps.jwks,
    timeoutMs: fetchTimeoutMs,
  });
  if (!answer.ok || answer.value.status !== 200) return undefined;
  const parsed = parseStrictJson(answer.value.body, peerJsonLimits);
  return parsed.ok ? readKeySet(parsed.value.value) : undefined;
}

function keysOf(issuer: TrustedIssuer, egress: Pick<Egress, 'request'>, clock: Clock): KeySource {
  const { keys } = issuer;
  if (keys.kind === 'document') {
    return { get: () => Promise.resolve(ok(keys.jwks)), refetch: () => Promise.resolve(undefined) };
  }
  let stored: { readonly at: number; readonly set: JSONWebKeySet } | undefined;
  let triedAt = Number.NEGATIVE_INFINITY;
  const fetchNow = async (): Promise<Result<JSONWebKeySet, undefined>> => {
    triedAt = clock.now();
    const fetched = await fetchKeySet(egress, keys.jwksUri);
    if (fetched === undefined) return err(undefined);
    stored = { at: clock.now(), set: fetched };
    return ok(fetched);
  };
  const rested = (): boolean => clock.now() - triedAt >= cooldownMs;
  return {
    get: async () => {
      if (stored !== undefined && (clock.now() - stored.at < keepMs || !rested())) return ok(stored.set);
      if (!rested()) return err(undefined);
      const fetched = await fetchNow();
      // The known keys stay valid while an issuer is unreachable.
      return fetched.ok || stored === undefined ? fetched : ok(stored.set);
    },
    refetch: async () => (rested() ? fetchNow() : undefined),
  };
}
