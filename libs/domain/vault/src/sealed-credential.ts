import type { Buffer } from 'node:buffer';
import type { Instant } from '@switchyard/values';

/**
 * `bearer` and `basic` are sent to a seller, `client_cert` is a chain of certificates and its private key, which prove us to it
 * in TLS, `webhook` to a seller that proves webhooks by a shared secret, `callback`
 * to the buyer that gave it. `idempotency` derives keys, `signing` signs; neither is ever sent. `evidence` is received
 * data that contained a secret. `oauth_access` is sent to a seller, `oauth_refresh` and `oauth_client` to its authorization
 * server. `factor` is the secret of a person's authenticator app. `job` holds items of a job. `notice` is the address and
 * the key of a system that an organization is told by; it is sent there. `sign_in_client` is sent to the provider that
 * the people of an organization sign in with.
 */
export type CredentialKind =
  | 'bearer'
  | 'basic'
  | 'client_cert'
  | 'oauth_access'
  | 'oauth_refresh'
  | 'oauth_client'
  | 'idempotency'
  | 'signing'
  | 'callback'
  | 'webhook'
  | 'evidence'
  | 'factor'
  | 'job'
  | 'notice'
  | 'sign_in_client';

/**
 * Kinds whose secret is sent to a peer. Each is sealed for one destination and opens only for requests to it. The other
 * kinds have no destination.
 */
export const sentKinds: ReadonlySet<CredentialKind> = new Set([
  'bearer',
  'basic',
  'client_cert',
  'oauth_access',
  'oauth_refresh',
  'oauth_client',
  'webhook',
  'callback',
  'notice',
  'sign_in_client',
]);

/** The destination of an address: its origin. Throws where the text is not a URL. */
export function destinationOf(url: string): string {
  return new URL(url).origin;
}

/** Format of a sealed record. It is bound into the ciphertext, so a record cannot be relabelled. */
export const sealingScheme = 'sy-vault-2';

/** The earlier format, which bound no destination. Kinds that are never sent still open under it. */
export const unboundScheme = 'sy-vault-1';

/** Identifies one version of one credential. All of it is authenticated: a record that is moved elsewhere does not open. */
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
  /** UUID of the client whose own login it is; absent for secrets that all clients of the connection use. */
  readonly clientId?: string;
  readonly kind: CredentialKind;
  /** Origin to which the secret may be sent; absent for kinds that are never sent. */
  readonly destination?: string;
}

/** The only stored form of a secret: one data key, one message, no plain text. */
export interface SealedCredential extends CredentialIdentity {
  readonly scheme: string;
  /** Id of the KMS key that wrapped the data key. */
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
