import type { BrandFilter, Client, ClientBrand, ClientFilter, ClientRepository } from '@switchyard/buys';
import type { Reach } from '@switchyard/tenancy';
import { defined } from '@switchyard/values';
import { retryDeadlock } from '../core/retry-deadlock.js';
import type { Store } from '../core/open-store.js';
import { storableValue } from '../core/storable.js';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';
import { rowReader, type Row } from '../core/row-mapper.js';
import type { clientModel } from '../generated/models.js';
import { addRule, campaignsIn, removeRule, rulesOf, saveCampaign } from './campaign-rows.js';
import { reachValues, unlessTaken } from './campaign-rows.js';
import { fillBrand } from './fill-brand.js';

/** Clients, brands and campaigns in PostgreSQL. */
export function clientRepository(store: Store): ClientRepository {
  const inTenant: Store['inTenant'] = (scope, work) => store.inTenant(scope, work);
  return {
    clients: (scope, reach, filter) => inTenant(scope, (client) => clientsIn(client, reach, filter)),
    saveClient: (scope, client) => inTenant(scope, (tenant) => saveClient(tenant, client)),
    brands: (scope, reach, filter) => inTenant(scope, (client) => brandsIn(client, reach, filter)),
    saveBrand: (scope, brand) => inTenant(scope, (client) => saveBrand(client, brand)),
    fillBrand: (scope, brand, by, limit) =>
      retryDeadlock(() => inTenant(scope, (client) => fillBrand(client, brand, by, limit))),
    campaigns: (scope, reach, filter) => inTenant(scope, (client) => campaignsIn(client, reach, filter)),
    saveCampaign: (scope, campaign) => inTenant(scope, (client) => saveCampaign(client, campaign)),
    rules: (scope, campaignId) => inTenant(scope, (client) => rulesOf(client, campaignId)),
    addRule: (scope, rule) => inTenant(scope, (client) => addRule(client, rule)),
    removeRule: (scope, campaignId, ruleId) =>
      inTenant(scope, (client) => removeRule(client, campaignId, ruleId)),
  };
}

/** A client is in reach by itself, or by one of its brands or campaigns. */
const inReachOf = (reach: Reach) =>
  reach.kind === 'everything'
    ? {}
    : {
        OR: [
          { id: { in: [...reach.clientIds] } },
          { brands: { some: { domain: { in: [...reach.brandDomains] } } } },
          { campaigns: { some: { id: { in: [...reach.campaignIds] } } } },
        ],
      };

async function clientsIn(
  { models, organizationId }: TenantSession,
  reach: Reach,
  { id, limit }: ClientFilter,
): Promise<readonly Client[]> {
  const rows = await models.client.findMany({
    where: { organization_id: organizationId, ...defined({ id }), ...inReachOf(reach) },
    orderBy: { name: 'asc' },
    take: limit,
  });
  return rows.map(clientOf);
}

const readClient = rowReader<Omit<Client, 'sellers'>>()('id, name, status, codes, created_at, updated_at');
const brandOf = rowReader<ClientBrand>()(
  'id, client_id, client, domain, brand_id, name, created_at, updated_at',
);

function clientOf(row: clientModel): Client {
  return { ...readClient(row), ...(row.limits_sellers ? { sellers: row.sellers } : {}) };
}

async function saveClient(tenant: TenantSession, client: Client): Promise<'stored' | 'taken'> {
  const { models, organizationId } = tenant;
  const { id, name, status, codes, sellers } = client;
  const changed = {
    name,
    status,
    codes: storableValue(codes),
    sellers: [...(sellers ?? [])],
    limits_sellers: sellers !== undefined,
    updated_at: new Date(client.updatedAt),
  };
  const made = { id, organization_id: organizationId, created_at: new Date(client.createdAt) };
  const others = { organization_id: organizationId, name, id: { not: id } };
  return unlessTaken(
    tenant,
    () => models.client.count({ where: others }),
    () => models.client.upsert({ where: { id }, create: { ...made, ...changed }, update: changed }),
  );
}

/** A brand is in reach by itself, or by its client or one of its campaigns. */
const brandsInReach = `
  select b.*, c.name as client from brand b join client c on c.id = b.client_id
  where ($1::boolean or b.client_id = any($2::uuid[])
         or b.domain = any($3::text[])
         or exists (select 1 from campaign m
                    where m.id = any($4::uuid[]) and m.brand_domain = b.domain and m.brand_id in ('', b.brand_id)))
    and ($5::uuid is null or b.id = $5) and ($6::uuid is null or b.client_id = $6)
    and ($7::text is null or b.domain = $7) order by b.domain, b.brand_id limit $8`;

async function brandsIn(
  client: TenantClient,
  reach: Reach,
  { id, clientId, domain, limit }: BrandFilter,
): Promise<readonly ClientBrand[]> {
  const filters = [id ?? null, clientId ?? null, domain ?? null, limit];
  return (await client.query<Row>(brandsInReach, [...reachValues(reach).slice(0, 4), ...filters])).rows.map(
    brandOf,
  );
}

export async function saveBrand(
  client: TenantSession,
  brand: Omit<ClientBrand, 'client'>,
): Promise<'stored' | 'taken'> {
  const { models, organizationId } = client;
  const { id, domain, brandId } = brand;
  const changed = { name: brand.name, updated_at: new Date(brand.updatedAt) };
  const create = {
    id,
    organization_id: organizationId,
    client_id: brand.clientId,
    domain,
    brand_id: brandId,
    created_at: new Date(brand.createdAt),
    ...changed,
  };
  const others = { organization_id: organizationId, domain, brand_id: brandId, id: { not: id } };
  return unlessTaken(
    client,
    () => models.brand.count({ where: others }),
    () => models.brand.upsert({ where: { id }, create, update: changed }),
  );
}
