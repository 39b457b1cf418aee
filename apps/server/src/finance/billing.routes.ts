import { createHash } from 'node:crypto';
import {
  agingBuckets,
  agingOf,
  clientDocumentText,
  documentDigest,
  marginOf,
  shownLines,
  totalsOf,
  ublText,
} from '@switchyard/ledger';
import { isCurrency, microsToDecimal, parseDecimal } from '@switchyard/money';
import {
  lists,
  type ClientInvoiceDetail,
  type ClientInvoices,
  type ClientReports,
  type ClientStep,
  type MadeDocuments,
  type MarginRow,
} from '@switchyard/store';
import { pageHtml, pageTables, writePage, writeTable, type PageDocument } from '@switchyard/tables';
import { reachOf } from '@switchyard/tenancy';
import { defined, err, isoOf, ok, type Clock, type JsonObject, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import { shownRow } from '../platform/routes/declared-view.js';
import { day, instant, jsonObject, period, plainText, reasonText } from '../platform/routes/fields.js';
import { organizationWide, uuidText } from '../platform/routes/list-filters.js';
import { resource, type ListDeps } from '../platform/routes/resource.js';
import { routesOn } from '../platform/routes/route.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { checkedAt } from './documents/checked-at.js';
import { clientDocumentOf, clientInvoicePage } from './documents/client-invoice-page.js';

/** What a document to a client is rendered from. */
export interface BillDocumentDeps extends ListDeps {
  readonly clientInvoices: ClientInvoices;
  readonly domainOf: (scope: PrincipalCaller) => Promise<string>;
  readonly baseUrl: () => string;
}

interface BillingDeps extends BillDocumentDeps {
  readonly clientReports: ClientReports;
  readonly madeDocuments: Pick<MadeDocuments, 'record'>;
  readonly clock: Clock;
}

const declared = resource(lists.clientInvoiceList, {
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

const check = z.strictObject({
  code: z.string().describe('no_rule, capped, over_budget or open_difference.'),
  text: z.string(),
  amount: z.string(),
  currency: z.string(),
});

const detail = z.strictObject({
  ...declared.view.shape,
  service_from: z.string(),
  service_to: z.string(),
  lines: z.array(line),
  checks: z.array(check).describe('What the run has found: look at it before the document is issued.'),
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

const margin = z.strictObject({
  client_id: z.string().exactOptional().describe('Absent: what names no buy of a client.'),
  client: z.string().exactOptional(),
  campaign_id: z.string().exactOptional(),
  campaign: z.string().exactOptional(),
  currency: z.string(),
  media: z.string().describe('Billed, without tax, like markup and fees.'),
  markup: z.string(),
  fees: z.string(),
  commission: z.string(),
  media_spend: z.string(),
  seller_fees: z.string(),
  differences: z.string().describe('Paid as invoiced, or written off.'),
  margin: z.string(),
  percent: z.string().exactOptional().describe('Of what was billed.'),
});

const route = routesOn<BillingDeps>();

/** Invoices to clients: runs, issue by a second person, credit notes, payments, reminders, margins. */
export const billingRoutes = [
  ...declared.routes,
  route({
    method: 'post',
    path: '/v1/billing/run',
    id: 'run_billing',
    summary:
      'Draft what a client owes for a month and was not billed; the drafts replace earlier ones of the month',
    needs: 'ledger.write',
    byPerson: true,
    body: z.strictObject({
      client_id: uuidText,
      period,
      lines: z
        .array(
          z.strictObject({
            description: plainText(200).trim().min(1),
            amount: z.string().max(40),
            currency: z.string().refine(isCurrency, 'must be a currency of ISO 4217'),
          }),
        )
        .max(100)
        .exactOptional()
        .describe('Lines beside the rules, for example of hours.'),
    }),
    answer: z.strictObject({ invoices: z.array(detail), checks: z.array(check) }),
    handle: async (deps, { caller, body: { client_id: clientId, period: month, lines = [] } }) => {
      const narrow = organizationWide(caller, 'ledger', 'write');
      if (narrow !== undefined) return err(narrow);
      const free = [];
      for (const { amount, ...own } of lines) {
        const read = parseDecimal(amount);
        if (!read.ok) return err(badAmount('lines'));
        free.push({ ...own, amountMicros: read.value });
      }
      const run = { clientId, period: month, free, by: caller.principalId };
      const done = await deps.clientInvoices.run(caller, run, deps.clock.now());
      if (done.kind !== 'done') return err(notRun[done.kind]);
      const invoices = [];
      for (const id of done.ids) {
        const shown = await showInvoice(deps, caller, id);
        if (!shown.ok) return shown;
        invoices.push(shown.value);
      }
      return ok({
        invoices,
        checks: done.checks.map(({ amountMicros, ...one }) => ({
          ...one,
          amount: microsToDecimal(amountMicros),
        })),
      });
    },
  }),
  route({
    method: 'get',
    path: '/v1/billing/aging',
    id: 'show_client_aging',
    summary: 'What clients owe by the days that it is overdue',
    needs: 'ledger.read',
    answer: z.strictObject({
      clients: z.array(
        z.strictObject({
          client_id: z.string(),
          client: z.string(),
          currency: z.string(),
          ...Object.fromEntries(agingBuckets.map((bucket) => [bucket, z.string()])),
          total: z.string(),
          invoices: z.int(),
        }),
      ),
    }),
    handle: async ({ clientReports, clock }, { caller }) => {
      const narrow = organizationWide(caller, 'ledger', 'read');
      if (narrow !== undefined) return err(narrow);
      const today = isoOf(clock.now()).slice(0, 10);
      const rows = agingOf(await clientReports.open(caller), today, new Set(['client']));
      return ok({
        clients: rows.map(
          ({ clientId = '', client = '', currency, totalMicros, invoiceTotal, ...buckets }) => ({
            ...{ client_id: clientId, client, currency },
            ...Object.fromEntries(agingBuckets.map((bucket) => [bucket, microsToDecimal(buckets[bucket])])),
            total: microsToDecimal(totalMicros),
            invoices: invoiceTotal,
          }),
        ),
      });
    },
  }),
  route({
    method: 'get',
    path: '/v1/billing/margin',
    id: 'show_margin',
    summary:
      'What a month brought by client or campaign: billed, less media, fees of sellers and differences',
    needs: 'ledger.read',
    query: z.strictObject({
      period,
      by: z.enum(['client', 'campaign']).exactOptional().describe('client unless set.'),
      client_id: uuidText.exactOptional(),
    }),
    answer: z.strictObject({ period: z.string(), margins: z.array(margin) }),
    handle: async (
      { clientReports },
      { caller, query: { period: month, by = 'client', client_id: clientId } },
    ) => {
      const narrow = organizationWide(caller, 'ledger', 'read');
      if (narrow !== undefined) return err(narrow);
      const question = { period: month, by, ...defined({ clientId }) };
      return ok({ period: month, margins: (await clientReports.margins(caller, question)).map(marginView) });
    },
  }),
  route({
    method: 'get',
    path: '/v1/billing/{id}',
    id: 'show_client_invoice',
    summary: 'One invoice or credit note to a client, by its id or number',
    needs: 'ledger.read',
    answer: detail,
    handle: (deps, { caller, params: { id } }) => showInvoice(deps, caller, id),
  }),
  route({
    method: 'get',
    path: '/v1/billing/{id}/document',
    id: 'render_client_invoice',
    summary: 'A document to a client as a file: all its renderings say what its text says',
    needs: 'ledger.read',
    query: z.strictObject({
      format: z
        .enum(['json', 'pdf', 'ubl', 'xlsx', 'html'])
        .exactOptional()
        .describe(
          'json unless set: the text alone. ubl: of what is issued, UBL 2.1 in the form of EN 16931.',
        ),
    }),
    answer: z.strictObject({
      document: jsonObject.describe('The text that its digest covers.'),
      digest: z.string().describe('SHA-256 of the canonical text (RFC 8785).'),
      file: z
        .strictObject({
          name: z.string(),
          media_type: z.string(),
          sha256: z.string(),
          content: z.base64().describe('The bytes of the file.'),
        })
        .exactOptional(),
    }),
    handle: async (deps, { caller, params: { id }, query: { format = 'json' } }) => {
      const made = await billDocument(deps, caller, id);
      if (!made.ok) return made;
      const { document, digest, page, ubl, name } = made.value;
      if (format === 'json') return ok({ document, digest });
      if (format === 'ubl' && ubl === undefined)
        return err({ code: 'CONFLICT', message: 'A draft is no e-invoice: issue it first.', field: 'id' });
      const bytes = await bytesOf(format, page, ubl ?? '');
      const [mediaType, end] = mediaTypes[format];
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const file = {
        name: `${name}.${end}`,
        media_type: mediaType,
        sha256,
        content: bytes.toString('base64'),
      };
      return ok({ document, digest, file });
    },
  }),
  route({
    method: 'post',
    path: '/v1/billing/{id}/issue',
    id: 'issue_client_invoice',
    summary:
      'Issue a draft under the next number of its legal entity; another person than its maker does that',
    needs: 'ledger.approve',
    byPerson: true,
    body: z.strictObject({ date: day.exactOptional().describe('Day of issue; today unless set.') }),
    answer: detail,
    handle: async (deps, { caller, params: { id }, body: { date } }) => {
      const narrow = organizationWide(caller, 'ledger', 'approve');
      if (narrow !== undefined) return err(narrow);
      const today = isoOf(deps.clock.now()).slice(0, 10);
      if (date !== undefined && date > today) return err(inFuture);
      const wanted = { by: caller.principalId, issuedOn: date ?? today };
      const now = deps.clock.now();
      const step = await deps.clientInvoices.issue(caller, id, wanted, now);
      const made = step.kind === 'done' ? await billDocument(deps, caller, step.id) : undefined;
      if (made?.ok === true)
        await deps.madeDocuments.record(
          caller,
          { digest: made.value.digest, title: made.value.page.title },
          now,
        );
      return stepped(deps, caller, step);
    },
  }),
  route({
    method: 'post',
    path: '/v1/billing/{id}/withdraw',
    id: 'withdraw_client_invoice',
    summary: 'Remove a draft; what is issued is corrected by a credit note',
    needs: 'ledger.write',
    byPerson: true,
    answer: z.strictObject({ client_invoice_id: z.string() }),
    handle: async ({ clientInvoices }, { caller, params: { id } }) => {
      const narrow = organizationWide(caller, 'ledger', 'write');
      if (narrow !== undefined) return err(narrow);
      const done = await clientInvoices.withdraw(caller, id);
      return done.kind === 'done' ? ok({ client_invoice_id: done.id }) : err(refusalOf(done));
    },
  }),
  route({
    method: 'post',
    path: '/v1/billing/{id}/credit',
    id: 'credit_client_invoice',
    summary: 'Draft a credit note for an issued invoice, of all of it or of an amount without tax',
    needs: 'ledger.write',
    byPerson: true,
    body: z.strictObject({ reason: reasonText, amount: z.string().max(40).exactOptional() }),
    answer: detail,
    handle: async (deps, { caller, params: { id }, body: { reason, amount } }) => {
      const narrow = organizationWide(caller, 'ledger', 'write');
      if (narrow !== undefined) return err(narrow);
      const read = amount === undefined ? ok(undefined) : parseDecimal(amount);
      if (!read.ok) return err(badAmount('amount'));
      const wanted = { by: caller.principalId, reason, ...defined({ netMicros: read.value }) };
      return stepped(deps, caller, await deps.clientInvoices.credit(caller, id, wanted, deps.clock.now()));
    },
  }),
  route({
    method: 'post',
    path: '/v1/billing/{id}/pay',
    id: 'record_client_payment',
    summary:
      'Record what a client has paid of an invoice, whole or in part; of a credit note, what was paid out',
    needs: 'ledger.write',
    byPerson: true,
    body: z.strictObject({
      date: day,
      amount: z.string().max(40).exactOptional().describe('All that is open unless set.'),
      reference: plainText(100).trim().min(1).exactOptional().describe('The same one is booked once.'),
    }),
    answer: detail,
    handle: async (deps, { caller, params: { id }, body: { date, amount, reference } }) => {
      const narrow = organizationWide(caller, 'ledger', 'write');
      if (narrow !== undefined) return err(narrow);
      const now = deps.clock.now();
      if (date > isoOf(now).slice(0, 10)) return err(inFuture);
      const read = amount === undefined ? ok(undefined) : parseDecimal(amount);
      if (!read.ok) return err(badAmount('amount'));
      const paid = {
        by: caller.principalId,
        paidOn: date,
        ...defined({ amountMicros: read.value, reference }),
      };
      return stepped(deps, caller, await deps.clientInvoices.pay(caller, id, paid, now));
    },
  }),
  route({
    method: 'post',
    path: '/v1/billing/payments/{id}/void',
    id: 'void_client_payment',
    summary: 'Take a payment of a client back: it came back, or was entered wrongly',
    needs: 'ledger.write',
    byPerson: true,
    body: z.strictObject({ reason: reasonText }),
    answer: detail,
    handle: async (deps, { caller, params: { id }, body: { reason } }) => {
      const narrow = organizationWide(caller, 'ledger', 'write');
      if (narrow !== undefined) return err(narrow);
      const wanted = { by: caller.principalId, reason };
      return stepped(
        deps,
        caller,
        await deps.clientInvoices.voidPayment(caller, id, wanted, deps.clock.now()),
      );
    },
  }),
  route({
    method: 'post',
    path: '/v1/billing/{id}/remind',
    id: 'remind_client',
    summary: 'The next of three reminders of an overdue invoice, as text for a mail',
    needs: 'ledger.write',
    byPerson: true,
    answer: z.strictObject({
      client_invoice_id: z.string(),
      step: z.int(),
      to: z.string().exactOptional(),
      subject: z.string(),
      text: z.string(),
    }),
    handle: async (deps, { caller, params: { id } }) => {
      const narrow = organizationWide(caller, 'ledger', 'write');
      if (narrow !== undefined) return err(narrow);
      const today = isoOf(deps.clock.now()).slice(0, 10);
      const done = await deps.clientInvoices.remind(caller, id, today);
      if (done.kind !== 'done') return err(refusalOf(done));
      const shown = await showInvoice(deps, caller, done.id);
      return shown.ok ? ok(reminderOf(shown.value)) : shown;
    },
  }),
];

/** A reminder that was counted, as text for a mail. */
function reminderOf(shown: z.output<typeof detail>) {
  const { number = '', reminders: step, open, currency, issued_on: issued = '', due_on: due = '' } = shown;
  const { biller, billed } = shown;
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  const asks = [
    'It may have been overlooked. Please pay it in the next days.',
    'We have reminded you before. Please pay it within seven days.',
    'This is our last reminder. If we receive nothing within seven days, we will take further steps.',
  ];
  const account =
    text(biller['iban']) === '' ? [] : [`Our account: ${text(biller['iban'])} ${text(biller['bic'])}`.trim()];
  return {
    ...{ client_invoice_id: shown.client_invoice_id, step },
    ...(text(billed['email']) !== '' && { to: text(billed['email']) }),
    subject: `Reminder ${String(step)}: invoice ${number} of ${text(biller['name'])}`,
    text: [
      text(billed['name']),
      `Our invoice ${number} of ${issued} was due on ${due}. ${open} ${currency} is open.`,
      asks[Math.min(step, asks.length) - 1] ?? '',
      ...account,
      text(biller['name']),
    ].join('\n\n'),
  };
}

const mediaTypes = {
  pdf: ['application/pdf', 'pdf'],
  ubl: ['application/xml', 'xml'],
  xlsx: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
  html: ['text/html', 'html'],
} as const;

async function bytesOf(format: keyof typeof mediaTypes, page: PageDocument, ubl: string): Promise<Buffer> {
  if (format === 'pdf') return writePage(page);
  if (format === 'xlsx') return writeTable(pageTables(page), 'xlsx');
  return Buffer.from(format === 'ubl' ? ubl : pageHtml(page), 'utf8');
}

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

async function stepped(
  deps: BillingDeps,
  caller: PrincipalCaller,
  step: ClientStep,
): Promise<Result<z.output<typeof detail>, AdminFailure>> {
  return step.kind === 'done' ? showInvoice(deps, caller, step.id) : err(refusalOf(step));
}

async function showInvoice(
  deps: BillingDeps,
  caller: PrincipalCaller,
  named: string,
): Promise<Result<z.output<typeof detail>, AdminFailure>> {
  const read = await readInvoice(deps, caller, named);
  return read.ok ? ok({ ...read.value.listed, ...detailView(read.value.found) }) : read;
}

/** A document with its lines, by its id or number, if the caller may see it. */
async function readInvoice(
  { clientInvoices, lists: reader }: Pick<BillDocumentDeps, 'clientInvoices' | 'lists'>,
  caller: PrincipalCaller,
  named: string,
) {
  const narrow = organizationWide(caller, 'ledger', 'read');
  if (narrow !== undefined) return err(narrow);
  const id = await clientInvoices.idOf(caller, named);
  const reach = reachOf(caller, 'ledger', 'read');
  const row = id === undefined ? undefined : await reader.one(caller, lists.clientInvoiceList, reach, id);
  const found = id === undefined ? undefined : await clientInvoices.detail(caller, id);
  if (row === undefined || found === undefined) return err(noInvoice);
  return ok({ listed: declared.view.parse(shownRow(lists.clientInvoiceList, row)), found });
}

const detailView = ({
  lines,
  payments,
  parties,
  checks,
  serviceFrom,
  serviceTo,
}: ClientInvoiceDetail): Omit<z.output<typeof detail>, keyof z.output<typeof declared.view>> => ({
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

function marginView(row: MarginRow): z.output<typeof margin> {
  const { marginMicros, percentTenths } = marginOf(row);
  return {
    ...defined({ client_id: row.clientId, client: row.client }),
    ...defined({ campaign_id: row.campaignId, campaign: row.campaign }),
    currency: row.currency,
    media: microsToDecimal(row.billedMediaMicros),
    markup: microsToDecimal(row.markupMicros),
    fees: microsToDecimal(row.feesMicros),
    commission: microsToDecimal(row.commissionMicros),
    media_spend: microsToDecimal(row.mediaSpendMicros),
    seller_fees: microsToDecimal(row.sellerFeesMicros),
    differences: microsToDecimal(row.differencesMicros),
    margin: microsToDecimal(marginMicros),
    ...(percentTenths !== undefined && { percent: microsToDecimal(percentTenths * 100_000n) }),
  };
}

const badAmount = (field: string): AdminFailure => ({
  code: 'INVALID_REQUEST',
  message: 'An amount must be a decimal number.',
  field,
});

const inFuture: AdminFailure = {
  code: 'INVALID_REQUEST',
  message: 'The day is in the future.',
  field: 'date',
};

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

const notRun = {
  no_client: notSetUp,
  no_rule: noRule,
  too_many: {
    code: 'CONFLICT',
    message: 'This month of the client has more figures or lines than one run bills. Nothing was drafted.',
    field: 'period',
    suggestion: 'Bill parts of it as clients of their own.',
  },
} as const satisfies Readonly<Record<string, AdminFailure>>;

function refusalOf({ kind }: Exclude<ClientStep, { readonly kind: 'done' }>): AdminFailure {
  const conflict = (message: string, more: Partial<AdminFailure> = {}): AdminFailure => ({
    ...{ code: 'CONFLICT', message, field: 'id' },
    ...more,
  });
  switch (kind) {
    case 'not_found':
      return noInvoice;
    case 'state':
      return conflict('It is not in a state for this.');
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
