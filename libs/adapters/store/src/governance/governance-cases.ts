import type { OwnedThing, TouchedPackage } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant, JsonObject } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import type { TenantClient } from '../core/tenant-client.js';
import { isRunning } from '../sellers/seller-life.js';
import {
  caseColumns,
  caseOf,
  shownCase,
  shownPackage,
  type CaseChange,
  type CaseKind,
  type CaseRow,
  type GovernanceCase,
  type NewCase,
} from './case-rows.js';
import { tenantsOf } from '../core/tenants-of.js';

/** Cases that are to be read or checked at an agent, or those that are to be acted on. */
type Due = 'reads' | 'acts';

/** A package of a buy, with its targeting. */
interface TargetedPackage extends TouchedPackage {
  readonly targeting: JsonObject;
}

/** The last act of a case that touches nothing any more. */
export const nothingRuns = 'nothing runs with it';

/** What runs with a thing that targeting names by `member`; `names` finds the index of its kind. */
const runningBy = (member: string, names: string): string => `
  select k.media_buy_id as "mediaBuyId", k.seller || ':' || k.seller_package_id as "packageId", k.seller,
    b.principal_id::text as "principalId", '{}'::text[] as "creativeIds"
  from buy_package k join media_buy b on b.organization_id = $1 and b.id = k.media_buy_id
  where k.organization_id = $1 and ${names}
    and jsonb_path_query_array(k.targeting, '$.**.${member}') @> to_jsonb($2::text)
    and jsonb_path_exists(k.targeting, '$.** ? (@.${member} == $id && @.agent_url == $agent)',
          jsonb_build_object('id', $2::text, 'agent', $3::text))
    and k.canceled_at is null and not k.paused and k.seller_package_id is not null
    and exists (select from seller_buy s where s.organization_id = $1 and s.media_buy_id = k.media_buy_id
                  and s.seller = k.seller and ${isRunning('s')})
  order by 1, 2 limit $4`;
const runningOnList = runningBy('list_id', 'k.targeting is not null');
const runningOnStandards = runningBy('standards_id', `jsonb_path_exists(k.targeting, '$.**.standards_id')`);

/** Creatives and packages of one case. */
const mostCreatives = 5_000;
const mostPackages = 5_000;
/** Open cases that are shown with one buy. */
const mostCases = 100;

