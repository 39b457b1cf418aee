import { randomUUID } from 'node:crypto';
import { shortIban, wholeUnits, type NotPayable, type PayableInvoice } from '@switchyard/ledger';
import { divideHalfEven, microsToDecimal } from '@switchyard/money';
import { isoOf, type Instant } from '@switchyard/values';
import { storableValue } from '../core/storable.js';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';
import { readAccounts, type StoredAccount } from './bank-accounts.js';
import { dueInvoices } from './payable.js';
import { takeTurn } from '../core/take-turns.js';

export interface Proposing {
  /** `YYYY-MM-DD`: invoices that are due until then. */
  readonly until: string;
  /** `YYYY-MM-DD`: when the bank is asked to pay. */
  readonly payOn: string;
  readonly seller?: string;
  readonly currency?: string;
  /** UUID of the principal. */
  readonly by: string;
}

/** A due invoice that a proposal does not pay, or not whole. */
export interface HeldBack {
  readonly invoice_id: string;
  readonly number: string;
  readonly seller: string;
  readonly currency: string;
  /** Decimal text. */
  readonly amount: string;
  readonly reason: string;
}

interface Item {
  readonly invoice: PayableInvoice;
  amountMicros: bigint;
  discountMicros: bigint;
  readonly credits: { readonly credit_id: string; readonly amount: string }[];
}

/** A credit note of a seller with what is left of it. */
interface Credit {
  readonly id: string;
  readonly connection_id: string;
  readonly currency: string;
  left: bigint;
}

const reasons: Readonly<Record<NotPayable, string>> = {
  voided: 'It was voided.',
  held: 'It is held.',
  not_approved: 'It is not approved.',
  disputed: 'This part is disputed, or a credit note is owed for it.',
  ordered: 'This part is in another proposal.',
  settled: 'It is paid.',
};

/** Stores a proposal: one transfer for each seller and currency, credit notes netted. Undefined if nothing is due. */
export async function proposePayments(
  client: TenantSession,
  wanted: Proposing,
  at: Instant,
): Promise<string | undefined> {
  await takeTurn(client, 'paymentRun');
  const due = await dueInvoices(client, wanted);
  if (due.length === 0) return undefined;
  const [accounts, credits, discounts] = [
    await readAccounts(client),
    await openCredits(client),
    await discountsOf(client),
  ];
  const held: HeldBack[] = [];
  const hold = (invoice: PayableInvoice, micros: bigint, reason: string): void => {
    const { id, number, seller, currency } = invoice;
    held.push({ invoice_id: id, number, seller, currency, amount: microsToDecimal(micros), reason });
  };
  const orders = new Map<string, Item[]>();
  for (const invoice of due) {
    const { seller, currency, reason, payableMicros, openMicros } = invoice;
    const amountMicros = wholeUnits(payableMicros, currency);
    if (openMicros > payableMicros) {
      const why =
        reason === 'held' ? `It is held: ${invoice.holdReason ?? ''}` : reasons[reason ?? 'disputed'];
      hold(invoice, openMicros - payableMicros, why);
    }
    if (amountMicros <= 0n) continue;
    const fault = accountFault(accounts, { seller, currency, at });
    if (fault !== undefined) {
      hold(invoice, amountMicros, fault);
      continue;
    }
    const item: Item = { invoice, amountMicros, discountMicros: 0n, credits: [] };
    net(item, credits);
    item.discountMicros = discountOf(item, discounts.get(seller), wanted.payOn);
    item.amountMicros -= item.discountMicros;
    const key = JSON.stringify([seller, currency]);
    orders.set(key, [...(orders.get(key) ?? []), item]);
  }
  const paid = [...orders.values()].filter((items) => {
    const isPaid = items.some(({ amountMicros }) => amountMicros > 0n);
    if (!isPaid)
      for (const { invoice } of items)
        hold(invoice, invoice.payableMicros, 'Credit notes cover it: use them with credits apply.');
    return isPaid;
  });
  return store(client, { wanted, paid, held }, at);
}

/** Why nothing can be transferred to a seller in a currency. */
export function accountFault(
  accounts: readonly StoredAccount[],
  { seller, currency, at }: { readonly seller: string; readonly currency: string; readonly at: Instant },
): string | undefined {
  const theirs = accounts.find((one) => one.seller === seller);
  if (theirs === undefined) return 'The bank account of the seller is not known.';
  if (theirs.usableFrom > at)
    return `The bank account ${shortIban(theirs.iban)} is new: it can be used from ${isoOf(theirs.usableFrom)}.`;
  return accounts.some((one) => one.currency === currency)
    ? undefined
    : `We have no bank account for ${currency}.`;
}

