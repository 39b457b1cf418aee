import { randomUUID } from 'node:crypto';
import {
  decidePayment,
  usualTermDays,
  type DecidedPayment,
  type OpenInvoice,
  type Payment,
  type PaymentDraft,
  type PaymentFacts,
  type PaymentRefusal,
} from '@switchyard/ledger';
import { splitByWeights } from '@switchyard/money';
import type { Reach, TenantScope } from '@switchyard/tenancy';
import { defined, type Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { present } from '../core/present.js';
import { storableText } from '../core/storable.js';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';
import { withinReach } from '../core/within-reach.js';
import { rowReader } from '../core/row-mapper.js';
import { payableInvoice } from './payable.js';
import { appendBlock } from '../ledger/append-block.js';
import { openFrom } from '../ledger/open-from.js';
import { lockHead } from '../ledger/stream-head.js';
import { timeOrderedId } from '../ledger/time-ordered-id.js';
import { rateOn, reportingCurrency } from './dated-rates.js';
import type { invoiceModel } from '../generated/models.js';

export type Paid = Pick<DecidedPayment, 'kind' | 'payment' | 'currency' | 'openMicros'> | PaymentRefusal;

interface PaymentTerm {
  readonly seller: string;
  readonly days: number;
  /** What the seller allows for early payment: hundredths of a percent, within so many days of the issue. */
  readonly discountHundredths?: number;
  readonly discountDays?: number;
}

/** What changes of the terms of a seller: absent members stay, null takes the discount away. */
export interface TermChange {
  readonly seller: string;
  readonly days: number;
  readonly discountHundredths?: number | null;
  readonly discountDays?: number | null;
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
        if ((await client.models.invoice.count({ where: { id: invoiceId } })) === 0) return undefined;
        const rows = await client.models.invoice_payment.findMany({
          where: { organization_id: client.organizationId, invoice_id: invoiceId },
          orderBy: [{ recorded_at: 'asc' }, { id: 'asc' }],
          take: 500,
        });
        return rows.map(paymentOf);
      }),
    /** Sets the days of a seller, and its discount where the change says one; null takes it away. Returns what holds now. */
    setTerm: (scope: TenantScope, term: TermChange, by: string, at: Instant): Promise<PaymentTerm> =>
      store.inTenantModels(scope, async ({ payment_term }) => {
        const named = { organization_id: scope.organizationId, seller: term.seller };
        const set = {
          days: term.days,
          set_by: by,
          set_at: new Date(at),
          ...defined({ discount_hundredths: term.discountHundredths, discount_days: term.discountDays }),
        };
        const stored = await payment_term.upsert({
          where: { organization_id_seller: named },
          create: { ...named, ...set },
          update: set,
        });
        const { discount_hundredths: hundredths, discount_days: days } = stored;
        return {
          seller: stored.seller,
          days: stored.days,
          ...defined({ discountHundredths: hundredths ?? undefined, discountDays: days ?? undefined }),
        };
      }),
    open: (scope: TenantScope, reach: Reach): Promise<readonly OpenInvoice[]> =>
      store.inTenant(scope, (client) => readOpen(client, reach)),
  };
}

export type PaymentRepository = ReturnType<typeof paymentRepository>;

/** Days from the issue of a seller's invoice to its due date. */
export async function termDaysOf({ models, organizationId }: TenantSession, seller: string): Promise<number> {
  const term = await models.payment_term.findFirst({ where: { organization_id: organizationId, seller } });
  return term?.days ?? usualTermDays;
}

/** Books a payment with its entries in the caller's transaction. */
export async function pay(client: TenantSession, draft: PaymentDraft, at: Instant): Promise<Paid> {
  const head = await lockHead(client);
  const ids = { payment: randomUUID(), entry: timeOrderedId(at), difference: timeOrderedId(at), at };
  const decided = decidePayment(await loadPayment(client, draft), draft, ids);
  if (decided.kind !== 'paid') return decided;
  await insertPayment(client, draft, decided.payment, at);
  await client.models.invoice.updateMany({
    where: { id: draft.invoiceId },
    data: { paid_micros: decided.paidMicros, settled_on: decided.settledOn ?? null },
  });
  await appendBlock(client, head, decided.entries, at);
  return decided;
}

