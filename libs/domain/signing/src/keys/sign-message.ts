import type { Buffer } from 'node:buffer';
import { ok, type Result } from '@switchyard/values';
import type { SignatureAlgorithm } from '../algorithm.js';
import { contentDigestOf } from '../content-digest.js';
import { prepareSignature, type SignatureHeaders } from '../sign.js';

/** A key that signs, in the vault or in a key service. `sign` fails if the key service refuses or does not answer. */
export interface KeyInUse {
  readonly keyid: string;
  readonly alg: SignatureAlgorithm;
  sign(bytes: Buffer): Promise<Result<Buffer, SigningFailure>>;
}

export interface SigningFailure {
  /** `key_stopped`: an emergency stop blocks the key; the message waits. */
  readonly code: 'key_unavailable' | 'key_stopped';
  /** Text for people, without key material. */
  readonly message: string;
}

/** An outgoing message, exactly as it will be sent. */
export interface MessageToSign {
  readonly method: string;
  readonly url: string;
  /** With a body, exactly one header is `Content-Type`, in any case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface SigningTerms {
  /** Tag of the dialect and the purpose, for example `ads/request-signing/v1`. */
  readonly tag: string;
  /** Seconds since the epoch. */
  readonly created: number;
  /** Validity of the signature in seconds, at most 300. */
  readonly validity: number;
  /** At least 16 random bytes, base64url without padding; a new one for each attempt. */
  readonly nonce: string;
  /** False if the receiver forbids a digest among the covered components. */
  readonly coversDigest: boolean;
}

/**
 * Signs one request or webhook (RFC 9421, one label `sig1`, base64url without padding): method, target, authority, and,
 * with a body, its type and digest. The key may be remote. Throws `TypeError` for errors of the caller: a malformed
 * URL, a body without `Content-Type`, a quote in a parameter.
 */
export async function signMessage(
  message: MessageToSign,
  key: KeyInUse,
  terms: SigningTerms,
): Promise<Result<SignatureHeaders, SigningFailure>> {
  const { tag, created, validity, nonce, coversDigest } = terms;
  const digest = message.body.length > 0 && coversDigest ? contentDigestOf(message.body) : undefined;
  const { keyid, alg } = key;
  const unsigned = prepareSignature(message, digest, {
    keyid,
    alg,
    tag,
    created,
    expires: created + validity,
    nonce,
  });
  const signed = await key.sign(unsigned.base);
  return signed.ok ? ok(unsigned.withSignature(signed.value.toString('base64url'))) : signed;
}
