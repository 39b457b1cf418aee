import type { Campaign, ClientRepository } from '@switchyard/buys';
import { budgetFault, checkBudget, isCurrency, microsToDecimal } from '@switchyard/money';
import {
  isInReach,
  mayActFor,
  reachOf,
  type Principal,
  type PrincipalDirectory,
  type TenantScope,
} from '@switchyard/tenancy';
import type { Organizations, PacingFigures, PacingWanted } from '@switchyard/store';
import { defined, err, isoOf, isUuid, ok, type Clock, type Result } from '@switchyard/values';
import { z } from 'zod';
import { principalCaller } from '../platform/caller/principal-caller.js';
import type { AdminFailure } from '../platform/failure.js';
import { scopeOf, type PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { newCampaignRules, ownRuleMembers, rulesOfCampaign } from './campaign-settings.js';
import { clientIn, givenName, noClient, reading, writing } from './clients.routes.js';
import { aloneMember, aloneOf, takeControl, type ControlDeps } from '../platform/routes/control.js';
import { day, decimalText, brandName, instant, reasonText, recordUpTo } from '../platform/routes/fields.js';
import { sortQuery } from '../platform/routes/list-filters.js';
import { listPage, nextCursor, pageQuery } from '../platform/routes/list-page.js';
import { paceFor, paceMembers, paceView, utcDay } from './pace-view.js';
import { nameOrId } from '../platform/routes/fields.js';
import { routesOn, type Immutable, type WaitsForApproval } from '../platform/routes/route.js';
import { campaignIn, noCampaign } from './campaign-in.js';

export interface CampaignsDeps {
  readonly clients: ClientRepository;
  readonly organizations: Pick<Organizations, 'byId'>;
  readonly pacing: (scope: TenantScope, wanted: PacingWanted) => Promise<readonly PacingFigures[]>;
  readonly principals: Pick<PrincipalDirectory, 'record'>;
  readonly clock: Clock;
  readonly newId: () => string;
}

const status = z.enum(['planned', 'active', 'closed']);
const amount = decimalText(15);
const number = z.string().min(1).max(200);
const planMonth = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-11');
const plan = recordUpTo(240, planMonth, amount).describe('Planned spend by month, of at most 240 months.');

const view = z.strictObject({
  campaign_id: z.string(),
  name: z.string(),
  client: z.string(),
  client_id: z.string(),
  brand: z.string().describe('Domain of the brand.'),
  wire_brand_id: z.string().nullable(),
  status: status.describe('A closed campaign accepts no buys.'),
  budget: z.string().nullable(),
  currency: z.string(),
  plan,
  from: z.string().describe('First day of the flight.'),
  to: z.string().describe('Its last day.'),
  reference: z.string().nullable().describe('Name that requests can use instead of the id.'),
  po_number: z.string().nullable(),
  insertion_order: z.string().nullable(),
  estimate: z.string().nullable(),
  ...ownRuleMembers,
  owner: z.string().nullable().describe('Who follows it: whoever added it, until another is set.'),
  owner_id: z.string().nullable(),
  created_at: instant,
  updated_at: instant,
  figures: z
    .strictObject(paceMembers)
    .nullable()
    .exactOptional()
    .describe('As in GET /v1/pacing; null without ledger.read there, absent in the answer to a change.'),
});
type CampaignView = Immutable<z.output<typeof view>>;

const optional = {
  reference: number.nullable().exactOptional(),
  po_number: number.nullable().exactOptional(),
  insertion_order: number.nullable().exactOptional(),
  estimate: number.nullable().exactOptional(),
  plan: plan.exactOptional(),
  above_budget: ownRuleMembers.above_budget.exactOptional(),
  outside_flight: ownRuleMembers.outside_flight.exactOptional(),
};
const added = z.strictObject({
  name: givenName,
  client_id: z.string().max(100),
  brand: brandName,
  wire_brand_id: z.string().min(1).max(255).exactOptional(),
  budget: amount,
  currency: z.string().length(3),
  from: day,
  to: day,
  status: status.exactOptional(),
  ...optional,
});
const changed = z.strictObject({
  name: givenName.exactOptional(),
  budget: amount.exactOptional(),
  from: day.exactOptional(),
  to: day.exactOptional(),
  status: status.exactOptional(),
  owner: nameOrId.exactOptional().describe('Name or id of a principal that can see the campaign.'),
  ...optional,
});

const move = z.strictObject({ media_buy_id: z.string().min(1).max(200), reason: reasonText.exactOptional() });
const moved = z.strictObject({
  media_buy_id: z.string(),
  campaign_id: z.string().nullable(),
  previous_campaign_id: z.string().nullable(),
  ...aloneMember,
});

interface MovesDeps extends CampaignsDeps, ControlDeps {}

const route = routesOn<MovesDeps>();

/** Campaigns that buys are made for, and the buys of each. */
export const campaignRoutes = [
  route({
    method: 'get',
    path: '/v1/campaigns',
    id: 'list_campaigns',
    summary: 'Campaigns, by the time of their last change',
    needs: 'clients.read',
    query: z.strictObject({
      client_id: z.uuid().exactOptional(),
      brand: brandName.exactOptional(),
      status: status.exactOptional(),
      ...sortQuery,
      ...pageQuery,
    }),
    answer: z.strictObject({ campaigns: z.array(view), next_cursor: nextCursor }),
    handle: async (deps, { caller, query }) => {
      const { clients } = deps;
      const { client_id: clientId, brand, status: stands } = query;
      const filter = {
        ...(clientId && { clientId }),
        ...(brand && { brandDomain: brand }),
        ...(stands && { status: stands }),
        ...(query.sort && { sort: query.sort }),
      };
      const page = await listPage(
        { id: 'list_campaigns', caller, query },
        (part) => clients.campaigns(scopeOf(caller), reading(caller), { ...filter, ...part }),
        ({ updatedAt, id }) => [updatedAt, id],
      );
      if (!page.ok) return page;
      return ok({ campaigns: await withFigures(deps, caller, page.value.rows), ...page.value.next });
    },
  }),
  route({
    method: 'post',
    path: '/v1/campaigns',
    id: 'add_campaign',
    summary: 'Add a campaign of a client’s brand',
    needs: 'clients.write',
    body: added,
    answer: view,
    status: 201,
    handle: (deps, { caller, body }) => addCampaign(deps, caller, body),
  }),
  route({
    method: 'get',
    path: '/v1/campaigns/{id}',
    id: 'show_campaign',
    summary: 'One campaign',
    needs: 'clients.read',
    answer: view,
    handle: async (deps, { caller, params }) => {
      const campaign = await campaignIn(deps, caller, reading(caller), params.id);
      const [shown] = campaign === undefined ? [] : await withFigures(deps, caller, [campaign]);
      return shown === undefined ? err(noCampaign) : ok(shown);
    },
  }),
  route({
    method: 'post',
    path: '/v1/campaigns/{id}',
    id: 'change_campaign',
    summary: 'Change, close or open a campaign: members that are left out do not change, null removes a text',
    needs: 'clients.write',
    byPerson: true,
    body: changed,
    answer: z.strictObject({ ...view.shape, ...aloneMember }),
    mayWait: true,
    handle: async (deps, { caller, params, body }) => {
      const campaign = await campaignIn(deps, caller, writing(caller), params.id);
      if (campaign === undefined) return err(noCampaign);
      if (body.owner === undefined) return saveChange(deps, caller, campaign, body);
      const owner = await ownerOf(deps, campaign, caller, body.owner);
      if (owner === undefined) return err(noOwner);
      return saveChange(deps, caller, { ...campaign, ownerId: owner.id, owner: owner.name }, body);
    },
  }),
  route({
    method: 'post',
    path: '/v1/campaigns/{id}/assign',
    id: 'assign_buy',
    summary: 'Assign a media buy to a campaign, judged by its limits like a buy; the ledger records it',
    needs: 'clients.write',
    body: move,
    answer: moved,
    mayWait: true,
    handle: async (deps, { caller, params, body }) => {
      const campaign = await campaignIn(deps, caller, writing(caller), params.id);
      if (campaign === undefined) return err(noCampaign);
      if (campaign.status === 'closed')
        return err({ code: 'CONFLICT', message: 'The campaign is closed.', suggestion: 'Open it first.' });
      return assign(deps, caller, { to: campaign, ...body });
    },
  }),
  route({
    method: 'post',
    path: '/v1/campaigns/{id}/unassign',
    id: 'unassign_buy',
    summary: 'Remove a media buy from a campaign: it becomes unassigned',
    needs: 'clients.write',
    body: move,
    answer: moved,
    mayWait: true,
    handle: async (deps, { caller, params, body }) => {
      const campaign = await campaignIn(deps, caller, writing(caller), params.id);
      if (campaign === undefined) return err(noCampaign);
      return assign(deps, caller, { from: campaign, ...body });
    },
  }),
];

/** Campaigns with the figures that pacing has of them, read at once. */
async function withFigures(
  { pacing, clock }: Pick<CampaignsDeps, 'pacing' | 'clock'>,
  caller: PrincipalCaller,
  campaigns: readonly Campaign[],
): Promise<CampaignView[]> {
  const { ledger = [] } = caller.permissions;
  const ids = campaigns.map(({ id }) => id);
  const reach = reachOf(caller, 'ledger', 'read');
  const wanted = { by: 'campaign', reach, campaignIds: ids, limit: ids.length } as const;
  const found = ledger.includes('read') && ids.length > 0 ? await pacing(scopeOf(caller), wanted) : [];
  const byId = new Map(found.map((figures) => [figures.id, figures]));
  return campaigns.map((campaign) => {
    const figures = byId.get(campaign.id);
    const view = viewOf(campaign);
    if (figures === undefined) return { ...view, figures: null };
    return { ...view, figures: paceView(figures, paceFor(figures, utcDay(clock))) };
  });
}

/** An active principal that can see the campaign already, so that nobody gets access by being made its owner. */
async function ownerOf(
  { principals }: Pick<CampaignsDeps, 'principals'>,
  { id: campaignId, clientId, brandDomain, ownerId }: Campaign,
  caller: PrincipalCaller,
  owner: string,
): Promise<Principal | undefined> {
  const found = await principals.record(scopeOf(caller), isUuid(owner) ? { id: owner } : { name: owner });
  if (found === undefined || found.disabledAt !== undefined) return undefined;
  const reach = reachOf(principalCaller(found.principal), 'clients', 'read');
  const belongs = {
    clientId,
    brandDomain,
    campaignId,
    ...(ownerId !== undefined && { principalId: ownerId }),
  };
  return isInReach(reach, belongs) ? found.principal : undefined;
}

const noOwner: AdminFailure = {
  code: 'INVALID_REQUEST',
  message: 'No active principal with this name or id can see the campaign.',
  field: 'owner',
  suggestion: 'Give them a role for its client, its brand or the campaign first.',
};

async function addCampaign(
  deps: CampaignsDeps,
  caller: PrincipalCaller,
  body: z.output<typeof added>,
): Promise<Result<CampaignView, AdminFailure>> {
  const { client_id: clientId, brand: domain, wire_brand_id: brandId = '', name, currency, from, to } = body;
  const client = await clientIn(deps, caller, writing(caller), clientId);
  if (client === undefined) return err(noClient);
  const filter = { clientId, domain, limit: 500 };
  const brands = await deps.clients.brands(scopeOf(caller), writing(caller), filter);
  if (!brands.some((brand) => brandId === '' || brand.brandId === brandId))
    return err({
      code: 'NOT_FOUND',
      message: 'The client has no such brand.',
      field: 'brand',
      suggestion: `Add it first: switchyard brands add ${domain} --client ${clientId}`,
    });
  if (!isCurrency(currency))
    return err({
      code: 'INVALID_REQUEST',
      message: 'This is not a currency code of ISO 4217.',
      field: 'currency',
    });
  const campaign: Campaign = {
    id: deps.newId(),
    clientId,
    client: client.name,
    brandDomain: domain,
    brandId,
    name,
    currency,
    plan: {},
    rules: {},
    startsOn: from,
    endsOn: to,
    ownerId: caller.principalId,
    owner: caller.name,
    status: 'active',
    createdAt: deps.clock.now(),
    updatedAt: deps.clock.now(),
  };
  const rules = await newCampaignRules(deps, caller, campaign, body);
  if (!rules.ok) return rules;
  const next = changedBy(campaign, body, deps.clock);
  if (!next.ok) return next;
  await deps.clients.saveCampaign(scopeOf(caller), next.value);
  return ok(viewOf(next.value));
}

/** A change that lets the campaign take more waits for another person (docs/security/model.md#changes-of-controls). */
async function saveChange(
  deps: MovesDeps,
  caller: PrincipalCaller,
  campaign: Campaign,
  body: z.output<typeof changed>,
): Promise<Result<(CampaignView & { alone?: true }) | WaitsForApproval, AdminFailure>> {
  const next = changedBy(campaign, body, deps.clock);
  if (!next.ok) return next;
  const { client: _client, owner: _owner, ...stored } = next.value;
  const taken = await takeControl(deps, caller, { kind: 'set_campaign', campaign: stored });
  return 'answer' in taken ? taken.answer : ok({ ...viewOf(next.value), ...aloneOf(taken) });
}

/** A campaign after a request. */
function changedBy(
  campaign: Campaign,
  body: z.output<typeof changed>,
  clock: Clock,
): Result<Campaign, AdminFailure> {
  const { reference, poNumber, insertionOrder, estimate, ...rest } = campaign;
  const startsOn = body.from ?? campaign.startsOn;
  const endsOn = body.to ?? campaign.endsOn;
  if (endsOn < startsOn)
    return err({ code: 'INVALID_REQUEST', message: 'The flight ends before it starts.', field: 'to' });
  const budget = body.budget === undefined ? undefined : checkBudget(body.budget, campaign.currency);
  if (budget?.ok === false) return err(unreadable('budget', budgetFault(budget.error, campaign.currency)));
  const months: Record<string, bigint> = {};
  for (const [month, text] of Object.entries(body.plan ?? {})) {
    const micros = checkBudget(text, campaign.currency);
    if (!micros.ok) return err(unreadable(`plan.${month}`, budgetFault(micros.error, campaign.currency)));
    months[month] = micros.value;
  }
  const texts = {
    reference: body.reference === undefined ? reference : body.reference,
    poNumber: body.po_number === undefined ? poNumber : body.po_number,
    insertionOrder: body.insertion_order === undefined ? insertionOrder : body.insertion_order,
    estimate: body.estimate === undefined ? estimate : body.estimate,
  };
  return ok({
    ...rest,
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => typeof text === 'string')),
    name: body.name ?? campaign.name,
    status: body.status ?? campaign.status,
    startsOn,
    endsOn,
    plan: body.plan === undefined ? campaign.plan : months,
    rules: rulesOfCampaign(campaign, body),
    updatedAt: clock.now(),
    ...(budget === undefined ? {} : { budgetMicros: budget.value }),
  });
}

