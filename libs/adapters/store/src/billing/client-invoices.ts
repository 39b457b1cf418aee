import { randomUUID } from 'node:crypto';
import {
  clientInvoicePostings,
  clientPaymentPostings,
  entryOf,
  daysOfPeriod,
  shiftDay,
  totalsOf,
  type ClientLine,
} from '@switchyard/ledger';
import { isPayable, splitByWeights } from '@switchyard/money';
import type { TenantScope } from '@switchyard/tenancy';
import { type Instant, type JsonObject } from '@switchyard/values';
import { isSomebodyElse } from '../control/somebody-else.js';
import type { Store } from '../core/open-store.js';
import { rowReader } from '../core/row-mapper.js';
import { storableValue, storableText } from '../core/storable.js';
import type { TenantSession } from '../core/tenant-client.js';
import { readFigures } from '../finance/read-figures.js';
import { appendBlock } from '../ledger/append-block.js';
import { openFrom } from '../ledger/open-from.js';
import { lockHead } from '../ledger/stream-head.js';
import { timeOrderedId } from '../ledger/time-ordered-id.js';
import { isOnePerson } from '../tenancy/one-person.js';
import {
  billMonth,
  deleteDrafts,
  insertDraft,
  issuedOf,
  lockClient,
  type BilledMonth,
  type BillingRun,
} from './bill-month.js';
import { buysOfMonth, TooMuchToBill } from './billing-figures.js';
import { readBillings, readEntities, readRules } from './billing-settings.js';
import { findInvoice, lockInvoice, readLines, type ClientInvoiceRow } from './client-invoice-rows.js';

/** What became of a step on a document to a client. */
export type ClientStep =
  | { readonly kind: 'done'; readonly id: string }
  | {
      readonly kind:
        | 'not_found'
        | 'state'
        | 'same_person'
        /** Another document of the client was issued after the run. */
        | 'stale'
        | 'not_set_up'
        | 'too_much'
        | 'too_precise'
        | 'paid'
        | 'reference_used'
        | 'not_due';
    };

interface By {
  /** UUID of the principal. */
  readonly by: string;
}

export interface ClientPayment {
  readonly id: string;
  readonly paidOn: string;
  readonly amountMicros: bigint;
  readonly reference: string;
  readonly voidedAt?: Instant;
}

/** Days between two reminders of one invoice. */
const reminderDays = 7;
const remindersAtMost = 3;

/** Documents to clients, named by their UUID or number: drafts of a run, their issue, credit notes, payments, reminders. */
export function clientInvoices(store: Store) {
  return {
    /** Drafts of what a client owes for a month and was not billed. */
    run: (scope: TenantScope, run: BillingRun, at: Instant): Promise<BilledMonth> =>
      runMonth(store, scope, run, at).catch((error: unknown): BilledMonth => {
        if (error instanceof TooMuchToBill) return { kind: 'too_many' };
        throw error;
      }),
    /** Gives a draft its number and posts it; another person than its maker does that. */
    issue: (
      scope: TenantScope,
      named: string,
      wanted: By & { readonly issuedOn: string },
      at: Instant,
    ): Promise<ClientStep> => store.inTenant(scope, (client) => issue(client, named, wanted, at)),
    /** Removes a draft. */
    withdraw: (scope: TenantScope, named: string): Promise<ClientStep> =>
      store.inTenant(scope, async (client) => {
        const row = await lockInvoice(client, named);
        if (row === undefined) return { kind: 'not_found' };
        if (row.state !== 'draft') return { kind: 'state' };
        await deleteDrafts(client, [row.id]);
        return { kind: 'done', id: row.id };
      }),
    /** Drafts a credit note for an issued invoice, of all of it or of an amount without tax. */
    credit: (
      scope: TenantScope,
      named: string,
      wanted: By & { readonly reason: string; readonly netMicros?: bigint },
      at: Instant,
    ): Promise<ClientStep> => store.inTenant(scope, (client) => credit(client, named, wanted, at)),
    /** Books what a client has paid; all that is open unless an amount is given. */
    pay: (scope: TenantScope, named: string, paid: ClientPaid, at: Instant): Promise<ClientStep> =>
      store.inTenant(scope, (client) => payClientInvoice(client, named, paid, at)),
    /** Counts a reminder; the first once it is overdue, and seven days apart. */
    remind: (scope: TenantScope, named: string, today: string): Promise<ClientStep> =>
      store.inTenant(scope, async (client) => {
        const row = await lockInvoice(client, named);
        if (row === undefined) return { kind: 'not_found' };
        if (row.state === 'draft' || row.kind === 'credit_note') return { kind: 'state' };
        if (BigInt(row.gross) <= BigInt(row.paid)) return { kind: 'paid' };
        const next = row.reminded_on === null ? row.due_on : shiftDay(row.reminded_on, reminderDays - 1);
        if (row.reminders >= remindersAtMost || next === null || today <= next) return { kind: 'not_due' };
        await client.models.client_invoice.updateMany({
          where: { organization_id: client.organizationId, id: row.id },
          data: { reminders: { increment: 1 }, reminded_on: today },
        });
        return { kind: 'done', id: row.id };
      }),
    idOf: (scope: TenantScope, named: string): Promise<string | undefined> =>
      store.inTenant(scope, async (client) => (await findInvoice(client, named))?.id),
    /** The lines, payments and parties of a document. */
    detail: (scope: TenantScope, id: string): Promise<ClientInvoiceDetail | undefined> =>
      store.inTenant(scope, (client) => readDetail(client, id)),
  };
}

