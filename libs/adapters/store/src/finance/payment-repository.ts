import { randomUUID } from 'node:crypto';
import {
  convertMicros,
  createEntry,
  differencePostings,
  paymentPostings,
  usualTermDays,
  type DatedRate,
  type EntryDraft,
  type LedgerEntry,
  type OpenInvoice,
} from '@switchyard/ledger';
import { isPayable, splitByWeights } from '@switchyard/money';
import type { Reach, TenantScope } from '@switchyard/tenancy';
import type { Instant, JsonObject } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { storableText } from '../core/storable.js';
import type { TenantClient } from '../core/tenant-client.js';
import { withinReach } from '../core/within-reach.js';
import { rowReader, type Row } from '../core/row-mapper.js';
import { payableInvoice, type PayableInvoice } from './payable.js';
import { appendBlock } from '../ledger/append-block.js';
import { openFrom } from '../ledger/open-from.js';
import { lockHead } from '../ledger/stream-head.js';
import { timeOrderedId } from '../ledger/time-ordered-id.js';
import { rateOn, reportingCurrency, type MissingRate } from './dated-rates.js';

interface PaymentDraft {
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
}

/** Why a payment is not booked. */
type PaymentRefusal =
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

export type Paid =
  | {
      readonly kind: 'paid';
      readonly payment: Payment;
      readonly currency: string;
      readonly openMicros: bigint;
    }
  | PaymentRefusal;

interface PaymentTerm {
  readonly seller: string;
  readonly days: number;
  /** What the seller allows for early payment: hundredths of a percent, within so many days of the issue. */
  readonly discountHundredths?: number;
  readonly discountDays?: number;
}

/** Limit of open invoices of one organization in one read; with more, the read fails. */
export const openInvoicesAtMost = 50_000;

/** Invoices after their booking: due dates, payments and open amounts. */
export function paymentRepository(store: Store) {
  return {
    /** Books a payment with its ledger entries, in one commit. */
    pay: (scope: TenantScope, draft: PaymentDraft, at: Instant): Promise<Paid> =>
      store.inTenant(scope, (client) => pay(client, draft, at)),
    /** Undefined if there is no such invoice. */
    ofInvoice: (scope: TenantScope, invoiceId: string): Promise<readonly Payment[] | undefined> =>
      store.inTenant(scope, async (client) => {
        const { rowCount } = await client.query(
          'select from invoice where organization_id = $1 and id = $2',
          [client.organizationId, invoiceId],
        );
        if (rowCount === 0) return undefined;
        const { rows } = await client.query<Row>(
          `select * from invoice_payment where organization_id = $1 and invoice_id = $2 order by recorded_at, id limit 500`,
          [client.organizationId, invoiceId],
        );
        return rows.map(paymentOf);
      }),
    setTerm: (scope: TenantScope, term: PaymentTerm, by: string, at: Instant): Promise<void> =>
      store.inTenant(scope, async (client) => {
        await client.query(
          `insert into payment_term (organization_id, seller, days, set_by, set_at, discount_hundredths, discount_days)
           values ($1, $2, $3, $4, $5, $6, $7)
           on conflict (organization_id, seller) do update set days = excluded.days, set_by = excluded.set_by,
             set_at = excluded.set_at, discount_hundredths = excluded.discount_hundredths,
             discount_days = excluded.discount_days`,
          [
            client.organizationId,
            term.seller,
            term.days,
            by,
            new Date(at),
            term.discountHundredths ?? null,
            term.discountDays ?? null,
          ],
        );
      }),
    terms: (
      scope: TenantScope,
      { after, limit }: { readonly after?: readonly (string | number)[]; readonly limit: number },
    ): Promise<readonly PaymentTerm[]> =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<Row>(
          `select seller, days, discount_hundredths, discount_days from payment_term
           where organization_id = $1 and ($2::text is null or seller > $2) order by seller limit $3`,
          [client.organizationId, after?.[0] ?? null, limit],
        );
        return rows.map(termOf);
      }),
    open: (scope: TenantScope, reach: Reach): Promise<readonly OpenInvoice[]> =>
      store.inTenant(scope, (client) => readOpen(client, reach)),
  };
}

export type PaymentRepository = ReturnType<typeof paymentRepository>;

/** Days from the issue of a seller's invoice to its due date. */
export async function termDaysOf(client: TenantClient, seller: string): Promise<number> {
  const { rows } = await client.query<{ days: number }>(
    'select days from payment_term where organization_id = $1 and seller = $2',
    [client.organizationId, seller],
  );
  return rows[0]?.days ?? usualTermDays;
}

/** A payment as the ledger books it. */
export interface Booking extends PaymentDraft {
  /** UUID of the transfer that a bank has booked: nothing that happened since its order prevents that. */
  readonly orderId?: string;
}

