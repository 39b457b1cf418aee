import type { SignatureAlgorithm } from './algorithm.js';

/** The three names in which dialects differ where signatures are concerned. */
export interface SigningNames {
  readonly requestTag: string;
  readonly webhookTag: string;
  /** The member of a JWK that says what the key is for. */
  readonly useMember: string;
}

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

/** Requests: our own policy wants all five components (ruling 26); another party's may differ in the digest. */
export function requestProfile(
  names: SigningNames,
  contentDigest: SigningProfile['contentDigest'] = 'required',
): SigningProfile {
  return {
    ...shared,
    kind: 'request',
    tag: names.requestTag,
    useMember: names.useMember,
    purposes: ['request-signing'],
    contentDigest,
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
  };
}