export type ClientInvoices = ReturnType<typeof clientInvoices>;

export interface ClientPaid extends By {
  readonly paidOn: string;
  readonly amountMicros?: bigint;
  /** The payment's id elsewhere: the same one is booked once. */
  readonly reference?: string;
}

/** The parties of a document as they were when it was issued, or of a draft as they are. */
export interface ClientParties {
  readonly entity: JsonObject;
  readonly client: JsonObject;
}

export interface ClientInvoiceDetail {
  readonly lines: readonly ClientLine[];
  readonly payments: readonly ClientPayment[];
  readonly parties: ClientParties;
  readonly checks: readonly {
    readonly code: string;
    readonly text: string;
    readonly amount: string;
    readonly currency: string;
  }[];
  readonly detail: 'open' | 'closed';
  readonly serviceFrom: string;
  readonly serviceTo: string;
}

async function runMonth(
  store: Store,
  scope: TenantScope,
  run: BillingRun,
  at: Instant,
): Promise<BilledMonth> {
  const buys = await store.inTenant(scope, async (client) =>
    (await readRules(client, run.clientId)).some(
      ({ kind, basis }) => kind === 'cpm' || basis === 'third_party',
    )
      ? buysOfMonth(client, run)
      : [],
  );
  const packages =
    buys.length === 0
      ? []
      : (
          await readFigures(store, scope, {
            period: run.period,
            clientId: run.clientId,
            buys,
            invoices: [],
          })
        ).packages;
  return store.inTenant(scope, (client) => billMonth(client, run, packages, at));
}

async function issue(
  client: TenantSession,
  named: string,
  { by, issuedOn }: By & { readonly issuedOn: string },
  at: Instant,
): Promise<ClientStep> {
  const head = await lockHead(client);
  const row = await lockWithClient(client, named);
  if (row === undefined) return { kind: 'not_found' };
  if (row.state !== 'draft') return { kind: 'state' };
  const needed = { area: 'ledger', kind: 'approve', place: {} } as const;
  if ((await isOnePerson(client, by, row.made_by)) && (await isSomebodyElse(client, row.made_by, needed)))
    return { kind: 'same_person' };
  // Another run was issued meanwhile: what this one bills may be billed already.
  if ((await issuedOf(client, row.client_id, row.run_id)) !== row.issued_before) return { kind: 'stale' };
  const parties = await partiesOf(client, row);
  if (parties === undefined) return { kind: 'not_set_up' };
  const lines = await readLines(client, row.id);
  const number = await nextNumber(client, row.entity_id);
  const [last, open] = [shiftDay(daysOfPeriod(row.period).to, -1), await openFrom(client)];
  const { currency, kind } = row;
  const entry = entryOf({
    id: timeOrderedId(at),
    kind: 'client_invoice',
    operationId: row.id,
    seller: '',
    occurredAt: at,
    postings: clientInvoicePostings(
      { currency, lines, taxMicros: BigInt(row.tax), grossMicros: BigInt(row.gross) },
      open !== undefined && last < open ? open : last,
    ),
    facts: {
      client_invoice_id: row.id,
      client_id: row.client_id,
      ...{ number, kind, period: row.period, issued_on: issuedOn, made_by: row.made_by, issued_by: by },
      ...(row.refers_to !== null && { refers_to: row.refers_to }),
      // Its lines are not hashed again once it is issued: nobody may change them unnoticed.
      lines: lines.map(({ key, netMicros, taxHundredths, taxCategory }) => [
        ...[key, netMicros.toString(), taxHundredths, taxCategory],
      ]),
    },
  });
  await client.models.client_invoice.updateMany({
    where: { organization_id: client.organizationId, id: row.id },
    data: {
      state: 'issued',
      number,
      issued_on: issuedOn,
      due_on: shiftDay(issuedOn, parties.termDays),
      parties: storableValue({ ...parties.shown, detail: parties.detail }),
      issued_by: by,
      issued_at: new Date(at),
      entry_id: entry.id,
      settled_on: row.gross === '0' ? issuedOn : null,
    },
  });
  await appendBlock(client, head, [entry], at);
  if (row.kind === 'credit_note' && row.refers_to !== null) await useForInvoice(client, row, issuedOn);
  return { kind: 'done', id: row.id };
}

