import {
  decodingWork,
  readBankAccount,
  readCamt053,
  readMt940,
  shortIban,
  type BankStatement,
  type FileContent,
  textOf,
} from '@switchyard/ledger';
import { microsToDecimal } from '@switchyard/money';
import type { ConnectionDirectory } from '@switchyard/sellers';
import {
  lists,
  type BankAccounts,
  type ImportedEntry,
  type PaymentRuns,
  type RunStep,
} from '@switchyard/store';
import { reachOf } from '@switchyard/tenancy';
import { defined, err, inTurns, isoOf, ok, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import { aloneMember, aloneOf, takeControl, type ControlDeps } from '../platform/routes/control.js';
import { shownRow } from '../platform/routes/declared-view.js';
import { day, instant, nameOrId, plainText, reasonText } from '../platform/routes/fields.js';
import { organizationWide } from '../platform/routes/list-filters.js';
import { fileMembers, openFile, whileReading, type FileDeps } from '../platform/routes/read-file.js';
import { resource, type ListDeps } from '../platform/routes/resource.js';
import { routesOn } from '../platform/routes/route.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { dayRefusal } from './day-of-act.js';
import { paymentRefusal } from './payables.routes.js';

interface PaymentsDeps extends ListDeps, FileDeps, ControlDeps {
  readonly runs: PaymentRuns;
  readonly accounts: BankAccounts;
  readonly connections: Pick<ConnectionDirectory, 'list'>;
  readonly domainOf: (scope: PrincipalCaller) => Promise<string>;
}

const declared = resource(lists.paymentRunList, {
  noun: 'payment_run',
  plural: 'payments',
  area: 'ledger',
  summary: 'Proposals of payments to sellers',
  views: { amounts: z.record(z.string(), z.string()) },
  example: {
    payment_run_id: '4d1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d13',
    number: 'P-3',
    due_until: '2026-12-05',
    pay_on: '2026-12-01',
    state: 'approved',
    transfers: 2,
    amounts: { EUR: '6573.8' },
    proposed_by: 'ada',
    proposed_at: '2026-11-29T12:00:00.000Z',
    approved_by: 'ben',
    approved_at: '2026-11-29T13:00:00.000Z',
  },
  command: {
    title: 'payments: proposals, files for the bank, and bank statements',
    summary: 'list proposals of payments, newest first',
    columns: {
      Proposal: 'number',
      Until: 'due_until',
      'Pay on': 'pay_on',
      State: 'state',
      Transfers: 'transfers',
      'Proposed by': 'proposed_by',
      'Approved by': 'approved_by',
      Id: 'payment_run_id',
    },
    none: 'No payment was proposed yet.',
  },
});

const transfer = z.strictObject({
  payment_id: z.string().describe('The bank brings it back as EndToEndId, without its hyphens.'),
  seller: z.string(),
  currency: z.string(),
  amount: z.string(),
  state: z.enum(['proposed', 'exported', 'booked', 'void', 'withdrawn']),
  booked_on: z.string().exactOptional(),
  void_reason: z.string().exactOptional(),
  invoices: z.array(
    z.strictObject({
      invoice_id: z.string(),
      number: z.string(),
      amount: z.string().describe('Of the transfer.'),
      discount: z.string().exactOptional().describe('What the seller allows for early payment.'),
      credits: z
        .array(z.strictObject({ credit_id: z.string(), amount: z.string() }))
        .describe('What is used of credit notes.'),
    }),
  ),
});

const heldBack = z.strictObject({
  invoice_id: z.string(),
  number: z.string(),
  seller: z.string(),
  currency: z.string(),
  amount: z.string(),
  reason: z.string(),
});

const detail = z.strictObject({
  ...declared.view.shape,
  orders: z.array(transfer),
  held: z.array(heldBack).describe('What is due and is not paid, and why.'),
});

const account = z.strictObject({
  seller: z.string().exactOptional(),
  currency: z.string().exactOptional().describe('Of an account of ours.'),
  name: z.string(),
  iban: z.string().describe('Its first and last four characters; a request to change it has all.'),
  bic: z.string().exactOptional(),
  usable_from: instant.describe('Nothing is paid to it before.'),
});

const entry = z.strictObject({
  booked_on: z.string(),
  amount: z.string().describe('Money that left the account is negative.'),
  currency: z.string(),
  text: z.string(),
  state: z.enum(['booked', 'returned', 'open', 'known']).describe('known: an earlier statement has it.'),
  by: z.enum(['payment_id', 'number']).exactOptional().describe('How it was matched.'),
  payment_id: z.string().exactOptional(),
  invoice_id: z.string().exactOptional(),
  client_invoice_id: z.string().exactOptional().describe('What a client has paid.'),
  proposals: z
    .array(z.strictObject({ invoice_id: z.string(), number: z.string() }))
    .exactOptional()
    .describe('Invoices of the same amount: record the payment of the right one.'),
  reason: z.string().exactOptional().describe('Why it is open.'),
});

const movedEntry = z.strictObject({ entry_id: z.string() });

const noEntry = (state: 'open' | 'aside'): AdminFailure => ({
  code: 'NOT_FOUND',
  message:
    state === 'open'
      ? 'No transaction that is matched with nothing has this id.'
      : 'No transaction that was set aside has this id.',
  field: 'id',
  suggestion: `See them: switchyard payments entries${state === 'aside' ? ' --aside' : ''}.`,
});

const route = routesOn<PaymentsDeps>();

/** Payments to sellers: proposals, files for the bank, and what bank statements say of them. */
export const paymentRoutes = [
  ...declared.routes,
  route({
    method: 'get',
    path: '/v1/payments/entries',
    id: 'list_bank_entries',
    summary: 'Transactions of bank statements that are matched with nothing, the newest 500',
    needs: 'ledger.read',
    isOfOrganization: true,
    query: z.strictObject({
      state: z
        .enum(['open', 'aside'])
        .exactOptional()
        .describe('open unless set; aside: those that were set aside.'),
    }),
    answer: z.strictObject({
      entries: z.array(
        z.strictObject({
          entry_id: z.string(),
          booked_on: z.string(),
          amount: z.string().describe('Money that left the account is negative.'),
          currency: z.string(),
          text: z.string(),
          reason: z.string().exactOptional().describe('Why it was set aside, or is open again.'),
        }),
      ),
    }),
    handle: async ({ runs }, { caller, query: { state = 'open' } }) => {
      const found = await runs.openEntries(caller, state);
      return ok({
        entries: found.map(({ id, bookedOn, amountMicros, ...one }) => ({
          ...{ entry_id: id, booked_on: bookedOn, amount: microsToDecimal(amountMicros), ...one },
        })),
      });
    },
  }),
  route({
    method: 'post',
    path: '/v1/payments/entries/{id}/set-aside',
    id: 'set_bank_entry_aside',
    summary: 'Set a transaction of a bank statement aside that is no payment, such as a fee of the bank',
    needs: 'ledger.write',
    isOfOrganization: true,
    byPerson: true,
    body: z.strictObject({ reason: reasonText }),
    answer: movedEntry,
    handle: async ({ runs, clock }, { caller, params: { id }, body: { reason } }) => {
      const aside = { id, reason, by: caller.principalId };
      return (await runs.setAside(caller, aside, clock.now())) ? ok({ entry_id: id }) : err(noEntry('open'));
    },
  }),
  route({
    method: 'post',
    path: '/v1/payments/entries/{id}/bring-back',
    id: 'bring_bank_entry_back',
    summary: 'Bring a transaction back that was set aside',
    needs: 'ledger.write',
    isOfOrganization: true,
    byPerson: true,
    answer: movedEntry,
    handle: async ({ runs }, { caller, params: { id } }) =>
      (await runs.bringBack(caller, id)) ? ok({ entry_id: id }) : err(noEntry('aside')),
  }),
  route({
    method: 'get',
    path: '/v1/payments/{id}',
    id: 'show_payment_run',
    summary: 'One proposal with its transfers, and what it holds back',
    needs: 'ledger.read',
    answer: detail,
    handle: (deps, { caller, params: { id } }) => showRun(deps, caller, id),
  }),
  route({
    method: 'post',
    path: '/v1/payments',
    id: 'propose_payments',
    summary: 'Propose to pay the approved invoices that are due until a day',
    needs: 'ledger.write',
    isOfOrganization: true,
    byPerson: true,
    body: z.strictObject({
      due_until: day,
      pay_on: day.exactOptional().describe('When the bank is asked to pay; today unless set.'),
      seller: nameOrId.exactOptional(),
      currency: z.string().length(3).exactOptional(),
    }),
    answer: detail,
    handle: async (deps, { caller, body }) => {
      const now = deps.clock.now();
      const today = isoOf(now).slice(0, 10);
      const { due_until: until, pay_on: payOn = today, ...part } = body;
      if (payOn < today)
        return err({ code: 'INVALID_REQUEST', message: 'The day of payment is over.', field: 'pay_on' });
      const wanted = { until, payOn, by: caller.principalId, ...defined(part) };
      return stepped(deps, caller, await deps.runs.propose(caller, wanted, now));
    },
  }),
  route({
    method: 'post',
    path: '/v1/payments/{id}/approve',
    id: 'approve_payments',
    summary: 'Approve a proposal; another person than its maker does that. Its credit notes are used',
    needs: 'ledger.approve',
    isOfOrganization: true,
    byPerson: true,
    answer: detail,
    handle: async (deps, { caller, params: { id } }) => {
      const by = { by: caller.principalId };
      return stepped(deps, caller, await deps.runs.approve(caller, id, by, deps.clock.now()));
    },
  }),
  route({
    method: 'post',
    path: '/v1/payments/{id}/withdraw',
    id: 'withdraw_payments',
    summary: 'Take a proposal back that was not given to the bank, with the use of its credit notes',
    needs: 'ledger.write',
    isOfOrganization: true,
    byPerson: true,
    answer: detail,
    handle: async (deps, { caller, params: { id } }) => {
      return stepped(deps, caller, await deps.runs.withdraw(caller, id));
    },
  }),
  route({
    method: 'post',
    path: '/v1/payments/{id}/export',
    id: 'export_payments',
    summary: 'The file of an approved proposal for the bank; its amounts are in transit then',
    needs: 'ledger.write',
    isOfOrganization: true,
    byPerson: true,
    body: z.strictObject({
      format: z
        .enum(['pain.001', 'csv'])
        .exactOptional()
        .describe(
          'pain.001 (pain.001.001.09) unless set. A second time the same file is answered, and no other format.',
        ),
    }),
    answer: z.strictObject({
      payment_run_id: z.string(),
      format: z.string(),
      media_type: z.string(),
      file: z.string(),
    }),
    handle: async (deps, { caller, params: { id }, body: { format } }) => {
      const wanted = { initiator: await deps.domainOf(caller), ...defined({ format }) };
      const done = await deps.runs.export(caller, id, wanted, deps.clock.now());
      if (done.kind === 'other_format')
        return err({
          code: 'CONFLICT',
          message: `The file for the bank was written as ${done.format}. In a second format the bank could pay twice.`,
          field: 'format',
          suggestion: `Write the same file again: switchyard payments export ${id} --format ${done.format} --out FILE.`,
        });
      if (done.kind !== 'done') return err(refusalOf(done));
      const type = done.format === 'csv' ? 'text/csv' : 'application/xml';
      return ok({ payment_run_id: done.id, format: done.format, media_type: type, file: done.file });
    },
  }),
  route({
    method: 'post',
    path: '/v1/payments/{id}/record',
    id: 'record_payment',
    summary: 'Record that the bank has booked a transfer, where no statement is imported',
    needs: 'ledger.write',
    isOfOrganization: true,
    byPerson: true,
    body: z.strictObject({ date: day }),
    answer: z.strictObject({ payment_id: z.string() }),
    handle: async ({ runs, clock }, { caller, params: { id }, body: { date } }) => {
      const now = clock.now();
      const wrongDay = dayRefusal(date, now);
      if (wrongDay !== undefined) return err(wrongDay);
      const done = await runs.record(caller, id, { by: caller.principalId, paidOn: date }, now);
      return done.kind === 'done' ? ok({ payment_id: done.id }) : err(refusalOf(done));
    },
  }),
  route({
    method: 'post',
    path: '/v1/payments/{id}/void',
    id: 'void_payment',
    summary: 'Take a transfer or a payment back: the bank returned it, or never made it',
    needs: 'ledger.write',
    isOfOrganization: true,
    byPerson: true,
    body: z.strictObject({ reason: reasonText }),
    answer: z.strictObject({ payment_id: z.string() }),
    handle: async ({ runs, clock }, { caller, params: { id }, body: { reason } }) => {
      const done = await runs.void(caller, id, { reason, by: caller.principalId }, clock.now());
      return done.kind === 'done' ? ok({ payment_id: done.id }) : err(refusalOf(done));
    },
  }),
  route({
    method: 'post',
    path: '/v1/payments/import',
    id: 'import_bank_statement',
    summary: 'Match a bank statement (camt.053 or MT940) with payments; each transaction counts once',
    needs: 'ledger.write',
    isOfOrganization: true,
    byPerson: true,
    body: z.strictObject(fileMembers),
    answer: z.strictObject({
      format: z.enum(['camt.053', 'mt940']),
      pending: z.int().describe('Transactions that the bank has not booked yet; they are not read.'),
      entries: z.array(entry),
    }),
    handle: async (deps, { caller, body }) => {
      const read = await statementOf(deps, caller, body);
      if (!read.ok) return read;
      const { format, pending } = read.value;
      const entries: z.output<typeof entry>[] = [];
      for (const one of read.value.entries) {
        const wanted = { entry: one, by: caller.principalId };
        const found = await deps.runs.importEntry(caller, wanted, deps.clock.now());
        const { bookedOn, amountMicros, currency, text } = one;
        const base = { booked_on: bookedOn, amount: microsToDecimal(amountMicros), currency, text };
        entries.push({ ...base, ...entryView(found) });
      }
      return ok({ format, pending, entries });
    },
  }),
  route({
    method: 'get',
    path: '/v1/bank-accounts',
    id: 'list_bank_accounts',
    summary: 'Bank accounts of sellers, and our own by currency',
    needs: 'ledger.read',
    isOfOrganization: true,
    answer: z.strictObject({ bank_accounts: z.array(account) }),
    handle: async ({ accounts }, { caller }) => {
      const found = await accounts.list(caller);
      return ok({
        bank_accounts: found.map(({ usableFrom, setAt: _set, ...one }) => ({
          ...one,
          iban: shortIban(one.iban),
          usable_from: isoOf(usableFrom),
        })),
      });
    },
  }),
  route({
    method: 'post',
    path: '/v1/bank-accounts',
    id: 'set_bank_account',
    summary:
      'Set the bank account of a seller, or ours for a currency, once another person approves it; a seller’s can be used a day later',
    needs: 'ledger.write',
    isOfOrganization: true,
    byPerson: true,
    body: z.strictObject({
      seller: nameOrId.exactOptional().describe('A seller; or give currency for an account of ours.'),
      currency: z.string().length(3).exactOptional(),
      name: plainText(70).trim().min(1).describe('Of the holder.'),
      iban: z.string().max(50),
      bic: z.string().max(20).exactOptional(),
    }),
    answer: z.strictObject({ account: z.string(), ...aloneMember }),
    mayWait: true,
    handle: async (deps, { caller, body: { seller, currency, ...own } }) => {
      const read = readBankAccount(own);
      if (!read.ok) return err({ code: 'INVALID_REQUEST', ...read.error });
      const owner = await ownerOf(deps, caller, { seller, currency });
      if (!owner.ok) return owner;
      const act = { kind: 'set_bank_account', owner: owner.value, account: read.value } as const;
      const taken = await takeControl(deps, caller, act);
      if ('answer' in taken) return taken.answer;
      const named = 'seller' in owner.value ? owner.value.seller : owner.value.currency;
      return ok({ account: named, ...aloneOf(taken) });
    },
  }),
];

async function ownerOf(
  { connections }: PaymentsDeps,
  caller: PrincipalCaller,
  { seller, currency }: { readonly seller: string | undefined; readonly currency: string | undefined },
): Promise<Result<{ readonly seller: string } | { readonly currency: string }, AdminFailure>> {
  if ((seller === undefined) === (currency === undefined))
    return err({
      code: 'INVALID_REQUEST',
      message: 'Give the seller, or the currency of an account of ours.',
      field: 'seller',
    });
  if (currency !== undefined) return ok({ currency: currency.toUpperCase() });
  const found = (await connections.list(caller)).find(({ slug, id }) => slug === seller || id === seller);
  return found === undefined
    ? err({ code: 'NOT_FOUND', message: 'There is no seller with this name.', field: 'seller' })
    : ok({ seller: found.slug });
}

async function statementOf(
  deps: PaymentsDeps,
  caller: PrincipalCaller,
  body: Parameters<typeof openFile>[2],
): Promise<Result<BankStatement, AdminFailure>> {
  const file = await openFile(deps, caller, body);
  if (!file.ok) return file;
  const refused = (message: string) => err({ code: 'INVALID_REQUEST' as const, message, field: 'file' });
  return whileReading(deps, caller, async () => {
    const read = await readStatement(await file.value.content());
    return read.ok ? read : refused(read.error);
  });
}

/** MT940 is text of some kilobytes; larger files are no statements. */
const textBytes = 2_000_000;

async function readStatement(content: FileContent): Promise<Result<BankStatement, string>> {
  if (content.kind === 'xml') return readCamt053(content.root);
  if (content.kind !== 'text' || content.bytes.length > textBytes)
    return err('This is no bank statement: camt.053 and MT940 are read.');
  return readMt940(textOf(await inTurns(decodingWork(content.bytes))));
}

const openReasons = {
  amount_differs: 'Its amount is not that of the transfer.',
  paid_twice: 'Another transaction has booked its transfer: the bank may have paid twice.',
} as const;

function entryView(
  found: ImportedEntry,
): Omit<z.output<typeof entry>, 'booked_on' | 'amount' | 'currency' | 'text'> {
  if (found.state === 'known') return { state: 'known' };
  if (found.state === 'returned') return { state: 'returned', payment_id: found.orderId };
  if (found.state === 'booked')
    return {
      state: 'booked',
      by: found.by,
      ...defined({
        payment_id: found.orderId,
        invoice_id: found.invoiceId,
        client_invoice_id: found.clientInvoiceId,
      }),
    };
  const { proposals, reason } = found;
  return {
    state: 'open',
    ...(proposals !== undefined &&
      proposals.length > 0 && {
        proposals: proposals.map(({ id, number }) => ({ invoice_id: id, number })),
      }),
    ...(reason !== undefined && {
      reason: typeof reason === 'string' ? openReasons[reason] : paymentRefusal(reason).message,
    }),
  };
}

async function showRun(
  { runs, lists: reader }: PaymentsDeps,
  caller: PrincipalCaller,
  named: string,
): Promise<Result<z.output<typeof detail>, AdminFailure>> {
  const narrow = organizationWide(caller, 'ledger', 'read');
  if (narrow !== undefined) return err(narrow);
  const id = await runs.idOf(caller, named);
  const reach = reachOf(caller, 'ledger', 'read');
  const row = id === undefined ? undefined : await reader.one(caller, lists.paymentRunList, reach, id);
  if (id === undefined || row === undefined) return err(noRun);
  const [orders, held] = [await runs.orders(caller, id), await runs.held(caller, id)];
  return ok({
    ...declared.view.parse(shownRow(lists.paymentRunList, row)),
    held: [...held],
    orders: orders.map(({ id: orderId, amountMicros, items, bookedOn, voidReason, ...order }) => ({
      payment_id: orderId,
      seller: order.seller,
      currency: order.currency,
      state: transfer.shape.state.parse(order.state),
      amount: microsToDecimal(amountMicros),
      ...defined({ booked_on: bookedOn, void_reason: voidReason }),
      invoices: items.map((item) => ({
        invoice_id: item.invoiceId,
        number: item.number,
        amount: microsToDecimal(item.amountMicros),
        ...(item.discountMicros > 0n && { discount: microsToDecimal(item.discountMicros) }),
        credits: item.credits.map(({ credit_id: creditId, amount }) => ({
          credit_id: creditId,
          amount: microsToDecimal(BigInt(amount)),
        })),
      })),
    })),
  });
}

async function stepped(
  deps: PaymentsDeps,
  caller: PrincipalCaller,
  step: RunStep,
): Promise<Result<z.output<typeof detail>, AdminFailure>> {
  return step.kind === 'done' ? showRun(deps, caller, step.id) : err(refusalOf(step));
}

const noRun: AdminFailure = {
  code: 'NOT_FOUND',
  message: 'No proposal or payment that stands has this id or number.',
  field: 'id',
};

function refusalOf(step: Exclude<RunStep, { readonly kind: 'done' }>): AdminFailure {
  switch (step.kind) {
    case 'not_found':
      return noRun;
    case 'state':
      return {
        code: 'CONFLICT',
        message: 'The proposal or transfer is not in a state for this.',
        field: 'id',
        suggestion:
          'See its state: switchyard payments show ID. A proposal is approved and then exported, and withdrawn only before that; a transfer is recorded once its proposal is exported.',
      };
    case 'same_person':
      return {
        code: 'CONFLICT',
        message: 'You made this proposal: another person approves it.',
        field: 'id',
      };
    case 'nothing_due':
      return { code: 'CONFLICT', message: 'No invoice is due until then.', field: 'due_until' };
    case 'nothing_paid':
      return {
        code: 'CONFLICT',
        message: 'This proposal pays nothing: all that is due is held back.',
        field: 'id',
      };
    case 'changed':
      return {
        code: 'CONFLICT',
        message: `The proposal does not hold any more. ${step.faults.slice(0, 20).join(' ')}`,
        field: 'id',
        suggestion: 'Withdraw it and make a new one: switchyard payments withdraw ID.',
      };
    case 'refused':
      return paymentRefusal(step.refusal);
  }
}
