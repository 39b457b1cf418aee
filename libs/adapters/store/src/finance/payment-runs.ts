import { pain001, paymentCsv, type BankAccount, type PaymentFile, type Transfer } from '@switchyard/ledger';
import { isSomebodyElse } from '../control/somebody-else.js';
import type { TenantScope } from '@switchyard/tenancy';
import { isoOf, isUuid, type Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { present } from '../core/present.js';
import { storableText } from '../core/storable.js';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';
import type { payment_runModel } from '../generated/models.js';
import { isOnePerson } from '../tenancy/one-person.js';
import { readAccounts } from './bank-accounts.js';
import { importBankEntry, type BankImport, type ImportedEntry } from './bank-import.js';
import { applyCredit, takeBackApplication } from './invoice-life.js';
import { payableInvoice } from './payable.js';
import type { Paid } from './payment-repository.js';
import {
  bookOrder,
  BookingRefused,
  endOrder,
  endToEndIdOf,
  lockOrder,
  sendOrders,
  voidOrder,
  type OrderRow,
} from './payment-orders.js';
import { accountFault, proposePayments, type HeldBack, type Proposing } from './propose-payments.js';
import { freeBankEntry } from './bank-entry.js';
import { voidPayment } from './void-payment.js';
import { lockRow } from '../core/lock-row.js';

export type PaymentFormat = 'pain.001' | 'csv';

/** What became of a step of a proposal or a transfer. */
export type RunStep =
  | { readonly kind: 'done'; readonly id: string }
  | { readonly kind: 'not_found' | 'state' | 'same_person' | 'nothing_due' | 'nothing_paid' }
  /** Why the proposal does not hold any more. */
  | { readonly kind: 'changed'; readonly faults: readonly string[] }
  | { readonly kind: 'refused'; readonly refusal: Exclude<Paid, { readonly kind: 'paid' }> };

export type ExportedRun =
  | { readonly kind: 'done'; readonly id: string; readonly format: string; readonly file: string }
  /** The bank may have its file in another format. */
  | { readonly kind: 'other_format'; readonly format: string }
  | Exclude<RunStep, { readonly kind: 'done' }>;

interface By {
  /** UUID of the principal. */
  readonly by: string;
}

/** A transfer with what it pays. */
export interface StoredOrder {
  readonly id: string;
  readonly seller: string;
  readonly currency: string;
  readonly amountMicros: bigint;
  readonly state: string;
  readonly bookedOn?: string;
  readonly voidReason?: string;
  readonly items: readonly {
    readonly invoiceId: string;
    readonly number: string;
    readonly amountMicros: bigint;
    readonly discountMicros: bigint;
    readonly credits: readonly { readonly credit_id: string; readonly amount: string }[];
  }[];
}

/** A transaction of a bank statement that stayed open, or was set aside. */
interface OpenEntry {
  readonly id: string;
  readonly bookedOn: string;
  readonly currency: string;
  /** Money that left the account is negative. */
  readonly amountMicros: bigint;
  readonly text: string;
  /** Why it was set aside. */
  readonly reason?: string;
}

interface Exporting {
  /** `pain.001` unless set. */
  readonly format?: PaymentFormat;
  /** Name of the organization. */
  readonly initiator: string;
}

/** Proposals of payments, named by their UUID or number (`P-1`), and the transfers in them. */
export function paymentRuns(store: Store) {
  return {
    propose: (scope: TenantScope, wanted: Proposing, at: Instant): Promise<RunStep> =>
      store.inTenant(scope, async (client) => {
        const id = await proposePayments(client, wanted, at);
        return id === undefined ? { kind: 'nothing_due' } : { kind: 'done', id };
      }),
    approve: (scope: TenantScope, named: string, by: By, at: Instant): Promise<RunStep> =>
      store.inTenant(scope, (client) => approve(client, named, by, at)),
    /** Takes a proposal back that was not given to the bank, approved or not. */
    withdraw: (scope: TenantScope, named: string): Promise<RunStep> =>
      store.inTenant(scope, (client) => withdraw(client, named)),
    /** Makes the file for the bank; a second time it is the same file. */
    export: (scope: TenantScope, named: string, wanted: Exporting, at: Instant): Promise<ExportedRun> =>
      store.inTenant(scope, (client) => exportRun(client, named, wanted, at)),
    /** Books a transfer by hand, where no bank statement is imported. */
    record: (
      scope: TenantScope,
      orderId: string,
      booked: By & { readonly paidOn: string },
      at: Instant,
    ): Promise<RunStep> =>
      refusing(() =>
        store.inTenant(scope, async (client) => {
          const order = isUuid(orderId) ? await lockOrder(client, orderId) : undefined;
          if (order === undefined) return { kind: 'not_found' };
          if (order.state !== 'exported') return { kind: 'state' };
          await bookOrder(client, order, booked, at);
          return { kind: 'done', id: order.id };
        }),
      ),
    /** Takes a transfer, or one payment, back: the bank has returned or never made it. */
    void: (
      scope: TenantScope,
      id: string,
      { reason, by }: By & { readonly reason: string },
      at: Instant,
    ): Promise<RunStep> =>
      store.inTenant(scope, async (client) => {
        if (!isUuid(id)) return { kind: 'not_found' };
        const order = await lockOrder(client, id);
        if (order === undefined)
          return (await voidPayment(client, { paymentId: id, reason, by }, at))
            ? { kind: 'done', id }
            : { kind: 'not_found' };
        if (order.state !== 'exported' && order.state !== 'booked') return { kind: 'state' };
        await voidOrder(client, order, { reason, by, day: isoOf(at).slice(0, 10) }, at);
        await freeBankEntry(client, { orderId: order.id });
        return { kind: 'done', id };
      }),
    /** Matches one transaction of a bank statement, once. */
    importEntry: async (scope: TenantScope, entry: BankImport, at: Instant): Promise<ImportedEntry> => {
      try {
        return await store.inTenant(scope, (client) => importBankEntry(client, entry, at));
      } catch (error) {
        if (!(error instanceof BookingRefused)) throw error;
        return { state: 'open', reason: error.refusal };
      }
    },
    /**
     * Transactions of bank statements that paid nothing we know or whose payment was taken back, or that were set aside, the
     * newest 500.
     */
    openEntries: (scope: TenantScope, state: 'open' | 'aside'): Promise<readonly OpenEntry[]> =>
      store.inTenantModels(scope, async ({ bank_entry }) => {
        const states = state === 'open' ? ['open', 'freed'] : [state];
        const rows = await bank_entry.findMany({
          where: { organization_id: scope.organizationId, state: { in: states } },
          orderBy: [{ booked_on: 'desc' }, { key: 'asc' }],
          take: 500,
        });
        return rows.map(({ key: id, state: now, set_aside_reason: aside, ...row }) => ({
          ...{
            id,
            bookedOn: row.booked_on,
            currency: row.currency,
            amountMicros: row.amount_micros,
            text: row.text,
          },
          ...present({ reason: now === 'freed' ? 'Its payment was taken back.' : aside }),
        }));
      }),
    /** Sets an open transaction aside that is no payment, such as a fee of the bank. False: none that is open has the id. */
    setAside: (
      scope: TenantScope,
      { id, reason, by }: By & { readonly id: string; readonly reason: string },
      at: Instant,
    ): Promise<boolean> =>
      store.inTenantModels(scope, async ({ bank_entry }) => {
        const key = { organization_id: scope.organizationId, key: id };
        const aside = {
          set_aside_by: by,
          set_aside_at: new Date(at),
          set_aside_reason: storableText(reason),
        };
        const { count } = await bank_entry.updateMany({
          where: { ...key, state: { in: ['open', 'freed'] } },
          data: { state: 'aside', ...aside },
        });
        return count > 0;
      }),
    /** The opposite of `setAside`. */
    bringBack: (scope: TenantScope, id: string): Promise<boolean> =>
      store.inTenantModels(scope, async ({ bank_entry }) => {
        const { count } = await bank_entry.updateMany({
          where: { organization_id: scope.organizationId, key: id, state: 'aside' },
          data: { state: 'open', set_aside_by: null, set_aside_at: null, set_aside_reason: null },
        });
        return count > 0;
      }),
    idOf: (scope: TenantScope, named: string): Promise<string | undefined> =>
      store.inTenant(scope, async (client) => (await findRun(client, named))?.id),
    held: (scope: TenantScope, runId: string): Promise<readonly HeldBack[]> =>
      store.inTenantModels(scope, async ({ payment_run }) => {
        const where = { organization_id: scope.organizationId, id: runId };
        const run = await payment_run.findFirst({ where, select: { held: true } });
        return (run?.held ?? []) as unknown as readonly HeldBack[];
      }),
    orders: (scope: TenantScope, runId: string): Promise<readonly StoredOrder[]> =>
      store.inTenant(scope, (client) => readOrders(client, runId)),
  };
}

export type PaymentRuns = ReturnType<typeof paymentRuns>;

async function refusing(work: () => Promise<RunStep>): Promise<RunStep> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BookingRefused) return { kind: 'refused', refusal: error.refusal };
    throw error;
  }
}

