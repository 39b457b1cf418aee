import type { Instant, JsonObject, Result } from '@switchyard/values';

/** A public key and its owner. `agentUrl` comes from where the key was found, never from the message. */
export interface ResolvedKey {
  /** The same object while the key is unchanged: imported keys are cached by it. */
  readonly jwk: JsonObject;
  readonly agentUrl: string;
  /**
   * Separates the nonces and events of this key, if its agent alone is not enough: set if one tenant decides who owns
   * the key. Otherwise a tenant that pins its own key for an agent could use up that agent's keys and nonces at all
   * other tenants.
   */
  readonly keyspace?: string;
}

/**
 * Why a key was not found. The first three concern the key set, the others its discovery. They are the suffixes of the
 * codes of refused requests.
 */
export const keyFailures = [
  'key_unknown',
  'jwks_unavailable',
  'jwks_untrusted',
  'brand_json_url_missing',
  'capabilities_unreachable',
  'brand_json_unreachable',
  'brand_json_malformed',
  'brand_origin_mismatch',
  'agent_not_in_brand_json',
  'brand_json_ambiguous',
  'key_origin_mismatch',
  'key_origin_missing',
] as const;
export type KeyFailure = (typeof keyFailures)[number];

/** What is stored about a key that was not found. Neither member contains a secret: URLs have no query. */
export interface KeyExplanation {
  /** Text for people. */
  readonly seen: string;
  /** For programs: `failure`, the code of discovery, and its members (docs/protocol/signing.md#discovery-of-keys). */
  readonly details?: JsonObject;
}

/** Finds the key of one expected counterparty. Refetches when needed; never rejects. */
export interface KeySource {
  resolve(keyid: string): Promise<Result<ResolvedKey, KeyFailure>>;
  /** Returns why a key was not found, for the checklist, or `undefined` if there is no more to report. */
  explain?(keyid: string, failure: KeyFailure): Promise<KeyExplanation | undefined>;
  /**
   * Returns true if the request signer is registered with `rsa-pss-sha512` (docs/protocol/signing.md#algorithms).
   * Called before anything is fetched, and answered from local data. Absent if no signer is registered so. Never called
   * for webhooks.
   */
  allowsRsaPss?(keyid: string): boolean | Promise<boolean>;
}

/**
 * The (key, nonce) pairs that were seen, shared by all processes that a signer can reach. `keyid` is the kid followed
 * by its signer's URL, because a kid is unique only in its own key set. An entry is never evicted before it expires: a
 * key at its cap is refused new nonces.
 */
export interface ReplayStore {
  /** True when `keyid` has reached its cap. Read only; an answer some seconds old will do. */
  isFull(keyid: string): Promise<boolean>;
  /** Inserts the pair in one atomic step, unless it exists or the cap is reached. */
  claim(keyid: string, nonce: string, expiresAt: Instant): Promise<'claimed' | 'replayed' | 'full'>;
}

/** A nonce that is still to be claimed. `key` is what `claim` takes as `keyid`. */
export interface UnclaimedNonce {
  readonly key: string;
  readonly nonce: string;
  readonly expiresAt: Instant;
}

/** A store of nonces that others also write to, in statements of their own. */
export interface SharedReplayStore extends ReplayStore {
  /** True if the key is so far from its cap that the caller may claim a nonce uncounted; counts that claim. */
  leaves(keyid: string): Promise<boolean>;
}

/** `stale`: a known list could not be refreshed in time. A party without a list is `ok`. */
export interface RevocationSource {
  status(keyid: string, agentUrl: string): Promise<'ok' | 'revoked' | 'stale'>;
}

/** The source if no party publishes revocations. */
export const noRevocations: RevocationSource = { status: () => Promise.resolve('ok') };
