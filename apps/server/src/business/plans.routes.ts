import { microsOf, microsToDecimal } from '@switchyard/money';
import type { ClientRepository } from '@switchyard/buys';
import { lists, type BuyPlan, type ListedRow, type PlanRepository } from '@switchyard/store';
import { isInReach, reachOf } from '@switchyard/tenancy';
import { err, ok, type Clock, type JsonObject, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import { shownRow } from '../platform/routes/declared-view.js';
import { brandName, day, decimalText, plainText } from '../platform/routes/fields.js';
import { resource, type ListDeps } from '../platform/routes/resource.js';
import { routesOn, type Immutable } from '../platform/routes/route.js';
import { scopeOf, type PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { campaignIn, noCampaign } from './campaign-in.js';

interface PlansDeps extends ListDeps {
  readonly plans: PlanRepository;
  readonly clients: ClientRepository;
  readonly clock: Clock;
  readonly newId: () => string;
}

const mostLines = 100;
const amount = z.union([z.literal(''), decimalText(15)]);
const monthText = z.string().regex(/^\d{4}-\d\d$/, 'must be a month as YYYY-MM');

const line = z.strictObject({
  product_id: plainText(300).min(1).describe('As an answer of get_products names it.'),
  pricing_option_id: plainText(300).min(1),
  name: plainText(300),
  seller: plainText(100).min(1).describe('Its short name.'),
  price: amount,
  model: plainText(40).describe('What the price is for: cpm.'),
  currency: z.string().regex(/^[A-Z]{3}$/, 'must be a currency such as USD'),
  minimum: amount.describe('Least spend that its seller takes; empty for none.'),
  formats: z.array(plainText(200)).max(50),
  budget: amount,
  bid: amount,
  months: z.record(monthText, amount).exactOptional().describe('Budgets by month.'),
  creative_ids: z.array(plainText(255)).max(50).exactOptional(),
  is_auction: z.boolean(),
});

const content = z.strictObject({
  start: z.union([z.literal(''), day]).describe('First day (UTC); empty for at once.'),
  end: z.union([z.literal(''), day]).describe('Last day (UTC), included; empty until it is chosen.'),
  by_month: z.boolean().describe('Whether each month is a line of its own.'),
  lines: z.array(line).max(mostLines),
});
type Content = z.output<typeof content>;

const planName = plainText(120).trim().min(1);
const members = {
  name: planName,
  brand: z
    .union([z.literal(''), brandName])
    .exactOptional()
    .describe('Domain of the brand.'),
  campaign_id: z.uuid().nullable().exactOptional(),
  shared: z
    .boolean()
    .exactOptional()
    .describe('Whether others whose reach it is in see it. false unless set.'),
  content: content.exactOptional(),
  refused_in: plainText(100)
    .nullable()
    .exactOptional()
    .describe('Id of the buy whose refused parts it places elsewhere.'),
};

const example = {
  plan_id: '2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11',
  name: 'City bikes, winter push',
  state: 'draft' as const,
  brand: 'nova.example',
  campaign_id: '4d1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d12',
  campaign: 'City bikes autumn',
  client: 'Nova Foods',
  totals: { USD: '12000' },
  sellers: ['harbor'],
  lines: 1,
  shared: true,
  version: 3,
  refused_in: null,
  media_buy_id: null,
  made_by: 'Tina Ferrara',
  made_by_id: '5a0e8a52-3f6d-4b1d-9d5a-0c5b8f1e2a77',
  changed_by: 'Tina Ferrara',
  created_at: '2026-11-26T09:00:00.000Z',
  updated_at: '2026-11-26T09:12:00.000Z',
};
const exampleContent = {
  start: '2026-12-01',
  end: '2027-01-31',
  by_month: false,
  lines: [
    {
      product_id: 'harbor:riders',
      pricing_option_id: 'cpm-usd',
      name: 'Riders, online video',
      seller: 'harbor',
      price: '18.55',
      model: 'cpm',
      currency: 'USD',
      minimum: '2500',
      formats: ['video_16x9'],
      budget: '12000',
      bid: '',
      is_auction: false,
    },
  ],
};

const { view, routes: listed } = resource(lists.planList, {
  noun: 'plan',
  plural: 'plans',
  area: 'media_buys',
  summary: 'Plans: lines that are not bought yet; your own, and those that others share',
  example,
  views: {
    totals: z.record(z.string(), z.string()).describe('Budgets of its lines as decimal text, by currency.'),
    sellers: z.array(z.string()),
  },
  command: {
    title: 'plans: lines that are not bought yet',
    summary: 'list plans, newest first: yours, and those that others share',
    columns: {
      Plan: 'plan_id',
      Name: 'name',
      State: 'state',
      Campaign: 'campaign',
      Lines: 'lines',
      Shared: 'shared',
      'Made by': 'made_by',
    },
    none: 'There are no plans.',
  },
});

const whole = z.strictObject({ ...view.shape, content });
type WholePlan = Immutable<z.output<typeof whole>>;

const route = routesOn<PlansDeps>();

/** Plans: what somebody means to buy, kept for later and for colleagues. */
export const planRoutes = [
  ...listed,
  route({
    method: 'get',
    path: '/v1/plans/{id}',
    id: 'show_plan',
    summary: 'One plan with its lines',
    needs: 'media_buys.read',
    answer: whole,
    example: { ...example, content: exampleContent },
    handle: (deps, { caller, params: { id } }) => shown(deps, caller, id),
  }),
  route({
    method: 'post',
    path: '/v1/plans',
    id: 'add_plan',
    summary: 'Store a plan. Nothing is ordered',
    needs: 'media_buys.write',
    body: z.strictObject(members),
    answer: whole,
    status: 201,
    example: { ...example, version: 1, content: exampleContent },
    handle: async (deps, { caller, body }) => {
      const plan = await planAfter(deps, caller, { ...nothing, id: deps.newId() }, body);
      if (!plan.ok) return plan;
      await deps.plans.add(scopeOf(caller), plan.value, caller.principalId, deps.clock.now());
      return shown(deps, caller, plan.value.id);
    },
  }),
  route({
    method: 'post',
    path: '/v1/plans/{id}',
    id: 'change_plan',
    summary: 'Change a plan, if nobody changed it meanwhile; members that are left out stay',
    needs: 'media_buys.write',
    body: z.strictObject({
      ...members,
      name: planName.exactOptional(),
      version: z.int().min(1).describe('The version that was read.'),
      media_buy_id: plainText(100)
        .nullable()
        .exactOptional()
        .describe('Id of the buy that it became: the plan is bought. null: a draft again.'),
    }),
    answer: whole,
    example: { ...example, version: 4, content: exampleContent },
    handle: async (deps, { caller, params: { id }, body: { version, ...changes } }) => {
      const known = await planWithin(deps, caller, 'write', id);
      if (known === undefined) return err(noPlan);
      const plan = await planAfter(deps, caller, known, changes);
      if (!plan.ok) return plan;
      const { principalId } = caller;
      const done = await deps.plans.replace(
        scopeOf(caller),
        plan.value,
        version,
        principalId,
        deps.clock.now(),
      );
      return done ? shown(deps, caller, id) : err(changedMeanwhile);
    },
  }),
  route({
    method: 'delete',
    path: '/v1/plans/{id}',
    id: 'remove_plan',
    summary: 'Remove a plan',
    needs: 'media_buys.write',
    answer: z.strictObject({ plan_id: z.string(), name: z.string(), removed: z.literal(true) }),
    handle: async (deps, { caller, params: { id } }) => {
      const known = await planWithin(deps, caller, 'write', id);
      if (known === undefined || !(await deps.plans.remove(scopeOf(caller), known.id))) return err(noPlan);
      return ok({ plan_id: known.id, name: known.name, removed: true as const });
    },
  }),
];

const noPlan: AdminFailure = { code: 'NOT_FOUND', message: 'There is no plan with this id.', field: 'id' };
const changedMeanwhile: AdminFailure = {
  code: 'CONFLICT',
  message: 'Somebody changed this plan after you had read it.',
  field: 'version',
  suggestion: 'Read it again, and repeat your change. Or store yours as another plan.',
};

const nothing: Omit<BuyPlan, 'id'> = {
  name: '',
  brandDomain: '',
  isShared: false,
  content: { start: '', end: '', by_month: false, lines: [] },
  totals: {},
  sellers: [],
  lines: 0,
};

async function rowWithin(
  { lists: reader }: PlansDeps,
  caller: PrincipalCaller,
  kind: 'read' | 'write',
  id: string,
) {
  return reader.one(caller, lists.planList, reachOf(caller, 'media_buys', kind), id, caller.principalId);
}

async function shown(
  deps: PlansDeps,
  caller: PrincipalCaller,
  id: string,
): Promise<Result<WholePlan, AdminFailure>> {
  const row = await rowWithin(deps, caller, 'read', id);
  const stored = row === undefined ? undefined : await deps.plans.content(scopeOf(caller), id);
  return row === undefined || stored === undefined ? err(noPlan) : ok(wholeOf(row, stored));
}

const wholeOf = (row: ListedRow, stored: JsonObject): WholePlan =>
  whole.parse({ ...shownRow(lists.planList, row), content: stored });

/** A stored plan, if the caller may do this with it. */
async function planWithin(
  deps: PlansDeps,
  caller: PrincipalCaller,
  kind: 'read' | 'write',
  id: string,
): Promise<BuyPlan | undefined> {
  const row = await rowWithin(deps, caller, kind, id);
  const stored = row === undefined ? undefined : await deps.plans.content(scopeOf(caller), id);
  if (row === undefined || stored === undefined) return undefined;
  const plan = wholeOf(row, stored);
  return {
    id: plan.plan_id,
    name: plan.name,
    brandDomain: plan.brand ?? '',
    campaignId: plan.campaign_id ?? undefined,
    isShared: plan.shared,
    content: stored,
    totals: plan.totals,
    sellers: plan.sellers,
    lines: plan.lines,
    refusedIn: plan.refused_in ?? undefined,
    mediaBuyId: plan.media_buy_id ?? undefined,
  };
}

interface Changes {
  readonly name?: string;
  readonly brand?: string;
  readonly campaign_id?: string | null;
  readonly shared?: boolean;
  readonly content?: Content;
  readonly refused_in?: string | null;
  readonly media_buy_id?: string | null;
}

/** A plan after a request. Its place must be one where the caller may buy; a campaign brings its brand. */
async function planAfter(
  deps: PlansDeps,
  caller: PrincipalCaller,
  known: BuyPlan,
  { name, brand, campaign_id: campaignId, shared, content: lines, refused_in: refusedIn, ...rest }: Changes,
): Promise<Result<BuyPlan, AdminFailure>> {
  const { media_buy_id: mediaBuyId } = rest;
  const wanted = campaignId === undefined ? known.campaignId : (campaignId ?? undefined);
  const campaign =
    wanted === undefined ? undefined : await campaignIn(deps, caller, { kind: 'everything' }, wanted);
  const brandDomain = brand ?? known.brandDomain;
  const place = {
    principalId: caller.principalId,
    ...(brandDomain !== '' && { brandDomain }),
    ...(campaign !== undefined && { campaignId: campaign.id, clientId: campaign.clientId }),
  };
  const mayBuy = isInReach(reachOf(caller, 'media_buys', 'write'), await placed(deps, caller, place));
  if (wanted !== undefined && (campaign === undefined || !mayBuy)) return err(noCampaign);
  if (campaign !== undefined && campaign.brandDomain !== brandDomain) return err(otherBrand);
  if (!mayBuy) return err(notYours);
  return ok({
    ...known,
    brandDomain,
    campaignId: wanted,
    ...(name !== undefined && { name }),
    ...(shared !== undefined && { isShared: shared }),
    ...(refusedIn !== undefined && { refusedIn: refusedIn ?? undefined }),
    ...(mediaBuyId !== undefined && { mediaBuyId: mediaBuyId ?? undefined }),
    ...(lines !== undefined && {
      content: lines,
      totals: totalsOf(lines),
      sellers: [...new Set(lines.lines.map(({ seller }) => seller))].toSorted(),
      lines: lines.lines.length,
    }),
  });
}

/** A place with the client of its brand. */
async function placed(
  { clients }: PlansDeps,
  caller: PrincipalCaller,
  place: { readonly brandDomain?: string; readonly clientId?: string },
) {
  if (place.brandDomain === undefined || place.clientId !== undefined) return place;
  const filter = { domain: place.brandDomain, limit: 1 };
  const [brand] = await clients.brands(scopeOf(caller), { kind: 'everything' }, filter);
  return brand === undefined ? place : { ...place, clientId: brand.clientId };
}

function totalsOf({ lines }: Content): Readonly<Record<string, string>> {
  const sums = new Map<string, bigint>();
  for (const { currency, budget } of lines)
    sums.set(currency, (sums.get(currency) ?? 0n) + (budget === '' ? 0n : microsOf(budget)));
  return Object.fromEntries([...sums].map(([currency, sum]) => [currency, microsToDecimal(sum)]));
}

const otherBrand: AdminFailure = {
  code: 'INVALID_REQUEST',
  message: 'This campaign is of another brand.',
  field: 'campaign_id',
};
const notYours: AdminFailure = {
  code: 'INSUFFICIENT_PERMISSIONS',
  message: 'You may not buy for this brand. Choose a brand or a campaign that you may buy for.',
  field: 'brand',
};
