import { Buffer } from 'node:buffer';
import { createPublicKey } from 'node:crypto';
import type { JsonObject } from '@switchyard/values';
import { algorithms, verifyBytes, type SignatureAlgorithm } from '../algorithm.js';
import { readContentDigest } from '../content-digest.js';
import { isInnerList, parseDictionary } from '../structured-fields.js';

/** A signature as evidence: what was signed, the header `Signature`, and the public key as it was published then. */
export interface SignatureEvidence {
  /** The text of RFC 9421, 2.5. */
  readonly base: string;
  readonly signature: string;
  readonly jwk: JsonObject;
}

/**
 * Verifies a stored signature with nothing else: no clock, no key set, no nonce. Returns the covered SHA-256 of the body in
 * lower-case hex (`bodyHash` is absent if the signature covers none), or undefined if the key did not sign the text.
 */
export function verifyBase({
  base,
  signature,
  jwk,
}: SignatureEvidence): { readonly bodyHash?: string } | undefined {
  const value = parseDictionary(signature, 'either')?.get('sig1');
  const alg = (Object.keys(algorithms) as SignatureAlgorithm[]).find(
    (name) => algorithms[name].jwkAlg === jwk['alg'],
  );
  if (value === undefined || isInnerList(value) || value.item.type !== 'bytes' || alg === undefined)
    return undefined;
  try {
    const key = createPublicKey({ key: jwk as Record<string, string>, format: 'jwk' });
    if (key.asymmetricKeyType !== algorithms[alg].keyType) return undefined;
    if (!verifyBytes(alg, Buffer.from(base, 'latin1'), value.item.value, key)) return undefined;
  } catch {
    return undefined;
  }
  const covered = base.split('\n').find((line) => line.startsWith('"content-digest": '));
  if (covered === undefined) return {};
  const digest = readContentDigest(covered.slice('"content-digest": '.length), 'either');
  return digest === undefined ? undefined : { bodyHash: digest.toString('hex') };
}
