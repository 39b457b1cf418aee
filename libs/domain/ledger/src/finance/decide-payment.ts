import { isPayable } from '@switchyard/money';
import type { Instant, JsonObject } from '@switchyard/values';
import { entryOf, type LedgerEntry } from '../entry/entry.js';
import { convertMicros, differencePostings, paymentPostings, type DatedRate } from './payment.js';
import type { PayableInvoice } from './payable-invoice.js';

export interface PaymentDraft {
  /** UUID. */
  readonly invoiceId: string;
  /** `YYYY-MM-DD`. */
  readonly paidOn: string;
  /** In the invoice's currency. Default: the whole open amount. */
  readonly amountMicros?: bigint;
  /** Amount that the bank charged, in the reporting currency. Default: converted with the day's rate. */
  readonly reportingMicros?: bigint;
  /** The payment's id elsewhere: the same one is booked once. */
  readonly reference?: string;
  /** UUID of the principal. */
  readonly by: string;
  /** UUID of the transfer that a bank has booked: nothing that happened since its order prevents that. */
  readonly orderId?: string;
}

export interface Payment {
  readonly id: string;
  readonly paidOn: string;
  readonly amountMicros: bigint;
  readonly reportingCurrency?: string;
  readonly reportingMicros?: bigint;
  /** Realised, in the reporting currency; a positive amount is a loss. */
  readonly differenceMicros?: bigint;
  readonly reference?: string;
  readonly entryId: string;
  readonly differenceEntryId?: string;
  /** When it was taken back. */
  readonly voidedAt?: Instant;
  /** Nobody paid it: it is what was written off of the invoice. */
  readonly isWrittenOff?: boolean;
}

/** No rate was entered for this pair on this day or before. */
export interface MissingRate {
  readonly from: string;
  readonly to: string;
  /** `YYYY-MM-DD`. */
  readonly day: string;
}

/** What a payment is decided on, as it stands under the ledger's lock. Rates that are not needed may be there. */
export interface PaymentFacts {
  readonly invoice?: PayableInvoice;
  /** Whether a payment of the invoice has the draft's reference. */
  readonly isKnownReference: boolean;
  readonly reportingCurrency: string;
  /** Of the invoice's currency, on its day of issue. */
  readonly issueRate?: DatedRate;
  /** Of the invoice's currency, on the day of the payment. */
  readonly paymentRate?: DatedRate;
  /** The first open day, `YYYY-MM-DD`; absent if no period was closed. */
  readonly openFrom?: string;
}

/** Why a payment is not booked. */
export type PaymentRefusal =
  | { readonly kind: 'no_invoice' }
  | { readonly kind: 'paid_already' }
  | { readonly kind: 'held'; readonly reason: string }
  | { readonly kind: 'voided' }
  | { readonly kind: 'not_approved' }
  | { readonly kind: 'ordered' }
  | { readonly kind: 'too_much'; readonly openMicros: bigint; readonly currency: string }
  | { readonly kind: 'too_precise'; readonly field: 'amount' | 'reporting_amount'; readonly currency: string }
  | { readonly kind: 'known_reference' }
  | { readonly kind: 'same_currency'; readonly currency: string }
  | ({ readonly kind: 'no_rate' } & MissingRate);

/** A payment that is booked: its entries, and what its invoice has then. */
export interface DecidedPayment {
  readonly kind: 'paid';
  readonly payment: Payment;
  readonly entries: readonly LedgerEntry[];
  readonly currency: string;
  readonly openMicros: bigint;
  readonly paidMicros: bigint;
  /** Day on which the invoice is paid as a whole; absent while an amount is open. */
  readonly settledOn?: string;
}

/** Ids of what a payment makes, and its time. */
export interface PaymentIds {
  readonly payment: string;
  readonly entry: string;
  readonly difference: string;
  readonly at: Instant;
}

/**
 * Decides a payment (docs/ledger.md#payments). The order of its checks is a contract: who sends a payment again is told
 * that its reference is known, and not that the invoice is paid.
 */
export function decidePayment(
  facts: PaymentFacts,
  draft: PaymentDraft,
  ids: PaymentIds,
): DecidedPayment | PaymentRefusal {
  const { invoice } = facts;
  if (invoice === undefined) return { kind: 'no_invoice' };
  const amountMicros = payableAmount(facts, invoice, draft);
  if (typeof amountMicros !== 'bigint') return amountMicros;
  const valued = valueOf(facts, invoice, draft, amountMicros);
  if ('kind' in valued) return valued;
  const entries = entriesOf(facts, invoice, { draft, amountMicros, valued }, ids);
  const { reporting, differenceMicros } = valued;
  const paidMicros = invoice.totalMicros - invoice.openMicros + amountMicros;
  return {
    kind: 'paid',
    payment: {
      id: ids.payment,
      paidOn: draft.paidOn,
      amountMicros,
      entryId: ids.entry,
      ...(reporting && { reportingCurrency: reporting.currency, reportingMicros: reporting.amountMicros }),
      ...(differenceMicros !== undefined && { differenceMicros }),
      ...(draft.reference !== undefined && { reference: draft.reference }),
      ...(entries.length > 1 && { differenceEntryId: ids.difference }),
    },
    entries,
    currency: invoice.currency,
    openMicros: invoice.openMicros - amountMicros,
    paidMicros,
    ...(paidMicros >= invoice.totalMicros && { settledOn: draft.paidOn }),
  };
}