const unreadable = (field: string, message: string): AdminFailure => ({
  code: 'INVALID_REQUEST',
  message,
  field,
});

/**
 * Moving a buy needs write access to campaigns, and to buys of the campaign's brand
 * (docs/protocol/accounts.md#for-whom-a-caller-may-act).
 */
async function assign(
  deps: MovesDeps,
  caller: PrincipalCaller,
  { to, from, media_buy_id: mediaBuyId, reason }: z.output<typeof move> & { to?: Campaign; from?: Campaign },
): Promise<Result<Immutable<z.output<typeof moved>> | WaitsForApproval, AdminFailure>> {
  const place = to ?? from;
  if (place !== undefined && !mayBuyFor(caller, place)) return err(noScope);
  const move = { id: deps.newId(), mediaBuyId, ...defined({ campaignId: to?.id, from: from?.id, reason }) };
  const taken = await takeControl(deps, caller, { kind: 'assign_buy', move });
  if ('answer' in taken) return taken.answer;
  const { done } = taken;
  if (done === undefined)
    return err({ code: 'NOT_FOUND', message: 'There is no media buy with this id.', field: 'media_buy_id' });
  if (done.outcome === 'other_brand')
    return err({
      code: 'CONFLICT',
      message: 'The campaign and the media buy are for different brands.',
      field: 'media_buy_id',
      suggestion: 'Choose a campaign of the brand of the buy.',
    });
  if (done.outcome === 'period_closed')
    return err({
      code: 'CONFLICT',
      message: `The media buy has figures in ${done.period}, which is closed.`,
      field: 'media_buy_id',
      suggestion: `Have the period opened first: switchyard periods reopen ${done.period} --reason REASON`,
    });
  if (done.outcome === 'elsewhere')
    return err({
      code: 'CONFLICT',
      message: 'The media buy is not in this campaign.',
      field: 'media_buy_id',
    });
  return ok({
    media_buy_id: mediaBuyId,
    campaign_id: to?.id ?? null,
    previous_campaign_id: done.from ?? null,
    ...aloneOf(taken),
  });
}

