import {
  type ExchangeRate,
  type LimitStandings,
  type LimitUse,
  type RateOf,
  rateIn,
  type SpendingLimit,
  type SpendQuestion,
} from '@switchyard/buys';
import {
  programKey,
  type Belongings,
  type LimitedReach,
  type ListSort,
  type Reach,
  type TenantScope,
} from '@switchyard/tenancy';
import { isUuid, type Instant } from '@switchyard/values';
import { present } from '../core/present.js';
import { comparedBy } from '../core/list-statement.js';
import type { Store } from '../core/open-store.js';
import { rowReader } from '../core/row-mapper.js';
import { storableText } from '../core/storable.js';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';
import { campaignHere, standingsWith, type CampaignRow } from './campaign-use.js';
import { limitedName, spreadPart, usesHere, usesOf, type TimeRow, type UseRow } from './commit-spend.js';

/** Limits on spending, and the exchange rates that they use. */
export interface SpendingLimits {
  /** Sets a limit, in place of the one for the same object and period; a program has one in all. */
  set(scope: TenantScope, limit: SpendingLimit, by: string): Promise<void>;
  find(scope: TenantScope, id: string): Promise<SpendingLimit | undefined>;
  /** Each with its present sums; only limits in reach. */
  list(
    scope: TenantScope,
    page: {
      readonly reach: Reach;
      readonly at: Instant;
      /** Newest first unless set. */
      readonly sort?: ListSort;
      readonly after?: readonly (string | number)[];
      readonly limit: number;
      /** Adds the limits that hold for every buy, in any reach: those of each buy and of a new brand. */
      readonly withEachBuy?: boolean;
    },
  ): Promise<readonly LimitUse[]>;
  /** The limits that apply to an unstored buy, with present sums. It takes no turn, so others may commit meanwhile. */
  standings(scope: TenantScope, question: SpendQuestion): Promise<LimitStandings>;
  /** False if there is none with this id. */
  remove(scope: TenantScope, id: string, by: string, at: Instant): Promise<boolean>;
  /** Owner of the object of a limit; undefined if the object does not exist. */
  placeOf(scope: TenantScope, of: Pick<SpendingLimit, 'kind' | 'key'>): Promise<Belongings | undefined>;
  /** The newest rates of the day or before it. */
  rates(scope: TenantScope, at: Instant): Promise<RateOf>;
  setRate(scope: TenantScope, rate: ExchangeRate, by: string, at: Instant): Promise<void>;
  /** Stores several rates, each pair and date once: all or none. */
  setRates(scope: TenantScope, rates: readonly ExchangeRate[], by: string, at: Instant): Promise<void>;
}

export function spendingLimits(store: Store): SpendingLimits {
  return {
    set: (scope, limit, by) => store.inTenant(scope, (client) => setLimit(client, limit, by)),
    find: (scope, id) => store.inTenant(scope, (client) => limitById(client, id)),
    list: (scope, { reach, at, sort, after, limit, withEachBuy = false }) =>
      store.inTenant(scope, async (client) => {
        const [madeAt, id] = after ?? [];
        const { rows } = await client.query<UseRow>(listed(sort), [
          scope.organizationId,
          new Date(at),
          madeAt === undefined ? null : new Date(madeAt),
          id ?? null,
          limit,
          reach.kind === 'everything',
          ...keysIn(reach),
          withEachBuy,
        ]);
        return usesOf(rows);
      }),
    standings: (scope, { principalId, program, belonging, parts, flight, at }) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<StandingRow>(standing, [
          principalId,
          null,
          [...new Set(parts.map(({ seller }) => seller))],
          new Date(at),
          belonging.clientId ?? null,
          belonging.brandDomain ?? null,
          belonging.campaignId ?? null,
          scope.organizationId,
          flight?.startTime ?? null,
          flight?.endTime ?? null,
          program === undefined ? null : programKey(principalId, program),
        ]);
        const [here] = rows;
        if (here === undefined) return { kind: 'known', standings: [] };
        const { day, uses, campaign } = here;
        const spread = parts.map((part) => spreadPart(part, here));
        const asked = { parts: spread, at, ...(flight && { flight }) };
        return standingsWith(client, asked, { day, uses: usesOf(uses ?? []), campaign });
      }),
    remove: (scope, id, by, at) => store.inTenant(scope, (client) => removeLimit(client, id, by, at)),
    placeOf: (scope, of) => store.inTenant(scope, (client) => placeOfLimit(client, of)),
    rates: (scope, at) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<{ from: string; to: string; rate: string }>(
          `select distinct on (from_currency, to_currency) from_currency as from, to_currency as to, rate
           from exchange_rate r join organization g on g.id = r.organization_id
           where date <= to_char($1::timestamptz at time zone g.time_zone, 'YYYY-MM-DD')
           order by from_currency, to_currency, date desc`,
          [new Date(at)],
        );
        return rateIn(rows);
      }),
    setRate: (scope, rate, by, at) => store.inTenant(scope, (client) => setRates(client, [rate], by, at)),
    setRates: (scope, rates, by, at) => store.inTenant(scope, (client) => setRates(client, rates, by, at)),
  };
}

