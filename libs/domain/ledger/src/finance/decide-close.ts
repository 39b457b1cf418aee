import type { Instant, JsonObject } from '@switchyard/values';
import { unbilledPostings } from '../billing/client-postings.js';
import { entryOf, type LedgerEntry } from '../entry/entry.js';
import type { Posting } from '../entry/posting.js';
import { daysOfPeriod, shiftDay, type AccountingPeriod } from './period.js';

/** The steps of the close of a month that belong to somebody. */
export const closeSteps = [
  'invoices',
  'compared',
  'differences',
  'held',
  'campaigns',
  'accruals',
  'closed',
] as const;
export type CloseStepName = (typeof closeSteps)[number];

/** What prevents the close of a period, by count. */
export interface CloseChecklist {
  readonly openBreaks: number;
  /** Quarantined events received in the period, and later reports about its days; of at most 10,000. */
  readonly quarantinedEvents: number;
  readonly unassignedBuys: number;
  /** 1 if the whole period must be reconciled, and was not since its figures last changed. */
  readonly reconciliationsDue: number;
}

/** What was delivered and not invoiced by the end of a period. Micros. */
interface Due {
  readonly currency: string;
  readonly amountMicros: bigint;
  /** What its accrual lacks at the end of the period. Negative: it holds more than is due. */
  readonly toPostMicros: bigint;
}

export interface SellerDue extends Due {
  readonly seller: string;
}

export interface ClientDue extends Due {
  /** UUID. */
  readonly clientId: string;
}

/** What a close is decided on, as it stands under the ledger's lock. */
export interface CloseFacts {
  /** The first open day, `YYYY-MM-DD`; absent if no period was closed. */
  readonly openFrom?: string;
  readonly checklist: CloseChecklist;
  /** A step of the period that was done by who closes it. */
  readonly ownStep?: CloseStepName;
  readonly sellers: readonly SellerDue[];
  readonly clients: readonly ClientDue[];
}

export interface Closing {
  readonly period: AccountingPeriod;
  /** A soft close posts nothing, and can be followed by the close itself. */
  readonly soft: boolean;
  /** UUID of the principal. */
  readonly by: string;
}

/** It is closed, or the person who closes it did this step. */
export type KeptOpen = 'closed_already' | { readonly step: CloseStepName };

/** A period that is closed. */
export interface DecidedClose {
  readonly state: 'soft_closed' | 'closed';
  /** Clients whose accrual changes. */
  readonly clients: readonly ClientDue[];
  readonly entries: readonly LedgerEntry[];
}

/** Makes ids for the entries of a period, and for operations that nothing else has. */
export interface PeriodIds {
  readonly entry: () => string;
  readonly operation: () => string;
  readonly at: Instant;
}

/**
 * Decides the close of a period (docs/ledger.md#closing-a-period). The order of its checks is a contract: what keeps the
 * period open is told before who may not close it.
 */
export function decideClose(
  { openFrom, checklist, ownStep, sellers, clients }: CloseFacts,
  { period, soft, by }: Closing,
  ids: PeriodIds,
): DecidedClose | { readonly keptOpen: CloseChecklist | KeptOpen } {
  if (openFrom !== undefined && daysOfPeriod(period).from < openFrom) return { keptOpen: 'closed_already' };
  if (Object.values(checklist).some((count) => count > 0)) return { keptOpen: checklist };
  const state = soft ? 'soft_closed' : 'closed';
  const closed = periodEntry({ period, state, by }, ids);
  if (soft) return { state, clients: [], entries: [closed] };
  if (ownStep !== undefined) return { keptOpen: { step: ownStep } };
  const isDue = ({ toPostMicros }: Due): boolean => toPostMicros !== 0n;
  const due = clients.filter(isDue);
  return {
    state,
    clients: due,
    entries: [
      ...sellers.filter(isDue).map((figure) => sellerAccrual(figure, period, ids)),
      ...due.map((figure) => clientAccrual(figure, period, ids)),
      closed,
    ],
  };
}

