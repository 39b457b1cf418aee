import type {
  AccountRef,
  AvailableAction,
  Finding,
  MediaBuyStatus,
  TaskError,
  TaskStatus,
  WireProfile,
} from '@switchyard/protocol';
import type { Instant, JsonObject } from '@switchyard/values';

/** One mutation a buyer made of us, stored before any seller hears of it. It is the idempotency record as well. */
export interface Operation {
  readonly id: string;
  readonly organizationId: string;
  readonly principalId: string;
  readonly task: string;
  /** Ours, towards the buyer. */
  readonly taskId: string;
  /** The buyer's key within its account, or the one derived from its reference; absent where neither was sent. */
  readonly idempotencyKey?: string;
  /** SHA-256 of the canonical request without some members (docs/protocol/idempotency.md#the-same-request). */
  readonly requestHash: string;
  /** Who signed the request as it came to us, if somebody did. */
  readonly signedBy?: { readonly keyid: string; readonly agentUrl: string };
  readonly buyerRef?: string;
  /** The media buy that this operation changes; absent where it makes one, or is about none. */
  readonly mediaBuyId?: string;
  /** Domain of the brand that it is for, lower case. */
  readonly brandDomain?: string;
  /** UUID of the client that the brand belongs to. */
  readonly clientId?: string;
  /** UUID of the campaign of the buy that it makes or changes. */
  readonly campaignId?: string;
  readonly profile: WireProfile;
  readonly version?: string;
  readonly request: JsonObject;
  readonly context?: JsonObject;
  /** The buyer's context id; it is returned with every answer about this operation. */
  readonly contextId?: string;
  readonly status: TaskStatus;
  /** The states that it came into after the first, in order. */
  readonly history?: readonly OperationMove[];
  /** What the plan decided before any request was sent, for answers that are written from it. */
  readonly plan?: JsonObject;
  /** The payload as first answered, in the buyer's own form; replays return it. */
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
 * What became of a leg. `held`: only sent if the others fail, as a cancellation under all or nothing. `pending`:
 * stored, nothing sent. `sent`: on its way, outcome not known. `parked`: only a person can tell. The others are the seller's own task status.
 */
export type LegStatus = 'held' | 'pending' | 'sent' | 'parked' | Exclude<TaskStatus, 'unknown'>;

export type ObservationSource = 'inline' | 'webhook' | 'poll' | 'read_back' | 'person';

/** The part of an operation at one seller. `outbound` is the argument text, frozen before the first attempt. */
export interface Leg {
  readonly id: string;
  readonly organizationId: string;
  readonly operationId: string;
  readonly connectionId: string;
  readonly seller: string;
  readonly task: string;
  /** What it changes; absent for a leg that makes something. */
  readonly sellerBuyId?: string;
  readonly profile: WireProfile;
  readonly outbound: string;
  /** Set where somebody else signed the bytes: they went by once, and are never sent by us. */
  readonly sealed?: true;
  readonly status: LegStatus;
  readonly attempts: number;
  readonly sellerTaskId?: string;
  readonly a2aTaskId?: string;
  readonly contextId?: string;
  /** The seller's payload as it came. */
  readonly answer?: JsonObject;
  readonly errors: readonly TaskError[];
  readonly findings: readonly Finding[];
  readonly observedBy?: ObservationSource;
  readonly observedAt?: Instant;
  /** The seller's own time of the newest news that were applied. */
  readonly notifiedAt?: Instant;
  /** When it was last sent. */
  readonly sentAt?: Instant;
  /** What was sent before, in a form that the seller refused to read, oldest first; absent where nothing was. */
  readonly earlier?: readonly EarlierSending[];
  readonly nextPollAt?: Instant;
  readonly elapsedMs?: number;
  /** When it was stored, which is before the seller saw its key for the first time. */
  readonly createdAt: Instant;
}

/** An attempt that was refused because its seller speaks another version: recorded beside the leg. */
export interface EarlierSending {
  readonly id: string;
  readonly profile: WireProfile;
  readonly outbound: string;
  readonly sentAt: Instant;
  readonly answeredAt: Instant;
  /** The seller's payload as it came. */
  readonly answer: JsonObject;
  readonly errors: readonly TaskError[];
  /** True where it left without a signature. */
  readonly unsigned?: true;
}

/** Our media buy: what the buyer sees as one, over as many sellers' buys as it has legs. */
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
  /** From 1, and one more with each change that a seller accepted. */
  readonly revision: number;
  readonly startTime: string;
  readonly endTime: string;
  readonly context?: JsonObject;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** What one seller created, or will have created, for one leg. */
export interface SellerBuy {
  readonly id: string;
  readonly mediaBuyId: string;
  readonly legId: string;
  readonly connectionId: string;
  readonly seller: string;
  /** The seller's own id; absent until it was reported. */
  readonly sellerMediaBuyId?: string;
  readonly status: MediaBuyStatus;
  readonly statusAsOf?: Instant;
  readonly revision?: number;
  /** The actions that the seller last reported as available. */
  readonly actions?: readonly AvailableAction[];
  /** What else the seller last reported of the buy; absent until it reported any of it. */
  readonly reported?: ReportedBuy;
  readonly confirmedAt?: Instant;
  /** When the seller's last report came; afterwards nothing more is expected. */
  readonly reportingEndedAt?: Instant;
}

/** What a seller says of its buy beside its state (docs/protocol/media-buys.md#packages). */
export interface ReportedBuy {
  /** RFC 3339: until when it wants creatives. */
  readonly creativeDeadline?: string;
  /** Why it refused. */
  readonly rejectionReason?: string;
  /** Whom it will send the invoice to instead of the account's own; never with a bank account. */
  readonly invoiceRecipient?: JsonObject;
  /** When, by whom and why it was canceled, as 3.x has it. */
  readonly cancellation?: JsonObject;
  /** RFC 3339: when the part runs, where that is not when the whole buy was agreed to run. */
  readonly startTime?: string;
  readonly endTime?: string;
  /** Whether the last requested start was `asap`, which only the seller resolves; absent: as at its creation. */
  readonly startsAsap?: boolean;
}

/**
 * Terms of a package by their names in 3.x. Its bid and its targeting as the buyer wants them stand beside it, and are
 * not in `asked`.
 */
export interface PackageTerms {
  /** What the buyer asked for. */
  readonly asked: JsonObject;
  /** What of it the seller was sent: a form may have no place for all of it. */
  readonly sent: JsonObject;
  /** What the seller last said of it by itself. */
  readonly said: JsonObject;
  /** What was quoted with its product when it was bought; absent where no quote of it was at hand. */
  readonly quoted?: JsonObject;
  /** It stands in its seller's proposal, which was bought by its name: none of it was written out to the seller. */
  readonly isOfProposal?: true;
}

export interface BuyPackage {
  readonly id: string;
  readonly mediaBuyId: string;
  readonly legId: string;
  /** Place in the buyer's request, from 0; of one that joins a buy later, after all that it has by then. */
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
  /** What it wants to reach, as the buyer last said it; without the tokens of its lists. */
  readonly targeting?: JsonObject;
  /** What else it was bought on; absent of what was bought before terms were kept. */
  readonly terms?: PackageTerms;
  /** The seller's own package id, without our prefix. */
  readonly sellerPackageId?: string;
  /** A flag of its own: the buy stays active with every package paused. */
  readonly paused?: boolean;
  /** It takes part no more; what it delivered stays billable (docs/protocol/media-buys.md#cancellation-fees). */
  readonly canceledAt?: Instant;
}

/** What was changed, or refused, of one seller's part: append-only, beside the state that it led to. */
export interface BuyChange {
  readonly mediaBuyId: string;
  readonly sellerBuyId: string;
  readonly operationId: string;
  readonly legId: string;
  readonly seller: string;
  readonly revision: number;
  /** `buyer`: asked for. `compensation`: all or nothing. `seller`: its own doing. `person`: settled by hand. */
  readonly actor: 'buyer' | 'compensation' | 'seller' | 'person';
  readonly action: string;
  /** The seller's own id of the package. */
  readonly packageId?: string;
  readonly detail: JsonObject;
  readonly at: Instant;
  /** UUID of the principal whose request it was; set where it is read. */
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
