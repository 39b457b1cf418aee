import { usualTermDays } from '@switchyard/ledger';
import { isPayable } from '@switchyard/money';
import type { TenantClient } from '../core/tenant-client.js';

/** Why nothing of an invoice, or not all of it, is paid now. */
export type NotPayable = 'voided' | 'held' | 'not_approved' | 'disputed' | 'ordered' | 'settled';

/** What can be paid of an invoice now: what is open of an approved one, less what is held and what is ordered already. */
export interface PayableInvoice {
  readonly id: string;
  readonly connectionId: string;
  readonly seller: string;
  readonly number: string;
  readonly currency: string;
  readonly issuedOn: string;
  readonly dueOn: string;
  readonly totalMicros: bigint;
  readonly taxMicros: bigint;
  readonly openMicros: bigint;
  readonly payableMicros: bigint;
  /** Absent where all that is open can be paid. */
  readonly reason?: NotPayable;
  readonly holdReason?: string;
}

interface PayableRow {
  readonly id: string;
  readonly connection_id: string;
  readonly seller: string;
  readonly number: string;
  readonly currency: string;
  readonly issued_on: string;
  readonly due_on: string;
  readonly total: string;
  readonly tax: string;
  readonly open: string;
  readonly held: string;
  readonly ordered: string;
  readonly hold_reason: string | null;
  readonly is_approved: boolean;
  readonly is_voided: boolean;
}

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
  return rows[0] && payableOf(rows[0]);
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
  return rows.map(payableOf);
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
  return rows.map(payableOf).filter(({ payableMicros }) => payableMicros === amountMicros);
}

function payableOf(row: PayableRow): PayableInvoice {
  const [open, held, ordered] = [BigInt(row.open), BigInt(row.held), BigInt(row.ordered)];
  const rest = open - held - ordered;
  const reason = reasonOf(row, { open, held, ordered });
  const isBlocked = reason !== undefined && reason !== 'disputed' && reason !== 'ordered';
  return {
    id: row.id,
    connectionId: row.connection_id,
    seller: row.seller,
    number: row.number,
    currency: row.currency,
    issuedOn: row.issued_on,
    dueOn: row.due_on,
    totalMicros: BigInt(row.total),
    taxMicros: BigInt(row.tax),
    openMicros: open,
    payableMicros: isBlocked || rest < 0n ? 0n : rest,
    ...(reason !== undefined && { reason }),
    ...(row.hold_reason !== null && { holdReason: row.hold_reason }),
  };
}

function reasonOf(
  row: PayableRow,
  { open, held, ordered }: { readonly open: bigint; readonly held: bigint; readonly ordered: bigint },
): NotPayable | undefined {
  if (row.is_voided) return 'voided';
  if (row.hold_reason !== null) return 'held';
  if (open <= 0n) return 'settled';
  if (!row.is_approved) return 'not_approved';
  if (held > 0n) return 'disputed';
  return ordered > 0n ? 'ordered' : undefined;
}

/** The largest amount that a bank can pay of this one: without decimals that the currency does not have. */
export function wholeUnits(micros: bigint, currency: string): bigint {
  let unit = 1n;
  while (!isPayable(unit, currency)) unit *= 10n;
  return micros - (micros % unit);
}
