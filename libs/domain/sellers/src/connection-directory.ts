import type { AccountRef, Capabilities, Form, SettingForm } from '@switchyard/protocol';
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

/** The result of probing a seller. */
export interface DiscoveredSeller {
  readonly capabilities: Capabilities;
  /** The form of our requests from now on. */
  readonly form: Form;
  readonly kinds: readonly SellerKind[];
  readonly name?: string;
  /** Absent if the tools were not listed, or the seller lists none. */
  readonly tools?: Readonly<Record<string, readonly string[]>>;
}

/** What an admin may change. A member with the value `undefined` is cleared; an absent member does not change. */
export interface ConnectionPatch {
  readonly name?: string;
  readonly protocol?: Connection['protocol'];
  readonly dialect?: Connection['dialect'];
  readonly agentUrl?: string;
  readonly configuredForm?: SettingForm;
  readonly form?: Form;
  /** Of an agent that sells nothing: others are read from their capabilities. */
  readonly kinds?: readonly SellerKind[];
  readonly account?: AccountRef | undefined;
  readonly pinnedJwksUri?: string | undefined;
  readonly pinnedBrandJsonUrl?: string | undefined;
  readonly foundJwksUri?: string | undefined;
  readonly credentialId?: string | undefined;
  readonly keyCredentialId?: string | undefined;
  readonly legacyWebhooks?: LegacyWebhooks;
  readonly reportRegistration?: ReportRegistration | undefined;
  readonly wantsRelaySignature?: boolean;
  readonly wantsAccount?: boolean;
  readonly webhookCredentialId?: string | undefined;
}

/** The seller that was probed, with its URL: the result does not apply if the URL has changed. */
export type ProbedSeller = Pick<Connection, 'id' | 'agentUrl'>;

/** A key set URL that replaces the known one, which was found by discovery or pinned by an admin. */
interface KeySetChange {
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

/** A seller whose capabilities are due to be fetched again. */
export interface AgedSeller {
  readonly connection: Connection;
  /** Consecutive failures to fetch them. */
  readonly failures: number;
}

/** A seller whose hourly look a process has claimed, until that time by the store's clock. */
export interface LookedAtSeller {
  readonly connection: Connection;
  readonly leaseUntil: Instant;
}

/**
 * The port that `adapters/store` implements over `connection` and `connection_health`. Methods reject if the database
 * cannot be reached. Changes return false if the tenant has no such connection.
 */
export interface ConnectionDirectory {
  /** False if the slug is in use in the organization. Rejects if the organization is not the scope's. */
  insert(scope: TenantScope, connection: Connection, at: Instant): Promise<boolean>;
  bySlug(scope: TenantScope, slug: string): Promise<Connection | undefined>;
  byId(scope: TenantScope, id: string): Promise<Connection | undefined>;
  /** Sorted by slug, without drafts unless they are asked for. An unchanged row returns the same object. */
  list(scope: TenantScope, filter?: { readonly state?: ConnectionState }): Promise<readonly Connection[]>;
  /**
   * Sets state and reason; without `reason` the reason is cleared. Also false if the seller's URL has changed, or if it
   * is suspended: a probe does not end a suspension.
   */
  updateState(
    scope: TenantScope,
    seller: ProbedSeller,
    next: Pick<Connection, 'state'> & { readonly reason?: string | undefined },
    at: Instant,
  ): Promise<boolean>;
  /** Also false if the seller's URL has changed. */
  saveCapabilities(
    scope: TenantScope,
    seller: ProbedSeller,
    found: DiscoveredSeller,
    at: Instant,
  ): Promise<boolean>;
  /**
   * Claims live sellers whose capabilities are due, the longest due first, until `leaseUntil`. Another process can
   * claim them after that time, by the store's clock.
   */
  takeAged(
    scope: TenantScope,
    at: Instant,
    leaseUntil: Instant,
    limit: number,
  ): Promise<readonly AgedSeller[]>;
  /** Records one more failure to fetch capabilities. Also false if the seller's URL has changed. */
  capabilitiesFailed(
    scope: TenantScope,
    seller: ProbedSeller,
    failures: number,
    nextAt: Instant,
  ): Promise<boolean>;
  /**
   * Also false if the seller's URL or its known key set has changed: of two concurrent changes the first one is stored.
   */
  storeKeySet(scope: TenantScope, seller: ProbedSeller, keySet: KeySetChange, at: Instant): Promise<boolean>;
  /** Its capabilities, or its accounts and scorecard, are read in the next round, whenever they were due. */
  readSoon(scope: TenantScope, id: string, what: 'capabilities' | 'look', at: Instant): Promise<void>;
  /** Claims live sellers that sell, and whose hourly look is due, as `takeAged` does. */
  takeForLook(
    scope: TenantScope,
    at: Instant,
    leaseUntil: Instant,
    limit: number,
  ): Promise<readonly LookedAtSeller[]>;
  /** Ends a look; a further one that was wanted meanwhile stays due. */
  lookedAt(scope: TenantScope, id: string, leaseUntil: Instant, nextAt: Instant): Promise<void>;
  update(scope: TenantScope, id: string, patch: ConnectionPatch, at: Instant): Promise<boolean>;
  /** Ignores a change older than the stored one, because processes report in any order. */
  saveHealth(change: HealthChange): Promise<void>;
  health(scope: TenantScope): Promise<readonly ConnectionHealth[]>;
}