const runColumns = [
  'id',
  'number',
  'state',
  'pay_on',
  'proposed_by',
  'approved_at',
  'format',
  'file',
] as const;

type RunRow = Pick<payment_runModel, (typeof runColumns)[number]>;

async function findRun(client: TenantClient, named: string): Promise<RunRow | undefined> {
  const number = /^p-([1-9]\d{0,8})$/i.exec(named)?.[1];
  if (number === undefined && !isUuid(named)) return undefined;
  const key = number === undefined ? { id: named } : { number: Number(number) };
  return lockRow(client, 'payment_run', key, runColumns);
}

async function readOrders(client: TenantClient, runId: string): Promise<readonly StoredOrder[]> {
  const { rows } = await client.query<
    OrderRow & {
      readonly booked_on: string | null;
      readonly void_reason: string | null;
      readonly items: readonly {
        readonly invoice_id: string;
        readonly number: string;
        readonly amount: string;
        readonly discount: string;
        readonly credits: StoredOrder['items'][number]['credits'];
      }[];
    }
  >(
    `select p.id, p.seller, p.currency, p.amount_micros::text as amount, p.state, p.booked_on, p.void_reason,
       (select json_agg(json_build_object('invoice_id', o.invoice_id, 'number', i.number,
          'amount', o.amount_micros::text, 'discount', o.discount_micros::text, 'credits', o.credits)
          order by i.issued_on, i.id)
        from payment_order_item o join invoice i on i.id = o.invoice_id
        where o.organization_id = p.organization_id and o.order_id = p.id) as items
     from payment_order p where p.organization_id = $1 and p.run_id = $2 order by p.seller, p.currency, p.id`,
    [client.organizationId, runId],
  );
  return rows.map(({ amount, booked_on: bookedOn, void_reason: voidReason, items, ...order }) => ({
    ...order,
    amountMicros: BigInt(amount),
    ...(bookedOn !== null && { bookedOn }),
    ...(voidReason !== null && { voidReason }),
    items: items.map((item) => ({
      invoiceId: item.invoice_id,
      number: item.number,
      amountMicros: BigInt(item.amount),
      discountMicros: BigInt(item.discount),
      credits: item.credits,
    })),
  }));
}

