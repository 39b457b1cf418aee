import type { BuyerRegistration, WebhookRegistration } from '@switchyard/events';
import type { Reach, TenantScope } from '@switchyard/tenancy';
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
import type { BuyAssignment } from '../campaigns/campaign.js';
import type { BuyerAccount } from './caller.js';
import type { Crowded, InsertBudget } from './terms/insert-budget.js';
import type { CreativeDraft } from '../creatives/creative-library.js';
import type { Offer, Quote } from './offer.js';
import type { Proposal, ProposalQuote } from '../proposals/proposal.js';
import type { Breach } from '../spending/limit.js';
import type { SpendDraft } from '../spending/spend-draft.js';

/** An address handed to a seller together with a leg, stored with it so that an early webhook finds it. */
export type RegistrationDraft = Pick<
  WebhookRegistration,
  'id' | 'legId' | 'connectionId' | 'kind' | 'mode' | 'sellerOperationId' | 'credentialId' | 'tokenHash'
>;

/** Everything that is stored before the first seller is called. One commit, or nothing. */
export interface OperationDraft {
  readonly operation: Operation;
  readonly legs: readonly Leg[];
  readonly buy?: MediaBuy;
  /** The decision on whose the buy is; absent where nothing was decided. */
  readonly assignment?: BuyAssignment;
  readonly sellerBuys: readonly SellerBuy[];
  /** Without `buy` they are added to a stored buy, with the next free positions, in their order. */
  readonly packages: readonly BuyPackage[];
  readonly registrations: readonly RegistrationDraft[];
  /** What the request brings into the library of creatives. */
  readonly creatives?: CreativeDraft;
  /** The buyer's callback addresses for this operation. */
  readonly callbacks?: readonly BuyerRegistration[];
  /** Of an operation that changes a buy: looked at under the lock of the buy, before anything is stored. */
  readonly guard?: BuyGuard;
  /** With whose requests it is counted, of a request that a buyer made; absent: it is counted with none. */
  readonly budget?: InsertBudget;
  /** What it commits, counted against the spending limits; absent: nothing that is known. */
  readonly spend?: SpendDraft;
}

/** What has to hold for a change of a buy to begin. */
export interface BuyGuard {
  readonly mediaBuyId: string;
  /** Parts at which no other change may be on its way with an unknown outcome: writes to one buy come one after another. */
  readonly sellerBuyIds: readonly string[];
  /** The revision that the caller has read; absent where it did not say. */
  readonly revision?: number;
}

/** An operation with all that hangs on it, as one lock shows it. */
export interface OperationState {
  readonly operation: Operation;
  readonly legs: readonly Leg[];
  readonly buy?: MediaBuy;
  readonly sellerBuys: readonly SellerBuy[];
  readonly packages: readonly BuyPackage[];
  /** Changes to write down with this state; what is stored of earlier ones is not among them. */
  readonly changes?: readonly BuyChange[];
  /** Addresses to store with this state, for a leg that is sent in another way. */
  readonly registrations?: readonly RegistrationDraft[];
}

export type Begun =
  | {
      readonly kind: 'stored';
      /** Set where it goes beyond a limit: nothing is sent before another person has approved it. */
      readonly approvalId?: string;
    }
  /** It goes beyond a limit that refuses. Nothing was stored. */
  | { readonly kind: 'over'; readonly breaches: readonly Breach[] }
  /** A limit is in another currency, and no rate was entered. Nothing was stored. */
  | { readonly kind: 'no_rate'; readonly from: string; readonly to: string }
  | { readonly kind: 'exists'; readonly operation: Operation }
  /** Another change of the same part is on its way. */
  | { readonly kind: 'busy'; readonly seller: string }
  /** The caller has read an older revision. */
  | { readonly kind: 'stale'; readonly revision: number }
  /**
   * Another tenant of the same account has put a creative of this id there, or is about to; without a seller, somebody of
   * the organization out of the caller’s reach brought it. Nothing was stored.
   */
  | { readonly kind: 'taken'; readonly creativeId: string; readonly seller?: string }
  /** Its account has sent as many as it may for now. */
  | Crowded;

/** Which send of a leg somebody has, or has seen. */
export type TakenLeg = Pick<Leg, 'id' | 'attempts' | 'sentAt'>;

