import type {
  CampaignDirectory,
  KnownCampaign,
  KnownClient,
  KnownOfBrand,
  KnownRule,
} from '@switchyard/buys';
import { belongingOf } from '../buys/rows.js';
import { present } from '../core/present.js';
import { storableText } from '../core/storable.js';
import type { Store } from '../core/open-store.js';
import { rowReader, type Row } from '../core/row-mapper.js';
import type { clientModel } from '../generated/models.js';

/** Of a longer reference, only this many characters are compared. */
const referenceAtMost = 200;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Clients, brands, campaigns and rules for requests, read in one statement per request. */
export function campaignDirectory(store: Store): CampaignDirectory {
  return {
    known: async (scope, { brand, names, reference }) => {
      const texts = names.map((name) => storableText(name));
      const { rows } = await store.onceInTenant<KnownRow>(scope, {
        name: 'campaigns_known',
        text: known,
        values: [
          storableText(brand.domain),
          texts.filter((name) => uuid.test(name)),
          texts,
          beginningsOf(storableText(reference ?? '')),
        ],
      });
      return knownOf(rows[0]);
    },
    brandsWithId: async (scope, brandId) => {
      const { rows } = await store.onceInTenant<Row>(scope, {
        name: 'brands_with_id',
        text: `select domain, client_id from brand
               where organization_id = scope.organization_id and brand_id = $1 order by domain limit 20`,
        values: [storableText(brandId)],
      });
      return rows.map(brandWithId);
    },
    ofBuy: async (scope, mediaBuyId) => {
      const { rows } = await store.onceInTenant<Row>(scope, {
        text: `select brand_domain, client_id, campaign_id from media_buy
               where organization_id = scope.organization_id and id = $1`,
        values: [storableText(mediaBuyId)],
      });
      return rows[0] === undefined ? undefined : belongingOf(rows[0]);
    },
  };
}

type ClientRow = Pick<clientModel, 'id' | 'name' | 'limits_sellers'> & {
  readonly sellers: readonly string[] | null;
};

interface RuleRow {
  readonly rule_id: string;
  readonly rule_brand: string | null;
  readonly rule_start: string | null;
}

interface KnownRow {
  readonly brands: readonly Row[];
  readonly clients: readonly ClientRow[];
  readonly campaigns: readonly Row[];
  readonly rules: readonly RuleRow[];
}

/** Every prefix of a reference, so that rules are found by equality; the empty one is a prefix of all. */
function beginningsOf(reference: string): readonly string[] {
  const beginnings = [''];
  for (const character of reference.slice(0, referenceAtMost))
    beginnings.push(`${beginnings.at(-1) ?? ''}${character}`);
  return beginnings;
}

function knownOf(row: KnownRow | undefined): KnownOfBrand {
  return {
    brands: (row?.brands ?? []).map(brandOf),
    clients: (row?.clients ?? []).map(clientOf),
    campaigns: (row?.campaigns ?? []).map(campaignOf),
    rules: (row?.rules ?? []).map(ruleOf).toSorted(bySpecificity),
  };
}

function clientOf({ id, name, limits_sellers, sellers }: ClientRow): KnownClient {
  return { id, name, ...(limits_sellers ? { sellers: sellers ?? [] } : {}) };
}

const brandWithId = rowReader<{ readonly domain: string; readonly clientId: string }>()('domain, client_id');
const brandOf = rowReader<KnownOfBrand['brands'][number]>()('brand_id, client_id');
const campaignOf = rowReader<KnownCampaign>()(
  'id, client_id, brand_domain, brand_id, status, reference, po_number, estimate',
);

function ruleOf(row: RuleRow): KnownRule {
  const { rule_id, rule_brand, rule_start } = row;
  const condition = present({ brandDomain: rule_brand, referenceStart: rule_start });
  return { id: rule_id, campaign: campaignOf(row), ...condition };
}

/** A rule for one brand comes before a rule for all, and then the longer reference first. */
function bySpecificity(one: KnownRule, other: KnownRule): number {
  const brands = Number(other.brandDomain !== undefined) - Number(one.brandDomain !== undefined);
  return brands || (other.referenceStart?.length ?? 0) - (one.referenceStart?.length ?? 0);
}

const campaignColumns = `c.id, c.client_id, c.brand_domain, c.brand_id, c.status, c.reference, c.po_number, c.estimate`;

const known = `
  select known.* from (
    with brands as materialized (
      select b.brand_id, b.client_id from brand b
      where b.organization_id = scope.organization_id and b.domain = $1 limit 100
    ), named as materialized (
      select ${campaignColumns} from campaign c
      where c.organization_id = scope.organization_id and c.id = any($2::uuid[])
      union
      (select ${campaignColumns} from campaign c
       where c.organization_id = scope.organization_id and c.reference = any($3::text[]) limit 100)
      union
      (select ${campaignColumns} from campaign c
       where c.organization_id = scope.organization_id and c.po_number = any($3::text[]) limit 100)
      union
      (select ${campaignColumns} from campaign c
       where c.organization_id = scope.organization_id and c.estimate = any($3::text[]) limit 100)
    ), rules as materialized (
      select r.id as rule_id, r.brand_domain as rule_brand, r.reference_start as rule_start, ${campaignColumns}
      from campaign_rule r join campaign c on c.id = r.campaign_id
      where r.organization_id = scope.organization_id
        and coalesce(r.brand_domain, '') = any(array['', $1]) and coalesce(r.reference_start, '') = any($4::text[])
    )
    select (select coalesce(json_agg(b), '[]') from brands b) as brands,
      (select coalesce(json_agg(n), '[]') from named n) as campaigns,
      (select coalesce(json_agg(r), '[]') from rules r) as rules,
      (select coalesce(json_agg(k), '[]') from (
         select c.id, c.name, c.limits_sellers, c.sellers from client c
         where c.organization_id = scope.organization_id and c.id in (
           select client_id from brands union select client_id from named union select client_id from rules)
       ) k) as clients
  ) known`;