async function approve(client: TenantSession, named: string, { by }: By, at: Instant): Promise<RunStep> {
  const run = await findRun(client, named);
  if (run === undefined) return { kind: 'not_found' };
  if (run.state !== 'proposed') return { kind: 'state' };
  const needed = { area: 'ledger', kind: 'approve', place: {} } as const;
  if (
    (await isOnePerson(client, by, run.proposed_by)) &&
    (await isSomebodyElse(client, run.proposed_by, needed))
  )
    return { kind: 'same_person' };
  const orders = await readOrders(client, run.id);
  if (orders.length === 0) return { kind: 'nothing_paid' };
  const faults = await faultsOf(client, run, orders, at);
  if (faults.length > 0) return { kind: 'changed', faults };
  for (const order of orders)
    for (const item of order.items) {
      const fault = await useCredits(client, { orderId: order.id, item, by }, at);
      if (fault !== undefined) throw new Error(`A credit note of a proposal cannot be used: ${fault}.`);
    }
  await client.models.payment_run.updateMany({
    where: { organization_id: client.organizationId, id: run.id },
    data: { state: 'approved', approved_by: by, approved_at: new Date(at) },
  });
  return { kind: 'done', id: run.id };
}

/** What has changed since a proposal was made: its invoices, its credit notes, or the accounts. */
/** A bank takes no order for a day that is over. */
function dayOfOrder(run: { readonly pay_on: string }, at: Instant): string {
  const today = isoOf(at).slice(0, 10);
  return run.pay_on < today ? today : run.pay_on;
}

