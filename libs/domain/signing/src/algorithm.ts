import type { Buffer } from 'node:buffer';
import { constants, sign, verify, type KeyObject } from 'node:crypto';

/**
 * Algorithms as RFC 9421 names them on the wire. Keys name them otherwise: `EdDSA`, `ES256` and `PS512`.
 *
 * The last one is no part of the profile: it is for request signers that are registered with it
 * (docs/protocol/signing.md#algorithms).
 */
export type SignatureAlgorithm = 'ed25519' | 'ecdsa-p256-sha256' | 'rsa-pss-sha512';

export interface AlgorithmFacts {
  readonly jwkAlg: string;
  readonly kty: string;
  /** Absent where keys have no curve. */
  readonly crv?: string;
  /** What the crypto library calls such keys. */
  readonly keyType: 'ed25519' | 'ec' | 'rsa';
}

export const algorithms: Readonly<Record<SignatureAlgorithm, AlgorithmFacts>> = {
  ed25519: { jwkAlg: 'EdDSA', kty: 'OKP', crv: 'Ed25519', keyType: 'ed25519' },
  'ecdsa-p256-sha256': { jwkAlg: 'ES256', kty: 'EC', crv: 'P-256', keyType: 'ec' },
  'rsa-pss-sha512': { jwkAlg: 'PS512', kty: 'RSA', keyType: 'rsa' },
};

/** Bits of an RSA modulus: fewer are weak, more make a verification a way to keep us busy. */
export const rsaModulusBits = { min: 2048, max: 4096 } as const;

/** The first two make signatures of this many bytes; ECDSA's is r and s side by side (IEEE P1363), never DER. */
const signatureBytes = 64;

/** RFC 9421, section 3.3.1: the salt is as long as the hash. */
const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 } as const;

export function isSignatureAlgorithm(name: string): name is SignatureAlgorithm {
  return Object.hasOwn(algorithms, name);
}

/** Throws when the key is not one of `alg`: the caller chose both. */
export function signBytes(alg: SignatureAlgorithm, bytes: Buffer, privateKey: KeyObject): Buffer {
  if (privateKey.asymmetricKeyType !== algorithms[alg].keyType) {
    throw new TypeError(`the key is not one for ${alg}`);
  }
  if (alg === 'ed25519') return sign(null, bytes, privateKey);
  if (alg === 'rsa-pss-sha512') return sign('sha512', bytes, { key: privateKey, ...pss });
  return sign('sha256', bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' });
}

export function verifyBytes(
  alg: SignatureAlgorithm,
  bytes: Buffer,
  signature: Buffer,
  publicKey: KeyObject,
): boolean {
  if (alg === 'rsa-pss-sha512') {
    // Elsewhere a wrong key makes a wrong signature; here it would make the crypto library throw.
    if (publicKey.asymmetricKeyType !== 'rsa') return false;
    return verify('sha512', bytes, { key: publicKey, ...pss }, signature);
  }
  if (signature.length !== signatureBytes) return false;
  if (alg === 'ed25519') return verify(null, bytes, publicKey, signature);
  return verify('sha256', bytes, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature);
}