/** Sets a limit, in place of the one for the same object and period. */
export async function setLimit(
  { models, organizationId }: TenantSession,
  limit: SpendingLimit,
  by: string,
): Promise<void> {
  const { kind, per = null, currency, above } = limit;
  const [key, at] = [storableText(limit.key), new Date(limit.createdAt)];
  await models.spending_limit.updateMany({
    where: { kind, key, removed_at: null, ...(kind !== 'program' && { per }) },
    data: { removed_at: at, removed_by: by },
  });
  const made = { id: limit.id, organization_id: organizationId, set_by: by, created_at: at };
  await models.spending_limit.create({
    data: { ...made, kind, key, amount_micros: limit.amount, currency, per, above },
  });
}

const limits = (condition: string): string => `
  select l.id, l.kind, l.key, ${limitedName} as name, l.amount_micros::text as amount, l.currency, l.per, l.above,
    l.created_at, null as sums
  from spending_limit l where ${condition} and l.removed_at is null`;

export async function limitById(client: TenantClient, id: string): Promise<SpendingLimit | undefined> {
  if (!isUuid(id)) return undefined;
  return usesOf((await client.query<UseRow>(limits('l.id = $1'), [id])).rows)[0]?.limit;
}

/** The limits that one for the same object and period replaces: more than one only of two spellings of a brand. */
export async function limitsLike(
  client: TenantClient,
  { kind, key, per }: Pick<SpendingLimit, 'kind' | 'key' | 'per'>,
): Promise<readonly SpendingLimit[]> {
  const same = limits('l.kind = $1 and l.key = $2 and l.per is not distinct from $3');
  const { rows } = await client.query<UseRow>(same, [kind, storableText(key), per ?? null]);
  return usesOf(rows).map(({ limit }) => limit);
}

export async function removeLimit(
  { models, organizationId }: TenantSession,
  id: string,
  by: string,
  at: Instant,
): Promise<boolean> {
  if (!isUuid(id)) return false;
  const { count } = await models.spending_limit.updateMany({
    where: { organization_id: organizationId, id, removed_at: null },
    data: { removed_at: new Date(at), removed_by: by },
  });
  return count === 1;
}

/** Owner of the object of a limit; undefined if the object does not exist. */
export async function placeOfLimit(
  { models: { brand, campaign, client, connection, principal } }: TenantSession,
  { kind, key }: Pick<SpendingLimit, 'kind' | 'key'>,
): Promise<Belongings | undefined> {
  if (['principal', 'client', 'campaign'].includes(kind) && !isUuid(key)) return undefined;
  const where = { id: key };
  switch (kind) {
    case 'principal':
      return (await principal.count({ where })) > 0 ? {} : undefined;
    case 'client':
      return (await client.count({ where })) > 0 ? { clientId: key } : undefined;
    case 'brand': {
      // It may be bought for before it is entered.
      const found = await brand.findFirst({ where: { domain: storableText(key) } });
      return { brandDomain: key, ...present({ clientId: found?.client_id }) };
    }
    case 'campaign': {
      const found = await campaign.findFirst({ where });
      return found === null ? undefined : belongingsOf({ ...found, campaign_id: key });
    }
    case 'seller':
      return (await connection.count({ where: { slug: storableText(key) } })) > 0 ? {} : undefined;
    default:
      return {};
  }
}

