import type {
  ActivationRepository,
  BuysPorts,
  CreativeStore,
  LeaseSecrets,
  OperationStore,
} from '@switchyard/buys';
import type { RelayLog } from '@switchyard/relay';
import type { ConnectionDirectory, Egress, SellerLanes } from '@switchyard/sellers';
import type { IsStopped, TenantScope } from '@switchyard/tenancy';
import type { Clock } from '@switchyard/values';
import type { RateLimits } from '../tasks/caller/rate-limits.js';
import type { EchoAlarms } from '../composition/webhooks/echo-alarms.js';
import type { BrandVerifier } from './brand-signatures.js';
import type { ChangesUnderWay } from './changes-under-way.js';
import type { CustodyWriter } from './custody-writer.js';
import type { KnownPaths } from './known-paths.js';
import type { LateNotes } from './late-notes.js';
import type { LeaseKnown } from './lease-known.js';
import type { QuoteRepository } from './quote-repository.js';

/** What the relay works with. */
export interface RelayDeps {
  readonly connections: Pick<ConnectionDirectory, 'bySlug'>;
  readonly store: OperationStore;
  /** How signals stand: a sealed activation changes it as any other does. */
  readonly activations: ActivationRepository;
  /** The organization's library: what of it a request may name. */
  readonly creatives: Pick<CreativeStore, 'byIds' | 'sharedConnections' | 'packages'>;
  /** Whose a request is. */
  readonly campaigns: NonNullable<BuysPorts['campaigns']>;
  readonly log: RelayLog;
  readonly custody: CustodyWriter;
  readonly paths: KnownPaths;
  readonly quotes: QuoteRepository;
  readonly notes: LateNotes;
  readonly changes: ChangesUnderWay;
  readonly verifierOf: BrandVerifier;
  readonly lanes: SellerLanes;
  readonly lease: LeaseSecrets;
  readonly leaseKnown: LeaseKnown;
  readonly egress: Pick<Egress, 'post'>;
  readonly rates: RateLimits;
  readonly isStopped: IsStopped;
  /** Our own domain: who operates, where a request does not say. */
  readonly domainOf: (scope: TenantScope) => Promise<string | undefined>;
  /** Where sellers reach us: the address before `/webhooks/`. */
  readonly callbackBase: () => string;
  readonly clock: Clock;
  readonly ids: BuysPorts['ids'];
  readonly newId: () => string;
  readonly notice: BuysPorts['notice'];
  /** Asks a seller anew what it speaks and offers, and keeps it. */
  readonly relearn: NonNullable<BuysPorts['relearn']>;
  /** Told of a seller that writes our credential into an answer. */
  readonly onEcho: EchoAlarms['echoed'];
  readonly onUnexpected: (error: unknown, where: string) => void;
}