/** Books a payment with its entries in the caller's transaction. */
export async function pay(client: TenantClient, draft: Booking, at: Instant): Promise<Paid> {
  const head = await lockHead(client);
  const invoice = await payableInvoice(client, draft.invoiceId, draft.orderId);
  if (invoice === undefined) return { kind: 'no_invoice' };
  const { currency, openMicros } = invoice;
  if (invoice.reason === 'voided') return { kind: 'voided' };
  const isBooked = draft.orderId !== undefined;
  if (invoice.reason === 'held' && !isBooked) return { kind: 'held', reason: invoice.holdReason ?? '' };
  if (draft.reference !== undefined && (await isKnown(client, draft))) return { kind: 'known_reference' };
  if (openMicros <= 0n) return { kind: 'paid_already' };
  if (invoice.reason === 'not_approved' && !isBooked) return { kind: 'not_approved' };
  const payableMicros = isBooked ? openMicros : invoice.payableMicros;
  if (payableMicros <= 0n)
    return invoice.reason === 'ordered'
      ? { kind: 'ordered' }
      : { kind: 'held', reason: 'all that is open of it is disputed or to be credited.' };
  const amountMicros = draft.amountMicros ?? payableMicros;
  if (amountMicros > payableMicros) return { kind: 'too_much', openMicros: payableMicros, currency };
  // The open amount of an older invoice may have more decimals: it can be paid only as a whole.
  if (amountMicros !== payableMicros && !isPayable(amountMicros, currency))
    return { kind: 'too_precise', field: 'amount', currency };
  const valued = await valueOf(client, invoice, draft, amountMicros);
  if ('kind' in valued) return valued;
  const open = await openFrom(client);
  const day = open !== undefined && draft.paidOn < open ? open : draft.paidOn;
  const id = randomUUID();
  const about = {
    invoice_id: draft.invoiceId,
    payment_id: id,
    number: invoice.number,
    paid_on: draft.paidOn,
  };
  const base = { operationId: draft.invoiceId, seller: invoice.seller, occurredAt: at };
  const { reporting, differenceMicros, facts } = valued;
  const payment = entryOf({
    ...base,
    id: timeOrderedId(at),
    kind: 'payment',
    postings: paymentPostings({ day, currency, amountMicros, ...(reporting && { reporting }) }),
    facts: { ...about, ...(draft.reference !== undefined && { reference: draft.reference }), ...facts },
  });
  const lines = differencePostings(day, reporting?.currency ?? currency, differenceMicros ?? 0n);
  const difference =
    lines.length === 0
      ? undefined
      : entryOf({
          ...base,
          id: timeOrderedId(at),
          kind: 'exchange',
          postings: lines,
          facts: { ...about, ...facts },
        });
  const stored: Payment = {
    id,
    paidOn: draft.paidOn,
    amountMicros,
    entryId: payment.id,
    ...(reporting && { reportingCurrency: reporting.currency, reportingMicros: reporting.amountMicros }),
    ...(differenceMicros !== undefined && { differenceMicros }),
    ...(draft.reference !== undefined && { reference: draft.reference }),
    ...(difference && { differenceEntryId: difference.id }),
  };
  await insertPayment(client, draft, stored, at);
  await client.query(
    `update invoice set paid_micros = paid_micros + $2::bigint,
       settled_on = case when paid_micros + $2::bigint >= total_micros then $3 end where id = $1`,
    [draft.invoiceId, amountMicros.toString(), draft.paidOn],
  );
  await appendBlock(client, head, [payment, ...(difference ? [difference] : [])], at);
  return { kind: 'paid', payment: stored, currency, openMicros: openMicros - amountMicros };
}

async function isKnown(client: TenantClient, { invoiceId, reference }: PaymentDraft): Promise<boolean> {
  const { rowCount } = await client.query(
    'select 1 from invoice_payment where organization_id = $1 and invoice_id = $2 and reference = $3',
    [client.organizationId, invoiceId, storableText(reference ?? '')],
  );
  return rowCount > 0;
}

interface Valued {
  readonly reporting?: { readonly currency: string; readonly amountMicros: bigint };
  readonly differenceMicros?: bigint;
  readonly facts: JsonObject;
}

