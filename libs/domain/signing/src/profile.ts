import type { SignatureAlgorithm } from './algorithm.js';

/** The three names in which dialects differ where signatures are concerned. */
export interface SigningNames {
  readonly requestTag: string;
  readonly webhookTag: string;
  /** The member of a JWK that says what the key is for. */
  readonly useMember: string;
}

/**
 * How binary values are spelled between colons. `either`: each wholly in the URL alphabet without padding or wholly
 * in the standard one (3.1 requests, and webhooks: docs/protocol/signing.md#encoding). `standard`: as RFC 8941 has it,
 * with padding (3.2 requests); the other alphabet is malformed there, and nothing is tried twice.
 */
export type BinarySpelling = 'either' | 'standard';

/** What a verifier wants of a signature: one set of steps, and this value to run them with. */
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
  /** Most seconds between `created` and `expires`. */
  readonly maxWindow: number;
  /** Seconds by which clocks may differ. */
  readonly skew: number;
}

const shared = {
  algorithms: ['ed25519', 'ecdsa-p256-sha256'],
  maxWindow: 300,
  skew: 60,
} as const;

/**
 * Requests: our own policy wants all five components (docs/protocol/signing.md#requests-to-us); another party's may
 * differ in the digest.
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

/** Webhooks: five components without choice; keys of the older purpose are still accepted. */
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
