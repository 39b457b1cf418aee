import { entryOf, type LedgerEntry, type Posting } from '@switchyard/ledger';
import { divideHalfEven } from '@switchyard/money';
import type { Instant } from '@switchyard/values';
import { storableText } from '../core/storable.js';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';
import type { payment_orderModel, payment_order_itemModel } from '../generated/models.js';
import { appendBlock } from '../ledger/append-block.js';
import { openFrom } from '../ledger/open-from.js';
import { lockHead } from '../ledger/stream-head.js';
import { timeOrderedId } from '../ledger/time-ordered-id.js';
import { payableInvoice } from './payable.js';
import { pay, type Paid } from './payment-repository.js';
import { voidPayment } from './void-payment.js';
import { lockRow } from '../core/lock-row.js';

export type OrderRow = Pick<payment_orderModel, 'id' | 'seller' | 'currency' | 'state'> & {
  readonly amount: string;
};

/** A transfer by its id, locked. */
export async function lockOrder(client: TenantClient, id: string): Promise<OrderRow | undefined> {
  const columns = ['id', 'seller', 'currency', 'amount_micros', 'state'] as const;
  const row = await lockRow(client, 'payment_order', { id }, columns);
  return row && { ...row, amount: row.amount_micros };
}

/** A payment of a transfer that the ledger refuses: thrown, so that nothing of the transfer is booked. */
export class BookingRefused extends Error {
  constructor(readonly refusal: Exclude<Paid, { readonly kind: 'paid' }>) {
    super(`A transfer is not booked: ${refusal.kind}.`);
  }
}

/** Our payment id as the bank takes it. */
export const endToEndIdOf = (orderId: string): string => orderId.replaceAll('-', '');

const itemsOf = (
  { models, organizationId }: TenantSession,
  orderId: string,
): Promise<readonly payment_order_itemModel[]> =>
  models.payment_order_item.findMany({
    where: { organization_id: organizationId, order_id: orderId },
    orderBy: { invoice_id: 'asc' },
  });

/** Moves transfers that were given to the bank to `in_transit`. */
export async function sendOrders(
  client: TenantSession,
  orders: readonly OrderRow[],
  payOn: string,
  at: Instant,
): Promise<void> {
  const head = await lockHead(client);
  const day = await openDay(client, payOn);
  const entries = orders.map((order) =>
    transitEntry(order, { day, amountMicros: BigInt(order.amount), step: 'ordered' }, at),
  );
  for (const [at, { id }] of orders.entries())
    await client.models.payment_order.updateMany({
      where: { organization_id: client.organizationId, id },
      data: { state: 'exported', transit_entry_id: entries[at]?.id ?? null },
    });
  await appendBlock(client, head, entries, at);
}

/** Books a transfer that a bank has booked, with its discounts. Throws `BookingRefused`. */
export async function bookOrder(
  client: TenantSession,
  order: OrderRow,
  { paidOn, by }: { readonly paidOn: string; readonly by: string },
  at: Instant,
): Promise<void> {
  const head = await lockHead(client);
  const day = await openDay(client, paidOn);
  const back = transitEntry(order, { day, amountMicros: -BigInt(order.amount), step: 'booked' }, at);
  await appendBlock(client, head, [back], at);
  for (const item of await itemsOf(client, order.id)) {
    const { amount_micros: amountMicros, discount_micros: discount } = item;
    if (amountMicros > 0n) {
      const booking = {
        invoiceId: item.invoice_id,
        paidOn,
        amountMicros,
        reference: endToEndIdOf(order.id),
        by,
        orderId: order.id,
      };
      const paid = await pay(client, booking, at);
      if (paid.kind !== 'paid') throw new BookingRefused(paid);
      const entryId =
        discount > 0n ? await bookDiscount(client, { item, order, discount, paidOn, day }, at) : null;
      const ofOrder = { organization_id: client.organizationId, order_id: order.id };
      await client.models.payment_order_item.updateMany({
        where: { ...ofOrder, invoice_id: item.invoice_id },
        data: { payment_id: paid.payment.id, discount_entry_id: entryId },
      });
    }
  }
  await endOrder(client, order.id, 'booked', { bookedOn: paidOn });
}

