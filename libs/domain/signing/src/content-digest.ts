import type { Buffer } from 'node:buffer';
import { hash, timingSafeEqual } from 'node:crypto';
import type { BinarySpelling } from './profile.js';
import { isInnerList, parseDictionary } from './structured-fields.js';

/**
 * Returns the `Content-Digest` of these bytes: SHA-256, in base64url without padding as in this profile, or in standard
 * base64 as in the 3.2 request profile.
 */
export function contentDigestOf(body: Buffer, encoding: 'base64url' | 'base64' = 'base64url'): string {
  return `sha-256=:${sha256(body).toString(encoding)}:`;
}

/** Returns the single SHA-256 digest of a `Content-Digest`; `undefined` for several, another, or an invalid one. */
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
