import { clientDocumentText, documentDigest, shownLines, totalsOf, ublText } from '@switchyard/ledger';
import { microsToDecimal } from '@switchyard/money';
import { lists, type ClientInvoiceDetail, type ClientInvoices, type ClientStep } from '@switchyard/store';
import type { PageDocument } from '@switchyard/tables';
import { reachOf } from '@switchyard/tenancy';
import { defined, err, isoOf, ok, type JsonObject, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import { shownRow } from '../platform/routes/declared-view.js';
import { instant, jsonObject } from '../platform/routes/fields.js';
import { resource, type ListDeps } from '../platform/routes/resource.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { checkedAt } from './documents/checked-at.js';
import { clientDocumentOf, clientInvoicePage } from './documents/client-invoice-page.js';

/** What a document to a client is rendered from. */
export interface BillDocumentDeps extends ListDeps {
  readonly clientInvoices: ClientInvoices;
  readonly domainOf: (scope: PrincipalCaller) => Promise<string>;
  readonly baseUrl: () => string;
}

/** Documents to clients as a list. */
export const listedInvoices = resource(lists.clientInvoiceList, {
  noun: 'client_invoice',
  plural: 'billing',
  area: 'ledger',
  summary: 'Invoices and credit notes to clients, with drafts',
  example: {
    client_invoice_id: '6d1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d19',
    number: 'NW-00012',
    kind: 'invoice',
    state: 'issued',
    client_id: '2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11',
    client: 'Nova Foods',
    entity: 'Northwind Media GmbH',
    period: '2026-11',
    currency: 'EUR',
    net: '3178.4',
    tax: '603.9',
    gross: '3782.3',
    open: '3782.3',
    issued_on: '2026-12-02',
    due_on: '2027-01-01',
    reminders: 0,
    made_by: 'ada',
    made_at: '2026-12-02T09:00:00.000Z',
    issued_by: 'ben',
    issued_at: '2026-12-02T10:00:00.000Z',
  },
  command: {
    title: 'billing: what clients pay, their invoices, and what they have paid',
    summary: 'list invoices and credit notes to clients, newest first',
    columns: {
      Number: { of: ['number'], none: 'draft' },
      Client: 'client',
      Period: 'period',
      Kind: 'kind',
      State: 'state',
      Gross: 'gross',
      Open: 'open',
      Currency: 'currency',
      Due: 'due_on',
      Id: 'client_invoice_id',
    },
    none: 'No client was billed yet.',
  },
});

const line = z.strictObject({
  type: z.enum(['media', 'markup', 'fee']),
  description: z.string(),
  campaign_id: z.string().exactOptional(),
  seller: z.string().exactOptional(),
  net: z.string(),
  tax_percent: z.string(),
  tax_category: z.string(),
});

/** What a run has found. */
export const billingCheck = z.strictObject({
  code: z.string().describe('no_rule, capped, over_budget or open_difference.'),
  text: z.string(),
  amount: z.string(),
  currency: z.string(),
});

export const clientInvoiceDetail = z.strictObject({
  ...listedInvoices.view.shape,
  service_from: z.string(),
  service_to: z.string(),
  lines: z.array(line),
  checks: z.array(billingCheck).describe('What the run has found: look at it before the document is issued.'),
  payments: z.array(
    z.strictObject({
      payment_id: z.string(),
      paid_on: z.string(),
      amount: z.string(),
      reference: z.string(),
      voided_at: instant.exactOptional(),
    }),
  ),
  biller: jsonObject.describe('As it was when the document was issued.'),
  billed: jsonObject.describe('The client as the document names it: name, address, country and tax id.'),
});

/** A document to a client: its text, its digest, and what it is rendered from. */
export async function billDocument(
  deps: BillDocumentDeps,
  caller: PrincipalCaller,
  named: string,
): Promise<
  Result<
    {
      readonly document: JsonObject;
      readonly digest: string;
      readonly page: PageDocument;
      /** Absent of a draft. */
      readonly ubl?: string;
      readonly name: string;
    },
    AdminFailure
  >
> {
  const read = await readInvoice(deps, caller, named);
  if (!read.ok) return read;
  const { listed, found } = read.value;
  const lines = shownLines(found.lines, found.detail);
  const own = clientDocumentOf(listed, found, lines, totalsOf(listed.currency, found.lines));
  const document = clientDocumentText(own);
  const digest = documentDigest(document);
  const madeAt = listed.issued_at ?? listed.made_at;
  return ok({
    ...{ document, digest, name: listed.number ?? 'draft' },
    page: clientInvoicePage(own, {
      digest,
      madeAt,
      organization: await deps.domainOf(caller),
      ...(listed.number !== undefined && { checkAt: checkedAt(deps.baseUrl(), caller, digest) }),
    }),
    ...(listed.number !== undefined && { ubl: ublText(own) }),
  });
}

/** The document after a step, or why there was none. */
export async function stepped(
  deps: BillDocumentDeps,
  caller: PrincipalCaller,
  step: ClientStep,
): Promise<Result<z.output<typeof clientInvoiceDetail>, AdminFailure>> {
  return step.kind === 'done' ? showInvoice(deps, caller, step.id) : err(refusalOf(step));
}

export async function showInvoice(
  deps: BillDocumentDeps,
  caller: PrincipalCaller,
  named: string,
): Promise<Result<z.output<typeof clientInvoiceDetail>, AdminFailure>> {
  const read = await readInvoice(deps, caller, named);
  return read.ok ? ok({ ...read.value.listed, ...detailView(read.value.found) }) : read;
}

/** A document with its lines, by its id or number, if the caller may see it. */
async function readInvoice(
  { clientInvoices, lists: reader }: Pick<BillDocumentDeps, 'clientInvoices' | 'lists'>,
  caller: PrincipalCaller,
  named: string,
) {
  const id = await clientInvoices.idOf(caller, named);
  const reach = reachOf(caller, 'ledger', 'read');
  const row = id === undefined ? undefined : await reader.one(caller, lists.clientInvoiceList, reach, id);
  const found = id === undefined ? undefined : await clientInvoices.detail(caller, id);
  if (row === undefined || found === undefined) return err(noInvoice);
  return ok({ listed: listedInvoices.view.parse(shownRow(lists.clientInvoiceList, row)), found });
}

const detailView = ({
  lines,
  payments,
  parties,
  checks,
  serviceFrom,
  serviceTo,
}: ClientInvoiceDetail): Omit<
  z.output<typeof clientInvoiceDetail>,
  keyof z.output<typeof listedInvoices.view>
> => ({
  ...{ service_from: serviceFrom, service_to: serviceTo },
  lines: lines.map(({ campaignId, seller, ...one }) => ({
    ...{ type: one.type, description: one.description, ...defined({ campaign_id: campaignId, seller }) },
    net: microsToDecimal(one.netMicros),
    ...{ tax_percent: String(one.taxHundredths / 100), tax_category: one.taxCategory },
  })),
  checks: checks.map((one) => ({ ...one, amount: microsToDecimal(BigInt(one.amount)) })),
  payments: payments.map(({ id, paidOn, amountMicros, reference, voidedAt }) => ({
    ...{ payment_id: id, paid_on: paidOn, amount: microsToDecimal(amountMicros), reference },
    ...(voidedAt !== undefined && { voided_at: isoOf(voidedAt) }),
  })),
  ...{ biller: parties.entity, billed: parties.client },
});

const noInvoice: AdminFailure = {
  code: 'NOT_FOUND',
  message: 'No document to a client has this id or number.',
  field: 'id',
};

const notSetUp: AdminFailure = {
  code: 'CONFLICT',
  message: 'Nothing says yet how this client is billed.',
  field: 'client_id',
  suggestion: 'Say it first: switchyard billing clients set CLIENT.',
};

const noRule: AdminFailure = {
  code: 'CONFLICT',
  message: 'No rule says what this client pays.',
  field: 'client_id',
  suggestion: 'Set one first: switchyard billing rules set.',
};

export const notRun = {
  no_client: notSetUp,
  no_rule: noRule,
  too_many: {
    code: 'CONFLICT',
    message: 'This month of the client has more figures or lines than one run bills. Nothing was drafted.',
    field: 'period',
    suggestion: 'Bill parts of it as clients of their own.',
  },
} as const satisfies Readonly<Record<string, AdminFailure>>;

/** Why a step of a document was not taken. */
export function refusalOf({ kind }: Exclude<ClientStep, { readonly kind: 'done' }>): AdminFailure {
  const conflict = (message: string, more: Partial<AdminFailure> = {}): AdminFailure => ({
    ...{ code: 'CONFLICT', message, field: 'id' },
    ...more,
  });
  switch (kind) {
    case 'not_found':
      return noInvoice;
    case 'state':
      return conflict('The document is not in a state for this.', {
        suggestion:
          'See it: switchyard billing show ID. A draft is issued or withdrawn; what is issued is paid, reminded of, and corrected by a credit note.',
      });
    case 'same_person':
      return conflict('You made this draft: another person issues it.');
    case 'stale':
      return conflict('Another document of this client was issued since the draft was made.', {
        suggestion: 'Run the month again: switchyard billing run.',
      });
    case 'not_set_up':
      return { ...notSetUp, field: 'id' };
    case 'too_much':
      return conflict('That is more than is left of it, or nothing.', { field: 'amount' });
    case 'too_precise':
      return conflict('The currency does not have so many decimals.', { field: 'amount' });
    case 'paid':
      return conflict('Nothing is open of it.');
    case 'reference_used':
      return conflict('A payment with this reference is booked.', { field: 'reference' });
    case 'not_due':
      return conflict(
        'It is not overdue, the last reminder is less than seven days old, or there were three.',
      );
  }
}
