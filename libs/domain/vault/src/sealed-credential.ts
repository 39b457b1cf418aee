import type { Buffer } from 'node:buffer';
import type { Instant } from '@switchyard/values';

/**
 * `bearer` and `basic` go to a seller, `webhook` to one that proves its webhooks by a shared secret, `callback` to a
 * buyer that gave it for its own webhooks; `idempotency` derives keys and `signing` signs, and neither ever leaves.
 * `evidence` is what somebody sent us with a secret in it.
 */
export type CredentialKind =
  'bearer' | 'basic' | 'idempotency' | 'signing' | 'callback' | 'webhook' | 'evidence';

/** The construction of a sealed record. It is bound into the ciphertext, so a record cannot be relabelled. */
export const sealingScheme = 'sy-vault-1';

/** Names one version of one credential. All of it is authenticated: a record moved elsewhere does not open. */
export interface CredentialIdentity {
  /** UUID. */
  readonly credentialId: string;
  /** From 1. */
  readonly version: number;
  /** UUID. */
  readonly organizationId: string;
  /** UUID; absent for secrets that belong to no connection. */
  readonly connectionId?: string;
  /** The seller's slug; absent for secrets that belong to no seller. */
  readonly seller?: string;
  readonly kind: CredentialKind;
}

/** The only shape of a secret that a row can hold: one data key, one message, nothing in the clear. */
export interface SealedCredential extends CredentialIdentity {
  readonly scheme: string;
  /** Which KMS key wrapped the data key. */
  readonly kmsKeyId: string;
  readonly wrappedKey: Buffer;
  /** 12 bytes. */
  readonly nonce: Buffer;
  readonly ciphertext: Buffer;
  /** 16 bytes. */
  readonly tag: Buffer;
  /** 32 bytes, derived from the data key and the context. */
  readonly commitment: Buffer;
  readonly createdAt: Instant;
}