const mayBuyFor = (caller: PrincipalCaller, { id, clientId, brandDomain }: Campaign): boolean =>
  mayActFor(
    caller,
    { area: 'media_buys', permission: 'write' },
    { campaignId: id, clientId, brandDomain, isEntered: true },
  );

const noScope: AdminFailure = {
  code: 'INSUFFICIENT_PERMISSIONS',
  message: 'This needs the permission media_buys.write in a scope that covers the campaign.',
};

function viewOf(campaign: Campaign): CampaignView {
  return {
    campaign_id: campaign.id,
    name: campaign.name,
    client: campaign.client,
    client_id: campaign.clientId,
    brand: campaign.brandDomain,
    wire_brand_id: campaign.brandId === '' ? null : campaign.brandId,
    status: campaign.status,
    budget: campaign.budgetMicros === undefined ? null : microsToDecimal(campaign.budgetMicros),
    currency: campaign.currency,
    plan: Object.fromEntries(
      Object.entries(campaign.plan).map(([month, micros]) => [month, microsToDecimal(micros)]),
    ),
    from: campaign.startsOn,
    to: campaign.endsOn,
    reference: campaign.reference ?? null,
    po_number: campaign.poNumber ?? null,
    insertion_order: campaign.insertionOrder ?? null,
    estimate: campaign.estimate ?? null,
    above_budget: campaign.rules.aboveBudget ?? null,
    outside_flight: campaign.rules.outsideFlight ?? null,
    owner: campaign.owner ?? null,
    owner_id: campaign.ownerId ?? null,
    created_at: isoOf(campaign.createdAt),
    updated_at: isoOf(campaign.updatedAt),
  };
}
