import type {
  ClientAccounts,
  Connection,
  OwnedThing,
  PrincipalSigner,
  ReportMode,
  SellerTarget,
  SellerTransport,
} from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import type { Clock, Result, Secret, Instant, JsonObject } from '@switchyard/values';
import type { CampaignDirectory } from './campaign.js';
import type { InsertCeiling } from './insert-budget.js';
import type { OperationStore } from './operation-store.js';
import type { ActivationRepository } from './activation.js';
import type { Leg, SellerBuy } from './operation.js';
import type { BuyerAccount } from './buyer-account.js';

/** The secrets of a leg: the seller's credential, and the secret from which its idempotency keys are derived. */
export interface LegSecrets {
  readonly credential?: SellerTarget['credential'];
  readonly keySecret?: Secret;
  /** The secret that authenticates webhooks of a seller that cannot sign them. */
  readonly webhookSecret?: { readonly credentialId: string; readonly secret: Secret };
}

/**
 * Leases the secrets of several connections together, so that one audit insert covers all legs. Leases
 * nothing when the audit row cannot be written.
 */
export type LeaseSecrets = (
  scope: TenantScope,
  connections: readonly Connection[],
  use: { readonly operationId: string; readonly purpose: string },
) => Promise<Result<ReadonlyMap<string, LegSecrets>, { readonly code: string; readonly message: string }>>;

/** Returns a signer that leases its key at first use, under the audit row of this operation. */
export type SignerFor = (
  scope: TenantScope,
  principalId: string,
  use: { readonly operationId: string; readonly purpose: string },
) => PrincipalSigner;

interface ConnectionReader {
  list(scope: TenantScope): Promise<readonly Connection[]>;
  byId(scope: TenantScope, id: string): Promise<Connection | undefined>;
}

/** Source of random ids, passed in so that tests can replace it. */
export interface IdSource {
  uuid(): string;
  /** An unguessable id with a prefix, for example `mb_…`. */
  token(prefix: string): string;
}

/** Of these, the ones whose owner has ended the use of every copy, and that were not read again since. */
export type EndedLists = (scope: TenantScope, named: readonly OwnedThing[]) => Promise<readonly OwnedThing[]>;

export interface BuysPorts {
  readonly store: OperationStore;
  readonly connections: ConnectionReader;
  readonly transport: SellerTransport;
  readonly lease: LeaseSecrets;
  /**
   * Signs as a principal, for sellers that require it (docs/protocol/signing.md#requests-to-sellers); absent: nothing
   * is signed.
   */
  readonly signerFor?: SignerFor;
  /** The state of activated signals; absent: no activation keys are sent to sellers. */
  readonly activations?: ActivationRepository;
  /** Finds client and campaign of a request; absent: only the brand is known. */
  readonly campaigns?: CampaignDirectory;
  /** Reads in which account at a seller a client buys; absent: in that of the connection. */
  readonly clientAccounts?: ClientAccounts;
  /** Finds lists that may not be used until they were read again; absent: none. */
  readonly endedLists?: EndedLists;
  /** Reads a seller's version and capabilities again and stores them; absent: the stored ones are used. */
  readonly relearn?: (scope: TenantScope, connection: Connection) => Promise<Connection | undefined>;
  /** Tells a person that a seller refuses to say how far a leg is, with its code; absent in suites without alarms. */
  readonly pollRefused?: (
    scope: TenantScope,
    leg: Pick<Leg, 'id' | 'operationId' | 'seller' | 'task' | 'status' | 'createdAt'>,
    code: string,
  ) => Promise<unknown>;
  /**
   * Stores from a seller's refusal how it takes the registration of reports, after the mode `refused` failed.
   * Returns the updated connection; undefined where no other mode is left.
   */
  readonly learnReports?: (
    scope: TenantScope,
    connection: Connection,
    refused: ReportMode,
  ) => Promise<Connection | undefined>;
  /** Stores that a seller shows its products to an account alone; absent in suites without connections. */
  readonly learnAccount?: (scope: TenantScope, connection: Pick<Connection, 'id'>) => Promise<void>;
  /** Rate limits of requests per account of a principal; absent: none. */
  readonly insertCeilings?: readonly InsertCeiling[];
  readonly clock: Clock;
  readonly ids: IdSource;
  /** The base address of callbacks, before `/webhooks/`. */
  readonly callbackBase: () => string;
  /** Receives events that no caller waits for: a parked leg, a terminal conflict. */
  readonly notice: (what: {
    readonly code: string;
    readonly seller: string;
    readonly legId: string;
    readonly message: string;
    /** The caught error, if any; the log writes it without secrets. */
    readonly cause?: unknown;
  }) => void;
}

/** Stores impairments of buys: independent of status, and not about money (docs/protocol/media-buys.md#impairments). */
export interface ImpairmentRepository {
  /** Stores a seller's snapshot of one buy: an impairment that is no longer listed is resolved. */
  recordSnapshot(
    scope: TenantScope,
    sellerBuy: SellerBuy,
    listed: readonly JsonObject[],
    at: Instant,
  ): Promise<void>;
  /** The open impairments of each of these buys, oldest first, in the sellers' words with our package ids. */
  of(scope: TenantScope, mediaBuyIds: readonly string[]): Promise<ReadonlyMap<string, readonly JsonObject[]>>;
}

/** An account whose usage a vendor bills outside of the protocol. */
export interface BilledElsewhere extends BuyerAccount {
  readonly connectionId: string;
}

/**
 * Accounts that vendors bill outside of the protocol. A mark is permanent (docs/protocol/accounts.md#usage).
 */
export interface BillingRepository {
  billedElsewhere(scope: TenantScope): Promise<readonly BilledElsewhere[]>;
  /** Idempotent. */
  markBilledElsewhere(scope: TenantScope, marks: readonly BilledElsewhere[], at: Instant): Promise<void>;
}
