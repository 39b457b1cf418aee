import { createPrivateKey, type KeyObject } from 'node:crypto';
import { Secret } from '@switchyard/values';

/** Returns the private key as the vault seals it: PKCS#8, DER. The caller must wipe it. */
export function privateHalf(privateKey: KeyObject): Secret {
  return new Secret(privateKey.export({ type: 'pkcs8', format: 'der' }));
}

/** Reads the result of `privateHalf`. Throws if the bytes are anything else. */
export function openPrivateHalf(secret: Secret): KeyObject {
  return secret.use((der) => createPrivateKey({ key: der, type: 'pkcs8', format: 'der' }));
}
