import type { Buffer } from 'node:buffer';
import type { Instant, JsonObject, JsonValue } from '@switchyard/values';
import type { SignatureAlgorithm } from '../algorithm.js';
import type { KeyFailure } from '../ports.js';

/** A message as received, before any check. */
export interface ReceivedMessage {
  readonly method: string;
  /**
   * Absolute: scheme and host from our own configuration, path and query exactly as received. Never built from
   * forwarded headers.
   */
  readonly url: string;
  /** All header lines in order, including repeated ones and `Host` (or `:authority`). */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** One line of the checklist. `seen` describes the message's value, fit for a log: it never contains a secret. */
export interface VerificationStep {
  /** `1` to `14`, with `9a`; `12-13` is one atomic step. */
  readonly step: string;
  readonly name: string;
  readonly ok: boolean;
  readonly seen: string;
  /** For a key that was not found: `failure`, and the details that the profile requires. */
  readonly details?: JsonObject;
}

/** The suffix of a code. The prefix is `request_signature_` or `webhook_signature_`, except for the two `plain` ones. */
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
  /** From the entry whose key verified the signature. */
  readonly agentUrl: string;
  /** The keyspace of the resolved key, if it has one. */
  readonly keyspace?: string;
  readonly verifiedAt: Instant;
}

interface Verified {
  readonly ok: true;
  readonly signer: VerifiedSigner;
  readonly alg: SignatureAlgorithm;
  /** The key that verified it, as it was published. */
  readonly jwk: JsonObject;
  /** The text that was signed (RFC 9421, 2.5): each covered component with its value. One character is one byte. */
  readonly base: string;
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
  /** Sent in `WWW-Authenticate`, unless `unavailable`. */
  readonly code: string;
  readonly fault: SignatureFault;
  /**
   * True if the keys could not be fetched. A webhook is then answered `503`, because every webhook code ends the event
   * permanently; a request has its own codes for this.
   */
  readonly unavailable: boolean;
  /** The signer, if the signature was verified before a later step failed. */
  readonly signer?: VerifiedSigner;
  readonly steps: readonly VerificationStep[];
}

export type Verdict = Verified | NotVerified;
