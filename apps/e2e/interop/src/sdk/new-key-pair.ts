import { createPrivateKey, createPublicKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto';

interface KeyPairAsJwk {
  readonly publicJwk: JsonWebKey;
  readonly privateJwk: JsonWebKey;
}

/**
 * Generates an Ed25519 pair in the SDK's key format. The key is encoded and imported again, because exporting a
 * generated key object can deadlock Node.js (see `newPair` of the signing library).
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