/** Reads and locks what a payment is decided on. */
async function loadPayment(client: TenantSession, draft: PaymentDraft): Promise<PaymentFacts> {
  const [invoice, isKnownReference, to, open] = await Promise.all([
    payableInvoice(client, draft.invoiceId, draft.orderId),
    isKnown(client, draft),
    reportingCurrency(client),
    openFrom(client),
  ]);
  const facts = {
    isKnownReference,
    reportingCurrency: to,
    ...present({ invoice, openFrom: open }),
  };
  if (invoice === undefined || invoice.currency === to) return facts;
  const [issueRate, paymentRate] = await Promise.all(
    [invoice.issuedOn, draft.paidOn].map((day) => rateOn(client, { from: invoice.currency, to, day })),
  );
  return { ...facts, ...present({ issueRate, paymentRate }) };
}

async function isKnown(
  { models, organizationId }: TenantSession,
  { invoiceId, reference }: PaymentDraft,
): Promise<boolean> {
  if (reference === undefined) return false;
  const named = {
    organization_id: organizationId,
    invoice_id: invoiceId,
    reference: storableText(reference),
  };
  return (await models.invoice_payment.count({ where: named })) > 0;
}

async function insertPayment(
  client: TenantSession,
  { invoiceId, by }: PaymentDraft,
  payment: Payment,
  at: Instant,
): Promise<void> {
  await client.models.invoice_payment.create({
    data: {
      organization_id: client.organizationId,
      id: payment.id,
      invoice_id: invoiceId,
      paid_on: payment.paidOn,
      amount_micros: payment.amountMicros,
      reporting_currency: payment.reportingCurrency ?? null,
      reporting_micros: payment.reportingMicros ?? null,
      difference_micros: payment.differenceMicros ?? null,
      reference: payment.reference === undefined ? null : storableText(payment.reference),
      paid_by: by,
      recorded_at: new Date(at),
      entry_id: payment.entryId,
      difference_entry_id: payment.differenceEntryId ?? null,
    },
  });
}

const paymentOf = rowReader<Payment>()(`
  id, paid_on, amount_micros, entry_id, reporting_currency, reporting_micros, difference_micros, reference,
  difference_entry_id, voided_at, is_written_off`);

type OpenRow = Pick<invoiceModel, 'id' | 'seller' | 'currency'> & {
  readonly due_on: string;
  readonly total: string;
  readonly paid: string;
  readonly parts: readonly {
    readonly id: string | null;
    readonly name: string | null;
    readonly of: string;
    readonly seen: boolean;
  }[];
};

/**
 * Open invoices, each split by client: a payment counts for all its lines in proportion. A limited reach is shown only
 * the parts with buys in it. What is left of a credit note is below zero, and never overdue.
 */
async function readOpen(client: TenantClient, reach: Reach): Promise<readonly OpenInvoice[]> {
  const within = withinReach('m', reach, 3);
  const { rows } = await client.query<OpenRow>(
    `select i.id, i.seller, i.currency, i.total_micros::text as total, i.paid_micros::text as paid,
       case when i.total_micros < 0 then '9999-12-31'
         else coalesce(i.due_on, to_char(i.issued_on::date + ${usualTermDays}, 'YYYY-MM-DD')) end as due_on, parts.list as parts
     from (select * from invoice where organization_id = $1 and settled_on is null and total_micros <> 0 and voided_at is null
           order by id limit $2) i
     cross join lateral (
       select json_agg(json_build_object('id', part.client_id, 'name', part.name, 'of', part.amount, 'seen', part.seen)
         order by part.client_id, part.seen) as list
       from (select m.client_id, c.name, coalesce(${within.text}, false) as seen,
               greatest(sum(case when i.total_micros < 0 then -l.amount_micros else l.amount_micros end), 0)::text as amount
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