/** Takes a transfer back: one that was ordered, or one that its bank has booked and returned. */
export async function voidOrder(
  client: TenantSession,
  order: OrderRow,
  { reason, by, day }: { readonly reason: string; readonly by: string; readonly day: string },
  at: Instant,
): Promise<void> {
  if (order.state === 'exported') {
    const head = await lockHead(client);
    const on = await openDay(client, day);
    const entry = transitEntry(order, { day: on, amountMicros: -BigInt(order.amount), step: 'void' }, at);
    await appendBlock(client, head, [entry], at);
  } else
    for (const { payment_id: paymentId } of await itemsOf(client, order.id))
      if (paymentId !== null) await voidPayment(client, { paymentId, reason, by }, at);
  await endOrder(client, order.id, 'void', { reason });
}

/** Ends a transfer: its invoices can be paid in another way as far as they are open. */
export async function endOrder(
  client: TenantSession,
  id: string,
  state: 'booked' | 'void' | 'withdrawn',
  { bookedOn, reason }: { readonly bookedOn?: string; readonly reason?: string } = {},
): Promise<void> {
  const { payment_order, payment_order_item } = client.models;
  const own = { organization_id: client.organizationId };
  const ended = {
    booked_on: bookedOn ?? null,
    void_reason: reason === undefined ? null : storableText(reason),
  };
  await payment_order.updateMany({ where: { ...own, id }, data: { state, ...ended } });
  await payment_order_item.updateMany({ where: { ...own, order_id: id }, data: { is_active: false } });
}

async function bookDiscount(
  client: TenantClient,
  {
    item,
    order,
    discount,
    paidOn,
    day,
  }: {
    readonly item: payment_order_itemModel;
    readonly order: OrderRow;
    readonly discount: bigint;
    readonly paidOn: string;
    readonly day: string;
  },
  at: Instant,
): Promise<string> {
  const head = await lockHead(client);
  const invoice = await payableInvoice(client, item.invoice_id, order.id);
  if (invoice === undefined) throw new Error('The invoice of a transfer is gone.');
  // The tax of the invoice is less by the same part as the rest of it.
  const tax = divideHalfEven(invoice.taxMicros * discount, invoice.totalMicros);
  const { currency } = order;
  const line = (account: Posting['account'], amountMicros: bigint): readonly Posting[] =>
    amountMicros === 0n ? [] : [{ account, day, currency, amountMicros }];
  const entry = entryOf({
    id: timeOrderedId(at),
    kind: 'payment',
    operationId: item.invoice_id,
    seller: order.seller,
    occurredAt: at,
    postings: [
      ...line('seller_invoiced', discount),
      ...line('cash_discount', tax - discount),
      ...line('input_tax', -tax),
    ],
    facts: { invoice_id: item.invoice_id, order_id: order.id, step: 'discount', paid_on: paidOn },
  });
  await client.query(
    `update invoice set paid_micros = paid_micros + $3::bigint,
       settled_on = case when paid_micros + $3::bigint >= total_micros then $4 end
     where organization_id = $1 and id = $2`,
    [client.organizationId, item.invoice_id, discount.toString(), paidOn],
  );
  await appendBlock(client, head, [entry], at);
  return entry.id;
}

function transitEntry(
  order: OrderRow,
  { day, amountMicros, step }: { readonly day: string; readonly amountMicros: bigint; readonly step: string },
  at: Instant,
): LedgerEntry {
  const { currency } = order;
  return entryOf({
    id: timeOrderedId(at),
    kind: 'payment',
    operationId: order.id,
    seller: order.seller,
    occurredAt: at,
    postings: [
      { account: 'seller_invoiced', day, currency, amountMicros },
      { account: 'in_transit', day, currency, amountMicros: -amountMicros },
    ],
    facts: { order_id: order.id, step },
  });
}

async function openDay(client: TenantClient, day: string): Promise<string> {
  const open = await openFrom(client);
  return open !== undefined && day < open ? open : day;
}