/** Stores rates, each pair and date once: all or none. */
export async function setRates(
  client: TenantClient,
  rates: readonly ExchangeRate[],
  by: string,
  at: Instant,
): Promise<void> {
  await client.query(
    `insert into exchange_rate
       (organization_id, from_currency, to_currency, date, rate, source, entered_by, entered_at)
     select $1::uuid, n.from_currency, n.to_currency, n.date, n.rate, n.source, $7::uuid, $8::timestamptz
     from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
       as n (from_currency, to_currency, date, rate, source)
     on conflict (organization_id, from_currency, to_currency, date) do update
     set rate = excluded.rate, source = excluded.source, entered_by = excluded.entered_by,
         entered_at = excluded.entered_at`,
    [
      client.organizationId,
      rates.map(({ from }) => from),
      rates.map(({ to }) => to),
      rates.map(({ date }) => date),
      rates.map(({ rate }) => rate),
      rates.map(({ source }) => storableText(source)),
      by,
      new Date(at),
    ],
  );
}

const belongingsOf = rowReader<Belongings>()('client_id, brand_domain, campaign_id');

const standing = `
  with here as (
    select $1::uuid as principal_id, $5::uuid as client_id, $6::text as brand_domain, $7::uuid as campaign_id,
           $11::text as program,
           to_char($4::timestamptz at time zone g.time_zone, 'YYYY-MM') as month,
           to_char($4::timestamptz at time zone g.time_zone, 'YYYY-MM-DD') as day,
           to_char(instant_of($9) at time zone g.time_zone, 'YYYY-MM-DD') as first_day,
           to_char(instant_of($10) at time zone g.time_zone, 'YYYY-MM-DD') as last_day,
           (select k.plan from campaign k where k.id = $7) as plan
    from organization g where g.id = $8)
  select here.day, here.first_day, here.last_day, here.plan, ${usesHere} as uses, ${campaignHere} as campaign from here`;

interface StandingRow extends TimeRow {
  readonly uses: readonly UseRow[] | null;
  readonly campaign: CampaignRow | null;
}

const ofNothing: LimitedReach = { kind: 'limited', clientIds: [], brandDomains: [], campaignIds: [] };

/** Keys of limits that a limited reach shows: those of itself, its clients, brands and campaigns. */
function keysIn(reach: Reach): readonly unknown[] {
  const { principalId, clientIds, brandDomains, campaignIds } =
    reach.kind === 'everything' ? ofNothing : reach;
  return [principalId ?? null, clientIds, brandDomains, campaignIds];
}

const listed = (sort: ListSort = 'newest'): string => `
  select l.id, l.kind, l.key, ${limitedName} as name, l.amount_micros::text as amount, l.currency, l.per, l.above,
    l.created_at, s.sums
  from spending_limit l join organization g on g.id = l.organization_id
  cross join lateral (
    select json_agg(json_build_object('currency', t.currency, 'pending', t.pending_micros::text,
      'committed', t.committed_micros::text)) as sums
    from spend_total t
    where t.organization_id = l.organization_id and t.kind = l.kind and t.key = l.key
      and t.month = case when l.per = 'month' then to_char($2::timestamptz at time zone g.time_zone, 'YYYY-MM') else '' end) s
  where l.organization_id = $1 and l.removed_at is null
    and ($3::timestamptz is null or l.created_at ${comparedBy(sort)} $3
      or (l.created_at = $3 and l.id ${sort === 'oldest' ? '<' : '>'} $4::uuid))
    and ($6::boolean or ($11::boolean and l.kind in ('each_buy', 'new_brand')) or (l.kind = 'principal' and l.key = $7) or (l.kind = 'program' and l.key like $7 || ':%') or (l.kind = 'client' and l.key = any($8::uuid[]::text[]))
      or (l.kind = 'brand' and (l.key = any($9::text[]) or exists (
        select from brand b where b.domain = l.key and b.client_id = any($8::uuid[]))))
      or (l.kind = 'campaign' and (l.key = any($10::text[]) or exists (
        select from campaign k where k.id::text = l.key
          and (k.client_id = any($8::uuid[]) or k.brand_domain = any($9::text[]))))))
  order by l.created_at ${sort === 'oldest' ? 'asc, l.id desc' : 'desc, l.id'} limit $5`;