/** The amount of a payment, or why it is not one that can be paid. */
function payableAmount(
  { isKnownReference }: PaymentFacts,
  invoice: PayableInvoice,
  draft: PaymentDraft,
): bigint | PaymentRefusal {
  const { currency, openMicros, reason, holdReason = '' } = invoice;
  const isBooked = draft.orderId !== undefined;
  if (reason === 'voided') return { kind: 'voided' };
  if (reason === 'held' && !isBooked) return { kind: 'held', reason: holdReason };
  if (isKnownReference) return { kind: 'known_reference' };
  if (openMicros <= 0n) return { kind: 'paid_already' };
  if (reason === 'not_approved' && !isBooked) return { kind: 'not_approved' };
  const payableMicros = isBooked ? openMicros : invoice.payableMicros;
  if (payableMicros <= 0n)
    return reason === 'ordered'
      ? { kind: 'ordered' }
      : { kind: 'held', reason: 'all that is open of it is disputed or to be credited.' };
  const amountMicros = draft.amountMicros ?? payableMicros;
  if (amountMicros > payableMicros) return { kind: 'too_much', openMicros: payableMicros, currency };
  // The open amount of an older invoice may have more decimals: it can be paid only as a whole.
  if (amountMicros !== payableMicros && !isPayable(amountMicros, currency))
    return { kind: 'too_precise', field: 'amount', currency };
  return amountMicros;
}

interface Valued {
  readonly reporting?: { readonly currency: string; readonly amountMicros: bigint };
  readonly differenceMicros?: bigint;
  readonly evidence: JsonObject;
}

/** The payment in the reporting currency on its own day, and the difference to the day of issue. */
function valueOf(
  { reportingCurrency: to, issueRate, paymentRate }: PaymentFacts,
  { currency, issuedOn }: PayableInvoice,
  { paidOn, reportingMicros }: PaymentDraft,
  amountMicros: bigint,
): Valued | PaymentRefusal {
  if (to === currency)
    return reportingMicros === undefined ? { evidence: {} } : { kind: 'same_currency', currency };
  if (reportingMicros !== undefined && !isPayable(reportingMicros, to))
    return { kind: 'too_precise', field: 'reporting_amount', currency: to };
  if (issueRate === undefined) return { kind: 'no_rate', from: currency, to, day: issuedOn };
  if (reportingMicros === undefined && paymentRate === undefined)
    return { kind: 'no_rate', from: currency, to, day: paidOn };
  const value = reportingMicros ?? convertMicros(amountMicros, paymentRate?.rate ?? '0');
  return {
    reporting: { currency: to, amountMicros: value },
    differenceMicros: value - convertMicros(amountMicros, issueRate.rate),
    evidence: {
      reporting_currency: to,
      issue_rate: rateFacts(issueRate),
      payment_rate:
        reportingMicros !== undefined || paymentRate === undefined
          ? 'as the bank took it'
          : rateFacts(paymentRate),
    },
  };
}

const rateFacts = ({ rate, date, source }: DatedRate): JsonObject => ({ rate, date, source });

/** The entry of the payment, and a second one for the difference of the rates, if there is one. */
function entriesOf(
  { openFrom }: PaymentFacts,
  { seller, number, currency }: PayableInvoice,
  {
    draft: { invoiceId, paidOn, reference },
    amountMicros,
    valued: { reporting, differenceMicros, evidence },
  }: { readonly draft: PaymentDraft; readonly amountMicros: bigint; readonly valued: Valued },
  ids: PaymentIds,
): readonly LedgerEntry[] {
  const day = openFrom !== undefined && paidOn < openFrom ? openFrom : paidOn;
  const about = { invoice_id: invoiceId, payment_id: ids.payment, number, paid_on: paidOn };
  const base = { operationId: invoiceId, seller, occurredAt: ids.at };
  const payment = entryOf({
    ...base,
    id: ids.entry,
    kind: 'payment',
    postings: paymentPostings({ day, currency, amountMicros, ...(reporting && { reporting }) }),
    facts: { ...about, ...(reference !== undefined && { reference }), ...evidence },
  });
  const postings = differencePostings(day, reporting?.currency ?? currency, differenceMicros ?? 0n);
  if (postings.length === 0) return [payment];
  const facts = { ...about, ...evidence };
  return [payment, entryOf({ ...base, id: ids.difference, kind: 'exchange', postings, facts })];
}
