import { Buffer } from 'node:buffer';
import type {
  CredentialIdentity,
  CredentialMetadata,
  SealedCredential,
  UsableCredential,
} from '@switchyard/vault';
import type { Prisma } from '../generated/client.js';
import type { credentialModel } from '../generated/models.js';
import { rowReader, type Row } from '../core/row-mapper.js';

export type MetadataRow = Row & Pick<credentialModel, 'last_error_at' | 'last_error_code'>;

const readIdentity = rowReader<CredentialIdentity>()(
  'credential_id, version, organization_id, kind, connection_id, seller, client_id, destination',
);
const readMetadata = rowReader<Omit<CredentialMetadata, 'lastError'>>()(`
  credential_id, version, organization_id, kind, connection_id, seller, client_id, destination, scheme, kms_key_id, created_at,
  rewrapped_at, retired_at, ends_at, last_used_at, state, uses, refusals`);

export function sealedOf(row: credentialModel): SealedCredential {
  return {
    ...readIdentity(row),
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

export function usableOf(row: credentialModel): UsableCredential {
  const { state } = row;
  return { ...sealedOf(row), state: state === 'candidate' || state === 'fallback' ? state : 'current' };
}

export function metadataOf(row: MetadataRow): CredentialMetadata {
  const { last_error_at: at, last_error_code: code } = row;
  const lastError = at === null || code === null ? undefined : { at: at.getTime(), code };
  return { ...readMetadata(row), ...(lastError && { lastError }) };
}

export function sealedRow(
  sealed: SealedCredential,
  trial?: { readonly overlapMs: number },
): Prisma.credentialCreateInput {
  return {
    ...(trial && { state: 'candidate', overlap_ms: trial.overlapMs }),
    credential_id: sealed.credentialId,
    version: sealed.version,
    organization_id: sealed.organizationId,
    connection_id: sealed.connectionId ?? null,
    seller: sealed.seller ?? null,
    client_id: sealed.clientId ?? null,
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
