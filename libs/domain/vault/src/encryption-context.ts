import { Buffer } from 'node:buffer';
import { defined, canonicalJson } from '@switchyard/values';
import { sealingScheme, unboundScheme, type CredentialIdentity } from './sealed-credential.js';

/** Names and values that a key service authenticates together with a wrapped key. Not secret. */
export type EncryptionContext = Readonly<Record<string, string>>;

/**
 * The context of a credential. Absent members are left out, so "no seller" differs from every seller name. The context
 * of the first scheme has no destination, even if the row has one.
 */
export function encryptionContextOf(
  identity: CredentialIdentity & { readonly scheme?: string },
): EncryptionContext {
  const { scheme = sealingScheme, destination } = identity;
  const isBound = scheme !== unboundScheme;
  return {
    v: isBound ? '2' : '1',
    organization: identity.organizationId,
    ...defined({ seller: identity.seller, connection: identity.connectionId, client: identity.clientId }),
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