/** What `buys` needs of the database. Every function sees one tenant's rows only. */
export interface OperationStore {
  /** Stores a draft, unless an operation of this principal already holds its key. */
  begin(scope: TenantScope, draft: OperationDraft): Promise<Begun>;
  /** The operation of this principal that holds the idempotency key. */
  byKey(scope: TenantScope, principalId: string, key: string): Promise<Operation | undefined>;
  state(scope: TenantScope, operationId: string): Promise<OperationState | undefined>;
  /** An operation that is in reach by our task id. Another one is not found. */
  byTaskId(scope: TenantScope, reach: Reach, taskId: string): Promise<OperationState | undefined>;
  /**
   * Takes a leg for one send: counts the attempt, marks it `sent`, and keeps others off until `leaseUntil`. Both times are
   * the caller's; how long that is, and whether another lease has ended, goes by the store's own clock.
   * Answers nothing when the leg is settled, or somebody else has it.
   */
  takeLeg(scope: TenantScope, legId: string, now: Instant, leaseUntil: Instant): Promise<Leg | undefined>;
  /**
   * Gives a leg back for a later try, as it was when it was taken or read. One that somebody has taken for a send since, or
   * that was written anew, is theirs: of it nothing changes. `unsent`: nothing has left since it was taken, so the attempt
   * does not count.
   */
  releaseLeg(scope: TenantScope, leg: TakenLeg, nextAt: Instant, what?: 'unsent'): Promise<void>;
  /** Parks a leg that is `pending` or `sent` for a person, with the reason as a finding. Any other leg stays as it is. */
  parkLeg(scope: TenantScope, legId: string, reason: string, at: Instant): Promise<void>;
  /**
   * Locks the operation of a leg, lets `decide` fold something in, and stores what changed, packages that were not there
   * before among it, at the places after all others of the buy. An operation that settles as anything but completed, and
   * whose buyer was not answered yet, gives its idempotency key free. Nothing where the leg is not this tenant's.
   */
  change(
    scope: TenantScope,
    legId: string,
    decide: (state: OperationState) => OperationState,
  ): Promise<OperationState | undefined>;
  /** Keeps the answer that the buyer was first given, for replays. The first one stays. */
  saveAnswer(scope: TenantScope, operationId: string, answer: JsonObject, at: Instant): Promise<void>;
  /**
   * Gives the key of an operation free that no seller has a part in, because it came to nothing: it stands as failed from
   * then on. One that was answered, or that has a leg, stays as it is.
   */
  giveUp(scope: TenantScope, operationId: string, at: Instant): Promise<void>;
  /** Legs that are unfinished and due at `now`, oldest first. */
  dueLegs(scope: TenantScope, now: Instant, limit: number): Promise<readonly Leg[]>;
  /** With `reach`: only a leg of an operation that is in reach. */
  leg(scope: TenantScope, legId: string, reach?: Reach): Promise<Leg | undefined>;

  mediaBuy(scope: TenantScope, id: string): Promise<MediaBuyRecord | undefined>;
  /** Newest first; the whole tenant's where neither `principalId` nor `reach` is there. */
  mediaBuys(scope: TenantScope, filter: BuyFilter): Promise<readonly MediaBuyRecord[]>;
  /** Every leg that is about a buy: that makes a part of it, changes it or undoes it. In the order of storing. */
  legsAbout(scope: TenantScope, mediaBuyId: string): Promise<readonly Leg[]>;
  /** What changed of a buy, newest first; that its parts were made is no change. */
  changesOf(scope: TenantScope, mediaBuyId: string, limit: number): Promise<readonly BuyChange[]>;
  sellerBuyOf(
    scope: TenantScope,
    connectionId: string,
    sellerMediaBuyId: string,
  ): Promise<SellerBuy | undefined>;
  /**
   * What other tenants have to do with a buy at this connection's address: `taken` where one of them has it, `shared`
   * where one has a connection there, so that the buy may be its own, `own` where nobody else has.
   */
  standsElsewhere(scope: TenantScope, connectionId: string, sellerMediaBuyId: string): Promise<Elsewhere>;

  /** Keeps the newest quote of each product, by its time, whichever connections they came over. Of one time the last stays. */
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

export type Elsewhere = 'own' | 'shared' | 'taken';

/** The place of a buy in a list that begins with the newest; of two that were made at once the lesser id comes first. */
export interface BuyPlace {
  readonly madeAt: Instant;
  readonly id: string;
}

export interface BuyFilter {
  readonly principalId?: string;
  /** Only buys that are in reach; absent: all. */
  readonly reach?: Reach;
  readonly statuses?: readonly string[];
  /** Statuses as people are shown them (`shownStatus`). */
  readonly shownAs?: readonly string[];
  /** Slug of a seller that has a part. */
  readonly seller?: string;
  /** UUID. */
  readonly clientId?: string;
  /** Lower case. */
  readonly brandDomain?: string;
  /** UUID; null: those that stand under none. */
  readonly campaignId?: string | null;
  /** Made at this instant or later. */
  readonly since?: Instant;
  /** Made before this instant. */
  readonly until?: Instant;
  /** How the buyer's own reference begins. */
  readonly refStart?: string;
  readonly ids?: readonly string[];
  readonly buyerRefs?: readonly string[];
  /** Buys of one brand for one operator alone. */
  readonly account?: BuyerAccount;
  /** Leaves out what is over, and so cannot be changed any more. */
  readonly isOpen?: true;
  /** Leaves out this one, and what comes before it. */
  readonly after?: BuyPlace;
  readonly limit: number;
}
