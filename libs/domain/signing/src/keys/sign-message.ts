import { Buffer } from 'node:buffer';
import { ok, type Result } from '@switchyard/values';
import type { SignatureAlgorithm } from '../algorithm.js';
import { canonicalTarget } from '../canonical-url.js';
import { contentDigestOf } from '../content-digest.js';
import type { SignatureHeaders } from '../sign.js';
import { signatureBase, type CoveredValue } from '../signature-base.js';

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
  const hasBody = message.body.length > 0;
  const digest = hasBody && terms.coversDigest ? contentDigestOf(message.body) : undefined;
  const covered: CoveredValue[] = [
    ...targetOf(message),
    ...(hasBody ? [['content-type', contentTypeOf(message.headers)] as const] : []),
    ...(digest === undefined ? [] : [['content-digest', digest] as const]),
  ];
  const params = paramsText(covered, key, terms);
  const signed = await key.sign(Buffer.from(signatureBase(covered, params), 'latin1'));
  if (!signed.ok) return signed;
  return ok({
    ...(digest === undefined ? {} : { 'Content-Digest': digest }),
    'Signature-Input': `sig1=${params}`,
    Signature: `sig1=:${signed.value.toString('base64url')}:`,
  });
}

function targetOf(message: MessageToSign): CoveredValue[] {
  const target = canonicalTarget(message.url);
  if (!target.ok) throw new TypeError(`cannot sign a message to this URL: ${target.error}`);
  return [
    ['@method', message.method.toUpperCase()],
    ['@target-uri', target.value.targetUri],
    ['@authority', target.value.authority],
  ];
}

function paramsText(covered: readonly CoveredValue[], key: KeyInUse, terms: SigningTerms): string {
  const list = covered.map(([name]) => `"${name}"`).join(' ');
  const { created, validity } = terms;
  if (!Number.isInteger(created) || !Number.isInteger(validity))
    throw new TypeError('times are whole seconds');
  return (
    `(${list});created=${created};expires=${created + validity};nonce=${quoted(terms.nonce)}` +
    `;keyid=${quoted(key.keyid)};alg=${quoted(key.alg)};tag=${quoted(terms.tag)}`
  );
}

function contentTypeOf(headers: Readonly<Record<string, string>>): string {
  const values = Object.entries(headers).filter(([name]) => name.toLowerCase() === 'content-type');
  const value = values.length === 1 ? values[0]?.[1].trim() : undefined;
  if (value === undefined || value === '') throw new TypeError('a body is signed with one Content-Type');
  return value;
}

function quoted(text: string): string {
  if (!/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/.test(text)) {
    throw new TypeError('a signature parameter holds a character that it cannot hold');
  }
  return `"${text}"`;
}
