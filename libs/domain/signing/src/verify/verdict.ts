import type { Buffer } from 'node:buffer';
import type { Instant, JsonObject, JsonValue } from '@switchyard/values';
import type { SignatureAlgorithm } from '../algorithm.js';
import type { KeyFailure } from '../ports.js';

/** A message as it came in, before anything looked into it. */
export interface ReceivedMessage {
  readonly method: string;
  /**
   * Absolute: scheme and host from our own configuration, path and query exactly as received. Never put together from
   * forwarded headers.
   */
  readonly url: string;
  /** Every header line, in order, repeated ones repeated: `Host` (or `:authority`) among them. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** One line of the checklist. `seen` is what the message had, in words fit for a log: it never holds a secret. */
export interface VerificationStep {
  /** `1` to `14`, with `9a`; `12-13` is one atomic step. */
  readonly step: string;
  readonly name: string;
  readonly ok: boolean;
  readonly seen: string;
  /** Of a key that could not be found: `failure` and what the profile wants told of it. */
  readonly details?: JsonObject;
}

/** The ending of a code: `request_signature_` or `webhook_signature_` goes in front, but for the two `plain` ones. */
export type SignatureFault =
  | 'required'
  | 'header_malformed'
  | 'params_incomplete'
  | 'tag_invalid'
  | 'alg_not_allowed'
  | 'window_invalid'
  | 'components_incomplete'
  | 'components_unexpected'
  | 'key_purpose_invalid'
  | 'key_revoked'
  | 'revocation_stale'
  | 'rate_abuse'
  | 'invalid'
  | 'digest_mismatch'
  | 'replayed'
  | 'target_uri_malformed'
  | 'body_malformed'
  | KeyFailure;

export interface VerifiedSigner {
  readonly keyid: string;
  /** From the entry whose key verified. */
  readonly agentUrl: string;
  /** Of the resolved key, where it has one of its own. */
  readonly keyspace?: string;
  readonly verifiedAt: Instant;
}

export interface Verified {
  readonly ok: true;
  readonly signer: VerifiedSigner;
  readonly alg: SignatureAlgorithm;
  readonly nonce: string;
  /** Seconds since the epoch. */
  readonly created: number;
  readonly expires: number;
  readonly steps: readonly VerificationStep[];
  /** The body, strictly parsed; absent when it is empty. */
  readonly json?: { readonly value: JsonValue; readonly exact: ReadonlyMap<string, string> };
}

export interface NotVerified {
  readonly ok: false;
  /** Goes into `WWW-Authenticate`, unless `unavailable`. */
  readonly code: string;
  readonly fault: SignatureFault;
  /**
   * True when we could not find out: the keys could not be fetched. A webhook is then answered `503`, because every
   * webhook code ends the event for good; a request has codes of its own for it.
   */
  readonly unavailable: boolean;
  /** The signer, where the signature itself had verified before a later step failed. */
  readonly signer?: VerifiedSigner;
  readonly steps: readonly VerificationStep[];
}

export type Verdict = Verified | NotVerified;
