import type { Micros } from '@switchyard/money';
import type { Finding } from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';
import {
  breachForBuyer,
  breachText,
  type Breach,
  type SpendPart,
  type SpendVerdict,
} from '../model/limit.js';
import type { Leg } from '../model/operation.js';
import type { OperationDraft } from '../model/operation-store.js';
import { waitsForApproval, type Decided, type InternalDecision } from './internal-approval.js';

/** What an operation's spend is decided on, as it stands while the organization's turn is held. */
export interface SpendFacts {
  /** Of every limit that applies, and of the rules of its campaign. */
  readonly verdict: SpendVerdict;
  /** What it adds, with months. */
  readonly parts: readonly SpendPart[];
  /** Sellers of a new buy whose capabilities changed, which nobody has accepted yet. */
  readonly changedSellers: readonly string[];
}

/** Why limits do not take an operation. */
export type SpendRefusal =
  | { readonly kind: 'over'; readonly breaches: readonly Breach[] }
  | { readonly kind: 'no_rate'; readonly from: string; readonly to: string };

/** An internal approval that a request waits for. */
export interface ApprovalDraft {
  readonly amount: Micros;
  readonly currency: string;
  /** For the person who decides. */
  readonly reason: string;
  /** Legs that are held until then, and their sellers. */
  readonly legIds: readonly string[];
  readonly sellers: readonly string[];
  /** Tells the requester why it waits. */
  readonly finding: Finding;
  readonly expiresAt: Instant;
}

export type DecidedSpend =
  /** It commits nothing. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'refused'; readonly refusal: SpendRefusal }
  | {
      readonly kind: 'committed';
      readonly state: 'pending' | 'waiting';
      /** Absent: it may be sent at once. */
      readonly approval?: ApprovalDraft;
    };

/**
 * Decides whether an operation may commit its spend (docs/protocol/media-buys.md#spending-limits). A limit that refuses is
 * told before one that asks. A request signed by another party cannot wait, because its signature would expire: what asks
 * refuses it.
 */
export function decideSpend(
  { verdict, parts, changedSellers }: SpendFacts,
  draft: OperationDraft,
  approvalMs: number,
): DecidedSpend {
  if (parts.length === 0 && verdict.kind === 'within') return { kind: 'nothing' };
  if (verdict.kind === 'no_rate') return { kind: 'refused', refusal: verdict };
  const breaches = verdict.kind === 'within' ? [] : verdict.breaches;
  if (verdict.kind === 'refuse' || (verdict.kind === 'ask' && isSealed(draft)))
    return { kind: 'refused', refusal: { kind: 'over', breaches } };
  if (verdict.kind === 'within' && changedSellers.length === 0)
    return { kind: 'committed', state: 'pending' };
  const requested = draft.spend?.parts ?? [];
  const drift = changedSellers.length === 0 ? [] : [driftText(changedSellers)];
  const textOf = (write: (of: readonly Breach[]) => string): string =>
    [...(breaches.length > 0 ? [write(breaches)] : []), ...drift].join(' ');
  const legs = countedLegs(draft);
  return {
    kind: 'committed',
    state: 'waiting',
    approval: {
      amount: parts.reduce((sum, { amount }) => sum + amount, 0n),
      currency: [...parts, ...requested][0]?.currency ?? draft.buy?.currency ?? '',
      reason: textOf(breachText),
      legIds: legs.map(({ id }) => id),
      sellers: [...new Set(legs.map(({ seller }) => seller))],
      finding: { code: waitsForApproval, message: textOf(breachForBuyer) },
      expiresAt: draft.operation.createdAt + approvalMs,
    },
  };
}

/** Whether a draft is a new buy that a person can be asked about: what another party signed cannot wait. */
export const canAskAboutSellers = (draft: OperationDraft): boolean =>
  draft.buy !== undefined && !isSealed(draft);

const isSealed = ({ legs }: OperationDraft): boolean => legs.some(({ sealed }) => sealed === true);

/** The legs that spend: those of the operation's own task which are not settled. */
export const countedLegs = ({ legs, operation }: OperationDraft): readonly Leg[] =>
  legs.filter(({ status, task }) => (status === 'pending' || status === 'sent') && task === operation.task);

/** Why a buy asks at sellers whose capabilities have changed. */
const driftText = (sellers: readonly string[]): string =>
  `${sellers.length === 1 ? 'The seller' : 'The sellers'} ${sellers.join(', ')} can no longer do what was built on: a person must approve new buys until the changes are accepted.`;

/** What a decision about a waiting request stands on, read under the lock of its operation. */
export interface WaitingFacts {
  readonly state: string;
  readonly expiresAt: Instant;
  /** For an approval: the buy was changed since the request was planned. */
  readonly hasChanged?: boolean;
  /** For an approval: a seller at which another change has an unknown outcome. */
  readonly busySeller?: string;
  /** For an approval: of the limits as they stand now. */
  readonly verdict?: SpendVerdict;
}

/**
 * Decides whether a decision about a waiting request still counts. The order of its checks is a contract: a request that
 * was decided is told as such, whatever else would prevent it.
 */
export function decideRequest(facts: WaitingFacts | undefined, decision: InternalDecision): Decided {
  if (facts?.state !== 'open') return { kind: 'decided_before' };
  if (facts.expiresAt <= decision.at && decision.state !== 'expired') return { kind: 'decided_before' };
  if (decision.state !== 'approved') return { kind: 'decided' };
  const { hasChanged = false, busySeller, verdict } = facts;
  if (hasChanged) return { kind: 'changed' };
  if (busySeller !== undefined) return { kind: 'busy', seller: busySeller };
  if (verdict?.kind === 'no_rate') return verdict;
  if (verdict?.kind === 'refuse') return { kind: 'over', breaches: verdict.breaches };
  return { kind: 'decided' };
}
