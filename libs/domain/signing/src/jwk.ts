import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { JsonObject } from '@switchyard/values';
import { algorithms, type SignatureAlgorithm } from './algorithm.js';

export interface SigningKey {
  readonly kid: string;
  readonly alg: SignatureAlgorithm;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** A new key pair. The only thing here that draws on chance, and it draws on the crypto library's own. */
export function generateSigningKey(kid: string, alg: SignatureAlgorithm = 'ed25519'): SigningKey {
  const pair =
    alg === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { kid, alg, ...pair };
}

/**
 * The published form of a key: public members only.
 *
 * `useMembers` names the purpose members to write, one per dialect that is to find the key (`ads_use`, `adcp_use`).
 * Members are picked one by one, so that a private one cannot slip out with the rest.
 */
export function publicJwk(
  key: Pick<SigningKey, 'kid' | 'alg' | 'publicKey'>,
  useMembers: readonly string[],
  purpose = 'request-signing',
): JsonObject {
  const { x, y } = key.publicKey.export({ format: 'jwk' });
  const facts = algorithms[key.alg];
  if (key.publicKey.type !== 'public' || typeof x !== 'string') throw new TypeError('not a public key');
  return {
    kid: key.kid,
    kty: facts.kty,
    crv: facts.crv,
    alg: facts.jwkAlg,
    use: 'sig',
    key_ops: ['verify'],
    ...Object.fromEntries(useMembers.map((member) => [member, purpose])),
    x,
    ...(typeof y === 'string' ? { y } : {}),
  };
}
