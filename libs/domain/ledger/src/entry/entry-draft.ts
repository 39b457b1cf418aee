import type { Instant, JsonObject } from '@switchyard/values';
import type { Posting } from './posting.js';

/**
 * The kind of an entry. `delivery`: figures of facts that had none. `restatement`: figures that replace
 * others. `observation`: a report that changed no sum, or a refused transition. `impairment`: an impairment
 * of a live buy (docs/protocol/media-buys.md#impairments). `bought`, `changed`, `canceled`: changes of a
 * commitment (docs/ledger.md#commitments and docs/ledger.md#facts-versions-and-finality). `assignment`: which
 * client and campaign a buy belongs to from then on (docs/ledger.md#assignments). `invoice`: a seller's
 * invoice. `adjustment`: the resolution of a break. `accrual`: the uninvoiced amount of a period, and its
 * reversal. `period`: a period was closed or reopened (docs/ledger.md#closing-a-period). `payment`: a full or
 * partial payment of an invoice, or the rest that was written off. `exchange`: the difference of the rates between invoice and payment
 * (docs/ledger.md#payments). `void`: takes an invoice back, all its lines negated.
 * `client_invoice`: an invoice or credit note to a client. `client_payment`: what a client paid, or its return
 * (docs/ledger.md#billing-clients).
 */
export const entryKinds = [
  'delivery',
  'restatement',
  'observation',
  'impairment',
  'bought',
  'changed',
  'canceled',
  'assignment',
  'invoice',
  'adjustment',
  'accrual',
  'period',
  'payment',
  'exchange',
  'void',
  'client_invoice',
  'client_payment',
] as const;
export type EntryKind = (typeof entryKinds)[number];

export interface EntryDraft {
  readonly id: string;
  readonly kind: EntryKind;
  readonly operationId: string;
  readonly mediaBuyId?: string;
  /** The seller's slug. */
  readonly seller: string;
  /** When it was received. */
  readonly occurredAt: Instant;
  readonly postings: readonly Posting[];
  /** The complete evidence for the postings; it is hashed with them. */
  readonly facts: JsonObject;
}
