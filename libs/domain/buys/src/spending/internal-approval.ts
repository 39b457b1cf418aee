import type { Micros } from '@switchyard/money';
import type { MediaBuyStatus } from '@switchyard/protocol';
import type { ObjectFilter, Reach, TenantScope, TimeFilter } from '@switchyard/tenancy';
import type { Instant, PageRead } from '@switchyard/values';
import type { Leg, MediaBuyRecord } from '../model/operation.js';
import type { OperationState } from '../model/operation-store.js';
import type { Breach } from './limit.js';
import type { QuotedPrice } from './spend-draft.js';

/** The finding of a leg that waits: its message says why, in words for whoever asked. */
export const waitsForApproval = 'WAITS_FOR_APPROVAL';

/** A leg that no seller sees before another person has approved its request. */
export const isWaiting = ({ status, findings }: Pick<Leg, 'status' | 'findings'>): boolean =>
  status === 'held' && findings.some(({ code }) => code === waitsForApproval);

/** The status of a buy as people are shown it: one that waits to be approved is not about to start by itself. */
export const shownStatus = ({
  buy,
  legs,
}: Pick<MediaBuyRecord, 'buy' | 'legs'>): MediaBuyStatus | 'pending_approval' =>
  buy.status === 'pending_start' && legs.some(isWaiting) ? 'pending_approval' : buy.status;

/**
 * `open`: nobody has decided. `failed`: it was approved, and could not go out any more. `withdrawn`: whoever asked has
 * called the request off.
 */
export type InternalState = 'open' | 'approved' | 'denied' | 'expired' | 'failed' | 'withdrawn';

/** To whom and what a request belongs. */
export interface RequestPlace {
  readonly operationId: string;
  /** UUID of the principal that asked. */
  readonly askedBy: string;
  readonly askedByName?: string;
  readonly clientId?: string;
  readonly clientName?: string;
  readonly brandDomain?: string;
  readonly campaignId?: string;
  readonly campaignName?: string;
  /** The account of the media buy: its brand, and who operates for it. */
  readonly account?: string;
  /** What it commits, in micros; absent where that is nothing or not known. */
  readonly amount?: Micros;
  readonly currency?: string;
}

/** A request that goes beyond a limit, and waits until another person than the asker decides. Decided once. */
export interface InternalApproval extends RequestPlace {
  /** UUID. */
  readonly id: string;
  readonly task: string;
  readonly mediaBuyId?: string;
  readonly sellers: readonly string[];
  readonly amount: Micros;
  readonly currency: string;
  readonly reason: string;
  /** Prices that it was planned with. */
  readonly quotes: readonly QuotedPrice[];
  readonly state: InternalState;
  readonly askedAt: Instant;
  readonly expiresAt: Instant;
  readonly decidedAt?: Instant;
  readonly decidedBy?: string;
  readonly decidedByName?: string;
  readonly decisionReason?: string;
}

export interface InternalDecision {
  readonly state: 'approved' | 'denied' | 'expired' | 'failed';
  readonly at: Instant;
  /** UUID; absent where time decided. */
  readonly by?: string;
  readonly reason?: string;
}

/** What became of a decision. */
export type Decided =
  | { readonly kind: 'decided' }
  /** Somebody, or time, was first. */
  | { readonly kind: 'decided_before' }
  /** Another change of the same part is on its way: it can be decided in a moment. */
  | { readonly kind: 'busy'; readonly seller: string }
  /** The buy is not what the change was planned on any more. */
  | { readonly kind: 'changed' }
  /** A limit that refuses does not take it, and no approval is above that. */
  | { readonly kind: 'over'; readonly breaches: readonly Breach[] }
  | { readonly kind: 'no_rate'; readonly from: string; readonly to: string };

/** What internal approvals need of the database. Every function sees one tenant's rows only. */
export interface InternalApprovals {
  /** Newest first. */
  list(
    scope: TenantScope,
    filter: Omit<ObjectFilter, 'reach'> &
      TimeFilter &
      PageRead & {
        readonly reach: Reach;
        readonly state?: InternalState;
        readonly seller?: string;
      },
  ): Promise<readonly InternalApproval[]>;
  find(scope: TenantScope, id: string, reach: Reach): Promise<InternalApproval | undefined>;
  /** Where requests belong and what they commit, by the ids of their operations. */
  places(scope: TenantScope, operationIds: readonly string[]): Promise<ReadonlyMap<string, RequestPlace>>;
  /**
   * Decides one that is open, and stores what the decision makes of its operation in the same transaction. An approval
   * looks at the limits that refuse, and at the buy that it changes, once more.
   */
  decide(
    scope: TenantScope,
    id: string,
    decision: InternalDecision,
    change: (state: OperationState) => OperationState,
  ): Promise<Decided>;
  /** Ids of open ones that have expired by `now`. */
  expired(scope: TenantScope, now: Instant, limit: number): Promise<readonly string[]>;
}
