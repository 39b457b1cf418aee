import type { BuyerRegistration } from '@switchyard/events';
import type { ListSort, Reach, TenantScope } from '@switchyard/tenancy';
import type { Instant, JsonObject } from '@switchyard/values';
import type {
  BuyChange,
  BuyPackage,
  Leg,
  MediaBuy,
  MediaBuyRecord,
  Operation,
  SellerBuy,
} from './operation.js';
import type { BuyAssignment } from './campaign.js';
import type { BuyerAccount } from './buyer-account.js';
import type { Crowded, InsertBudget } from './insert-budget.js';
import type { CreativeDraft } from './creative-library.js';
import type { Offer, Quote } from './offer.js';
import type { Proposal, ProposalQuote } from './proposal.js';
import type { Breach } from './limit.js';
import type { SpendDraft } from './spend.js';
import type { OperationState } from './operation-state.js';
import type { RegistrationDraft } from './registration-draft.js';

/** Everything that is stored before the first seller is called, in one commit. */
export interface OperationDraft {
  readonly operation: Operation;
  readonly legs: readonly Leg[];
  readonly buy?: MediaBuy;
  /** The decision on client and campaign; absent where nothing was decided. */
  readonly assignment?: BuyAssignment;
  readonly sellerBuys: readonly SellerBuy[];
  /** Without `buy`, they are added to a stored buy, at the next free positions in this order. */
  readonly packages: readonly BuyPackage[];
  readonly registrations: readonly RegistrationDraft[];
  /** Creatives that the request adds to the library. */
  readonly creatives?: CreativeDraft;
  /** The buyer's callback addresses for this operation. */
  readonly callbacks?: readonly BuyerRegistration[];
  /** For a change of a buy: checked under the lock of the buy, before anything is stored. */
  readonly guard?: BuyGuard;
  /** The limit that a buyer's request counts against; absent: none. */
  readonly budget?: InsertBudget;
  /** The amounts it commits, counted against the spending limits; absent: none known. */
  readonly spend?: SpendDraft;
}

/** The conditions under which a change of a buy may begin. */
export interface BuyGuard {
  readonly mediaBuyId: string;
  /** Parts at which no other change may have an unknown outcome: changes of one buy run one after another. */
  readonly sellerBuyIds: readonly string[];
  /** The revision that the caller has read; absent where it sent none. */
  readonly revision?: number;
}

export type Begun =
  | {
      readonly kind: 'stored';
      /** Set where it exceeds a limit: nothing is sent before another person has approved it. */
      readonly approvalId?: string;
    }
  /** It exceeds a limit that refuses. Nothing was stored. */
  | { readonly kind: 'over'; readonly breaches: readonly Breach[] }
  /** A limit is in another currency, and no rate was entered. Nothing was stored. */
  | { readonly kind: 'no_rate'; readonly from: string; readonly to: string }
  | { readonly kind: 'exists'; readonly operation: Operation }
  /** Another change of the same part is pending. */
  | { readonly kind: 'busy'; readonly seller: string }
  /** The caller has read an older revision. */
  | { readonly kind: 'stale'; readonly revision: number }
  /**
   * Another tenant of the same account has a creative with this id there, or is sending it. Without `seller`:
   * another principal of the organization uploaded it, out of the caller's reach. Nothing was stored.
   */
  | { readonly kind: 'taken'; readonly creativeId: string; readonly seller?: string }
  /** Its account has reached its rate limit. */
  | Crowded;

/** The send of a leg that a process has leased or read. */
type TakenLeg = Pick<Leg, 'id' | 'attempts' | 'sentAt'>;

/** Database functions of `buys`. Every function sees the rows of one tenant only. */
export interface OperationStore {
  /** Stores a draft, unless an operation of this principal already holds its key. */
  begin(scope: TenantScope, draft: OperationDraft): Promise<Begun>;
  /** The operation of this principal that holds the idempotency key. */
  byKey(scope: TenantScope, principalId: string, key: string): Promise<Operation | undefined>;
  state(scope: TenantScope, operationId: string): Promise<OperationState | undefined>;
  /** The operation with this task id, if it is in reach. */
  byTaskId(scope: TenantScope, reach: Reach, taskId: string): Promise<OperationState | undefined>;
  /**
   * Leases a leg for one send until `leaseUntil`: counts the attempt and marks it `sent`. Both times are the
   * caller's; the length of the lease, and whether another lease has ended, are measured by the clock of the
   * store. Undefined when the leg is settled or leased.
   */
  takeLeg(scope: TenantScope, legId: string, now: Instant, leaseUntil: Instant): Promise<Leg | undefined>;
  /**
   * Releases a leg for a later attempt, as it was when it was leased or read. Changes nothing on a leg that
   * was leased or encoded again since. `unsent`: nothing was sent since the lease, so the attempt does not
   * count.
   */
  releaseLeg(scope: TenantScope, leg: TakenLeg, nextAt: Instant, what?: 'unsent'): Promise<void>;
  /** Parks a leg that is `pending` or `sent` for a person, with the reason as a finding. Other legs do not change. */
  parkLeg(scope: TenantScope, legId: string, reason: string, at: Instant): Promise<void>;
  /**
   * Locks the operation of a leg, calls `decide`, and stores what changed. New packages get positions after
   * all others of the buy. An operation that settles as anything but completed, before its buyer was
   * answered, releases its idempotency key. Undefined where the leg is not this tenant's.
   */
  change(
    scope: TenantScope,
    legId: string,
    decide: (state: OperationState) => OperationState,
  ): Promise<OperationState | undefined>;
  /** Stores the first answer to the buyer, for replays. A stored answer is not replaced. */
  saveAnswer(scope: TenantScope, operationId: string, answer: JsonObject, at: Instant): Promise<void>;
  /**
   * Fails an operation without legs and releases its key. An operation that was answered, or that has a leg,
   * does not change.
   */
  abandon(scope: TenantScope, operationId: string, at: Instant): Promise<void>;
  /** Unfinished legs that are due at `now`, oldest first, but not those at the connections of `except`. */
  dueLegs(
    scope: TenantScope,
    now: Instant,
    limit: number,
    except?: readonly string[],
  ): Promise<readonly Leg[]>;
  /** With `reach`: only a leg of an operation in reach. */
  leg(scope: TenantScope, legId: string, reach?: Reach): Promise<Leg | undefined>;

