import { agingBuckets, agingOf, percentText, type AgingRow, type Payment } from '@switchyard/ledger';
import { microsToDecimal, parseDecimal } from '@switchyard/money';
import type { ConnectionDirectory } from '@switchyard/sellers';
import {
  lists,
  openInvoicesAtMost,
  type Paid,
  type PaymentRepository,
  type TermChange,
} from '@switchyard/store';
import { reachOf } from '@switchyard/tenancy';
import { defined, err, isoOf, isUuid, ok, type Clock, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { day, instant, nameOrId } from '../platform/routes/fields.js';
import { organizationWide } from '../platform/routes/list-filters.js';
import { resource } from '../platform/routes/resource.js';
import { routesOn } from '../platform/routes/route.js';
import { noRate } from '../ledger/index.js';
import { dayRefusal } from './day-of-act.js';

interface PayablesDeps {
  readonly payments: PaymentRepository;
  readonly connections: Pick<ConnectionDirectory, 'list'>;
  readonly clock: Clock;
}

const payment = z.strictObject({
  payment_id: z.string(),
  paid_on: z.string(),
  amount: z.string().describe("In the invoice's currency."),
  reporting_currency: z.string().exactOptional(),
  reporting_amount: z.string().exactOptional().describe('What it took in the reporting currency.'),
  difference: z
    .string()
    .exactOptional()
    .describe('Realised since the day of issue, in the reporting currency; above zero is a loss.'),
  reference: z.string().exactOptional(),
  entry_id: z.string(),
  difference_entry_id: z.string().exactOptional(),
  voided_at: instant.exactOptional().describe('When it was taken back.'),
  written_off: z
    .literal(true)
    .exactOptional()
    .describe('Nobody paid it: the rest of the invoice was written off.'),
});

const paid = z.strictObject({ ...payment.shape, currency: z.string(), open: z.string() });

const { view: term, routes: terms } = resource(lists.termList, {
  noun: 'term',
  plural: 'terms',
  area: 'ledger',
  summary: 'Days until invoices are due, by seller; 30 where none are set',
  example: { seller: 'acme', days: 45 },
});

const aging = z.strictObject({
  seller: z.string().exactOptional(),
  client_id: z.string().exactOptional(),
  client: z.string().exactOptional(),
  currency: z.string(),
  ...(Object.fromEntries(agingBuckets.map((name) => [name, z.string()])) as Record<
    (typeof agingBuckets)[number],
    z.ZodString
  >),
  total: z.string(),
  invoices: z.int(),
});

const route = routesOn<PayablesDeps>();

/** Invoices to pay: the due date, the paid amount, and the age of the rest. */
export const payableRoutes = [
  route({
    method: 'post',
    path: '/v1/invoices/{id}/pay',
    id: 'pay_invoice',
    summary: 'Record that an invoice was paid, whole or in part, with an entry in the ledger',
    needs: 'ledger.write',
    byPerson: true,
    body: z.strictObject({
      date: day,
      amount: z.string().max(40).exactOptional().describe('All that is open and not held unless set.'),
      reporting_amount: z
        .string()
        .max(40)
        .exactOptional()
        .describe('What the bank took in the reporting currency; by the rate of the day unless set.'),
      reference: z.string().min(1).max(100).exactOptional().describe('The same one is booked once.'),
    }),
    answer: paid,
    handle: (deps, { caller, params: { id }, body }) => payInvoice(deps, caller, { id, ...body }),
  }),
  route({
    method: 'get',
    path: '/v1/invoices/{id}/payments',
    id: 'list_invoice_payments',
    summary: 'Payments of one invoice, the oldest first',
    needs: 'ledger.read',
    answer: z.strictObject({ payments: z.array(payment) }),
    handle: async ({ payments }, { caller, params: { id } }) => {
      // An invoice bills all clients of a seller together, so it needs reach on everything.
      const seesAll = reachOf(caller, 'ledger', 'read').kind === 'everything';
      const found = seesAll && isUuid(id) ? await payments.ofInvoice(caller, id) : undefined;
      return found === undefined
        ? err(paymentRefusal({ kind: 'no_invoice' }))
        : ok({ payments: found.map(paymentView) });
    },
  }),
  ...terms,
  route({
    method: 'post',
    path: '/v1/terms',
    id: 'set_term',
    summary: 'Set how many days after its issue an invoice of a seller is due, for invoices from now on',
    needs: 'ledger.write',
    isOfOrganization: true,
    byPerson: true,
    body: z.strictObject({
      seller: nameOrId,
      days: z.int().min(0).max(365),
      discount: z
        .string()
        .max(6)
        .nullable()
        .exactOptional()
        .describe(
          'Percent that the seller allows for early payment, two decimals at most. Null: none any more. Absent: as it was.',
        ),
      discount_days: z.int().min(0).max(365).exactOptional().describe('Within how many days of the issue.'),
    }),
    answer: term,
    handle: async ({ payments, connections, clock }, { caller, body: { seller, days, ...early } }) => {
      const found = (await connections.list(caller)).find(({ slug, id }) => slug === seller || id === seller);
      if (found === undefined)
        return err({ code: 'NOT_FOUND', message: 'There is no seller with this name.', field: 'seller' });
      const discount = discountOf(early);
      if (!discount.ok) return discount;
      const set = { seller: found.slug, days, ...discount.value };
      return ok(termView(await payments.setTerm(caller, set, caller.principalId, clock.now())));
    },
  }),
  route({
    method: 'get',
    path: '/v1/aging',
    id: 'show_aging',
    summary: 'Open amounts of invoices, by age',
    needs: 'ledger.read',
    query: z.strictObject({
      by: z
        .string()
        .max(40)
        .exactOptional()
        .describe('client, seller, or both, by comma; seller unless set.'),
    }),
    answer: z.strictObject({ date: z.string(), aging: z.array(aging) }),
    example: { date: '2026-11-23', aging: [] },
    handle: async ({ payments, clock }, { caller, query: { by = 'seller' } }) => {
      const named = by.split(',').map((part) => part.trim());
      if (named.some((name) => name !== 'client' && name !== 'seller'))
        return err({ code: 'INVALID_REQUEST', message: 'Aging is by client, seller or both.', field: 'by' });
      const open = await payments.open(caller, reachOf(caller, 'ledger', 'read'));
      if (new Set(open.map(({ id }) => id)).size >= openInvoicesAtMost)
        return err({
          code: 'INVALID_REQUEST',
          message: `${openInvoicesAtMost} invoices or more are open.`,
          suggestion: 'Record which invoices were paid: switchyard invoices pay ID.',
        });
      const date = isoOf(clock.now()).slice(0, 10);
      const rows = agingOf(open, date, new Set(named as ('client' | 'seller')[]));
      return ok({ date, aging: rows.map(agingView) });
    },
  }),
];

/** A discount has both a percent and its days, or none of them. */
function discountOf({
  discount,
  discount_days: days,
}: {
  readonly discount?: string | null;
  readonly discount_days?: number;
}): Result<Pick<TermChange, 'discountHundredths' | 'discountDays'>, AdminFailure> {
  if (discount === undefined && days === undefined) return ok({});
  if (discount === null && days === undefined) return ok({ discountHundredths: null, discountDays: null });
  const read = parseDecimal(discount ?? '');
  if (
    days === undefined ||
    !read.ok ||
    read.value <= 0n ||
    read.value > 50_000_000n ||
    read.value % 10_000n !== 0n
  )
    return err({
      code: 'INVALID_REQUEST',
      message: 'A discount needs a percent above 0 and up to 50, with two decimals at most, and its days.',
      field: 'discount',
    });
  return ok({ discountHundredths: Number(read.value / 10_000n), discountDays: days });
}

function termView({
  seller,
  days,
  discountHundredths: hundredths,
  discountDays: discountDays,
}: {
  readonly seller: string;
  readonly days: number;
  readonly discountHundredths?: number;
  readonly discountDays?: number;
}): z.output<typeof term> {
  return {
    seller,
    days,
    ...(hundredths !== undefined && { discount: percentText(hundredths) }),
    ...defined({ discount_days: discountDays }),
  };
}

async function payInvoice(
  { payments, clock }: PayablesDeps,
  caller: PrincipalCaller,
  wanted: {
    readonly id: string;
    readonly date: string;
    readonly amount?: string;
    readonly reporting_amount?: string;
    readonly reference?: string;
  },
): Promise<Result<z.output<typeof paid>, AdminFailure>> {
  const narrow = organizationWide(caller, 'ledger', 'write');
  if (narrow !== undefined) return err(narrow);
  const { id, date, amount, reporting_amount: reporting, reference } = wanted;
  const now = clock.now();
  const wrongDay = dayRefusal(date, now);
  if (wrongDay !== undefined) return err(wrongDay);
  const amountMicros = amount === undefined ? undefined : positive(amount);
  if (amountMicros === null) return err(notPositive('amount'));
  const reportingMicros = reporting === undefined ? undefined : positive(reporting);
  if (reportingMicros === null) return err(notPositive('reporting_amount'));
  if (!isUuid(id)) return err(paymentRefusal({ kind: 'no_invoice' }));
  const done = await payments.pay(
    caller,
    {
      invoiceId: id,
      paidOn: date,
      by: caller.principalId,
      ...defined({ amountMicros, reportingMicros, reference }),
    },
    now,
  );
  if (done.kind !== 'paid') return err(paymentRefusal(done));
  return ok({
    ...paymentView(done.payment),
    currency: done.currency,
    open: microsToDecimal(done.openMicros),
  });
}

function positive(text: string): bigint | null {
  const read = parseDecimal(text);
  return read.ok && read.value > 0n ? read.value : null;
}

const notPositive = (field: string): AdminFailure => ({
  code: 'INVALID_REQUEST',
  message: 'A payment must be a decimal number above zero.',
  field,
});

/** Why a payment is not booked. */
export function paymentRefusal(refused: Exclude<Paid, { readonly kind: 'paid' }>): AdminFailure {
  switch (refused.kind) {
    case 'no_invoice':
      return { code: 'NOT_FOUND', message: 'No invoice has this id.', field: 'id' };
    case 'held':
      return {
        code: 'CONFLICT',
        message: `This invoice is held: ${refused.reason}`,
        field: 'id',
        suggestion: 'Release it, or resolve its differences in another way.',
      };
    case 'voided':
      return { code: 'CONFLICT', message: 'This invoice was voided: nothing of it is paid.', field: 'id' };
    case 'not_approved':
      return {
        code: 'CONFLICT',
        message: 'This invoice is not approved yet.',
        field: 'id',
        suggestion: 'Another person than its importer approves it: switchyard invoices approve ID.',
      };
    case 'ordered':
      return {
        code: 'CONFLICT',
        message: 'A proposal of payments pays this invoice.',
        field: 'id',
        suggestion: 'See it with switchyard payments list, or withdraw it.',
      };
    case 'paid_already':
      return { code: 'CONFLICT', message: 'This invoice is already paid.', field: 'id' };
    case 'known_reference':
      return {
        code: 'CONFLICT',
        message: 'A payment with this reference is already booked.',
        field: 'reference',
      };
    case 'too_much':
      return {
        code: 'CONFLICT',
        message: `Only ${microsToDecimal(refused.openMicros)} ${refused.currency} is open.`,
        field: 'amount',
      };
    case 'too_precise':
      return {
        code: 'INVALID_REQUEST',
        message: `This has more decimals than ${refused.currency} has.`,
        field: refused.field,
      };
    case 'same_currency':
      return {
        code: 'INVALID_REQUEST',
        message: `The invoice is in ${refused.currency}, which is the reporting currency: there is nothing to convert.`,
        field: 'reporting_amount',
      };
    case 'no_rate':
      return noRate(refused);
  }
}

function paymentView(stored: Payment): z.output<typeof payment> {
  return {
    payment_id: stored.id,
    paid_on: stored.paidOn,
    amount: microsToDecimal(stored.amountMicros),
    entry_id: stored.entryId,
    ...(stored.reportingCurrency !== undefined && { reporting_currency: stored.reportingCurrency }),
    ...(stored.reportingMicros !== undefined && {
      reporting_amount: microsToDecimal(stored.reportingMicros),
    }),
    ...(stored.differenceMicros !== undefined && { difference: microsToDecimal(stored.differenceMicros) }),
    ...defined({ reference: stored.reference, difference_entry_id: stored.differenceEntryId }),
    ...(stored.voidedAt !== undefined && { voided_at: isoOf(stored.voidedAt) }),
    ...(stored.isWrittenOff === true && { written_off: true }),
  };
}

function agingView(row: AgingRow): z.output<typeof aging> {
  return {
    currency: row.currency,
    current: microsToDecimal(row.current),
    days_1_30: microsToDecimal(row.days_1_30),
    days_31_60: microsToDecimal(row.days_31_60),
    days_61_90: microsToDecimal(row.days_61_90),
    over_90: microsToDecimal(row.over_90),
    total: microsToDecimal(row.totalMicros),
    invoices: row.invoiceTotal,
    ...defined({ seller: row.seller, client_id: row.clientId, client: row.client }),
  };
}
