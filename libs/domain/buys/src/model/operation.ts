import type {
  AccountRef,
  AvailableAction,
  Finding,
  MediaBuyStatus,
  TaskError,
  TaskStatus,
  WireProfile,
} from '@switchyard/protocol';
import type { ClientLogin } from '@switchyard/sellers';
import type { Instant, JsonObject } from '@switchyard/values';

/** One mutation of a buyer, stored before any seller is called. It is also the idempotency record. */
export interface Operation {
  readonly id: string;
  readonly organizationId: string;
  readonly principalId: string;
  /** The OAuth client id of the program that made the request for its person. */
  readonly program?: string;
  readonly task: string;
  /** Task id for the buyer. */
  readonly taskId: string;
  /** The buyer's key within its account, or the one derived from its reference; absent where neither was sent. */
  readonly idempotencyKey?: string;
  /** SHA-256 of the canonical request without some members (docs/protocol/idempotency.md#the-same-request). */
  readonly requestHash: string;
  /** The signer of the received request, if it was signed. */
  readonly signedBy?: { readonly keyid: string; readonly agentUrl: string };
  readonly buyerRef?: string;
  /** The media buy that this operation changes; absent where it creates one, or concerns none. */
  readonly mediaBuyId?: string;
  /** Domain of its brand, lower case. */
  readonly brandDomain?: string;
  /** UUID of the client that the brand belongs to. */
  readonly clientId?: string;
  /** UUID of the campaign of the buy that it creates or changes. */
  readonly campaignId?: string;
  readonly profile: WireProfile;
  readonly version?: string;
  readonly request: JsonObject;
  readonly context?: JsonObject;
  /** The buyer's context id; it is returned with every answer about this operation. */
  readonly contextId?: string;
  readonly status: TaskStatus;
  /** The states after the first, in order. */
  readonly history?: readonly OperationMove[];
  /** What the plan decided before any request was sent, for answers that are written from it. */
  readonly plan?: JsonObject;
  /** The first answer, in the buyer's own form; replays return it. */
  readonly answer?: JsonObject;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly settledAt?: Instant;
}

/** One change of an operation's status. */
export interface OperationMove {
  readonly status: TaskStatus;
  readonly at: Instant;
}

/**
 * The state of a leg. `held`: not sent until released, as a cancellation under all or nothing, or a request that waits
 * for approval. `pending`: stored, not sent. `sent`: outcome unknown. `parked`: waits for a person. The others: the
 * seller's own task status.
 */
export type LegStatus = 'held' | 'pending' | 'sent' | 'parked' | Exclude<TaskStatus, 'unknown'>;

export type ObservationSource = 'inline' | 'webhook' | 'poll' | 'read_back' | 'person';

/** The part of an operation at one seller. `outbound`: JSON text of the arguments, frozen before the first attempt. */
export interface Leg {
  readonly id: string;
  readonly organizationId: string;
  readonly operationId: string;
  readonly connectionId: string;
  readonly seller: string;
  readonly task: string;
  /** The buy that it changes; absent for a leg that creates one. */
  readonly sellerBuyId?: string;
  readonly profile: WireProfile;
  readonly outbound: string;
  /** The login of its client that it is sent with; absent: the connection's own. */
  readonly login?: ClientLogin;
  /** Set where another party signed the bytes: they were relayed once, and are never sent again. */
  readonly sealed?: true;
  readonly status: LegStatus;
  readonly attempts: number;
  readonly sellerTaskId?: string;
  readonly a2aTaskId?: string;
  readonly contextId?: string;
  /** The seller's payload as received. */
  readonly answer?: JsonObject;
  readonly errors: readonly TaskError[];
  readonly findings: readonly Finding[];
  readonly observedBy?: ObservationSource;
  readonly observedAt?: Instant;
  /** The seller's own time of the newest applied update. */
  readonly reportedAt?: Instant;
  /** When it was last sent. */
  readonly sentAt?: Instant;
  /** Earlier attempts in a version that the seller refused, oldest first; absent where there are none. */
  readonly refusedAttempts?: readonly RefusedAttempt[];
  readonly nextPollAt?: Instant;
  readonly elapsedMs?: number;
  /** When it was stored, before the seller saw its key for the first time. */
  readonly createdAt: Instant;
  /** The trace in which it was stored (W3C Trace Context), where that was recorded. */
  readonly traceParent?: string;
}

/** An attempt that was refused because its seller uses another version. */
export interface RefusedAttempt {
  readonly id: string;
  readonly profile: WireProfile;
  readonly outbound: string;
  readonly sentAt: Instant;
  readonly answeredAt: Instant;
  /** The seller's payload as received. */
  readonly answer: JsonObject;
  readonly errors: readonly TaskError[];
  /** True where it was sent without a signature. */
  readonly unsigned?: true;
}

