import { disputeOutcomes, letterFacts, letterText } from '@switchyard/ledger';
import { parseDecimal } from '@switchyard/money';
import { lists, type DisputeRepository, type DisputeStep } from '@switchyard/store';
import { writeTable } from '@switchyard/tables';
import { reachOf } from '@switchyard/tenancy';
import { defined, err, isoOf, ok, type Clock, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { shownRow } from '../platform/routes/declared-view.js';
import { day, instant, reasonText } from '../platform/routes/fields.js';
import { organizationWide } from '../platform/routes/list-filters.js';
import { resource, type ListDeps } from '../platform/routes/resource.js';
import { routesOn } from '../platform/routes/route.js';

interface DisputesDeps extends ListDeps {
  readonly disputes: DisputeRepository;
  readonly clock: Clock;
}

const declared = resource(lists.disputeList, {
  noun: 'dispute',
  plural: 'disputes',
  area: 'ledger',
  summary: 'Cases: amounts of invoices that are disputed with their sellers',
  views: { lines: z.array(z.int()) },
  example: {
    dispute_id: '3c1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d12',
    number: 'D-7',
    seller: 'harbor',
    invoice_id: '1f0d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11',
    invoice: 'NW-2611-08',
    period: '2026-11',
    lines: [3],
    currency: 'EUR',
    amount: '124',
    held: '124',
    reason: 'Billed at a CPM of 4.20, agreed were 4.00.',
    due_on: '2026-12-29',
    state: 'open',
    opened_by: 'ada',
    opened_at: '2026-11-29T12:00:00.000Z',
  },
  command: {
    title: 'disputes: cases with sellers about amounts of invoices',
    summary: 'list disputes, newest first',
    columns: {
      Case: 'number',
      Seller: 'seller',
      Invoice: 'invoice',
      Amount: 'amount',
      Currency: 'currency',
      Held: 'held',
      Due: 'due_on',
      State: 'state',
      Outcome: 'outcome',
      Dispute: 'dispute_id',
    },
    none: 'There are no disputes.',
  },
});

const detail = z.strictObject({
  ...declared.view.shape,
  answers: z.array(
    z.strictObject({
      from: z.enum(['seller', 'us']),
      text: z.string(),
      by: z.string().describe('Who entered it.'),
      at: instant,
    }),
  ),
});

const outcome = z.enum(disputeOutcomes);

const route = routesOn<DisputesDeps>();

/** Cases with sellers. Each is named by its id or its number. */
export const disputeRoutes = [
  ...declared.routes,
  route({
    method: 'get',
    path: '/v1/disputes/{id}',
    id: 'show_dispute',
    summary: 'One case with what was answered',
    needs: 'ledger.read',
    answer: detail,
    handle: (deps, { caller, params: { id } }) => showDispute(deps, caller, id),
  }),
  route({
    method: 'get',
    path: '/v1/disputes/{id}/letter',
    id: 'show_dispute_letter',
    summary: 'The letter of a case to its seller, as text for a mail or as a PDF',
    needs: 'ledger.read',
    isOfOrganization: true,
    query: z.strictObject({ format: z.enum(['text', 'pdf']).exactOptional().describe('text unless set.') }),
    answer: z.strictObject({
      subject: z.string(),
      text: z.string(),
      file: z.strictObject({ media_type: z.string(), content: z.base64() }).exactOptional(),
    }),
    handle: async ({ disputes, clock }, { caller, params: { id }, query: { format = 'text' } }) => {
      const named = await disputes.idOf(caller, id);
      const letter = named === undefined ? undefined : await disputes.letter(caller, named);
      if (letter === undefined) return err(notFound);
      const mail = letterText(letter);
      if (format === 'text') return ok(mail);
      const rows = letterFacts(letter);
      const madeAt = isoOf(clock.now());
      const sections = [{ name: mail.subject, columns: ['', letter.organization], rows }];
      const bytes = await writeTable({ title: mail.subject, madeAt, sections }, 'pdf');
      return ok({ ...mail, file: { media_type: 'application/pdf', content: bytes.toString('base64') } });
    },
  }),
  route({
    method: 'post',
    path: '/v1/disputes',
    id: 'open_dispute',
    summary: 'Dispute an amount of an invoice, or an open difference; the amount is held and is not paid',
    needs: 'ledger.write',
    isOfOrganization: true,
    byPerson: true,
    body: z.strictObject({
      break_id: z.uuid().exactOptional().describe('An open difference. Give it, or invoice_id and amount.'),
      invoice_id: z.uuid().exactOptional(),
      amount: z.string().max(40).exactOptional(),
      lines: z.array(z.int().min(1)).max(100).exactOptional().describe('Lines of the invoice.'),
      reason: reasonText,
      due_on: day.exactOptional().describe('The seller is asked to answer by then; 30 days unless set.'),
    }),
    answer: detail,
    handle: async (deps, { caller, body }) => {
      const { break_id: breakId, invoice_id: invoiceId, amount, lines = [], reason, due_on: dueOn } = body;
      const by = { reason, by: caller.principalId, ...defined({ dueOn }) };
      const now = deps.clock.now();
      if (dueOn !== undefined && dueOn < isoOf(now).slice(0, 10))
        return err({
          code: 'INVALID_REQUEST',
          message: `The day ${dueOn} is over: the seller could not answer by then.`,
          field: 'due_on',
        });
      if (breakId !== undefined && (invoiceId ?? amount) === undefined)
        return stepped(deps, caller, await deps.disputes.open(caller, { ...by, breakId }, now));
      const micros = amount === undefined ? undefined : positive(amount);
      if (breakId !== undefined || invoiceId === undefined || micros === undefined)
        return err({
          code: 'INVALID_REQUEST',
          message: 'A dispute names an open difference, or an invoice and an amount above zero.',
          field: 'amount',
        });
      const opening = { ...by, invoiceId, amountMicros: micros, lines };
      return stepped(deps, caller, await deps.disputes.open(caller, opening, now));
    },
  }),
  route({
    method: 'post',
    path: '/v1/disputes/{id}/answer',
    id: 'answer_dispute',
    summary: 'Store what the seller has answered in a case, or what we have',
    needs: 'ledger.write',
    isOfOrganization: true,
    byPerson: true,
    body: z.strictObject({
      text: reasonText,
      from: z.enum(['seller', 'us']).exactOptional().describe('seller unless set.'),
    }),
    answer: detail,
    handle: async (deps, { caller, params: { id }, body: { text, from = 'seller' } }) => {
      const said = { from, text, by: caller.principalId };
      return stepped(deps, caller, await deps.disputes.answer(caller, id, said, deps.clock.now()));
    },
  }),
  route({
    method: 'post',
    path: '/v1/disputes/{id}/close',
    id: 'close_dispute',
    summary: 'End a case by its outcome, with an entry in the ledger; what it held is free',
    needs: 'ledger.write',
    isOfOrganization: true,
    byPerson: true,
    body: z.strictObject({
      outcome: outcome.describe(
        'credited: by a credit note. partly: a part by a credit note, the rest is accepted. accepted: paid as invoiced. withdrawn: as if it had not been opened.',
      ),
      credit_id: z.uuid().exactOptional().describe('The credit note of what is credited.'),
      amount: z.string().max(40).exactOptional().describe('The part that is credited, with partly.'),
      reason: reasonText,
    }),
    answer: detail,
    handle: async (deps, { caller, params: { id }, body }) => {
      const creditedMicros = body.amount === undefined ? undefined : positive(body.amount);
      if ((body.outcome === 'partly') !== (creditedMicros !== undefined))
        return err({
          code: 'INVALID_REQUEST',
          message: 'With partly, and with it alone, give the amount above zero that is credited.',
          field: 'amount',
        });
      const closing = {
        outcome: body.outcome,
        note: body.reason,
        by: caller.principalId,
        ...defined({ creditId: body.credit_id, creditedMicros }),
      };
      return stepped(deps, caller, await deps.disputes.close(caller, id, closing, deps.clock.now()));
    },
  }),
  route({
    method: 'post',
    path: '/v1/disputes/{id}/reopen',
    id: 'reopen_dispute',
    summary: 'Open a case again: its end is taken back, with an entry in the ledger',
    needs: 'ledger.write',
    isOfOrganization: true,
    byPerson: true,
    body: z.strictObject({ reason: reasonText }),
    answer: detail,
    handle: async (deps, { caller, params: { id }, body: { reason } }) => {
      const by = { by: caller.principalId, reason };
      return stepped(deps, caller, await deps.disputes.reopen(caller, id, by, deps.clock.now()));
    },
  }),
];

function positive(text: string): bigint | undefined {
  const read = parseDecimal(text);
  return read.ok && read.value > 0n ? read.value : undefined;
}

const notFound: AdminFailure = { code: 'NOT_FOUND', message: 'No case has this id or number.', field: 'id' };

async function showDispute(
  { disputes, lists: reader }: DisputesDeps,
  caller: PrincipalCaller,
  named: string,
): Promise<Result<z.output<typeof detail>, AdminFailure>> {
  const narrow = organizationWide(caller, 'ledger', 'read');
  if (narrow !== undefined) return err(narrow);
  const id = await disputes.idOf(caller, named);
  const row =
    id === undefined
      ? undefined
      : await reader.one(caller, lists.disputeList, reachOf(caller, 'ledger', 'read'), id);
  if (id === undefined || row === undefined) return err(notFound);
  const answers = await disputes.answers(caller, id);
  const shown = declared.view.parse(shownRow(lists.disputeList, row));
  return ok({ ...shown, answers: answers.map(({ at, ...said }) => ({ ...said, at: isoOf(at) })) });
}

/** The case after a step, or why it was not done. */
async function stepped(
  deps: DisputesDeps,
  caller: PrincipalCaller,
  step: DisputeStep,
): Promise<Result<z.output<typeof detail>, AdminFailure>> {
  return 'id' in step ? showDispute(deps, caller, step.id) : err(refusals[step.refused]);
}

type Refusal = Extract<DisputeStep, { readonly refused: string }>['refused'];

const refusals: Readonly<Record<Refusal, AdminFailure>> = {
  no_dispute: notFound,
  no_invoice: {
    code: 'NOT_FOUND',
    message: 'No invoice that stands has this id.',
    field: 'invoice_id',
  },
  no_line: { code: 'NOT_FOUND', message: 'The invoice has no such line.', field: 'lines' },
  no_break: {
    code: 'NOT_FOUND',
    message: 'No open difference has this id.',
    field: 'break_id',
  },
  nothing_billed: {
    code: 'CONFLICT',
    message: 'This difference is no amount that an invoice bills too much.',
    field: 'break_id',
    suggestion: 'Resolve it in another way: switchyard breaks resolve ID.',
  },
  too_much: {
    code: 'CONFLICT',
    message: 'The amount is more than there is to dispute or to credit.',
    field: 'amount',
  },
  state: {
    code: 'CONFLICT',
    message: 'The case is not in a state for this.',
    field: 'id',
    suggestion:
      'An open case is answered and closed; a closed one is opened again: switchyard disputes reopen ID.',
  },
  no_credit: {
    code: 'NOT_FOUND',
    message: 'What is credited needs a credit note of the same seller and currency.',
    field: 'credit_id',
    suggestion: 'Import it first: switchyard invoices import FILE.',
  },
  credit_too_small: {
    code: 'CONFLICT',
    message: 'The credit note is smaller than what is credited, or stands for another case.',
    field: 'credit_id',
  },
  moved_on: {
    code: 'CONFLICT',
    message: 'The difference of this case was found or resolved anew since.',
    field: 'id',
  },
};
