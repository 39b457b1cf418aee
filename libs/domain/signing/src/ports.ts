import type { Instant, JsonObject, Result } from '@switchyard/values';

/** A public key and whose it is. `agentUrl` comes from where the key was found, never from the message. */
export interface ResolvedKey {
  /** The same object as long as the key is the same: an imported key is remembered by it. */
  readonly jwk: JsonObject;
  readonly agentUrl: string;
  /**
   * Where nonces and events of this key are kept apart, when that is not its agent alone: set where one tenant's word
   * says whose key it is. Otherwise whoever pins a key of its own for somebody's agent could use up that agent's keys
   * and nonces at every other tenant.
   */
  readonly keyspace?: string;
}

/**
 * Why a key was not found. The first three are about the key set; the others about finding it. They are the endings
 * of the codes that a request is refused with.
 */
export type KeyFailure =
  | 'key_unknown'
  | 'jwks_unavailable'
  | 'jwks_untrusted'
  | 'brand_json_url_missing'
  | 'capabilities_unreachable'
  | 'brand_json_unreachable'
  | 'brand_json_malformed'
  | 'brand_origin_mismatch'
  | 'agent_not_in_brand_json'
  | 'brand_json_ambiguous'
  | 'key_origin_mismatch'
  | 'key_origin_missing';

/** What is kept of a key that was not found. There is no secret in either member: addresses come without a query. */
export interface KeyExplanation {
  /** In words, for people. */
  readonly seen: string;
  /**
   * `failure`, the code of discovery, and the members that belong to it (docs/protocol/signing.md#discovery-of-keys),
   * for programs.
   */
  readonly details?: JsonObject;
}

/** Finds the key of one expected counterparty. Refetches by itself what it must; never rejects. */
export interface KeySource {
  resolve(keyid: string): Promise<Result<ResolvedKey, KeyFailure>>;
  /** Why a key was not found, for the checklist; undefined where there is nothing to add. */
  explain?(keyid: string, failure: KeyFailure): Promise<KeyExplanation | undefined>;
  /**
   * True for a request signer whose registration with us says `rsa-pss-sha512` (docs/protocol/signing.md#algorithms).
   * Asked before anything is fetched, from what we hold ourselves; absent where nobody is registered so. Webhooks are
   * never asked about.
   */
  allowsRsaPss?(keyid: string): boolean | Promise<boolean>;
}

/**
 * The (key, nonce) pairs that were seen, shared by every process that a signer can reach.
 *
 * `keyid` is the kid with its signer's address behind it, because a kid is unique in its own key set alone. Nothing is
 * ever evicted before it expires: at the cap of a key its new nonces are refused.
 */
export interface ReplayStore {
  /** True when `keyid` has reached its cap. Read only; an answer some seconds old will do. */
  isFull(keyid: string): Promise<boolean>;
  /** Inserts the pair unless it is there or the cap is reached, in one atomic step. */
  claim(keyid: string, nonce: string, expiresAt: Instant): Promise<'claimed' | 'replayed' | 'full'>;
}

/** `stale`: a known list could not be refreshed in time. A party that publishes no list is `ok`. */
export interface RevocationSource {
  status(keyid: string, agentUrl: string): Promise<'ok' | 'revoked' | 'stale'>;
}

/** Where nobody publishes revocations. */
export const noRevocations: RevocationSource = { status: () => Promise.resolve('ok') };
