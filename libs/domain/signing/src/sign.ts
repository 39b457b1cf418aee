import { Buffer } from 'node:buffer';
import type { KeyObject } from 'node:crypto';
import { signBytes, type SignatureAlgorithm } from './algorithm.js';
import { canonicalTarget } from './canonical-url.js';
import { contentDigestOf } from './content-digest.js';
import { signatureBase, type CoveredValue } from './signature-base.js';

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
  const target = canonicalTarget(request.url);
  if (!target.ok) throw new TypeError(`cannot sign a request to this URL: ${target.error}`);
  const covered: CoveredValue[] = [
    ['@method', request.method.toUpperCase()],
    ['@target-uri', target.value.targetUri],
    ['@authority', target.value.authority],
  ];
  const encoding = request.encoding ?? 'base64url';
  const digest = request.body.length > 0 ? contentDigestOf(request.body, encoding) : undefined;
  if (digest !== undefined) {
    covered.push(['content-type', contentTypeOf(request.headers)], ['content-digest', digest]);
  }
  const params = paramsText(request, covered);
  const base = Buffer.from(signatureBase(covered, params), 'latin1');
  const signature = signBytes(request.alg, base, request.privateKey).toString(encoding);
  return {
    ...(digest === undefined ? {} : { 'Content-Digest': digest }),
    'Signature-Input': `sig1=${params}`,
    Signature: `sig1=:${signature}:`,
  };
}

function paramsText(request: RequestToSign, covered: readonly CoveredValue[]): string {
  const list = covered.map(([name]) => `"${name}"`).join(' ');
  return (
    `(${list});created=${integer(request.created)};expires=${integer(request.expires)};nonce=${quoted(request.nonce)}` +
    `;keyid=${quoted(request.keyid)};alg=${quoted(request.alg)};tag=${quoted(request.tag)}`
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