/** Posts what is owed to `accrued` on the period's last day, and back on the first day after it. */
function sellerAccrual(
  { seller, currency, toPostMicros }: SellerDue,
  period: AccountingPeriod,
  { entry, operation, at }: PeriodIds,
): LedgerEntry {
  const { lastDay, firstDay } = turnOf(period);
  const line = (account: Posting['account'], day: string, amountMicros: bigint): Posting => ({
    account,
    day,
    currency,
    amountMicros,
  });
  return entryOf({
    ...{ id: entry(), kind: 'accrual', operationId: operation(), seller, occurredAt: at },
    postings: [
      line('seller_payable', lastDay, toPostMicros),
      line('accrued', lastDay, -toPostMicros),
      line('accrued', firstDay, toPostMicros),
      line('seller_payable', firstDay, -toPostMicros),
    ],
    facts: { period },
  });
}

/** What a client was not billed, the same way; its operation is the client. */
function clientAccrual(
  { clientId, currency, toPostMicros }: ClientDue,
  period: AccountingPeriod,
  { entry, at }: PeriodIds,
): LedgerEntry {
  return entryOf({
    ...{ id: entry(), kind: 'accrual', operationId: clientId, seller: '', occurredAt: at },
    postings: unbilledPostings(toPostMicros, { currency, ...turnOf(period) }),
    facts: { period, client_id: clientId },
  });
}

/** The last day of a period, and the first one after it. */
function turnOf(period: AccountingPeriod): { readonly lastDay: string; readonly firstDay: string } {
  const { to } = daysOfPeriod(period);
  return { lastDay: shiftDay(to, -1), firstDay: to };
}

const periodEntry = (facts: JsonObject, { entry, operation, at }: PeriodIds): LedgerEntry =>
  entryOf({
    ...{ id: entry(), kind: 'period', operationId: operation(), seller: '', occurredAt: at },
    postings: [],
    facts,
  });

export interface PeriodState {
  readonly period: AccountingPeriod;
  readonly state: 'open' | 'soft_closed' | 'closed';
  readonly closedBy?: string;
  readonly closedAt?: Instant;
  /** UUID of the principal that requested to reopen it. */
  readonly reopenRequestedBy?: string;
  readonly reopenRequestedByName?: string;
  readonly reopenReason?: string;
  /** When that request ends. */
  readonly reopenUntil?: Instant;
}

export interface ReopenFacts {
  /** All that were closed or reopened. */
  readonly periods: readonly PeriodState[];
  /** Whether who reopens it is the person who requested that. */
  readonly isOnePerson: boolean;
  /** UUIDs of principals that can act as both. */
  readonly holdersOfBoth: readonly string[];
}

export interface Reopening {
  readonly period: AccountingPeriod;
  /** UUID of the principal. */
  readonly by: string;
}

export type Reopened = 'asked' | 'opened' | 'same_person' | 'not_closed' | 'not_the_newest';

/** Decides whether a period is opened again: one person requests it, another one opens it. Only the newest closed one. */
export function decideReopen(
  { periods, isOnePerson, holdersOfBoth }: ReopenFacts,
  { period, by }: Reopening,
  ids: PeriodIds,
): { readonly kind: Exclude<Reopened, 'opened'> } | { readonly kind: 'opened'; readonly entry: LedgerEntry } {
  const found = periods.find((known) => known.period === period);
  if (found === undefined || found.state === 'open') return { kind: 'not_closed' };
  if (periods.some((known) => known.state === 'closed' && known.period > period))
    return { kind: 'not_the_newest' };
  const { reopenRequestedBy: askedBy, reopenReason: reason = '' } = found;
  if (askedBy === undefined) return { kind: 'asked' };
  if (isOnePerson) return { kind: 'same_person' };
  const facts = { period, state: 'open', asked_by: askedBy, by, reason, holders_of_both: [...holdersOfBoth] };
  return { kind: 'opened', entry: periodEntry(facts, ids) };
}