/** Locks the client of a document and then the document, in the order of a run, which replaces drafts of the client. */
async function lockWithClient(client: TenantSession, named: string): Promise<ClientInvoiceRow | undefined> {
  const found = await findInvoice(client, named);
  if (found === undefined) return undefined;
  await lockClient(client, found.client_id);
  return lockInvoice(client, found.id);
}

/** Takes the next number of an entity, in the transaction that uses it: one that fails leaves no gap. */
async function nextNumber(client: TenantSession, entityId: string): Promise<string> {
  const { series, next_number: next } = await client.models.legal_entity.update({
    where: { organization_id_id: { organization_id: client.organizationId, id: entityId } },
    data: { next_number: { increment: 1 } },
  });
  return `${series}${(next - 1n).toString().padStart(5, '0')}`;
}

/** A credit note lowers what is open of its invoice, as far as that goes; the rest of it stays open for the client. */
async function useForInvoice(client: TenantSession, row: ClientInvoiceRow, day: string): Promise<void> {
  const invoice = await lockInvoice(client, row.refers_to ?? '');
  if (invoice === undefined) return;
  const open = BigInt(invoice.gross) - BigInt(invoice.paid);
  const left = BigInt(row.paid) - BigInt(row.gross);
  const used = open < left ? open : left;
  if (used <= 0n) return;
  await addPaid(client, invoice, used, day);
  await addPaid(client, row, -used, day);
}

/** Adds what is paid of a document, which is locked. */
export async function addPaid(
  { models, organizationId }: TenantSession,
  { id, gross, paid }: Pick<ClientInvoiceRow, 'id' | 'gross' | 'paid'>,
  amount: bigint,
  day: string,
): Promise<void> {
  const whole = BigInt(paid) + amount;
  await models.client_invoice.updateMany({
    where: { organization_id: organizationId, id },
    data: { paid_micros: whole, settled_on: whole === BigInt(gross) ? day : null },
  });
}

async function credit(
  client: TenantSession,
  named: string,
  { by, reason, netMicros }: By & { readonly reason: string; readonly netMicros?: bigint },
  at: Instant,
): Promise<ClientStep> {
  const row = await lockWithClient(client, named);
  if (row === undefined) return { kind: 'not_found' };
  if (row.state !== 'issued' || row.kind !== 'invoice') return { kind: 'state' };
  const left = BigInt(row.net) - (await creditedOf(client, row));
  const amount = netMicros ?? left;
  if (amount <= 0n || amount > left) return { kind: 'too_much' };
  if (!isPayable(amount, row.currency)) return { kind: 'too_precise' };
  const ofInvoice = await readLines(client, row.id);
  const weights = ofInvoice.map((line) => line.netMicros);
  let unit = 1n;
  while (!isPayable(unit, row.currency)) unit *= 10n;
  const shares = splitByWeights(amount, weights, unit);
  const lines = ofInvoice.flatMap((line, place) => {
    const share = shares[place] ?? 0n;
    return share === 0n ? [] : [{ ...line, netMicros: -share }];
  });
  const about = {
    ...{ entityId: row.entity_id, clientId: row.client_id, period: row.period, runId: randomUUID() },
    ...{ checks: [], by, refersTo: row.id, reason: storableText(reason) },
  };
  const { currency } = row;
  const draft = { kind: 'credit_note', currency, lines, ...totalsOf(currency, lines) } as const;
  return { kind: 'done', id: await insertDraft(client, about, draft, at) };
}

/** What credit notes take off an invoice before tax, drafts among them. */
async function creditedOf(
  { models, organizationId }: TenantSession,
  { id, client_id: clientId }: Pick<ClientInvoiceRow, 'id' | 'client_id'>,
): Promise<bigint> {
  const { _sum: notes } = await models.client_invoice.aggregate({
    where: { organization_id: organizationId, client_id: clientId, refers_to: id },
    _sum: { net_micros: true },
  });
  return -(notes.net_micros ?? 0n);
}

