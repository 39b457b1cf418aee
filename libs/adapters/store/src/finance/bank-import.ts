import { foldedNumber, foldName, type BankEntry } from '@switchyard/ledger';
import type { Instant } from '@switchyard/values';
import { payClientInvoice } from '../billing/client-invoices.js';
import { storableText } from '../core/storable.js';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';
import { entryKeyOf, referenceOf } from './bank-entry.js';
import { payableOfAmount } from './payable.js';
import { bookOrder, BookingRefused, lockOrder, voidOrder, type OrderRow } from './payment-orders.js';
import { pay, type Paid } from './payment-repository.js';
import { takeTurn } from '../core/take-turns.js';

export interface BankImport {
  readonly entry: BankEntry;
  /** UUID of the principal. */
  readonly by: string;
}

/** What a transaction of a bank statement was found to be. */
export type ImportedEntry =
  /** A statement that came before has it. */
  | { readonly state: 'known' }
  | {
      readonly state: 'booked';
      /** How it was found: by our payment id, or by its amount and the number of an invoice in its text. */
      readonly by: 'payment_id' | 'number';
      readonly orderId?: string;
      readonly invoiceId?: string;
      /** UUID of the document that a client has paid. */
      readonly clientInvoiceId?: string;
    }
  | { readonly state: 'returned'; readonly orderId: string }
  | {
      readonly state: 'open';
      /** Invoices that it may pay: their amount is the same. */
      readonly proposals?: readonly { readonly id: string; readonly number: string }[];
      readonly reason?: Exclude<Paid, { readonly kind: 'paid' }> | 'amount_differs' | 'paid_twice';
    };

/** Matches a transaction: by our payment id, then by amount and number, else it stays open with proposals. */
export async function importBankEntry(
  client: TenantSession,
  { entry, by }: BankImport,
  at: Instant,
): Promise<ImportedEntry> {
  const key = entryKeyOf(entry);
  await takeTurn(client, 'bankStatement');
  const place = { organization_id: client.organizationId, key };
  const known = await client.models.bank_entry.findFirst({ where: place });
  if (known !== null && known.state !== 'open') return { state: 'known' };
  const found = await matchOf(client, { entry, by }, at);
  if (found.state === 'known') return found;
  const matched = { state: found.state, order_id: 'orderId' in found ? (found.orderId ?? null) : null };
  await client.models.bank_entry.upsert({
    where: { organization_id_key: place },
    create: {
      ...place,
      booked_on: entry.bookedOn,
      currency: entry.currency,
      amount_micros: entry.amountMicros,
      text: storableText(entry.text),
      imported_by: by,
      imported_at: new Date(at),
      ...matched,
    },
    update: matched,
  });
  return found;
}

async function matchOf(
  client: TenantSession,
  { entry, by }: BankImport,
  at: Instant,
): Promise<ImportedEntry> {
  const orderId = orderIn(entry.endToEndId ?? entry.text);
  const order = orderId === undefined ? undefined : await lockOrder(client, orderId);
  if (order !== undefined) return matchOrder(client, { order, entry, by }, at);
  return entry.amountMicros < 0n
    ? matchNumber(client, { entry, by }, at)
    : matchClient(client, { entry, by }, at);
}

/** Our payment id in a text: 32 hexadecimal digits, which some banks print in capitals. */
function orderIn(text: string): string | undefined {
  const found = /(?:^|[^0-9a-f])([0-9a-f]{32})(?:[^0-9a-f]|$)/i.exec(text)?.[1]?.toLowerCase();
  return found?.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

async function matchOrder(
  client: TenantSession,
  { order, entry, by }: BankImport & { readonly order: OrderRow },
  at: Instant,
): Promise<ImportedEntry> {
  const amount = entry.amountMicros < 0n ? -entry.amountMicros : entry.amountMicros;
  if (amount !== BigInt(order.amount) || entry.currency !== order.currency)
    return { state: 'open', reason: 'amount_differs' };
  if (entry.amountMicros > 0n) {
    if (order.state !== 'exported' && order.state !== 'booked') return { state: 'open' };
    const about = { reason: 'The bank returned it.', by, day: entry.bookedOn };
    await voidOrder(client, order, about, at);
    return { state: 'returned', orderId: order.id };
  }
  if (order.state === 'booked')
    return (await isBookedByAnother(client, order.id))
      ? { state: 'open', reason: 'paid_twice' }
      : { state: 'booked', by: 'payment_id', orderId: order.id };
  if (order.state !== 'exported') return { state: 'open' };
  await bookOrder(client, order, { paidOn: entry.bookedOn, by }, at);
  return { state: 'booked', by: 'payment_id', orderId: order.id };
}

/** Whether a transaction of a statement has booked a transfer; one that was recorded by hand still waits for its own. */
async function isBookedByAnother(client: TenantClient, orderId: string): Promise<boolean> {
  const { rows } = await client.query(
    `select 1 from payment_order o join bank_entry e on e.organization_id = o.organization_id and e.state = 'booked'
       and e.booked_on between (o.booked_on::date - 31)::text and (o.booked_on::date + 31)::text and e.order_id = o.id
     where o.organization_id = $1 and o.id = $2 limit 1`,
    [client.organizationId, orderId],
  );
  return rows.length > 0;
}

/** Money of a client pays the invoice that the text names, if that is all that is open of it. */
async function matchClient(
  client: TenantSession,
  { entry, by }: BankImport,
  at: Instant,
): Promise<ImportedEntry> {
  const { rows } = await client.query<{ id: string; number: string }>(
    `select id, number from client_invoice
     where organization_id = $1 and due_on is not null and settled_on is null and currency = $2
       and gross_micros - paid_micros = $3::bigint order by due_on, id limit 1000`,
    [client.organizationId, entry.currency, entry.amountMicros.toString()],
  );
  const named = rows.filter(({ number }) => isNamedIn(entry.text, number));
  const [first] = named;
  if (first === undefined || named.length > 1) return { state: 'open' };
  const paid = await payClientInvoice(
    client,
    first.id,
    { by, paidOn: entry.bookedOn, amountMicros: entry.amountMicros, reference: referenceOf(entry) },
    at,
  );
  return paid.kind === 'done'
    ? { state: 'booked', by: 'number', clientInvoiceId: paid.id }
    : { state: 'open' };
}

/** Whether a text of a bank names a number of a document, however it is punctuated. */
function isNamedIn(text: string, number: string): boolean {
  const folded = foldedNumber(number).replaceAll('-', '');
  return folded.length >= shortestNumber && foldName(text).replaceAll('-', '').includes(folded);
}

/** Letters and digits that a number of an invoice needs to be found in a text. */
const shortestNumber = 4;

async function matchNumber(
  client: TenantSession,
  { entry, by }: BankImport,
  at: Instant,
): Promise<ImportedEntry> {
  const amountMicros = -entry.amountMicros;
  const { currency } = entry;
  const same = await payableOfAmount(client, { currency, amountMicros });
  const named = same.filter(({ number }) => isNamedIn(entry.text, number));
  const [first] = named;
  if (first === undefined || named.length > 1)
    return { state: 'open', proposals: same.slice(0, 5).map(({ id, number }) => ({ id, number })) };
  const paid = await pay(
    client,
    {
      invoiceId: first.id,
      paidOn: entry.bookedOn,
      amountMicros,
      reference: referenceOf(entry),
      by,
    },
    at,
  );
  if (paid.kind !== 'paid') throw new BookingRefused(paid);
  return { state: 'booked', by: 'number', invoiceId: first.id };
}
