import { agingBuckets, agingOf, marginOf } from '@switchyard/ledger';
import { isCurrency, microsToDecimal, parseDecimal } from '@switchyard/money';
import { type ClientReports, type MadeDocuments, type MarginRow } from '@switchyard/store';
import { defined, err, isoOf, ok } from '@switchyard/values';
import { z } from 'zod';
import { withJobs } from '../platform/jobs/request-job.js';
import type { JobStarter } from '../platform/jobs/start-job.js';
import type { AdminFailure } from '../platform/failure.js';
import { aloneMember, aloneOf, takeControl, type ControlDeps } from '../platform/routes/control.js';
import { day, jsonObject, period, plainText, reasonText } from '../platform/routes/fields.js';
import { uuidText } from '../platform/routes/list-filters.js';
import { routesOn } from '../platform/routes/route.js';
import { documentFile, fileOf, renderedFile } from './documents/document-file.js';
import {
  billDocument,
  billingCheck,
  clientInvoiceDetail,
  listedInvoices,
  notRun,
  refusalOf,
  showInvoice,
  stepped,
  type BillDocumentDeps,
} from './client-invoice-view.js';
import { dayRefusal } from './day-of-act.js';

interface BillingDeps extends BillDocumentDeps, ControlDeps {
  readonly jobStarter: JobStarter;
  readonly clientReports: ClientReports;
  readonly madeDocuments: Pick<MadeDocuments, 'record'>;
}

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
export const billingRoutes = withJobs([
  ...listedInvoices.routes,
  route({
    method: 'post',
    path: '/v1/billing/run',
    id: 'run_billing',
    summary:
      'Draft what a client owes for a month and was not billed; the drafts replace earlier ones of the month',
    needs: 'ledger.write',
    isOfOrganization: true,
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
    answer: z.strictObject({ invoices: z.array(clientInvoiceDetail), checks: z.array(billingCheck) }),
    asJob: { title: 'Invoices to a client' },
    handle: async (deps, { caller, body: { client_id: clientId, period: month, lines = [] } }) => {
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
    isOfOrganization: true,
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
    isOfOrganization: true,
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
    isOfOrganization: true,
    answer: clientInvoiceDetail,
    handle: (deps, { caller, params: { id } }) => showInvoice(deps, caller, id),
  }),
  route({
    method: 'get',
    path: '/v1/billing/{id}/document',
    id: 'render_client_invoice',
    summary: 'A document to a client as a file: all its renderings say what its text says',
    needs: 'ledger.read',
    isOfOrganization: true,
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
      file: documentFile.exactOptional(),
    }),
    handle: async (deps, { caller, params: { id }, query: { format = 'json' } }) => {
      const made = await billDocument(deps, caller, id);
      if (!made.ok) return made;
      const { document, digest, page, ubl, name } = made.value;
      if (format === 'json') return ok({ document, digest });
      if (format === 'ubl' && ubl === undefined)
        return err({ code: 'CONFLICT', message: 'A draft is no e-invoice: issue it first.', field: 'id' });
      const file =
        format === 'ubl'
          ? fileOf(Buffer.from(ubl ?? '', 'utf8'), 'xml', name)
          : await renderedFile(page, format, name);
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
    isOfOrganization: true,
    byPerson: true,
    body: z.strictObject({ date: day.exactOptional().describe('Day of issue; today unless set.') }),
    answer: clientInvoiceDetail,
    handle: async (deps, { caller, params: { id }, body: { date } }) => {
      const now = deps.clock.now();
      const issuedOn = date ?? isoOf(now).slice(0, 10);
      const wrongDay = dayRefusal(issuedOn, now);
      if (wrongDay !== undefined) return err(wrongDay);
      const wanted = { by: caller.principalId, issuedOn };
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
    isOfOrganization: true,
    byPerson: true,
    answer: z.strictObject({ client_invoice_id: z.string() }),
    handle: async ({ clientInvoices }, { caller, params: { id } }) => {
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
    isOfOrganization: true,
    byPerson: true,
    body: z.strictObject({ reason: reasonText, amount: z.string().max(40).exactOptional() }),
    answer: clientInvoiceDetail,
    handle: async (deps, { caller, params: { id }, body: { reason, amount } }) => {
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
    isOfOrganization: true,
    byPerson: true,
    body: z.strictObject({
      date: day,
      amount: z.string().max(40).exactOptional().describe('All that is open unless set.'),
      reference: plainText(100).trim().min(1).exactOptional().describe('The same one is booked once.'),
    }),
    answer: clientInvoiceDetail,
    handle: async (deps, { caller, params: { id }, body: { date, amount, reference } }) => {
      const now = deps.clock.now();
      const wrongDay = dayRefusal(date, now);
      if (wrongDay !== undefined) return err(wrongDay);
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
    summary:
      'Take a payment of a client back once another person approves it: it came back, or was entered wrongly',
    needs: 'ledger.write',
    isOfOrganization: true,
    byPerson: true,
    mayWait: true,
    body: z.strictObject({ reason: reasonText }),
    answer: z.strictObject({ client_invoice_id: z.string(), ...aloneMember }),
    handle: async (deps, { caller, params: { id }, body: { reason } }) => {
      const taken = await takeControl(deps, caller, { kind: 'void_client_payment', paymentId: id, reason });
      if ('answer' in taken) return taken.answer;
      return ok({ client_invoice_id: taken.done.invoiceId, ...aloneOf(taken) });
    },
  }),
  route({
    method: 'post',
    path: '/v1/billing/{id}/remind',
    id: 'remind_client',
    summary: 'The next of three reminders of an overdue invoice, as text for a mail',
    needs: 'ledger.write',
    isOfOrganization: true,
    byPerson: true,
    answer: z.strictObject({
      client_invoice_id: z.string(),
      step: z.int(),
      to: z.string().exactOptional(),
      subject: z.string(),
      text: z.string(),
    }),
    handle: async (deps, { caller, params: { id } }) => {
      const today = isoOf(deps.clock.now()).slice(0, 10);
      const done = await deps.clientInvoices.remind(caller, id, today);
      if (done.kind !== 'done') return err(refusalOf(done));
      const shown = await showInvoice(deps, caller, done.id);
      return shown.ok ? ok(reminderOf(shown.value)) : shown;
    },
  }),
]);

/** A reminder that was counted, as text for a mail. */
function reminderOf(shown: z.output<typeof clientInvoiceDetail>) {
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
