import { Buffer } from 'node:buffer';
import { canonicalJson } from '@switchyard/values';
import { sealingScheme, unboundScheme, type CredentialIdentity } from './sealed-credential.js';

/** Names and values that a key service authenticates with a wrapped key. Never secret. */
export type EncryptionContext = Readonly<Record<string, string>>;

/**
 * The context of a credential. An absent member stays out of the map, so "no seller" and a seller with any name
 * never look the same. A record of the first scheme has no destination in it, whatever its row says.
 */
export function encryptionContextOf(
  identity: CredentialIdentity & { readonly scheme?: string },
): EncryptionContext {
  const { scheme = sealingScheme, destination } = identity;
  const isBound = scheme !== unboundScheme;
  return {
    v: isBound ? '2' : '1',
    organization: identity.organizationId,
    ...(identity.seller === undefined ? {} : { seller: identity.seller }),
    ...(identity.connectionId === undefined ? {} : { connection: identity.connectionId }),
    credential: identity.credentialId,
    version: String(identity.version),
    kind: identity.kind,
    ...(isBound && destination !== undefined ? { destination } : {}),
  };
}

/** One byte string per context: its canonical JSON (RFC 8785) as UTF-8. Used as additional authenticated data. */
export function contextBytes(context: EncryptionContext): Buffer {
  return Buffer.from(canonicalJson(context), 'utf8');
}
