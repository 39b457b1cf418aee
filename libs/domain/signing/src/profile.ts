import type { SignatureAlgorithm } from './algorithm.js';

/** The names of signing that differ between dialects. */
export interface SigningNames {
  readonly requestTag: string;
  readonly webhookTag: string;
  /** The JWK member that states the purpose of the key. */
  readonly useMember: string;
}

/**
 * The base64 form of binary values. `either`: each value entirely in the URL alphabet without padding, or entirely in
 * the standard one (3.1 requests, and webhooks: docs/protocol/signing.md#encoding). `standard`: as in RFC 8941, with
 * padding (3.2 requests); the other alphabet is malformed there.
 */
export type BinarySpelling = 'either' | 'standard';

/** What a verifier requires of a signature. All profiles run the same steps. */
export interface SigningProfile {
  readonly kind: 'request' | 'webhook';
  /** The only tag accepted: a verifier never accepts two. */
  readonly tag: string;
  readonly useMember: string;
  /** Accepted values of the use member. */
  readonly purposes: readonly string[];
  readonly algorithms: readonly SignatureAlgorithm[];
  readonly contentDigest: 'required' | 'either' | 'forbidden';
  readonly binary: BinarySpelling;
  /** Maximum time between `created` and `expires`, in seconds. */
  readonly maxWindow: number;
  /** Allowed clock difference in seconds. */
  readonly skew: number;
}

const shared = {
  algorithms: ['ed25519', 'ecdsa-p256-sha256'],
  maxWindow: 300,
  skew: 60,
} as const;

/** For how long after its arrival a signed request can be told from a replay of it, in milliseconds; later it has expired. */
export const replayableMs = (shared.maxWindow + 2 * shared.skew) * 1_000;

/**
 * Returns the profile of requests. Our own policy requires all five components
 * (docs/protocol/signing.md#requests-to-us); another party's may differ in the digest.
 */
export function requestProfile(
  names: SigningNames,
  contentDigest: SigningProfile['contentDigest'] = 'required',
  binary: BinarySpelling = 'either',
): SigningProfile {
  return {
    ...shared,
    kind: 'request',
    tag: names.requestTag,
    useMember: names.useMember,
    purposes: ['request-signing'],
    contentDigest,
    binary,
  };
}

/** Returns the profile of webhooks: always five components; keys of the older purpose are still accepted. */
export function webhookProfile(names: SigningNames): SigningProfile {
  return {
    ...shared,
    kind: 'webhook',
    tag: names.webhookTag,
    useMember: names.useMember,
    purposes: ['request-signing', 'webhook-signing'],
    contentDigest: 'required',
    binary: 'either',
  };
}