async function faultsOf(
  client: TenantSession,
  run: { readonly id: string; readonly pay_on: string },
  orders: readonly StoredOrder[],
  at: Instant,
): Promise<readonly string[]> {
  const accounts = await readAccounts(client);
  const faults = (await lateDiscounts(client, run.id, dayOfOrder(run, at))).map(
    ({ seller, number }) =>
      `${seller}: the discount for early payment of the invoice ${number} is over. Withdraw the proposal, and make a new one.`,
  );
  for (const order of orders) {
    const fault = accountFault(accounts, { ...order, at });
    if (fault !== undefined) faults.push(`${order.seller}: ${fault}`);
    for (const item of order.items) {
      const waiting = item.credits.filter((credit) => !('application_id' in credit));
      const invoice = await payableInvoice(client, item.invoiceId, order.id);
      const used = waiting.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
      if (invoice === undefined || invoice.payableMicros < item.amountMicros + item.discountMicros + used)
        faults.push(`${order.seller}: less can be paid of the invoice ${item.number} now.`);
      for (const { credit_id: id, amount } of waiting)
        if ((await leftOfCredit(client, id)) < BigInt(amount))
          faults.push(`${order.seller}: less is left of a credit note for the invoice ${item.number} now.`);
    }
  }
  return faults;
}

/** Invoices of a run that would be paid with a discount after its last day. */
async function lateDiscounts(
  client: TenantClient,
  runId: string,
  payOn: string,
): Promise<readonly { readonly seller: string; readonly number: string }[]> {
  const { rows } = await client.query<{ seller: string; number: string }>(
    `select o.seller, i.number from payment_order o
     join payment_order_item e on e.organization_id = o.organization_id and e.order_id = o.id
     join invoice i on i.organization_id = e.organization_id and i.id = e.invoice_id
     left join payment_term t on t.organization_id = o.organization_id and t.seller = o.seller
     where o.organization_id = $1 and o.run_id = $2 and e.discount_micros > 0
       and (t.discount_days is null or i.issued_on::date + t.discount_days < $3::date)
     order by o.seller, i.number`,
    [client.organizationId, runId, payOn],
  );
  return rows;
}

async function leftOfCredit(client: TenantClient, id: string): Promise<bigint> {
  const columns = ['paid_micros', 'total_micros', 'voided_at', 'held_at'] as const;
  const row = await lockRow(client, 'invoice', { id }, columns);
  if (row?.voided_at !== null || row.held_at !== null) return 0n;
  return BigInt(row.paid_micros) - BigInt(row.total_micros);
}

async function useCredits(
  client: TenantSession,
  {
    orderId,
    item: { invoiceId, credits },
    by,
  }: { readonly orderId: string; readonly item: StoredOrder['items'][number]; readonly by: string },
  at: Instant,
): Promise<string | undefined> {
  const used: { readonly credit_id: string; readonly amount: string; readonly application_id: string }[] = [];
  for (const credit of credits) {
    const use = { creditId: credit.credit_id, invoiceId, amountMicros: BigInt(credit.amount), by };
    const applied = await applyCredit(client, use, at);
    if (applied.kind !== 'applied' || applied.id === undefined) return applied.kind;
    used.push({ ...credit, application_id: applied.id });
  }
  if (used.length > 0)
    await client.models.payment_order_item.updateMany({
      where: { organization_id: client.organizationId, order_id: orderId, invoice_id: invoiceId },
      data: { credits: used },
    });
  return undefined;
}

