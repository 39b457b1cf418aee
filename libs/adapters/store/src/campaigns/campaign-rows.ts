import type { Campaign, CampaignFilter, CampaignRule } from '@switchyard/buys';
import type { ListSort, Reach } from '@switchyard/tenancy';
import { isJsonObject } from '@switchyard/values';
import { storableValue } from '../core/storable.js';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';
import { rowReader, type Row } from '../core/row-mapper.js';
import { takeTurn } from '../core/take-turns.js';

/** A campaign is in reach of its owner too. */
const campaignList = (sort: ListSort = 'newest'): string => `
  select m.*, c.name as client, p.name as owner
  from campaign m join client c on c.id = m.client_id left join principal p on p.id = m.owner_id
  where ($1::boolean or m.owner_id = $5::uuid or m.client_id = any($2::uuid[]) or m.brand_domain = any($3::text[])
         or m.id = any($4::uuid[]))
    and ($6::uuid is null or m.id = $6) and ($7::uuid is null or m.client_id = $7)
    and ($8::text is null or m.brand_domain = $8) and ($9::text is null or m.status = $9)
    and ($10::timestamptz is null or ${
      sort === 'oldest'
        ? 'm.updated_at > $10 or (m.updated_at = $10 and m.id < $11::uuid)'
        : 'm.updated_at < $10 or (m.updated_at = $10 and m.id > $11::uuid)'
    })
  order by m.updated_at ${sort === 'oldest' ? 'asc, m.id desc' : 'desc, m.id'} limit $12`;

export async function campaignsIn(
  client: TenantClient,
  reach: Reach,
  { id, clientId, brandDomain, status, sort, after, limit }: CampaignFilter,
): Promise<readonly Campaign[]> {
  const { rows } = await client.query<Row>(campaignList(sort), [
    ...reachValues(reach),
    id ?? null,
    clientId ?? null,
    brandDomain ?? null,
    status ?? null,
    after === undefined ? null : new Date(Number(after[0])),
    after?.[1] ?? null,
    limit,
  ]);
  return rows.map(campaignOf);
}

const readCampaign = rowReader<Omit<Campaign, 'plan' | 'rules'>>()(`
  id, client_id, client, brand_domain, brand_id, name, currency, starts_on, ends_on, status, created_at, updated_at,
  reference, po_number, insertion_order, estimate, owner_id, owner, budget_micros`);

const readRules = rowReader<Campaign['rules']>()('above_budget, outside_flight');

const campaignOf = (row: Row): Campaign => ({
  ...readCampaign(row),
  plan: planOf(row['plan']),
  rules: readRules(row),
});

function planOf(stored: unknown): Campaign['plan'] {
  const months = isJsonObject(stored) ? Object.entries(stored) : [];
  return Object.fromEntries(
    months.flatMap(([month, micros]) => (typeof micros === 'string' ? [[month, BigInt(micros)]] : [])),
  );
}

export async function saveCampaign(
  { models, organizationId }: TenantSession,
  campaign: Omit<Campaign, 'client' | 'owner'>,
): Promise<void> {
  const plan = Object.fromEntries(
    Object.entries(campaign.plan).map(([month, micros]) => [month, micros.toString()]),
  );
  const changed = {
    name: campaign.name,
    reference: campaign.reference ?? null,
    po_number: campaign.poNumber ?? null,
    insertion_order: campaign.insertionOrder ?? null,
    estimate: campaign.estimate ?? null,
    budget_micros: campaign.budgetMicros ?? null,
    plan: storableValue(plan),
    starts_on: campaign.startsOn,
    ends_on: campaign.endsOn,
    owner_id: campaign.ownerId ?? null,
    status: campaign.status,
    updated_at: new Date(campaign.updatedAt),
    above_budget: campaign.rules.aboveBudget ?? null,
    outside_flight: campaign.rules.outsideFlight ?? null,
  };
  await models.campaign.upsert({
    where: { id: campaign.id },
    create: {
      id: campaign.id,
      organization_id: organizationId,
      client_id: campaign.clientId,
      brand_domain: campaign.brandDomain,
      brand_id: campaign.brandId,
      currency: campaign.currency,
      created_at: new Date(campaign.createdAt),
      ...changed,
    },
    update: changed,
  });
}

export async function rulesOf(
  { models }: TenantSession,
  campaignId: string,
): Promise<readonly CampaignRule[]> {
  const orderBy = [{ created_at: 'asc' }, { id: 'asc' }] as const;
  const where = { campaign_id: campaignId };
  return (await models.campaign_rule.findMany({ where, orderBy: [...orderBy], take: 1000 })).map(ruleOf);
}

const ruleOf = rowReader<CampaignRule>()('id, campaign_id, created_at, brand_domain, reference_start');

/** Two rules for the same brand and prefix would be ambiguous. */
export async function addRule(client: TenantSession, rule: CampaignRule): Promise<'stored' | 'taken'> {
  const { campaign_rule } = client.models;
  const of = { brand_domain: rule.brandDomain ?? null, reference_start: rule.referenceStart ?? null };
  const data = {
    id: rule.id,
    organization_id: client.organizationId,
    campaign_id: rule.campaignId,
    ...of,
    created_at: new Date(rule.createdAt),
  };
  return unlessTaken(
    client,
    () => campaign_rule.count({ where: of }),
    () => campaign_rule.create({ data }),
  );
}

export async function removeRule(
  { models, organizationId }: TenantSession,
  campaignId: string,
  ruleId: string,
): Promise<boolean> {
  const where = { organization_id: organizationId, id: ruleId, campaign_id: campaignId };
  return (await models.campaign_rule.deleteMany({ where })).count > 0;
}

/** A reach as the first five values of a statement: everything, clients, brands, campaigns, principal. */
export function reachValues(reach: Reach): readonly unknown[] {
  if (reach.kind === 'everything') return [true, [], [], [], null];
  return [false, reach.clientIds, reach.brandDomains, reach.campaignIds, reach.principalId ?? null];
}

/** Writes a row unless `taken` counts one with its name. Writers of one organization take turns. */
export async function unlessTaken(
  client: TenantClient,
  taken: () => Promise<number>,
  write: () => Promise<unknown>,
): Promise<'stored' | 'taken'> {
  await takeTurn(client, 'client');
  if ((await taken()) > 0) return 'taken';
  await write();
  return 'stored';
}
