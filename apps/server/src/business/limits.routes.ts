import {
  limitKinds,
  limitName,
  usedOf,
  type LimitKind,
  type LimitUse,
  type RateOf,
  type SpendingLimit,
} from '@switchyard/buys';
import { budgetFault, checkBudget, isCurrency, microsToDecimal } from '@switchyard/money';
import type { Organizations, SpendingLimits } from '@switchyard/store';
import { isInReach, reachOf } from '@switchyard/tenancy';
import { err, isoOf, isUuid, ok, brandDomainOf, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import { scopeOf, type PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { aloneMember, aloneOf, takeControl, type ControlDeps } from '../platform/routes/control.js';
import { decimalText, instant } from '../platform/routes/fields.js';
import { sortQuery } from '../platform/routes/list-filters.js';
import { listPage, nextCursor, pageQuery } from '../platform/routes/list-page.js';
import { routesOn, type WaitsForApproval } from '../platform/routes/route.js';

interface LimitsDeps extends ControlDeps {
  readonly spendingLimits: SpendingLimits;
  readonly organizations: Pick<Organizations, 'byId'>;
  readonly newId: () => string;
}

/** A limit with its current use, in the limit's own currency. Amounts are decimal text. */
export const limitRow = z.strictObject({
  limit_id: z.string(),
  for: z
    .string()
    .describe(
      '`organization`, `principal:ID`, `client:ID`, `brand:DOMAIN`, `campaign:ID`, `seller:SLUG`, `each-buy`, `new-brand`, or `program:ID:CLIENT`: what one program buys for one person.',
    ),
  name: z
    .string()
    .exactOptional()
    .describe('Of the principal, client or campaign; for a program, of its person.'),
  limit: z.string(),
  currency: z.string(),
  per: z.enum(['month']).nullable().describe('Of what is to be spent in the present month; null: in all.'),
  above: z.enum(['ask', 'refuse']),
  committed: z.string().nullable().describe('Null if no exchange rate applies, and for each-buy limits.'),
  pending: z.string().nullable(),
  left: z
    .string()
    .nullable()
    .describe('Below zero where sellers delivered or invoiced more than was bought.'),
  missing_rate_from: z.string().exactOptional().describe('The currency without an exchange rate.'),
  set_at: instant,
});

const setRequest = z.strictObject({
  for: z
    .string()
    .min(1)
    .max(300)
    .describe(
      'As in an answer, but not program, which its person sets at consent. new-brand: what the first buy for a brand does, whatever it costs.',
    ),
  amount: decimalText(12).exactOptional().describe('Needed, but for new-brand, which has none.'),
  currency: z.string().length(3).exactOptional().describe('Needed, but for new-brand.'),
  per: z.enum(['month']).exactOptional(),
  above: z.enum(['ask', 'refuse']).exactOptional().describe('What happens above it; `ask` unless set.'),
});

const route = routesOn<LimitsDeps>();

/** Spending limits: who may spend how much, for whom, and at which seller. */
export const limitRoutes = [
  route({
    method: 'get',
    path: '/v1/limits',
    id: 'list_limits',
    summary: 'Spending limits, with what is committed, pending and left',
    needs: 'ledger.read',
    query: z.strictObject({ ...sortQuery, ...pageQuery }),
    answer: z.strictObject({ limits: z.array(limitRow), next_cursor: nextCursor }),
    example: {
      limits: [
        {
          limit_id: '2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11',
          for: 'brand:acme.example',
          limit: '50000',
          currency: 'USD',
          per: 'month',
          above: 'ask',
          committed: '29900.5',
          pending: '0',
          left: '20099.5',
          set_at: '2026-11-21T12:00:00.000Z',
        },
      ],
    },
    handle: async ({ spendingLimits, clock }, { caller, query }) => {
      const scope = scopeOf(caller);
      const [at, reach] = [clock.now(), reachOf(caller, 'ledger', 'read')];
      const rateOf = await spendingLimits.rates(scope, at);
      const page = await listPage(
        { id: 'limits', caller, query },
        (read) => spendingLimits.list(scope, { reach, at, ...(query.sort && { sort: query.sort }), ...read }),
        ({ limit }) => [limit.createdAt, limit.id],
      );
      if (!page.ok) return page;
      return ok({ limits: page.value.rows.map((use) => viewOf(use, rateOf)), ...page.value.next });
    },
  }),
  route({
    method: 'post',
    path: '/v1/limits',
    id: 'set_limit',
    summary:
      'Set a spending limit, in place of the one for the same thing and period; another person approves a raise',
    needs: 'ledger.write',
    byPerson: true,
    body: setRequest,
    answer: z.strictObject({ limit_id: z.string(), ...aloneMember }),
    mayWait: true,
    example: { limit_id: '2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11' },
    handle: (deps, { caller, body }) => set(deps, caller, body),
  }),
  route({
    method: 'delete',
    path: '/v1/limits/{id}',
    id: 'remove_limit',
    summary: 'Remove a spending limit once another person approves it; committed amounts stay counted',
    needs: 'ledger.write',
    byPerson: true,
    answer: z.strictObject({ limit_id: z.string(), removed_at: instant, ...aloneMember }),
    mayWait: true,
    handle: async (deps, { caller, params: { id } }) => {
      const found = await deps.spendingLimits.find(scopeOf(caller), id);
      if (found?.kind === 'program') return err(setAtConsent);
      if (found === undefined || !(await maySet(deps, caller, found))) return err(unknownLimit);
      const at = deps.clock.now();
      const taken = await takeControl(deps, caller, { kind: 'remove_limit', limitId: id });
      if ('answer' in taken) return taken.answer;
      return ok({ limit_id: id, removed_at: isoOf(at), ...aloneOf(taken) });
    },
  }),
];

async function set(
  deps: LimitsDeps,
  caller: PrincipalCaller,
  body: z.output<typeof setRequest>,
): Promise<Result<{ readonly limit_id: string; readonly alone?: true } | WaitsForApproval, AdminFailure>> {
  const of = readFor(body.for);
  if (body.for.startsWith('program:')) return err(setAtConsent);
  if (of === undefined) return err(invalid('for', forHint));
  if ((of.kind === 'each_buy' || of.kind === 'new_brand') && body.per !== undefined)
    return err(invalid('per', `A limit on ${body.for} has no period.`));
  const sum = await amountOf(deps, caller, of.kind, body);
  if (!sum.ok) return sum;
  if (!(await maySet(deps, caller, of)))
    return err({ code: 'NOT_FOUND', message: `There is no ${body.for}.`, field: 'for' });
  const limit: SpendingLimit = {
    ...of,
    id: deps.newId(),
    ...sum.value,
    above: body.above ?? 'ask',
    createdAt: deps.clock.now(),
    ...(body.per === undefined ? {} : { per: body.per }),
  };
  const taken = await takeControl(deps, caller, { kind: 'set_limit', limit });
  return 'answer' in taken ? taken.answer : ok({ limit_id: limit.id, ...aloneOf(taken) });
}

/** The amount above which a limit acts. A limit on new brands acts from zero, in the organization's currency. */
async function amountOf(
  { organizations }: Pick<LimitsDeps, 'organizations'>,
  { organizationId }: PrincipalCaller,
  kind: LimitKind,
  { amount, currency }: z.output<typeof setRequest>,
): Promise<Result<Pick<SpendingLimit, 'amount' | 'currency'>, AdminFailure>> {
  if (kind === 'new_brand') {
    if (amount !== undefined) return err(invalid('amount', 'The limit on new brands has no amount.'));
    const organization = await organizations.byId(organizationId);
    return ok({ amount: 0n, currency: currency ?? organization?.currency ?? 'USD' });
  }
  if (amount === undefined) return err(invalid('amount', 'A limit needs an amount.'));
  if (currency === undefined || !isCurrency(currency))
    return err(invalid('currency', 'A limit needs a currency of ISO 4217.'));
  const read = checkBudget(amount, currency);
  if (!read.ok) return err(invalid('amount', budgetFault(read.error, currency)));
  return ok({ amount: read.value, currency });
}

/** A limit on a client, brand or campaign needs reach on that object; every other limit needs reach on everything. */
async function maySet(
  { spendingLimits }: Pick<LimitsDeps, 'spendingLimits'>,
  caller: PrincipalCaller,
  of: Pick<SpendingLimit, 'kind' | 'key'>,
): Promise<boolean> {
  const place = await spendingLimits.placeOf(scopeOf(caller), of);
  return place !== undefined && isInReach(reachOf(caller, 'ledger', 'write'), place);
}

const forHint =
  'for is organization, principal:ID, client:ID, brand:DOMAIN, campaign:ID, seller:SLUG, each-buy or new-brand.';

function readFor(text: string): Pick<SpendingLimit, 'kind' | 'key'> | undefined {
  if (text === 'organization') return { kind: 'organization', key: '' };
  if (text === 'each-buy') return { kind: 'each_buy', key: '' };
  if (text === 'new-brand') return { kind: 'new_brand', key: '' };
  const at = text.indexOf(':');
  const kind = limitKinds.find((limitKind) => limitKind === text.slice(0, at) && isKeyed(limitKind));
  const named = text.slice(at + 1);
  const key = kind === 'brand' ? brandDomainOf(named) : named.toLowerCase();
  if (kind === undefined || key === '') return undefined;
  const isId = kind === 'principal' || kind === 'client' || kind === 'campaign';
  return isId && !isUuid(key) ? undefined : { kind, key };
}

function isKeyed(kind: LimitKind): boolean {
  return kind !== 'organization' && kind !== 'each_buy' && kind !== 'new_brand';
}

/** A limit as the list and `GET /v1/me` show it. */
export function viewOf(use: LimitUse, rateOf: RateOf) {
  const { limit } = use;
  const used = usedOf(use, rateOf);
  const common = {
    limit_id: limit.id,
    for: limitName(limit),
    ...(limit.name !== undefined && { name: limit.name }),
    limit: microsToDecimal(limit.amount),
    currency: limit.currency,
    per: limit.per ?? null,
    above: limit.above,
    set_at: isoOf(limit.createdAt),
  };
  const unknown = { committed: null, pending: null, left: null };
  if (limit.kind === 'each_buy' || limit.kind === 'new_brand') return { ...common, ...unknown };
  if ('from' in used) return { ...common, ...unknown, missing_rate_from: used.from };
  const left = limit.amount - used.committed - used.pending;
  return {
    ...common,
    committed: microsToDecimal(used.committed),
    pending: microsToDecimal(used.pending),
    left: microsToDecimal(left),
  };
}

function invalid(field: string, message: string): AdminFailure {
  return { code: 'INVALID_REQUEST', message, field };
}

const setAtConsent: AdminFailure = {
  code: 'CONFLICT',
  message: 'The limit of a program is set by its person, when that person lets it in.',
  suggestion: 'To change it, let the program sign in again. To end it, end the program in the console.',
};

const unknownLimit: AdminFailure = { code: 'NOT_FOUND', message: 'There is no limit with this id.' };