/** Books a payment of a client. */
export async function payClientInvoice(
  client: TenantSession,
  named: string,
  { by, paidOn, amountMicros, reference = randomUUID() }: ClientPaid,
  at: Instant,
): Promise<ClientStep> {
  const head = await lockHead(client);
  const row = await lockInvoice(client, named);
  if (row === undefined) return { kind: 'not_found' };
  if (row.state === 'draft') return { kind: 'state' };
  const open = BigInt(row.gross) - BigInt(row.paid);
  if (open === 0n) return { kind: 'paid' };
  const amount = amountMicros ?? open;
  // What is open of a credit note is negative: it is paid out.
  if (amount === 0n || amount > 0n !== open > 0n || (open > 0n ? amount > open : amount < open))
    return { kind: 'too_much' };
  if (!isPayable(amount < 0n ? -amount : amount, row.currency) && amount !== open)
    return { kind: 'too_precise' };
  const used = { organization_id: client.organizationId, reference: storableText(reference) };
  if ((await client.models.client_payment.count({ where: used })) > 0) return { kind: 'reference_used' };
  const firstOpen = await openFrom(client);
  const day = firstOpen !== undefined && paidOn < firstOpen ? firstOpen : paidOn;
  const [id, { currency }] = [randomUUID(), row];
  const entry = entryOf({
    id: timeOrderedId(at),
    kind: 'client_payment',
    operationId: row.id,
    seller: '',
    occurredAt: at,
    postings: clientPaymentPostings(amount, { day, currency }),
    facts: {
      ...{ client_invoice_id: row.id, client_id: row.client_id, number: row.number ?? '', payment_id: id },
      ...{ paid_on: paidOn, reference: storableText(reference), by },
    },
  });
  await client.models.client_payment.create({
    data: {
      organization_id: client.organizationId,
      id,
      invoice_id: row.id,
      paid_on: paidOn,
      amount_micros: amount,
      reference: storableText(reference),
      entry_id: entry.id,
      recorded_by: by,
      recorded_at: new Date(at),
    },
  });
  await addPaid(client, row, amount, paidOn);
  await appendBlock(client, head, [entry], at);
  return { kind: 'done', id: row.id };
}

async function partiesOf(client: TenantSession, row: Pick<ClientInvoiceRow, 'client_id' | 'entity_id'>) {
  const [billing] = await readBillings(client, row.client_id);
  const entity = (await readEntities(client)).find(({ id }) => id === row.entity_id);
  if (billing === undefined || entity === undefined) return undefined;
  const { name, address, taxId, reference, email } = billing;
  const shown: ClientParties = {
    entity: {
      ...{ name: entity.name, address: { ...entity.address }, tax_id: entity.taxId },
      ...(entity.iban !== undefined && { iban: entity.iban }),
      ...(entity.bic !== undefined && { bic: entity.bic }),
    },
    client: {
      ...{ name, address: { ...address } },
      ...(taxId !== undefined && { tax_id: taxId }),
      ...(reference !== undefined && { reference }),
      ...(email !== undefined && { email }),
    },
  };
  return { shown, termDays: billing.termDays, detail: billing.detail };
}

async function readDetail(client: TenantSession, id: string): Promise<ClientInvoiceDetail | undefined> {
  const where = { organization_id: client.organizationId, id };
  const row = await client.models.client_invoice.findFirst({ where });
  if (row === null) return undefined;
  const issued = row.parties as (ClientParties & { readonly detail: 'open' | 'closed' }) | null;
  const now = issued === null ? await partiesOf(client, row) : undefined;
  const { entity = {}, client: billed = {} } = issued ?? now?.shown ?? {};
  const { from, to } = daysOfPeriod(row.period);
  const payments = await client.models.client_payment.findMany({
    where: { organization_id: client.organizationId, invoice_id: id },
    orderBy: [{ recorded_at: 'asc' }, { id: 'asc' }],
    take: 1000,
  });
  return {
    ...{ lines: await readLines(client, id), parties: { entity, client: billed } },
    ...checksOf(row),
    detail: issued?.detail ?? now?.detail ?? 'open',
    ...{ serviceFrom: from, serviceTo: shiftDay(to, -1) },
    payments: payments.map(readPayment),
  };
}

const checksOf = rowReader<Pick<ClientInvoiceDetail, 'checks'>>()('checks');
const readPayment = rowReader<ClientPayment>()('id, paid_on, amount_micros, reference, voided_at');
