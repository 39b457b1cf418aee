import type { Buffer } from 'node:buffer';
import { sign, verify, type KeyObject } from 'node:crypto';

/** Algorithms as RFC 9421 names them on the wire. Keys name them otherwise: `EdDSA` and `ES256`. */
export type SignatureAlgorithm = 'ed25519' | 'ecdsa-p256-sha256';

/** Both algorithms make signatures of this many bytes; ECDSA's is r and s side by side (IEEE P1363), never DER. */
const signatureBytes = 64;

export interface AlgorithmFacts {
  readonly jwkAlg: string;
  readonly kty: string;
  readonly crv: string;
}

export const algorithms: Readonly<Record<SignatureAlgorithm, AlgorithmFacts>> = {
  ed25519: { jwkAlg: 'EdDSA', kty: 'OKP', crv: 'Ed25519' },
  'ecdsa-p256-sha256': { jwkAlg: 'ES256', kty: 'EC', crv: 'P-256' },
};

export function isSignatureAlgorithm(name: string): name is SignatureAlgorithm {
  return Object.hasOwn(algorithms, name);
}

/** Throws when the key is not one of `alg`: the caller chose both. */
export function signBytes(alg: SignatureAlgorithm, bytes: Buffer, privateKey: KeyObject): Buffer {
  const wanted = alg === 'ed25519' ? 'ed25519' : 'ec';
  if (privateKey.asymmetricKeyType !== wanted) throw new TypeError(`the key is not one for ${alg}`);
  if (alg === 'ed25519') return sign(null, bytes, privateKey);
  return sign('sha256', bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' });
}

export function verifyBytes(
  alg: SignatureAlgorithm,
  bytes: Buffer,
  signature: Buffer,
  publicKey: KeyObject,
): boolean {
  if (signature.length !== signatureBytes) return false;
  if (alg === 'ed25519') return verify(null, bytes, publicKey, signature);
  return verify('sha256', bytes, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature);
}
