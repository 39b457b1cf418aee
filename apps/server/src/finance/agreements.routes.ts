import { faultOfAgreement, type Agreement } from '@switchyard/ledger';
import { parseDecimal } from '@switchyard/money';
import type { ConnectionDirectory } from '@switchyard/sellers';
import { lists } from '@switchyard/store';
import { defined, err, ok, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import { aloneMember, aloneOf, takeControl, type ControlDeps } from '../platform/routes/control.js';
import { nameOrId, period, plainText, reasonText } from '../platform/routes/fields.js';
import { resource, type ListDeps } from '../platform/routes/resource.js';
import { routesOn } from '../platform/routes/route.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';

interface AgreementsDeps extends ListDeps, ControlDeps {
  readonly connections: Pick<ConnectionDirectory, 'list'>;
  readonly newId: () => string;
}

const agreementId = '2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11';

const declared = resource(lists.agreementList, {
  noun: 'agreement',
  plural: 'agreements',
  area: 'ledger',
  summary: 'What was agreed with sellers about how they bill',
  example: {
    agreement_id: agreementId,
    seller: 'harbor',
    commission: '15',
    bills: 'net',
    first_month: '2026-11',
    reason: 'Frame contract 2026, page 3.',
    set_by: 'ada',
    set_at: '2026-11-21T12:00:00.000Z',
  },
  command: {
    title: 'agreements: how sellers bill',
    summary: 'list agreements, newest first',
    columns: {
      Agreement: 'agreement_id',
      Seller: 'seller',
      For: { of: ['media_buy_id', 'insertion_order'], none: 'every buy' },
      Commission: 'commission',
      Bills: 'bills',
      Capped: 'capped',
      Fees: 'fees',
      From: 'first_month',
      Until: 'last_month',
    },
    none: 'Nothing was agreed: media is paid as delivered, and no fees.',
  },
});

const percent = z.string().max(10);

const draft = z.strictObject({
  seller: nameOrId,
  media_buy_id: plainText(200).trim().min(1).exactOptional().describe('Only this buy.'),
  insertion_order: plainText(200)
    .trim()
    .min(1)
    .exactOptional()
    .describe('Only buys of this insertion order.'),
  commission: percent.exactOptional().describe('Of the agency, in percent: above 0 and below 100.'),
  bills: z
    .enum(['gross', 'net'])
    .exactOptional()
    .describe('Whether its invoices are with the commission (gross) or without it (net).'),
  capped: z.boolean().exactOptional().describe('Whether nothing above the order is owed.'),
  fees: percent
    .exactOptional()
    .describe('Fees up to this percentage of the media of a document were agreed; others were not ordered.'),
  counted_by: z
    .enum(['seller', 'third_party'])
    .exactOptional()
    .describe('Whose count is owed, before what the terms of a package say.'),
  variance: percent.exactOptional().describe('How far the two counts may differ, in percent.'),
  first_month: period,
  last_month: period.exactOptional(),
  reason: reasonText.describe('Where it is written: the contract, or the mail.'),
});

const answer = z.strictObject({ agreement_id: z.string(), ...aloneMember });
const example = { agreement_id: agreementId };

const route = routesOn<AgreementsDeps>();

/** Commission, net or gross, cap, fees and whose count: what a seller is owed beside its delivery. */
export const agreementRoutes = [
  ...declared.routes,
  route({
    method: 'post',
    path: '/v1/agreements',
    id: 'set_agreement',
    summary: 'Say what was agreed with a seller about how it bills, once another person approves it',
    needs: 'ledger.write',
    isOfOrganization: true,
    byPerson: true,
    mayWait: true,
    body: draft,
    answer,
    example,
    handle: (deps, { caller, body }) => setAgreement(deps, caller, body),
  }),
  route({
    method: 'post',
    path: '/v1/agreements/{id}/end',
    id: 'end_agreement',
    summary: 'End an agreement with a month, once another person approves it',
    needs: 'ledger.write',
    isOfOrganization: true,
    byPerson: true,
    mayWait: true,
    body: z.strictObject({
      last_month: period.describe('The last month that it holds; before its first one, it never holds.'),
    }),
    answer,
    example,
    handle: async (deps, { caller, params: { id }, body: { last_month: lastMonth } }) => {
      const act = { kind: 'end_agreement', agreementId: id, lastMonth } as const;
      const taken = await takeControl(deps, caller, act);
      return 'answer' in taken ? taken.answer : ok({ agreement_id: id, ...aloneOf(taken) });
    },
  }),
];

async function setAgreement(deps: AgreementsDeps, caller: PrincipalCaller, body: z.output<typeof draft>) {
  const { seller, reason, ...said } = body;
  const connection = (await deps.connections.list(caller)).find(
    ({ slug, id }) => slug === seller || id === seller,
  );
  if (connection === undefined)
    return err({
      code: 'NOT_FOUND' as const,
      message: 'There is no seller with this name.',
      field: 'seller',
    });
  const read = readAgreement(connection.slug, said);
  if (!read.ok) return read;
  const agreement = { id: deps.newId(), ...read.value };
  const taken = await takeControl(deps, caller, { kind: 'set_agreement', agreement, reason });
  return 'answer' in taken ? taken.answer : ok({ agreement_id: agreement.id, ...aloneOf(taken) });
}

function readAgreement(
  seller: string,
  said: Omit<z.output<typeof draft>, 'seller' | 'reason'>,
): Result<Omit<Agreement, 'id'>, AdminFailure> {
  const parts: { commission?: number; fees?: number; variance?: number } = {};
  for (const field of ['commission', 'fees', 'variance'] as const) {
    const text = said[field];
    if (text === undefined) continue;
    const read = parseDecimal(text);
    if (!read.ok || read.value < 0n || read.value > 100_000_000n || read.value % 10_000n !== 0n)
      return err({ code: 'INVALID_REQUEST', message: 'A percentage has two decimals at most.', field });
    parts[field] = Number(read.value / 10_000n);
  }
  const agreement = {
    seller,
    firstMonth: said.first_month,
    ...defined({
      mediaBuyId: said.media_buy_id,
      insertionOrder: said.insertion_order,
      commissionHundredths: parts.commission,
      bills: said.bills,
      isCapped: said.capped,
      feeHundredths: parts.fees,
      countedBy: said.counted_by,
      varianceHundredths: parts.variance,
      lastMonth: said.last_month,
    }),
  };
  const fault = faultOfAgreement(agreement);
  return fault === undefined ? ok(agreement) : err({ code: 'INVALID_REQUEST', ...faults[fault] });
}

const faults: Readonly<
  Record<
    NonNullable<ReturnType<typeof faultOfAgreement>>,
    { readonly message: string; readonly field?: string }
  >
> = {
  nothing: {
    message: 'An agreement says at least one of commission, capped, fees, counted_by and variance.',
  },
  commission: { message: 'A commission is above 0 and below 100 percent.', field: 'commission' },
  bills: { message: 'A commission and bills (gross or net) go together.', field: 'bills' },
  fee: { message: 'Fees are from 0 to 100 percent of media.', field: 'fees' },
  variance: { message: 'A variance is from 0 to 100 percent.', field: 'variance' },
  last_month: { message: 'An agreement ends with its first month or later.', field: 'last_month' },
};
