import type { Instant, JsonObject } from '@switchyard/values';
import type { Principal } from './principal.js';
import type { TenantScope } from './scope.js';

/**
 * Where an agent's keys are: an address that is fetched, the key set itself as it was handed to us, or wherever the
 * agent's own capabilities lead, which are asked for over `protocol` (docs/protocol/signing.md#discovery-of-keys).
 */
export type SignerKeys =
  | { readonly kind: 'address'; readonly jwksUri: string }
  | { readonly kind: 'document'; readonly jwks: JsonObject }
  | {
      readonly kind: 'discovered';
      readonly protocol: 'mcp' | 'a2a';
      /** The key set that discovery named first, or that a person accepted since. */
      readonly foundJwksUri?: string;
    };

/** An agent that may sign as a principal of ours. Its keys are looked for in one way and in no other. */
export interface RequestSigner {
  /** UUID. */
  readonly id: string;
  readonly principalId: string;
  /** Who it is to us: what a verified signer is called in records. */
  readonly agentUrl: string;
  readonly keys: SignerKeys;
  /**
   * Of a key that is marked for both dialects; otherwise the key's own use member tells
   * (docs/protocol/requests-and-versions.md#dialects).
   */
  readonly dialect: 'ads' | 'adcp';
  /**
   * Whether this signer may use `rsa-pss-sha512` (docs/protocol/signing.md#algorithms); nobody may unless it is set.
   */
  readonly allowsRsaPss: boolean;
  readonly createdAt: Instant;
}

/** A signer as a door needs it: with the principal that it signs as. */
export interface RegisteredSigner extends Omit<RequestSigner, 'createdAt'> {
  readonly principal: Principal;
  /** Thumbprints of keys that it signed with beside a token of its principal. */
  readonly provedKeys?: readonly string[];
}

/** The port that `adapters/store` implements. Methods reject when the database cannot be reached. */
export interface SignerDirectory {
  /**
   * Every signer of every tenant whose principal is not switched off, oldest first. It is without a tenant because a
   * signed request names a key alone: whose it is tells the tenant.
   */
  all(): Promise<readonly RegisteredSigner[]>;
  /** As it is now: nothing where it was removed, or its principal is switched off. */
  find(scope: TenantScope, signerId: string): Promise<RegisteredSigner | undefined>;
  add(scope: TenantScope, signer: RequestSigner): Promise<void>;
  /** Notes that its principal holds the key of this thumbprint. */
  prove(scope: TenantScope, signerId: string, thumbprint: string): Promise<void>;
  /**
   * Keeps the key set of a signer whose keys are discovered, where `known` is still the one that is kept. False
   * otherwise: of two that are found at once the first one stays.
   */
  keepKeySet(
    scope: TenantScope,
    signerId: string,
    keySet: { readonly jwksUri: string; readonly known: string | undefined },
  ): Promise<boolean>;
  /** False when there is no such signer. */
  remove(scope: TenantScope, signerId: string, at: Instant): Promise<boolean>;
}
