import type {
  ActivationRepository,
  BuysPorts,
  CreativeStore,
  LeaseSecrets,
  Offer,
  OperationStore,
} from '@switchyard/buys';
import type { RelayLog } from '@switchyard/relay';
import type { Connection, ConnectionDirectory, Egress, SellerLanes } from '@switchyard/sellers';
import type { IsStopped, TenantScope } from '@switchyard/tenancy';
import type { Clock } from '@switchyard/values';
import type { Quotas } from '../platform/caller/quotas.js';
import type { RateLimits } from '../platform/caller/rate-limits.js';
import type { EchoAlarms } from '../sellers/index.js';
import type { BrandVerifier } from './admission/brand-signatures.js';
import type { ChangesUnderWay } from './changes-under-way.js';
import type { CustodyWriter } from './custody/custody-writer.js';
import type { KnownPaths } from './admission/known-paths.js';
import type { DeferredAnswers } from './deferred-answers.js';
import type { LeaseKnown } from './admission/lease-known.js';
import type { QuoteRepository } from './admission/quote-repository.js';

/** The dependencies of the relay. */
export interface RelayDeps {
  readonly connections: Pick<ConnectionDirectory, 'bySlug'>;
  readonly store: OperationStore;
  /** The states of signals: a sealed activation changes them as any other does. */
  readonly activations: ActivationRepository;
  /** The organization's library: the creatives that a request may name. */
  readonly creatives: Pick<CreativeStore, 'byIds' | 'sharedConnections' | 'packages'>;
  /** Finds the campaign of a request. */
  readonly campaigns: NonNullable<BuysPorts['campaigns']>;
  readonly log: RelayLog;
  readonly custody: CustodyWriter;
  readonly paths: KnownPaths;
  readonly quotes: QuoteRepository;
  /** Asks a seller for the prices of products that it never quoted to this organization, with our credential there. */
  readonly askPrices: (
    scope: TenantScope,
    principalId: string,
    connection: Connection,
    productIds: readonly string[],
  ) => Promise<ReadonlyMap<string, Offer>>;
  readonly deferredAnswers: DeferredAnswers;
  readonly changes: ChangesUnderWay;
  readonly verifierOf: BrandVerifier;
  readonly lanes: SellerLanes;
  readonly lease: LeaseSecrets;
  readonly leaseKnown: LeaseKnown;
  readonly egress: Pick<Egress, 'post'>;
  readonly rates: RateLimits;
  readonly quotas?: Pick<Quotas, 'take'>;
  readonly isStopped: IsStopped;
  /** Our own domain: the operator of a request that names none. */
  readonly domainOf: (scope: TenantScope) => Promise<string | undefined>;
  /** The public address that sellers call, before `/webhooks/`. */
  readonly callbackBase: () => string;
  readonly clock: Clock;
  readonly ids: BuysPorts['ids'];
  readonly newId: () => string;
  readonly notice: BuysPorts['notice'];
  /** Reads a seller's capabilities again, and stores them. */
  readonly relearn: NonNullable<BuysPorts['relearn']>;
  /** Gets each seller that writes our credential into an answer. */
  readonly onEcho: EchoAlarms['echoed'];
  readonly onUnexpected: (error: unknown, where: string) => void;
}

/** The longest time of a relayed call, with its stream, in milliseconds. Recovery handles only older calls. */
export const relayTimeoutMs = 300_000;