/** Uses what is left of credit notes of the same seller, the oldest first. */
function net(item: Item, credits: readonly Credit[]): void {
  const { connectionId, currency } = item.invoice;
  for (const credit of credits) {
    if (credit.connection_id !== connectionId || credit.currency !== currency) continue;
    const used = credit.left < item.amountMicros ? credit.left : item.amountMicros;
    if (used <= 0n) continue;
    item.credits.push({ credit_id: credit.id, amount: used.toString() });
    item.amountMicros -= used;
    credit.left -= used;
  }
}

/** The most credit notes that one proposal nets. */
const creditsAtMost = 2_000;

async function openCredits(client: TenantClient): Promise<readonly Credit[]> {
  const { rows } = await client.query<Omit<Credit, 'left'> & { readonly left: string }>(
    `select c.id, c.connection_id, c.currency, (c.paid_micros - c.total_micros - (
       select coalesce(sum((used->>'amount')::bigint), 0)
       from payment_order_item o cross join jsonb_array_elements(o.credits) used
       where o.organization_id = c.organization_id and o.is_active and used->>'application_id' is null
         and used->>'credit_id' = c.id::text))::text as left
     from invoice c
     where c.organization_id = $1 and c.kind = 'credit_note' and c.voided_at is null and c.settled_on is null
       and c.held_at is null
     order by c.issued_on, c.id limit ${creditsAtMost} for update of c`,
    [client.organizationId],
  );
  return rows.map(({ left, ...credit }) => ({ ...credit, left: BigInt(left) }));
}

interface Discount {
  readonly hundredths: number;
  readonly days: number;
}

async function discountsOf({
  models,
  organizationId,
}: TenantSession): Promise<ReadonlyMap<string, Discount>> {
  const terms = await models.payment_term.findMany({
    where: { organization_id: organizationId, discount_hundredths: { gt: 0 }, discount_days: { not: null } },
  });
  return new Map(
    terms.map((term) => [
      term.seller,
      { hundredths: term.discount_hundredths ?? 0, days: term.discount_days ?? 0 },
    ]),
  );
}

/** The discount of an invoice that is paid whole and early enough; rounded half to even to the unit of the currency. */
function discountOf(
  { invoice, amountMicros, credits }: Item,
  discount: Discount | undefined,
  payOn: string,
): bigint {
  if (discount === undefined || credits.length > 0 || amountMicros !== invoice.totalMicros) return 0n;
  const last = new Date(Date.parse(`${invoice.issuedOn}T00:00:00Z`) + discount.days * 86_400_000);
  if (payOn > last.toISOString().slice(0, 10)) return 0n;
  let unit = 1n;
  while (wholeUnits(unit, invoice.currency) === 0n) unit *= 10n;
  return divideHalfEven(amountMicros * BigInt(discount.hundredths), 10_000n * unit) * unit;
}

async function store(
  client: TenantSession,
  {
    wanted,
    paid,
    held,
  }: {
    readonly wanted: Proposing;
    readonly paid: readonly (readonly Item[])[];
    readonly held: readonly HeldBack[];
  },
  at: Instant,
): Promise<string> {
  const { organizationId } = client;
  const id = randomUUID();
  await client.query(
    `insert into payment_run (organization_id, id, number, due_until, pay_on, state, held, proposed_by, proposed_at)
     values ($1, $2, (select coalesce(max(number), 0) + 1 from payment_run where organization_id = $1), $3, $4, 'proposed',
       $5, $6, $7)`,
    [organizationId, id, wanted.until, wanted.payOn, JSON.stringify(held), wanted.by, new Date(at)],
  );
  for (const items of paid) {
    const orderId = randomUUID();
    const [first] = items;
    const sum = items.reduce((total, { amountMicros }) => total + amountMicros, 0n);
    if (first === undefined) continue;
    const { seller, currency } = first.invoice;
    const own = { organization_id: organizationId, seller, currency, amount_micros: sum };
    await client.models.payment_order.create({
      data: { ...own, id: orderId, run_id: id, state: 'proposed' },
    });
    for (const item of items)
      await client.models.payment_order_item.create({
        data: {
          organization_id: organizationId,
          order_id: orderId,
          invoice_id: item.invoice.id,
          amount_micros: item.amountMicros,
          discount_micros: item.discountMicros,
          credits: storableValue(item.credits),
        },
      });
  }
  return id;
}
