import { Buffer } from 'node:buffer';
import type { KeyObject } from 'node:crypto';
import { signBytes, type SignatureAlgorithm } from './algorithm.js';
import { canonicalTarget } from './canonical-url.js';
import { contentDigestOf } from './content-digest.js';
import { signatureBase, type CoveredValue } from './covered-values.js';

export interface RequestToSign {
  readonly method: string;
  /** Exactly the URL that will be requested. */
  readonly url: string;
  /** The request's own headers, in any case; `Content-Type` is signed. */
  readonly headers: Readonly<Record<string, string>>;
  /** Exactly the bytes that will be sent; an empty buffer for a request without a body. */
  readonly body: Buffer;
  readonly keyid: string;
  readonly alg: SignatureAlgorithm;
  readonly privateKey: KeyObject;
  /** Tag of the dialect and the purpose, for example `ads/webhook-signing/v1`. */
  readonly tag: string;
  /** Seconds since the epoch. */
  readonly created: number;
  /** Seconds since the epoch, at most 300 after `created`. */
  readonly expires: number;
  /** At least 16 random bytes, base64url without padding. Unique for each key. */
  readonly nonce: string;
  /** `base64url` without padding by default; `base64` for a receiver with the 3.2 request profile. */
  readonly encoding?: 'base64url' | 'base64';
}

/** Headers to add to the request unchanged. `Content-Digest` is absent for a request without a body. */
export interface SignatureHeaders {
  readonly 'Content-Digest'?: string;
  readonly 'Signature-Input': string;
  readonly Signature: string;
}

/**
 * Signs one request or webhook (RFC 9421, one label `sig1`).
 * Covers method, target, authority, and, with a body, content type and digest. Throws `TypeError` for errors of the
 * caller: a malformed URL, a body without `Content-Type`, a quote in `keyid`.
 */
export function signRequest(request: RequestToSign): SignatureHeaders {
  const { body, privateKey, alg } = request;
  const encoding = request.encoding ?? 'base64url';
  const digest = body.length > 0 ? contentDigestOf(body, encoding) : undefined;
  const unsigned = prepareSignature(request, digest, request);
  return unsigned.withSignature(signBytes(alg, unsigned.base, privateKey).toString(encoding));
}

/** The parameters of a signature, beside the covered components. */
type SignatureParams = Pick<RequestToSign, 'keyid' | 'alg' | 'tag' | 'created' | 'expires' | 'nonce'>;

/** The bytes to sign, and the headers once they are signed. `digest` is left out where it is not covered. */
export function prepareSignature(
  { method, url, headers, body }: Pick<RequestToSign, 'method' | 'url' | 'headers' | 'body'>,
  digest: string | undefined,
  terms: SignatureParams,
): { readonly base: Buffer; readonly withSignature: (signature: string) => SignatureHeaders } {
  const target = canonicalTarget(url);
  if (!target.ok) throw new TypeError(`cannot sign a message to this URL: ${target.error}`);
  const covered: readonly CoveredValue[] = [
    ['@method', method.toUpperCase()],
    ['@target-uri', target.value.targetUri],
    ['@authority', target.value.authority],
    ...(body.length > 0 ? [['content-type', contentTypeOf(headers)] as const] : []),
    ...(digest === undefined ? [] : [['content-digest', digest] as const]),
  ];
  const params = paramsText(terms, covered);
  return {
    base: Buffer.from(signatureBase(covered, params), 'latin1'),
    withSignature: (signature) => ({
      ...(digest === undefined ? {} : { 'Content-Digest': digest }),
      'Signature-Input': `sig1=${params}`,
      Signature: `sig1=:${signature}:`,
    }),
  };
}

function paramsText(terms: SignatureParams, covered: readonly CoveredValue[]): string {
  const list = covered.map(([name]) => `"${name}"`).join(' ');
  return (
    `(${list});created=${integer(terms.created)};expires=${integer(terms.expires)};nonce=${quoted(terms.nonce)}` +
    `;keyid=${quoted(terms.keyid)};alg=${quoted(terms.alg)};tag=${quoted(terms.tag)}`
  );
}

function contentTypeOf(headers: Readonly<Record<string, string>>): string {
  const values = Object.entries(headers).filter(([name]) => name.toLowerCase() === 'content-type');
  const value = values.length === 1 ? values[0]?.[1].trim() : undefined;
  if (value === undefined || value === '') throw new TypeError('a body is signed with one Content-Type');
  return value;
}

function integer(seconds: number): number {
  if (!Number.isInteger(seconds)) throw new TypeError('created and expires are whole seconds');
  return seconds;
}

function quoted(text: string): string {
  if (!/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/.test(text)) {
    throw new TypeError('a signature parameter holds a character that it cannot hold');
  }
  return `"${text}"`;
}
