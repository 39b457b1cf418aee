import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { JsonObject } from '@switchyard/values';
import { algorithms, rsaModulusBits, type SignatureAlgorithm } from './algorithm.js';

export interface SigningKey {
  readonly kid: string;
  readonly alg: SignatureAlgorithm;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** Generates a key pair. This is the only randomness here; it comes from the crypto library. */
export function generateSigningKey(kid: string, alg: SignatureAlgorithm = 'ed25519'): SigningKey {
  return { kid, alg, ...newPair(alg) };
}

/**
 * Generates the pair as bytes and imports it. The key objects that Node.js generates share a lock with the job that
 * made them: if that job is collected while such a key is exported as a JWK, the process deadlocks (Node 20.20; after
 * some thousand exports). A key that was imported from bytes has no such job.
 */
function newPair(alg: SignatureAlgorithm): Pick<SigningKey, 'privateKey' | 'publicKey'> {
  const pair = newBytes(alg);
  const privateKey = createPrivateKey({ key: pair.privateKey, type: 'pkcs8', format: 'der' });
  const publicKey = createPublicKey({ key: pair.publicKey, type: 'spki', format: 'der' });
  pair.privateKey.fill(0);
  return { privateKey, publicKey };
}

const publicKeyEncoding = { type: 'spki', format: 'der' } as const;
const privateKeyEncoding = { type: 'pkcs8', format: 'der' } as const;

function newBytes(alg: SignatureAlgorithm): { readonly privateKey: Buffer; readonly publicKey: Buffer } {
  if (alg === 'ed25519') return generateKeyPairSync('ed25519', { publicKeyEncoding, privateKeyEncoding });
  if (alg === 'rsa-pss-sha512')
    return generateKeyPairSync('rsa', {
      modulusLength: rsaModulusBits.min,
      publicKeyEncoding,
      privateKeyEncoding,
    });
  return generateKeyPairSync('ec', { namedCurve: 'P-256', publicKeyEncoding, privateKeyEncoding });
}

/** The purpose of a key that signs statements and heads of chains: no verifier of requests or webhooks accepts it. */
export const proofPurpose = 'proof-signing';

const publicMembers: ReadonlySet<string> = new Set(
  'kid kty crv alg use key_ops ads_use adcp_use x y n e'.split(' '),
);

/** The members of a published key that are evidence of it; all others, a private one among them, are left out. */
export function publicPart(jwk: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(jwk).filter(([name]) => publicMembers.has(name)));
}

/**
 * Returns the published form of a key, with public members only.
 * `useMembers` names the purpose members to write, one for each dialect that uses the key (`ads_use`, `adcp_use`).
 * Members are picked one by one, so that no private member can be included.
 */
export function publicJwk(
  key: Pick<SigningKey, 'kid' | 'alg' | 'publicKey'>,
  useMembers: readonly string[],
  purpose = 'request-signing',
): JsonObject {
  const facts = algorithms[key.alg];
  if (key.publicKey.type !== 'public' || key.publicKey.asymmetricKeyType !== facts.keyType) {
    throw new TypeError('not a public key of this algorithm');
  }
  const { x, y, n, e } = key.publicKey.export({ format: 'jwk' });
  return {
    kid: key.kid,
    kty: facts.kty,
    ...(facts.crv === undefined ? {} : { crv: facts.crv }),
    alg: facts.jwkAlg,
    use: 'sig',
    key_ops: ['verify'],
    ...Object.fromEntries(useMembers.map((member) => [member, purpose])),
    ...Object.fromEntries(
      Object.entries({ x, y, n, e }).flatMap(([member, value]) =>
        value === undefined ? [] : [[member, value]],
      ),
    ),
  };
}