/** A local media buy: one for the buyer, with one buy at the seller for each leg. */
export interface MediaBuy {
  readonly id: string;
  readonly organizationId: string;
  readonly operationId: string;
  readonly principalId: string;
  readonly buyerRef?: string;
  readonly brand: JsonObject;
  /** The brand's domain, lower case. */
  readonly brandDomain?: string;
  /** UUID of the client that the brand belongs to. */
  readonly clientId?: string;
  /** UUID of its campaign; absent: it waits to be assigned. */
  readonly campaignId?: string;
  readonly operator: string;
  readonly currency: string;
  readonly status: MediaBuyStatus;
  /** From 1, increased by each change that a seller accepted. */
  readonly revision: number;
  readonly startTime: string;
  readonly endTime: string;
  readonly context?: JsonObject;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** What one seller created, or will create, for one leg. */
export interface SellerBuy {
  readonly id: string;
  readonly mediaBuyId: string;
  readonly legId: string;
  readonly connectionId: string;
  readonly seller: string;
  /** The seller's id of the account of its client that it was bought in; absent: bought in the connection's own account. */
  readonly accountId?: string;
  /** The login of its client that it was bought with; absent: the connection's own. */
  readonly login?: ClientLogin;
  /** The seller's own id; absent until reported. */
  readonly sellerMediaBuyId?: string;
  readonly status: MediaBuyStatus;
  readonly statusAsOf?: Instant;
  readonly revision?: number;
  /** The actions that the seller last reported as available. */
  readonly actions?: readonly AvailableAction[];
  /** Other reported members of the buy; absent until one was reported. */
  readonly reported?: ReportedBuy;
  readonly confirmedAt?: Instant;
  /** When the seller's final report arrived; no other report is expected. */
  readonly reportingEndedAt?: Instant;
}

/** What a seller reports of its buy beside its status (docs/protocol/media-buys.md#packages). */
export interface ReportedBuy {
  /** RFC 3339: the deadline for creatives. */
  readonly creativeDeadline?: string;
  /** Reason of a rejection. */
  readonly rejectionReason?: string;
  /** Recipient of the invoice instead of the account's own; without bank accounts. */
  readonly invoiceRecipient?: JsonObject;
  /** Time, actor and reason of the cancellation, as in 3.x. */
  readonly cancellation?: JsonObject;
  /** RFC 3339: the flight of this part, where it differs from the agreed flight of the whole buy. */
  readonly startTime?: string;
  readonly endTime?: string;
  /** Whether the last requested start was `asap`, which only the seller resolves; absent: as at creation. */
  readonly startsAsap?: boolean;
}

/**
 * Terms of a package by their names in 3.x. Bid and targeting that the buyer requested are members of the
 * package, not of `requested`.
 */
export interface PackageTerms {
  /** What the buyer requested. */
  readonly requested: JsonObject;
  /** The part of it that the seller was sent: some forms cannot carry all of it. */
  readonly sent: JsonObject;
  /** What the seller last reported. */
  readonly reported: JsonObject;
  /** Terms quoted with its product when it was bought; absent without a quote. */
  readonly quoted?: JsonObject;
  /** True for a package of a proposal that was bought by its id: its terms were not sent to the seller. */
  readonly isOfProposal?: true;
}

export interface BuyPackage {
  readonly id: string;
  readonly mediaBuyId: string;
  readonly legId: string;
  /** Position in the buyer's request, from 0; a package that is added later follows all others of the buy. */
  readonly position: number;
  readonly seller: string;
  readonly buyerRef?: string;
  /** The seller's own id, without our prefix. */
  readonly productId: string;
  readonly pricingOptionId: string;
  readonly currency: string;
  readonly budgetMicros: bigint;
  readonly bidMicros?: bigint;
  readonly context?: JsonObject;
  /** Targeting as the buyer last requested it, without the tokens of its lists. */
  readonly targeting?: JsonObject;
  /** Its other terms; absent for packages that were bought before terms were stored. */
  readonly terms?: PackageTerms;
  /** The time zone of its reports that its product declared when it was bought. */
  readonly reportingZone?: string;
  /** The seller's own package id, without our prefix. */
  readonly sellerPackageId?: string;
  /** Independent of the buy: the buy stays active with every package paused. */
  readonly paused?: boolean;
  /** When it was canceled; what it delivered stays billable (docs/protocol/media-buys.md#cancellation-fees). */
  readonly canceledAt?: Instant;
}

/** A change, or refused change, of one seller's part. Append-only, beside the resulting state. */
export interface BuyChange {
  readonly mediaBuyId: string;
  readonly sellerBuyId: string;
  readonly operationId: string;
  readonly legId: string;
  readonly seller: string;
  readonly revision: number;
  /** `buyer`: requested. `compensation`: all or nothing. `seller`: by the seller itself. `person`: resolved by hand. */
  readonly actor: 'buyer' | 'compensation' | 'seller' | 'person';
  readonly action: string;
  /** The seller's own id of the package. */
  readonly packageId?: string;
  readonly detail: JsonObject;
  readonly at: Instant;
  /** UUID of the requesting principal; set when it is read. */
  readonly principalId?: string;
}

/** A media buy with everything that belongs to it. */
export interface MediaBuyRecord {
  readonly buy: MediaBuy;
  readonly sellerBuys: readonly SellerBuy[];
  readonly packages: readonly BuyPackage[];
  readonly legs: readonly Leg[];
}

export type { AccountRef };