/** The payment in the reporting currency on its own day, and the difference to the day of issue. */
async function valueOf(
  client: TenantClient,
  { currency, issuedOn }: PayableInvoice,
  { paidOn, reportingMicros }: PaymentDraft,
  amountMicros: bigint,
): Promise<Valued | PaymentRefusal> {
  const to = await reportingCurrency(client);
  if (to === currency)
    return reportingMicros === undefined ? { facts: {} } : { kind: 'same_currency', currency };
  if (reportingMicros !== undefined && !isPayable(reportingMicros, to))
    return { kind: 'too_precise', field: 'reporting_amount', currency: to };
  const issued = await rateOn(client, { from: currency, to, day: issuedOn });
  if (issued === undefined) return { kind: 'no_rate', from: currency, to, day: issuedOn };
  const paid =
    reportingMicros === undefined ? await rateOn(client, { from: currency, to, day: paidOn }) : undefined;
  if (paid === undefined && reportingMicros === undefined)
    return { kind: 'no_rate', from: currency, to, day: paidOn };
  const value = reportingMicros ?? convertMicros(amountMicros, paid?.rate ?? '0');
  return {
    reporting: { currency: to, amountMicros: value },
    differenceMicros: value - convertMicros(amountMicros, issued.rate),
    facts: {
      reporting_currency: to,
      issue_rate: rateFacts(issued),
      payment_rate: paid === undefined ? 'as the bank took it' : rateFacts(paid),
    },
  };
}

const rateFacts = ({ rate, date, source }: DatedRate): JsonObject => ({ rate, date, source });

function entryOf(draft: EntryDraft): LedgerEntry {
  const entry = createEntry(draft);
  if (!entry.ok) throw new Error(`A payment made an entry that cannot stand: ${entry.error.code}.`);
  return entry.value;
}

async function insertPayment(
  client: TenantClient,
  { invoiceId, by }: PaymentDraft,
  payment: Payment,
  at: Instant,
): Promise<void> {
  await client.query(
    `insert into invoice_payment (id, organization_id, invoice_id, paid_on, amount_micros, reporting_currency,
       reporting_micros, difference_micros, reference, paid_by, recorded_at, entry_id, difference_entry_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      payment.id,
      client.organizationId,
      invoiceId,
      payment.paidOn,
      payment.amountMicros.toString(),
      payment.reportingCurrency ?? null,
      payment.reportingMicros?.toString() ?? null,
      payment.differenceMicros?.toString() ?? null,
      payment.reference === undefined ? null : storableText(payment.reference),
      by,
      new Date(at),
      payment.entryId,
      payment.differenceEntryId ?? null,
    ],
  );
}

const termOf = rowReader<PaymentTerm>()('seller, days, discount_hundredths, discount_days');

const paymentOf = rowReader<Payment>()(`
  id, paid_on, amount_micros, entry_id, reporting_currency, reporting_micros, difference_micros, reference,
  difference_entry_id, voided_at`);

interface OpenRow {
  readonly id: string;
  readonly seller: string;
  readonly currency: string;
  readonly due_on: string;
  readonly total: string;
  readonly paid: string;
  readonly parts: readonly {
    readonly id: string | null;
    readonly name: string | null;
    readonly of: string;
    readonly seen: boolean;
  }[];
}

/**
 * Open invoices, each split by client: a payment counts for all its lines in proportion. A limited reach is shown only
 * the parts with buys in it.
 */
async function readOpen(client: TenantClient, reach: Reach): Promise<readonly OpenInvoice[]> {
  const within = withinReach('m', reach, 3);
  const { rows } = await client.query<OpenRow>(
    `select i.id, i.seller, i.currency, i.total_micros::text as total, i.paid_micros::text as paid,
       coalesce(i.due_on, to_char(i.issued_on::date + ${usualTermDays}, 'YYYY-MM-DD')) as due_on, parts.list as parts
     from (select * from invoice where organization_id = $1 and settled_on is null and total_micros > 0 and voided_at is null
           order by id limit $2) i
     cross join lateral (
       select json_agg(json_build_object('id', part.client_id, 'name', part.name, 'of', part.amount, 'seen', part.seen)
         order by part.client_id, part.seen) as list
       from (select m.client_id, c.name, coalesce(${within.text}, false) as seen, greatest(sum(l.amount_micros), 0)::text as amount
             from invoice_line l
             left join seller_buy b on b.connection_id = i.connection_id
               and b.seller_media_buy_id = l.seller_media_buy_id
             left join media_buy m on m.id = b.media_buy_id
             left join client c on c.id = m.client_id
             where l.invoice_id = i.id group by 1, 2, 3) part) parts`,
    [client.organizationId, openInvoicesAtMost, ...within.values],
  );
  return rows.flatMap(({ id, seller, currency, due_on: dueOn, total, paid, parts }) => {
    const weights = parts.map((part) => BigInt(part.of));
    // Credits of one client can be as large as its lines: then the open amount is shared equally.
    const shares = splitByWeights(
      BigInt(total) - BigInt(paid),
      weights.some((weight) => weight > 0n) ? weights : weights.map(() => 1n),
    );
    return parts.flatMap((part, at): readonly OpenInvoice[] =>
      part.seen
        ? [
            {
              id,
              seller,
              currency,
              dueOn,
              openMicros: shares[at] ?? 0n,
              ...(part.id !== null && { clientId: part.id }),
              ...(part.name !== null && { client: part.name }),
            },
          ]
        : [],
    );
  });
}
