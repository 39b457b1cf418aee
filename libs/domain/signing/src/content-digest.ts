import type { Buffer } from 'node:buffer';
import { hash, timingSafeEqual } from 'node:crypto';
import type { BinarySpelling } from './profile.js';
import { isInnerList, parseDictionary } from './structured-fields.js';

/**
 * The value of `Content-Digest` for these bytes: SHA-256, base64url without padding, as this profile writes it; or
 * standard base64, as the 3.2 request profile does.
 */
export function contentDigestOf(body: Buffer, encoding: 'base64url' | 'base64' = 'base64url'): string {
  return `sha-256=:${sha256(body).toString(encoding)}:`;
}

/** The one SHA-256 digest that a `Content-Digest` holds; undefined for several digests, another one, or junk. */
export function readContentDigest(header: string, binary: BinarySpelling): Buffer | undefined {
  const members = parseDictionary(header, binary);
  const digest = members?.get('sha-256');
  if (members?.size !== 1 || digest === undefined || isInnerList(digest)) return undefined;
  if (digest.item.type !== 'bytes' || digest.item.value.length !== 32) return undefined;
  return digest.item.value;
}

export function digestMatches(digest: Buffer, body: Buffer): boolean {
  return timingSafeEqual(digest, sha256(body));
}

function sha256(bytes: Buffer): Buffer {
  return hash('sha256', bytes, 'buffer');
}
