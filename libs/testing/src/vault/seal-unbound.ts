import { Buffer } from 'node:buffer';
import { createCipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { canonicalJson, must, type Secret } from '@switchyard/values';
import type { CredentialIdentity, KeyManagement, SealedCredential } from '@switchyard/vault';

/**
 * Seals a credential in the format from before destinations were part of the seal. The format is written here again,
 * because old data folders do not change when the vault does.
 */
export async function sealUnbound(
  kms: KeyManagement,
  { destination: _none, ...identity }: CredentialIdentity,
  secret: Secret,
): Promise<SealedCredential> {
  const context = {
    v: '1',
    organization: identity.organizationId,
    ...(identity.seller === undefined ? {} : { seller: identity.seller }),
    ...(identity.connectionId === undefined ? {} : { connection: identity.connectionId }),
    credential: identity.credentialId,
    version: String(identity.version),
    kind: identity.kind,
  };
  const dataKey = must(await kms.generateDataKey(context));
  const aad = Buffer.from(canonicalJson(context), 'utf8');
  const info = Buffer.concat([Buffer.from('credential'), createHash('sha256').update(aad).digest()]);
  const keys = dataKey.plaintext.use((bytes) =>
    Buffer.from(hkdfSync('sha256', bytes, 'sy-vault-1', info, 64)),
  );
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keys.subarray(0, 32), nonce);
  cipher.setAAD(aad);
  const ciphertext = secret.use((bytes) => Buffer.concat([cipher.update(bytes), cipher.final()]));
  return {
    ...identity,
    scheme: 'sy-vault-1',
    kmsKeyId: dataKey.keyId,
    wrappedKey: dataKey.wrapped,
    nonce,
    ciphertext,
    tag: cipher.getAuthTag(),
    commitment: Buffer.from(keys.subarray(32)),
    createdAt: Date.UTC(2026, 0, 2),
  };
}
