import type { Micros } from '@switchyard/money';
import type { MediaBuyStatus } from '@switchyard/protocol';
import type { ListSort, ObjectFilter, Reach, TenantScope, TimeFilter } from '@switchyard/tenancy';
import type { Instant, PageRead } from '@switchyard/values';
import type { Leg, MediaBuyRecord } from '../model/operation.js';
import type { OperationState } from '../model/operation-state.js';
import type { Breach } from '../model/limit.js';
import type { QuotedPrice } from '../model/spend.js';

/** The finding on a leg that waits; its message gives the buyer the reason. */
export const waitsForApproval = 'WAITS_FOR_APPROVAL';

/** Whether a leg is held until another person has approved its request. */
export const isWaiting = ({ status, findings }: Pick<Leg, 'status' | 'findings'>): boolean =>
  status === 'held' && findings.some(({ code }) => code === waitsForApproval);

/** The status of a buy as shown to people: a buy that waits for approval will not start by itself. */
export const shownStatus = ({
  buy,
  legs,
}: Pick<MediaBuyRecord, 'buy' | 'legs'>): MediaBuyStatus | 'pending_approval' =>
  buy.status === 'pending_start' && legs.some(isWaiting) ? 'pending_approval' : buy.status;

/**
 * `open`: not decided. `failed`: approved, but it could not be sent any more. `withdrawn`: canceled by its
 * principal.
 */
export type InternalState = 'open' | 'approved' | 'denied' | 'expired' | 'failed' | 'withdrawn';

/** The client, brand and campaign of a request, and its amount. */
export interface RequestPlace {
  readonly operationId: string;
  /** UUID of the requesting principal. */
  readonly requestedBy: string;
  readonly requestedByName?: string;
  readonly clientId?: string;
  readonly clientName?: string;
  readonly brandDomain?: string;
  readonly campaignId?: string;
  readonly campaignName?: string;
  /** The account of the media buy: its brand and operator. */
  readonly account?: string;
  /** The amount it commits, in micros; absent where it is zero or unknown. */
  readonly amount?: Micros;
  readonly currency?: string;
}

/** A request over a limit. It waits until a person other than the requester decides, once. */
export interface InternalApproval extends RequestPlace {
  /** UUID. */
  readonly id: string;
  readonly task: string;
  readonly mediaBuyId?: string;
  readonly sellers: readonly string[];
  readonly amount: Micros;
  readonly currency: string;
  readonly reason: string;
  /** The prices of its plan. */
  readonly quotes: readonly QuotedPrice[];
  readonly state: InternalState;
  readonly requestedAt: Instant;
  readonly expiresAt: Instant;
  readonly decidedAt?: Instant;
  readonly decidedBy?: string;
  readonly decidedByName?: string;
  readonly decisionReason?: string;
  /** Names of principals that could act as both the requester and the decider. */
  readonly holdersOfBoth: readonly string[];
}

export interface InternalDecision {
  readonly state: 'approved' | 'denied' | 'expired' | 'failed';
  readonly at: Instant;
  /** UUID; absent where it expired. */
  readonly by?: string;
  readonly reason?: string;
}

export type Decided =
  | { readonly kind: 'decided' }
  /** It was decided before, or has expired. */
  | { readonly kind: 'decided_before' }
  /** Another change of the same part is pending: the decision can be repeated shortly. */
  | { readonly kind: 'busy'; readonly seller: string }
  /** The buy has changed since the change was planned. */
  | { readonly kind: 'changed' }
  /** It exceeds a limit that refuses, which no approval can override. */
  | { readonly kind: 'over'; readonly breaches: readonly Breach[] }
  | { readonly kind: 'no_rate'; readonly from: string; readonly to: string };

/** Database functions for internal approvals. Every function sees the rows of one tenant only. */
export interface InternalApprovals {
  /** Newest first unless set. */
  list(
    scope: TenantScope,
    filter: Omit<ObjectFilter, 'reach'> &
      TimeFilter &
      PageRead & {
        readonly reach: Reach;
        readonly state?: InternalState;
        readonly seller?: string;
        readonly sort?: ListSort;
      },
  ): Promise<readonly InternalApproval[]>;
  find(scope: TenantScope, id: string, reach: Reach): Promise<InternalApproval | undefined>;
  /** Whether one person is known to act as both principals. */
  isOnePerson(scope: TenantScope, principalId: string, other: string): Promise<boolean>;
  /** Owners and amounts of requests, by the ids of their operations. */
  places(scope: TenantScope, operationIds: readonly string[]): Promise<ReadonlyMap<string, RequestPlace>>;
  /**
   * Decides an open approval, and stores the resulting state of its operation in the same transaction. An
   * approval checks the limits that refuse, and the buy that it changes, again.
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
