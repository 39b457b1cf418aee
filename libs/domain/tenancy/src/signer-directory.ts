import type { Instant, JsonObject } from '@switchyard/values';
import type { Principal } from './principal.js';
import type { TenantScope } from './scope.js';

/**
 * Where an agent's keys are: at an address that is fetched, in a key set that was given to us, or where the agent's
 * capabilities point, which are read over `protocol` (docs/protocol/signing.md#discovery-of-keys).
 */
export type SignerKeys =
  | { readonly kind: 'address'; readonly jwksUri: string }
  | { readonly kind: 'document'; readonly jwks: JsonObject }
  | {
      readonly kind: 'discovered';
      readonly protocol: 'mcp' | 'a2a';
      /** The key set that discovery found first, or that a person accepted later. */
      readonly foundJwksUri?: string;
    };

/** An agent that may sign as one of our principals. Its keys are found in this one way only. */
export interface RequestSigner {
  /** UUID. */
  readonly id: string;
  readonly principalId: string;
  /** The name of a verified signer in records. */
  readonly agentUrl: string;
  readonly keys: SignerKeys;
  /**
   * The dialect of a key that is marked for both; otherwise the key's own use member decides
   * (docs/protocol/requests-and-versions.md#dialects).
   */
  readonly dialect: 'ads' | 'adcp';
  /** Whether this signer may use `rsa-pss-sha512` (docs/protocol/signing.md#algorithms); false by default. */
  readonly allowsRsaPss: boolean;
  readonly createdAt: Instant;
}

/** A signer with the principal that it signs as. */
export interface RegisteredSigner extends Omit<RequestSigner, 'createdAt'> {
  readonly principal: Principal;
  /** Thumbprints of keys that it signed with in a request that also had a token of its principal. */
  readonly provedKeys?: readonly string[];
}

/** The port that `adapters/store` implements. Methods reject when the database cannot be reached. */
export interface SignerDirectory {
  /**
   * Returns the signers of all tenants whose principals are not disabled, oldest first. Takes no tenant, because a
   * signed request names only a key, and the key's signer determines the tenant.
   */
  all(): Promise<readonly RegisteredSigner[]>;
  /** Reads the current row. Returns `undefined` if it was removed or its principal is disabled. */
  find(scope: TenantScope, signerId: string): Promise<RegisteredSigner | undefined>;
  /** `heldBy`: UUID of the principal that adds it, and so can act as its principal. */
  add(scope: TenantScope, signer: RequestSigner, heldBy?: string): Promise<void>;
  /** Records that the signer's principal has the key with this thumbprint. */
  prove(scope: TenantScope, signerId: string, thumbprint: string): Promise<void>;
  /**
   * Stores the key set of a signer whose keys are discovered, if `known` is still the stored one. Returns false
   * otherwise: of two concurrent results the first stays.
   */
  storeKeySet(
    scope: TenantScope,
    signerId: string,
    keySet: { readonly jwksUri: string; readonly known: string | undefined },
  ): Promise<boolean>;
  /** Returns false if the signer does not exist. */
  remove(scope: TenantScope, signerId: string, at: Instant): Promise<boolean>;
}
