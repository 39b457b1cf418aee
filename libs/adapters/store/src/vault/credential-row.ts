import { Buffer } from 'node:buffer';
import type { CredentialKind, CredentialMetadata, SealedCredential } from '@switchyard/vault';
import { present } from '../core/present.js';
import type { Prisma } from '../generated/client.js';
import type { credentialModel } from '../generated/models.js';

export type MetadataRow = Pick<
  credentialModel,
  | 'credential_id'
  | 'version'
  | 'organization_id'
  | 'connection_id'
  | 'seller'
  | 'kind'
  | 'destination'
  | 'scheme'
  | 'kms_key_id'
  | 'created_at'
  | 'rewrapped_at'
  | 'retired_at'
  | 'last_error_at'
  | 'last_error_code'
> & { readonly last_used_at?: Date | null };

export function sealedOf(row: credentialModel): SealedCredential {
  return {
    ...identityOf(row),
    scheme: row.scheme,
    kmsKeyId: row.kms_key_id,
    wrappedKey: Buffer.from(row.wrapped_key),
    nonce: Buffer.from(row.nonce),
    ciphertext: Buffer.from(row.ciphertext),
    tag: Buffer.from(row.tag),
    commitment: Buffer.from(row.commitment),
    createdAt: row.created_at.getTime(),
  };
}

export function metadataOf(row: MetadataRow): CredentialMetadata {
  return {
    ...identityOf(row),
    scheme: row.scheme,
    kmsKeyId: row.kms_key_id,
    createdAt: row.created_at.getTime(),
    ...present({
      rewrappedAt: row.rewrapped_at?.getTime(),
      retiredAt: row.retired_at?.getTime(),
      lastUsedAt: row.last_used_at?.getTime(),
      lastError:
        row.last_error_at === null || row.last_error_code === null
          ? undefined
          : { at: row.last_error_at.getTime(), code: row.last_error_code },
    }),
  };
}

export function sealedRow(sealed: SealedCredential): Prisma.credentialCreateInput {
  return {
    credential_id: sealed.credentialId,
    version: sealed.version,
    organization_id: sealed.organizationId,
    connection_id: sealed.connectionId ?? null,
    seller: sealed.seller ?? null,
    kind: sealed.kind,
    destination: sealed.destination ?? null,
    scheme: sealed.scheme,
    kms_key_id: sealed.kmsKeyId,
    wrapped_key: Buffer.from(sealed.wrappedKey),
    nonce: Buffer.from(sealed.nonce),
    ciphertext: Buffer.from(sealed.ciphertext),
    tag: Buffer.from(sealed.tag),
    commitment: Buffer.from(sealed.commitment),
    created_at: new Date(sealed.createdAt),
  };
}

function identityOf(row: MetadataRow) {
  return {
    credentialId: row.credential_id,
    version: row.version,
    organizationId: row.organization_id,
    kind: row.kind as CredentialKind,
    ...present({ connectionId: row.connection_id, seller: row.seller, destination: row.destination }),
  };
}
