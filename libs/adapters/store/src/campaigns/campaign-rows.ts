import type { Campaign, CampaignFilter, CampaignRule } from '@switchyard/buys';
import type { ListSort, Reach } from '@switchyard/tenancy';
import { isJsonObject } from '@switchyard/values';
import { storableJson } from '../core/storable.js';
import type { TenantClient } from '../core/tenant-client.js';
import { rowReader, type Row } from '../core/row-mapper.js';

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
  client: TenantClient,
  campaign: Omit<Campaign, 'client' | 'owner'>,
): Promise<void> {
  const plan = Object.fromEntries(
    Object.entries(campaign.plan).map(([month, micros]) => [month, micros.toString()]),
  );
  await client.query(
    `insert into campaign (id, organization_id, client_id, brand_domain, brand_id, name, reference, po_number,
       insertion_order, estimate, currency, budget_micros, plan, starts_on, ends_on, owner_id, status, created_at,
       updated_at, above_budget, outside_flight)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)
     on conflict (id) do update set name = excluded.name, reference = excluded.reference,
       po_number = excluded.po_number, insertion_order = excluded.insertion_order, estimate = excluded.estimate,
       budget_micros = excluded.budget_micros, plan = excluded.plan, starts_on = excluded.starts_on,
       ends_on = excluded.ends_on, owner_id = excluded.owner_id, status = excluded.status,
       updated_at = excluded.updated_at, above_budget = excluded.above_budget,
       outside_flight = excluded.outside_flight`,
    [
      campaign.id,
      client.organizationId,
      campaign.clientId,
      campaign.brandDomain,
      campaign.brandId,
      campaign.name,
      campaign.reference ?? null,
      campaign.poNumber ?? null,
      campaign.insertionOrder ?? null,
      campaign.estimate ?? null,
      campaign.currency,
      campaign.budgetMicros?.toString() ?? null,
      storableJson(plan),
      campaign.startsOn,
      campaign.endsOn,
      campaign.ownerId ?? null,
      campaign.status,
      new Date(campaign.createdAt),
      new Date(campaign.updatedAt),
      campaign.rules.aboveBudget ?? null,
      campaign.rules.outsideFlight ?? null,
    ],
  );
}

export async function rulesOf(client: TenantClient, campaignId: string): Promise<readonly CampaignRule[]> {
  const text = 'select * from campaign_rule where campaign_id = $1 order by created_at, id limit 1000';
  return (await client.query<Row>(text, [campaignId])).rows.map(ruleOf);
}

const ruleOf = rowReader<CampaignRule>()('id, campaign_id, created_at, brand_domain, reference_start');

/** Two rules for the same brand and prefix would be ambiguous. */
export async function addRule(client: TenantClient, rule: CampaignRule): Promise<'stored' | 'taken'> {
  const named = [rule.brandDomain ?? '', rule.referenceStart ?? ''];
  const taken = `select 1 from campaign_rule
                 where coalesce(brand_domain, '') = $1 and coalesce(reference_start, '') = $2`;
  return unlessTaken(client, taken, named, {
    text: `insert into campaign_rule (id, organization_id, campaign_id, brand_domain, reference_start, created_at)
           values ($1, $2, $3, $4, $5, $6)`,
    values: [
      rule.id,
      client.organizationId,
      rule.campaignId,
      rule.brandDomain ?? null,
      rule.referenceStart ?? null,
      new Date(rule.createdAt),
    ],
  });
}

export async function removeRule(client: TenantClient, campaignId: string, ruleId: string): Promise<boolean> {
  const { rowCount } = await client.query('delete from campaign_rule where id = $1 and campaign_id = $2', [
    ruleId,
    campaignId,
  ]);
  return rowCount > 0;
}

/** A reach as the first five values of a statement: everything, clients, brands, campaigns, principal. */
export function reachValues(reach: Reach): readonly unknown[] {
  if (reach.kind === 'everything') return [true, [], [], [], null];
  return [false, reach.clientIds, reach.brandDomains, reach.campaignIds, reach.principalId ?? null];
}

/** Writes a row unless its name is taken. Writers of one organization take turns. */
export async function unlessTaken(
  client: TenantClient,
  taken: string,
  values: readonly unknown[],
  statement: { readonly text: string; readonly values: readonly unknown[] },
): Promise<'stored' | 'taken'> {
  await client.query('select pg_advisory_xact_lock(7281, hashtext($1))', [client.organizationId]);
  if ((await client.query(taken, values)).rowCount > 0) return 'taken';
  await client.query(statement.text, statement.values);
  return 'stored';
}
