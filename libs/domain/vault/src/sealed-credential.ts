import type { Buffer } from 'node:buffer';
import type { Instant } from '@switchyard/values';

/**
 * `bearer` and `basic` go to a seller, `webhook` to one that proves its webhooks by a shared secret, `callback` to a
 * buyer that gave it for its own webhooks; `idempotency` derives keys and `signing` signs, and neither ever leaves.
 * `evidence` is what somebody sent us with a secret in it, and `factor` what the codes of a person's app are made of.
 */
export type CredentialKind =
  'bearer' | 'basic' | 'idempotency' | 'signing' | 'callback' | 'webhook' | 'evidence' | 'factor';

/**
 * Kinds whose secret leaves us. Each is sealed for one destination, and opens for a request to that destination alone.
 * The others have none: nobody is sent them.
 */
export const sentKinds: ReadonlySet<CredentialKind> = new Set(['bearer', 'basic', 'webhook', 'callback']);

/** What a secret for an address is sealed for: the address's origin. Throws where it is no address. */
export function destinationOf(url: string): string {
  return new URL(url).origin;
}

/** The construction of a sealed record. It is bound into the ciphertext, so a record cannot be relabelled. */
export const sealingScheme = 'sy-vault-2';

/** The construction before it, which bound no destination. What is never sent still opens under it. */
export const unboundScheme = 'sy-vault-1';

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
  /** Origin that the secret may be sent to; absent for kinds that are never sent. */
  readonly destination?: string;
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
