import { createPrivateKey, createPublicKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto';

export interface KeyPairAsJwk {
  readonly publicJwk: JsonWebKey;
  readonly privateJwk: JsonWebKey;
}

/**
 * A new Ed25519 pair in the form that the SDK takes keys in. It goes through its encoding and back, because exporting
 * the very key that Node has just generated can stand still for ever (`newPair` of the signing library tells how).
 */
export function newKeyPair(): KeyPairAsJwk {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return {
    publicJwk: createPublicKey(publicKey).export({ format: 'jwk' }),
    privateJwk: createPrivateKey(privateKey).export({ format: 'jwk' }),
  };
}
