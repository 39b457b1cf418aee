import { payableOf, usualTermDays, type PayableInvoice } from '@switchyard/ledger';
import type { TenantClient } from '../core/tenant-client.js';
import type { invoiceModel } from '../generated/models.js';

type PayableRow = Pick<
  invoiceModel,
  'id' | 'connection_id' | 'seller' | 'number' | 'currency' | 'issued_on' | 'hold_reason'
> &
  Readonly<Record<'due_on' | 'total' | 'tax' | 'open' | 'held' | 'ordered', string>> &
  Readonly<Record<'is_approved' | 'is_voided', boolean>>;

/** What a transfer will use of credit notes: until its approval has used them. */
const unusedCredits = `(select coalesce(sum((used->>'amount')::bigint), 0)
     from jsonb_array_elements(o.credits) used where used->>'application_id' is null)`;

const payableColumns = `i.id, i.connection_id, i.seller, i.number, i.currency, i.issued_on,
  coalesce(i.due_on, to_char(i.issued_on::date + $3::int, 'YYYY-MM-DD')) as due_on,
  i.total_micros::text as total, coalesce(i.tax_micros, 0)::text as tax, (i.total_micros - i.paid_micros)::text as open,
  i.hold_reason, i.approved_at is not null as is_approved, i.voided_at is not null as is_voided,
  (select coalesce(sum(h.amount_micros), 0) from invoice_hold h
   where h.organization_id = i.organization_id and h.invoice_id = i.id)::text as held,
  (select coalesce(sum(o.amount_micros + o.discount_micros + ${unusedCredits}), 0) from payment_order_item o
   where o.organization_id = i.organization_id and o.invoice_id = i.id and o.is_active
     and o.order_id is distinct from $2::uuid)::text as ordered`;

/** Reads and locks one invoice; `exceptOrder`: a transfer whose own amount is not held against it. */
export async function payableInvoice(
  client: TenantClient,
  id: string,
  exceptOrder?: string,
): Promise<PayableInvoice | undefined> {
  const { rows } = await client.query<PayableRow>(
    `select ${payableColumns} from invoice i where i.organization_id = $1 and i.id = $4 for update of i`,
    [client.organizationId, exceptOrder ?? null, usualTermDays, id],
  );
  return rows[0] && invoiceOf(rows[0]);
}

/** The most invoices in one proposal. */
export const dueAtMost = 2_000;

/** Invoices that are due until a day, by seller, the oldest first; locked. */
export async function dueInvoices(
  client: TenantClient,
  {
    until,
    seller,
    currency,
  }: { readonly until: string; readonly seller?: string; readonly currency?: string },
): Promise<readonly PayableInvoice[]> {
  const { rows } = await client.query<PayableRow>(
    `select ${payableColumns} from invoice i
     where i.organization_id = $1 and i.settled_on is null and i.total_micros > 0 and i.voided_at is null
       and coalesce(i.due_on, to_char(i.issued_on::date + $3::int, 'YYYY-MM-DD')) <= $4
       and ($5::text is null or i.seller = $5) and ($6::text is null or i.currency = $6)
     order by i.seller, i.currency, due_on, i.id limit ${dueAtMost} for update of i`,
    [client.organizationId, null, usualTermDays, until, seller ?? null, currency ?? null],
  );
  return rows.map(invoiceOf);
}

/** The invoices in a currency of which exactly this amount can be paid now. */
export async function payableOfAmount(
  client: TenantClient,
  { currency, amountMicros }: { readonly currency: string; readonly amountMicros: bigint },
): Promise<readonly PayableInvoice[]> {
  const { rows } = await client.query<PayableRow>(
    `select ${payableColumns} from invoice i
     where i.organization_id = $1 and i.settled_on is null and i.total_micros > 0 and i.voided_at is null
       and i.held_at is null and i.approved_at is not null and i.currency = $4
       and i.total_micros - i.paid_micros >= $5::bigint
     order by i.issued_on, i.id limit ${dueAtMost}`,
    [client.organizationId, null, usualTermDays, currency, amountMicros.toString()],
  );
  return rows.map(invoiceOf).filter(({ payableMicros }) => payableMicros === amountMicros);
}

function invoiceOf(row: PayableRow): PayableInvoice {
  const invoice = {
    id: row.id,
    connectionId: row.connection_id,
    seller: row.seller,
    number: row.number,
    currency: row.currency,
    issuedOn: row.issued_on,
    dueOn: row.due_on,
    totalMicros: BigInt(row.total),
    taxMicros: BigInt(row.tax),
    openMicros: BigInt(row.open),
    ...(row.hold_reason !== null && { holdReason: row.hold_reason }),
  };
  return payableOf(invoice, {
    heldMicros: BigInt(row.held),
    orderedMicros: BigInt(row.ordered),
    isApproved: row.is_approved,
    isVoided: row.is_voided,
  });
}
