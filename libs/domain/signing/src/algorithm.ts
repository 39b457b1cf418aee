import type { Buffer } from 'node:buffer';
import { constants, sign, verify, type KeyObject } from 'node:crypto';

/**
 * Algorithms by their names in RFC 9421. Keys use other names: `EdDSA`, `ES256` and `PS512`.
 * `rsa-pss-sha512` is not part of the profile: only request signers that are registered with it may use it
 * (docs/protocol/signing.md#algorithms).
 */
export type SignatureAlgorithm = 'ed25519' | 'ecdsa-p256-sha256' | 'rsa-pss-sha512';

export interface AlgorithmFacts {
  readonly jwkAlg: string;
  readonly kty: string;
  /** Absent if keys have no curve. */
  readonly crv?: string;
  /** The name of the key type in the crypto library. */
  readonly keyType: 'ed25519' | 'ec' | 'rsa';
}

export const algorithms: Readonly<Record<SignatureAlgorithm, AlgorithmFacts>> = {
  ed25519: { jwkAlg: 'EdDSA', kty: 'OKP', crv: 'Ed25519', keyType: 'ed25519' },
  'ecdsa-p256-sha256': { jwkAlg: 'ES256', kty: 'EC', crv: 'P-256', keyType: 'ec' },
  'rsa-pss-sha512': { jwkAlg: 'PS512', kty: 'RSA', keyType: 'rsa' },
};

/** Size of an RSA modulus in bits. Smaller ones are weak; larger ones make verification too expensive. */
export const rsaModulusBits = { min: 2048, max: 4096 } as const;

/** Length of Ed25519 and ECDSA signatures in bytes; ECDSA's is r followed by s (IEEE P1363), never DER. */
const signatureBytes = 64;

/** RFC 9421, section 3.3.1: the salt has the length of the hash. */
const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 } as const;

export function isSignatureAlgorithm(name: string): name is SignatureAlgorithm {
  return Object.hasOwn(algorithms, name);
}

/** Signs bytes. Throws `TypeError` if the key's type is not that of `alg`; the caller chose both. */
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
    // For the other algorithms a wrong key fails the verification; here the crypto library would throw.
    if (publicKey.asymmetricKeyType !== 'rsa') return false;
    return verify('sha512', bytes, { key: publicKey, ...pss }, signature);
  }
  if (signature.length !== signatureBytes) return false;
  if (alg === 'ed25519') return verify(null, bytes, publicKey, signature);
  return verify('sha256', bytes, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature);
}
