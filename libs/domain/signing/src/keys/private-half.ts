import { createPrivateKey, type KeyObject } from 'node:crypto';
import { Secret } from '@switchyard/values';

/** The private half of a key as the vault seals it: PKCS#8, DER. Whoever receives it wipes it. */
export function privateHalf(privateKey: KeyObject): Secret {
  return new Secret(privateKey.export({ type: 'pkcs8', format: 'der' }));
}

/** Throws when the bytes are not what `privateHalf` made of a key: then the vault gave out something else. */
export function openPrivateHalf(secret: Secret): KeyObject {
  return secret.use((der) => createPrivateKey({ key: der, type: 'pkcs8', format: 'der' }));
}