  mediaBuy(scope: TenantScope, id: string): Promise<MediaBuyRecord | undefined>;
  /** Newest first; all of the tenant without `principalId` and `reach`. */
  mediaBuys(scope: TenantScope, filter: BuyFilter): Promise<readonly MediaBuyRecord[]>;
  /** Every leg that creates a part of a buy, changes it or undoes it, in the order of storing. */
  legsAbout(scope: TenantScope, mediaBuyId: string): Promise<readonly Leg[]>;
  /** Changes of a buy, newest first, without the creation of its parts. */
  changesOf(scope: TenantScope, mediaBuyId: string, limit: number): Promise<readonly BuyChange[]>;
  sellerBuyOf(
    scope: TenantScope,
    connectionId: string,
    sellerMediaBuyId: string,
  ): Promise<SellerBuy | undefined>;
  /** Who has the buy of a seller: this tenant, and perhaps others. */
  holdersOf(scope: TenantScope, connectionId: string, sellerMediaBuyId: string): Promise<Holders>;

  /** Stores the newest quote of each product, over all connections; of equal times the last one written. */
  saveOffers(scope: TenantScope, quotes: readonly Quote[]): Promise<void>;
  /** Quotes by prefixed product id. */
  offers(scope: TenantScope, prefixedIds: readonly string[]): Promise<ReadonlyMap<string, Offer>>;
  /**
   * Stores the newest version of each proposal, whichever connection it came over; of equal times the last one
   * written.
   */
  saveProposals(scope: TenantScope, quotes: readonly ProposalQuote[]): Promise<void>;
  /** Proposals by prefixed id. */
  proposals(scope: TenantScope, prefixedIds: readonly string[]): Promise<ReadonlyMap<string, Proposal>>;
}

/**
 * Whether other tenants may have a buy at a connection's address: `taken` where one has it, `shared` where one has a
 * connection there and so may have it, `own` where no other tenant has one.
 */
export type Elsewhere = 'own' | 'shared' | 'taken';

export interface Holders {
  readonly elsewhere: Elsewhere;
  /** The part of a buy of this tenant; absent: it has none. */
  readonly own?: SellerBuy;
}

/** The position of a buy in a list from the newest on; of two with one time the lesser id comes first. */
export interface BuyPlace {
  readonly madeAt: Instant;
  readonly id: string;
}

export interface BuyFilter {
  readonly principalId?: string;
  /** Only buys that are in reach; absent: all. */
  readonly reach?: Reach;
  readonly statuses?: readonly string[];
  /** Statuses as shown to people (`shownStatus`). */
  readonly shownAs?: readonly string[];
  /** Slug of a seller that has a part. */
  readonly seller?: string;
  /** UUID. */
  readonly clientId?: string;
  /** Lower case. */
  readonly brandDomain?: string;
  /** UUID; null: buys without a campaign. */
  readonly campaignId?: string | null;
  /** Made at this instant or later. */
  readonly since?: Instant;
  /** Made before this instant. */
  readonly until?: Instant;
  /** Its flight, or that of a seller's part, ends after this instant. Whole seconds. */
  readonly runsAfter?: Instant;
  /** Its flight, or that of a seller's part, starts before this instant. Whole seconds. */
  readonly runsBefore?: Instant;
  /** Beginning of the buyer's own reference. */
  readonly refStart?: string;
  readonly ids?: readonly string[];
  readonly buyerRefs?: readonly string[];
  /** Only buys of this brand and operator. */
  readonly account?: BuyerAccount;
  /** Only buys that can still be changed. */
  readonly isOpen?: true;
  /** Only such buys with an impairment that its seller has not ended. */
  readonly isImpaired?: true;
  /** Only such buys of which a seller refused its part, and no bought plan places that part elsewhere. */
  readonly isPartRefused?: true;
  /** Newest first unless set. */
  readonly sort?: ListSort;
  /** Only buys after this position. */
  readonly after?: BuyPlace;
  readonly limit: number;
}
