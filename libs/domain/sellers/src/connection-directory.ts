import type { AccountRef, Capabilities, Form } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { BreakerPhase } from './breaker.js';
import type {
  Connection,
  ConnectionState,
  LegacyWebhooks,
  ReportRegistration,
  SellerKind,
} from './connection.js';
import type { HealthChange } from './health-sink.js';

/** What a look at the seller brought. */
export interface DiscoveredSeller {
  readonly capabilities: Capabilities;
  /** What we speak to it from now on. */
  readonly form: Form;
  readonly kinds: readonly SellerKind[];
  readonly name?: string;
  /** Absent where the seller was not asked, or does not say. */
  readonly tools?: Readonly<Record<string, readonly string[]>>;
}

/** What an admin may change. A member that is named with `undefined` is cleared; one that is not named stays. */
export interface ConnectionPatch {
  readonly name?: string;
  readonly protocol?: Connection['protocol'];
  readonly dialect?: Connection['dialect'];
  readonly agentUrl?: string;
  readonly configuredForm?: 'auto' | Form;
  readonly form?: Form;
  readonly account?: AccountRef | undefined;
  readonly pinnedJwksUri?: string | undefined;
  readonly pinnedBrandJsonUrl?: string | undefined;
  readonly foundJwksUri?: string | undefined;
  readonly credentialId?: string | undefined;
  readonly keyCredentialId?: string | undefined;
  readonly legacyWebhooks?: LegacyWebhooks;
  readonly reportRegistration?: ReportRegistration | undefined;
  readonly wantsRelaySignature?: boolean;
  readonly webhookCredentialId?: string | undefined;
}

/** Whom somebody looked at, and where: what was found there says nothing of another address. */
export type LookedAt = Pick<Connection, 'id' | 'agentUrl'>;

/** The address of a key set that takes the place of the one that was known: the one found, or the one an admin pinned. */
export interface KeySetChange {
  readonly kind: 'found' | 'pinned';
  readonly known: string | undefined;
  readonly jwksUri: string;
}

/** The health row of a connection: the last transition that any process reported. */
export interface ConnectionHealth {
  readonly connectionId: string;
  readonly breaker: BreakerPhase;
  readonly failures: number;
  readonly lastOkAt?: Instant;
  readonly lastFailureAt?: Instant;
  readonly lastFailureCode?: string;
  readonly updatedAt: Instant;
}

/** A seller that is asked again what it can do. */
export interface AgedSeller {
  readonly connection: Connection;
  /** How often in a row it did not answer. */
  readonly failures: number;
}

/**
 * The port that `adapters/store` implements over `connection` and `connection_health`. Methods reject when the
 * database cannot be reached. Changes answer false where the tenant has no such connection.
 */
export interface ConnectionDirectory {
  /** False when the organization has a connection of that slug already. Rejects when the organization is not the scope's. */
  insert(scope: TenantScope, connection: Connection, at: Instant): Promise<boolean>;
  bySlug(scope: TenantScope, slug: string): Promise<Connection | undefined>;
  byId(scope: TenantScope, id: string): Promise<Connection | undefined>;
  /** By slug. The same object is answered as long as the row is the same. */
  list(scope: TenantScope, filter?: { readonly state?: ConnectionState }): Promise<readonly Connection[]>;
  /**
   * The reason is replaced with the state; absent clears it. False as well where the seller has another address by now, or
   * is suspended: a look at it ends no suspension.
   */
  updateState(
    scope: TenantScope,
    seller: LookedAt,
    state: ConnectionState,
    at: Instant,
    reason?: string,
  ): Promise<boolean>;
  /** False as well where the seller has another address by now. */
  saveCapabilities(
    scope: TenantScope,
    seller: LookedAt,
    found: DiscoveredSeller,
    at: Instant,
  ): Promise<boolean>;
  /**
   * Takes live sellers whose capabilities are due to be asked for, those that are due longest first, and keeps others
   * off them until `leaseUntil`, by the store's own clock.
   */
  takeAged(
    scope: TenantScope,
    at: Instant,
    leaseUntil: Instant,
    limit: number,
  ): Promise<readonly AgedSeller[]>;
  /** Writes down that a seller did not answer once more. False as well where it has another address by now. */
  capabilitiesFailed(
    scope: TenantScope,
    seller: LookedAt,
    failures: number,
    nextAt: Instant,
  ): Promise<boolean>;
  /**
   * False as well where the seller has another address by now, or another key set than the known: of two that are found
   * at once the first one stays.
   */
  keepKeySet(scope: TenantScope, seller: LookedAt, keySet: KeySetChange, at: Instant): Promise<boolean>;
  update(scope: TenantScope, id: string, patch: ConnectionPatch, at: Instant): Promise<boolean>;
  /** An older change than the one stored is left out: processes report in any order. */
  saveHealth(change: HealthChange): Promise<void>;
  health(scope: TenantScope): Promise<readonly ConnectionHealth[]>;
}
