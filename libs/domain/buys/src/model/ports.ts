import type {
  Connection,
  PrincipalSigner,
  ReportMode,
  SellerTarget,
  SellerTransport,
} from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import type { Clock, Result, Secret } from '@switchyard/values';
import type { CampaignDirectory } from '../campaigns/campaign.js';
import type { InsertCeiling } from './terms/insert-budget.js';
import type { OperationStore } from './operation-store.js';
import type { ActivationRepository } from '../signals/activation.js';

/** What a leg needs of the vault: the seller's credential, and the secret its idempotency keys are made with. */
export interface LegSecrets {
  readonly credential?: SellerTarget['credential'];
  readonly keySecret?: Secret;
  /** What the seller proves its webhooks with, where it cannot sign them. */
  readonly webhookSecret?: { readonly credentialId: string; readonly secret: Secret };
}

/**
 * Leases the secrets of several connections in one go, so that one audit insert covers all legs. Refuses the lease
 * of everything when the audit row cannot be written.
 */
export type LeaseSecrets = (
  scope: TenantScope,
  connections: readonly Connection[],
  use: { readonly operationId: string; readonly purpose: string },
) => Promise<Result<ReadonlyMap<string, LegSecrets>, { readonly code: string; readonly message: string }>>;

/** Asks for no key: the signer does that when it is first used, under the audit row of this operation. */
export type SignerFor = (
  scope: TenantScope,
  principalId: string,
  use: { readonly operationId: string; readonly purpose: string },
) => PrincipalSigner;

export interface ConnectionReader {
  list(scope: TenantScope): Promise<readonly Connection[]>;
  byId(scope: TenantScope, id: string): Promise<Connection | undefined>;
}

/** Ids are chance, and chance is passed in. */
export interface IdSource {
  uuid(): string;
  /** An unguessable id with a prefix, for example `mb_…`. */
  token(prefix: string): string;
}

export interface BuysPorts {
  readonly store: OperationStore;
  readonly connections: ConnectionReader;
  readonly transport: SellerTransport;
  readonly lease: LeaseSecrets;
  /**
   * Signs as a principal, for sellers that ask for it (docs/protocol/signing.md#requests-to-sellers); absent: nothing
   * is signed.
   */
  readonly signerFor?: SignerFor;
  /** How signals stand where they were activated; absent: sellers are offered no keys of theirs. */
  readonly activations?: ActivationRepository;
  /** Whose a request is; absent: only the brand is known. */
  readonly campaigns?: CampaignDirectory;
  /** Asks a seller anew what it speaks and offers, and keeps it; absent, what is known of sellers stands. */
  readonly relearn?: (scope: TenantScope, connection: Connection) => Promise<Connection | undefined>;
  /**
   * Keeps what a seller's refusal says of how it takes the registration of its reports, which it was asked for in the mode
   * `refused`, and answers the connection as it is now; undefined where nothing else can be asked.
   */
  readonly learnReports?: (
    scope: TenantScope,
    connection: Connection,
    refused: ReportMode,
  ) => Promise<Connection | undefined>;
  /** How many requests of one account of a principal are taken in within which time; absent: any number. */
  readonly insertCeilings?: readonly InsertCeiling[];
  readonly clock: Clock;
  readonly ids: IdSource;
  /** Where sellers reach us: the address before `/webhooks/`. */
  readonly callbackBase: () => string;
  /** Told what nobody is waiting for: a leg parked, a terminal conflict. */
  readonly notice: (what: {
    readonly code: string;
    readonly seller: string;
    readonly legId: string;
    readonly message: string;
    /** What was thrown, where something was; the log writes it down as any other, without secrets. */
    readonly cause?: unknown;
  }) => void;
}