async function withdraw(client: TenantSession, named: string): Promise<RunStep> {
  const run = await findRun(client, named);
  if (run === undefined) return { kind: 'not_found' };
  if (run.state !== 'proposed' && run.state !== 'approved') return { kind: 'state' };
  for (const order of await readOrders(client, run.id)) {
    const used = order.items.flatMap(({ credits }) => credits);
    for (const credit of used)
      if ('application_id' in credit && typeof credit.application_id === 'string')
        await takeBackApplication(client, credit.application_id);
    await endOrder(client, order.id, 'withdrawn');
  }
  await client.models.payment_run.updateMany({
    where: { organization_id: client.organizationId, id: run.id },
    data: { state: 'withdrawn' },
  });
  return { kind: 'done', id: run.id };
}

async function exportRun(
  client: TenantSession,
  named: string,
  { format: wanted, initiator }: Exporting,
  at: Instant,
): Promise<ExportedRun> {
  const run = await findRun(client, named);
  if (run === undefined) return { kind: 'not_found' };
  if (run.state === 'exported' && run.file !== null) {
    const { id, file } = run;
    const format = run.format ?? 'pain.001';
    return wanted === undefined || wanted === format
      ? { kind: 'done', id, format, file }
      : { kind: 'other_format', format };
  }
  if (run.state !== 'approved' || run.approved_at === null) return { kind: 'state' };
  const orders = (await readOrders(client, run.id)).filter(({ amountMicros }) => amountMicros > 0n);
  const accounts = await readAccounts(client);
  const approvedAt = run.approved_at.getTime();
  const changed = [...new Set(orders.map(({ seller }) => seller))].filter((seller) => {
    const account = accounts.find((one) => one.seller === seller);
    return account === undefined || account.usableFrom > at || account.setAt > approvedAt;
  });
  if (changed.length > 0)
    return {
      kind: 'changed',
      faults: changed.map((seller) => `${seller}: its bank account changed since the approval.`),
    };
  const faults = await faultsOf(client, run, orders, at);
  if (faults.length > 0) return { kind: 'changed', faults };
  const transfers = orders.map((order): Transfer => transferOf(order, accounts));
  const debtors = new Map<string, BankAccount>(
    accounts.flatMap((one) => (one.currency === undefined ? [] : [[one.currency, one] as const])),
  );
  const payOn = dayOfOrder(run, at);
  const document: PaymentFile = {
    messageId: `P-${run.number}-${endToEndIdOf(run.id).slice(0, 20)}`,
    madeAt: isoOf(at).replace(/\.\d+Z$/, 'Z'),
    payOn,
    initiator,
    debtors,
    transfers,
  };
  const format = wanted ?? 'pain.001';
  const file = format === 'csv' ? paymentCsv(document) : pain001(document);
  await sendOrders(
    client,
    orders.map((order) => ({ ...order, amount: order.amountMicros.toString() })),
    payOn,
    at,
  );
  await client.models.payment_run.updateMany({
    where: { organization_id: client.organizationId, id: run.id },
    data: { state: 'exported', exported_at: new Date(at), format, file, pay_on: payOn },
  });
  return { kind: 'done', id: run.id, format, file };
}

function transferOf(
  { id, seller, currency, amountMicros, items }: StoredOrder,
  accounts: Awaited<ReturnType<typeof readAccounts>>,
): Transfer {
  const creditor = accounts.find((one) => one.seller === seller);
  if (creditor === undefined) throw new Error('The account of a transfer is gone.');
  return {
    id: endToEndIdOf(id),
    seller,
    creditor,
    currency,
    amountMicros,
    invoices: items.map(({ number }) => number),
  };
}