/** Cases of governance and what they touch. */
export function governanceCases(store: Store) {
  const inTenant = <T>(scope: TenantScope, work: (client: TenantClient) => Promise<T>): Promise<T> =>
    store.inTenant(scope, work);
  return {
    /** Stores the case of an event, once. False if it was there. */
    open: (scope: TenantScope, made: NewCase, at: Instant): Promise<boolean> =>
      inTenant(scope, async (client) => {
        const { rowCount } = await client.query(
          `insert into governance_case (organization_id, id, kind, subject, connection_id, owner, event_id, state, reason,
             deadline, uses, next_at, created_at, updated_at, buys, changes)
           values ($1, $2, $12, $3, $4, $5, $6, $13, $7, $8, $9, $10, $11, $11, $14::jsonb, $15::jsonb)
           on conflict (organization_id, event_id) do nothing`,
          [
            client.organizationId,
            made.id,
            made.rightsId,
            made.connectionId ?? null,
            made.owner,
            made.eventId,
            made.reason,
            new Date(made.effectiveAt),
            [...made.uses],
            made.actAt === undefined ? null : new Date(made.actAt),
            new Date(at),
            made.kind,
            made.state,
            JSON.stringify((made.buys ?? []).map(shownPackage)),
            made.changes === undefined ? null : JSON.stringify(made.changes),
          ],
        );
        return rowCount > 0;
      }),
    /** The cases of each of these buys that are not done, oldest first, as its buyer sees them; behind them how many more there are. */
    ofBuys: (
      scope: TenantScope,
      mediaBuyIds: readonly string[],
    ): Promise<ReadonlyMap<string, readonly JsonObject[]>> =>
      inTenant(scope, async (client) => {
        const { rows } = await client.query<
          CaseRow & { readonly buy: string; readonly packages: string[]; readonly count: number }
        >(
          `select * from (select ${caseColumns}, touched.buy, touched.packages, (count(*) over w)::int as count,
             row_number() over (w order by created_at, id) as place
           from governance_case cross join lateral (
             select p ->> 'media_buy_id' as buy, array_agg(p ->> 'package_id') as packages
             from jsonb_array_elements(buys) p where p ->> 'media_buy_id' = any($2::text[]) group by 1) as touched
           where organization_id = $1 and state in ('open', 'acting', 'asked') window w as (partition by touched.buy)) as numbered
           where place <= $3 order by buy, place`,
          [client.organizationId, [...mediaBuyIds], mostCases],
        );
        const byBuy = new Map<string, JsonObject[]>();
        for (const { buy, packages, count, ...row } of rows) {
          const of = byBuy.get(buy) ?? [];
          of.push(shownCase(row, packages));
          if (of.length === mostCases && count > mostCases) of.push({ more: count - mostCases });
          byBuy.set(buy, of);
        }
        return byBuy;
      }),
    /** The last segment of the address for the events of an agent; it gets one with the first question. */
    addressOf: (scope: TenantScope, connectionId: string, id: string, at: Instant): Promise<string> =>
      inTenant(scope, async (client) => {
        const { rows } = await client.query<{ id: string }>(
          `with made as (
             insert into webhook_registration (id, organization_id, connection_id, kind, mode, seller_operation_id, created_at)
             select $3, $1, c.id, 'events', 'signed', '', $4 from connection c
             where c.organization_id = $1 and c.id = $2
             on conflict (organization_id, connection_id) where kind = 'events' do nothing returning id)
           select id from made union all
           select id from webhook_registration where organization_id = $1 and connection_id = $2 and kind = 'events'`,
          [client.organizationId, connectionId, id, new Date(at)],
        );
        return rows[0]?.id ?? id;
      }),
    /** Creatives in whose text the id of a grant stands, with that text. */
    creativesNaming: (
      scope: TenantScope,
      rightsId: string,
    ): Promise<readonly { readonly id: string; readonly body: JsonObject }[]> =>
      inTenant(scope, async (client) => {
        const { rows } = await client.query<{ id: string; body: JsonObject }>(
          `select creative_id as id, body from creative
           where organization_id = $1 and jsonb_path_query_array(body, '$.**.rights_id') @> to_jsonb($2::text) limit $3`,
          [client.organizationId, rightsId, mostCreatives],
        );
        return rows;
      }),
    /** Creatives with rights that end until then, the next one first. */
    creativesWithRightsUntil: (
      scope: TenantScope,
      until: Instant,
      limit: number,
    ): Promise<readonly { readonly id: string; readonly body: JsonObject }[]> =>
      store.inTenantModels(scope, async ({ creative }) => {
        const rows = await creative.findMany({
          where: { organization_id: scope.organizationId, rights_end_at: { lte: new Date(until) } },
          orderBy: { rights_end_at: 'asc' },
          take: limit,
        });
        return rows.map(({ creative_id: id, body }) => ({ id, body: body as JsonObject }));
      }),
    /** Cases were made of a creative as it was; `next` is when rights of it end after that. */
    rightsWatched: (
      scope: TenantScope,
      creativeId: string,
      body: JsonObject,
      next: Instant | undefined,
    ): Promise<void> =>
      inTenant(scope, async (client) => {
        await client.query(
          'update creative set rights_end_at = $4 where organization_id = $1 and creative_id = $2 and body = $3::jsonb',
          [
            client.organizationId,
            creativeId,
            JSON.stringify(body),
            next === undefined ? null : new Date(next),
          ],
        );
      }),
    /** Packages that run at a seller, with the publishers of their product as it was quoted last. */
    runningWithPublishers: (
      scope: TenantScope,
      connectionId: string,
    ): Promise<readonly (TouchedPackage & { readonly publishers: readonly string[] })[]> =>
      inTenant(scope, async (client) => {
        const { rows } = await client.query<TouchedPackage & { publishers: readonly string[] }>(
          `select k.media_buy_id as "mediaBuyId", k.seller || ':' || k.seller_package_id as "packageId", k.seller,
             b.principal_id::text as "principalId", '{}'::text[] as "creativeIds",
             array(select jsonb_array_elements_text(o.offer -> 'publishers')) as publishers
           from seller_buy s
           join buy_package k on k.organization_id = $1 and k.media_buy_id = s.media_buy_id and k.seller = s.seller
           join media_buy b on b.organization_id = $1 and b.id = k.media_buy_id
           join offered_product o on o.organization_id = $1 and o.connection_id = $2 and o.product_id = k.product_id
           where s.organization_id = $1 and s.connection_id = $2 and ${isRunning('s')} and o.offer ? 'publishers'
             and k.canceled_at is null and not k.paused and k.seller_package_id is not null
           order by 1, 2 limit $3`,
          [client.organizationId, connectionId, mostPackages],
        );
        return rows;
      }),
    /**
     * How many cases since then were about a subject, and the packages that they were about; those of a case that ended
     * because nothing ran with it any more are left out.
     */
    askedAbout: (
      scope: TenantScope,
      about: {
        readonly kind: CaseKind;
        readonly subject: string;
        readonly connectionId: string;
        /** Only cases of content against a policy that binds. */
        readonly isBinding?: boolean;
      },
      since: Instant,
    ): Promise<{ readonly cases: number; readonly packageIds: readonly string[] }> =>
      inTenant(scope, async (client) => {
        const { rows } = await client.query<{ ids: readonly string[] }>(
          `select case when g.actions -> -1 ->> 'act' = $6 then '{}'
             else array(select p ->> 'package_id' from jsonb_array_elements(g.buys) p) end as ids
           from governance_case g where g.organization_id = $1 and g.created_at >= $5 and g.kind = $2
             and g.subject = $3 and g.connection_id = $4
             and ($7::boolean is not true or (g.changes #>> '{checked,binding}')::int > 0)`,
          [
            client.organizationId,
            about.kind,
            about.subject,
            about.connectionId,
            new Date(since),
            nothingRuns,
            about.isBinding ?? false,
          ],
        );
        return { cases: rows.length, packageIds: rows.flatMap(({ ids }) => ids) };
      }),
    /** Packages that still run with one of these creatives, with all of their creatives. */
    runningWith: (scope: TenantScope, creativeIds: readonly string[]): Promise<readonly TouchedPackage[]> =>
      inTenant(scope, async (client) => {
        const { rows } = await client.query<TouchedPackage>(
          `select p.media_buy_id as "mediaBuyId", p.package_id as "packageId", p.seller,
             b.principal_id::text as "principalId", c.ids as "creativeIds"
           from (select distinct a.media_buy_id, a.package_id, a.seller from creative_assignment a
                 where a.organization_id = $1 and a.creative_id = any($2::text[])) p
           join media_buy b on b.organization_id = $1 and b.id = p.media_buy_id
           join buy_package k on k.organization_id = $1 and k.media_buy_id = p.media_buy_id
             and k.seller || ':' || k.seller_package_id = p.package_id
           cross join lateral (select array_agg(o.creative_id order by o.creative_id) as ids from creative_assignment o
                               where o.organization_id = $1 and o.package_id = p.package_id) c
           where k.canceled_at is null and not k.paused
             and exists (select from seller_buy s where s.organization_id = $1 and s.media_buy_id = p.media_buy_id
                           and s.seller = p.seller and ${isRunning('s')})
           order by 1, 2 limit $3`,
          [client.organizationId, [...creativeIds], mostPackages],
        );
        return rows;
      }),
    /** Of these creatives, those that a seller has approved. */
    approvedOf: (
      scope: TenantScope,
      connectionId: string,
      creativeIds: readonly string[],
    ): Promise<readonly string[]> =>
      store.inTenantModels(scope, async ({ creative_placement }) => {
        const at = { organization_id: scope.organizationId, connection_id: connectionId };
        const rows = await creative_placement.findMany({
          where: { ...at, creative_id: { in: [...creativeIds] }, status: 'approved' },
        });
        return rows.map(({ creative_id: id }) => id);
      }),
    /** Packages that run with a list, or with content standards, of an agent in their targeting. */
    runningOn: (
      scope: TenantScope,
      { kind, subject, agentUrl }: OwnedThing,
    ): Promise<readonly TouchedPackage[]> =>
      inTenant(scope, async (client) => {
        const statement = kind === 'content_standards' ? runningOnStandards : runningOnList;
        const values = [client.organizationId, subject, agentUrl, mostPackages];
        const { rows } = await client.query<TouchedPackage>(statement, values);
        return rows;
      }),
    /** The packages of a buy at one seller that name content standards. */
    withStandards: (
      scope: TenantScope,
      mediaBuyId: string,
      seller: string,
    ): Promise<readonly TargetedPackage[]> =>
      inTenant(scope, async (client) => {
        const { rows } = await client.query<TargetedPackage>(
          `select k.media_buy_id as "mediaBuyId", k.seller || ':' || k.seller_package_id as "packageId", k.seller,
             b.principal_id::text as "principalId", '{}'::text[] as "creativeIds", k.targeting
           from buy_package k join media_buy b on b.organization_id = $1 and b.id = k.media_buy_id
           where k.organization_id = $1 and k.media_buy_id = $2 and k.seller = $3 and k.seller_package_id is not null
             and jsonb_path_exists(k.targeting, '$.**.standards_id') order by 2 limit $4`,
          [client.organizationId, mediaBuyId, seller, mostPackages],
        );
        return rows;
      }),
    /** Whether any package of ours ever named this list of an agent. */
    isListNamed: (scope: TenantScope, listId: string, agentUrl: string): Promise<boolean> =>
      inTenant(scope, async (client) => {
        const { rows } = await client.query(
          `select 1 from buy_package k where k.organization_id = $1 and k.targeting is not null
             and jsonb_path_query_array(k.targeting, '$.**.list_id') @> to_jsonb($2::text)
             and jsonb_path_exists(k.targeting, '$.** ? (@.list_id == $list && @.agent_url == $agent)',
                   jsonb_build_object('list', $2::text, 'agent', $3::text)) limit 1`,
          [client.organizationId, listId, agentUrl],
        );
        return rows.length > 0;
      }),
    /** Tenants with a case that the workers must look at. */
    tenants: (at: Instant): Promise<readonly string[]> => tenantsOf(store, 'tenants_with_due_cases', at),
    /** Takes the due case of one sort that waits longest; nobody else gets it until the lease is over. */
    take: (scope: TenantScope, due: Due, at: Instant, leaseMs: number): Promise<GovernanceCase | undefined> =>
      inTenant(scope, async (client) => {
        const { rows } = await client.query<CaseRow>(
          `update governance_case set next_at = $3, begun_at = coalesce(begun_at, $2)
           where organization_id = $1 and id = (select id from governance_case
             where organization_id = $1 and next_at <= $2
               and (state = 'open' and kind not in ('rights_revoked', 'rights_ended')) = $4
             order by next_at limit 1 for update skip locked)
           returning ${caseColumns}`,
          [client.organizationId, new Date(at), new Date(at + leaseMs), due === 'reads'],
        );
        return rows.map(caseOf)[0];
      }),
    find: (scope: TenantScope, id: string): Promise<GovernanceCase | undefined> =>
      inTenant(scope, async (client) => {
        const { rows } = await client.query<CaseRow>(
          `select ${caseColumns} from governance_case where organization_id = $1 and id = $2`,
          [client.organizationId, id],
        );
        return rows.map(caseOf)[0];
      }),
    save: (scope: TenantScope, id: string, change: CaseChange, at: Instant): Promise<void> =>
      inTenant(scope, async (client) => {
        await client.query(
          `update governance_case set state = case when state = coalesce($11, state) then $3 else state end,
             next_at = case when state = coalesce($11, state) then $6::timestamptz else next_at end,
             buys = coalesce($4::jsonb, buys), actions = actions || $5::jsonb, updated_at = $7, reason = coalesce($8, reason),
             changes = coalesce($9::jsonb, changes), deadline = coalesce($10, deadline)
           where organization_id = $1 and id = $2`,
          [
            client.organizationId,
            id,
            change.state,
            change.buys === undefined ? null : JSON.stringify(change.buys.map(shownPackage)),
            JSON.stringify(change.actions),
            change.nextAt === undefined ? null : new Date(change.nextAt),
            new Date(at),
            change.reason ?? null,
            change.changes === undefined ? null : JSON.stringify(change.changes),
            change.effectiveAt === undefined ? null : new Date(change.effectiveAt),
            change.from ?? null,
          ],
        );
      }),
  };
}

export type GovernanceCases = ReturnType<typeof governanceCases>;
