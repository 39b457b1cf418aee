import type { Belongings, Reach, TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import { run } from '../core/tenant-transaction.js';
import { rowsPerStep } from '../core/repeat-steps.js';
import type { Store } from '../core/open-store.js';
import { withinReach, type Condition } from '../core/within-reach.js';
import { rowReader } from '../core/row-mapper.js';
import type { ChangePlace } from './change-place.js';
import { tenantsOf } from '../core/tenants-of.js';

/** A change of an object, by its id only. */
export interface Change extends Belongings {
  readonly organizationId: string;
  readonly place: ChangePlace;
  readonly at: Instant;
  /** `media_buy`, `seller` and so on: the kinds of `publish_changes` in the migrations. */
  readonly kind: string;
  readonly objectId: string;
  /** `moved` is sent to readers of the client, brand or campaign that a buy has left. */
  readonly action: 'created' | 'updated' | 'moved' | 'removed';
}

/** Which changes a reader may see: some kinds of objects, within one reach. */
export interface ChangeFilter {
  readonly kinds: readonly string[];
  readonly reach: Reach;
}

export interface ChangePage {
  readonly changes: readonly Change[];
  /** Where the next read continues. */
  readonly end: ChangePlace;
  /** More rows followed at the time of the read. */
  readonly hasMore: boolean;
}

export interface ChangeLog {
  /**
   * Changes of several organizations after a place in each, for all readers: one statement. Returns only changes before
   * which none can appear any more, at least one page per organization, and where to continue.
   */
  since(places: ReadonlyMap<string, ChangePlace>): Promise<ReadonlyMap<string, ChangePage>>;
  /** The present end of the stream. */
  now(): Promise<ChangePlace>;
  /**
   * One page of one organization, filtered. `gone` if rows after the place were deleted, or if the place is of another
   * database: the reader has missed changes.
   */
  after(
    scope: TenantScope,
    place: ChangePlace,
    filters: readonly ChangeFilter[],
  ): Promise<ChangePage | 'gone'>;
  /** Deletes changes before an instant, of every organization. Returns how many rows. */
  forget(before: Instant): Promise<number>;
}

interface ChangeRow {
  readonly upto: string;
  readonly organization_id: string | null;
  readonly tx: string;
  readonly id: string;
}

interface PageRow extends ChangeRow {
  readonly is_gone: boolean;
  readonly many: number;
  readonly last_tx: string | null;
  readonly last_id: string | null;
}

/** Rows of one organization in one read. */
const pageRows = 1_000;

export function changeLog(store: Store): ChangeLog {
  const since = async (places: ReadonlyMap<string, ChangePlace>): Promise<readonly ChangeRow[]> => {
    const entries = [...places];
    const { rows } = await run<ChangeRow>(store.pool, {
      name: 'changes_since',
      text: 'select * from changes_since($1::uuid[], $2::bigint[], $3::bigint[], $4)',
      values: [
        entries.map(([id]) => id),
        entries.map(([, { tx }]) => String(tx)),
        entries.map(([, { id }]) => String(id)),
        pageRows,
      ],
    });
    return rows;
  };
  return {
    since: async (places) => {
      const rows = await since(places);
      const upto = lineOf(rows);
      return new Map(
        [...places.keys()].map((organizationId) => {
          const own = rows.filter((row) => row.organization_id === organizationId).map(changeOf);
          const last = own.at(-1);
          const hasMore = own.length === pageRows && last !== undefined;
          return [organizationId, { changes: own, hasMore, end: hasMore ? last.place : upto }];
        }),
      );
    },
    now: async () => lineOf(await since(new Map())),
    after: async (scope, place, filters) => {
      const seen = seenBy(filters, 4);
      const { rows } = await store.onceInTenant<PageRow>(scope, {
        text: pageText(seen.text),
        values: [String(place.tx), String(place.id), pageRows, ...seen.values],
      });
      const [first] = rows;
      const upto = lineOf(rows);
      if (first?.is_gone === true || place.tx > upto.tx) return 'gone';
      const hasMore = first?.many === pageRows && first.last_tx !== null && first.last_id !== null;
      const last = { tx: BigInt(first?.last_tx ?? 0), id: BigInt(first?.last_id ?? 0) };
      const changes = rows.filter(({ organization_id: id }) => id !== null).map(changeOf);
      return { changes, hasMore, end: hasMore ? last : upto };
    },
    forget: async (before) => {
      let all = 0;
      for (const organizationId of await tenantsOf(store, 'organizations_with_old_changes', before))
        all += await forgetOf(store, { organizationId }, before);
      return all;
    },
  };
}

/** Every change before this place has been committed, whatever transaction still runs. */
function lineOf(rows: readonly { readonly upto: string }[]): ChangePlace {
  return { tx: BigInt(rows[0]?.upto ?? 0), id: 0n };
}

const readChange = rowReader<Omit<Change, 'organizationId' | 'place'>>()(
  'at, kind, object_id, action, principal_id, client_id, brand_domain, campaign_id',
);

function changeOf(row: ChangeRow): Change {
  const place = { tx: BigInt(row.tx), id: BigInt(row.id) };
  return { ...readChange(row), organizationId: row.organization_id ?? '', place };
}

/** The rows of `e` that pass one of the filters. */
function seenBy(filters: readonly ChangeFilter[], place: number): Condition {
  const values: unknown[] = [];
  const parts = filters.map(({ kinds, reach }) => {
    const kindsAt = place + values.push(kinds) - 1;
    const inReach = withinReach('e', reach, place + values.length);
    values.push(...inReach.values);
    return `(e.kind = any($${kindsAt}::text[]) and ${inReach.text})`;
  });
  return { text: parts.length === 0 ? 'false' : parts.join(' or '), values };
}

/** A page is a number of rows, visible or not, so the size of a read does not depend on the filter. */
function pageText(seen: string): string {
  return `
    with line as materialized (
      select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as upto
    ), page as materialized (
      select e.* from line cross join lateral (
        select * from change_event c
        where c.organization_id = scope.organization_id and (c.tx, c.id) > ($1::bigint, $2::bigint) and c.tx < line.upto
        order by c.tx, c.id limit $3) as e
    ), last as (
      select tx, id from page order by tx desc, id desc limit 1
    ), oldest as (
      select c.kind, c.tx, c.id from change_event c where c.organization_id = scope.organization_id
      order by c.tx, c.id limit 1
    )
    select line.upto, (select count(*)::int from page) as many, last.tx as last_tx, last.id as last_id,
           exists (select from oldest o where o.kind = 'forgotten' and (o.tx, o.id) > ($1::bigint, $2::bigint)) as is_gone,
           seen.*
    from line left join last on true
    left join (select e.* from page e where e.kind <> 'forgotten' and (${seen})) as seen on true
    order by seen.tx, seen.id`;
}

/** The last deleted row stays as a mark, so that readers with an older place learn that they missed changes. */
async function forgetOf(store: Store, scope: TenantScope, before: Instant): Promise<number> {
  let all = 0;
  for (;;) {
    const many = await store.inTenant(scope, async (client) => {
      const { rows } = await client.query<{ many: number }>(forget, [new Date(before)]);
      return rows[0]?.many ?? 0;
    });
    all += many;
    if (many < rowsPerStep - 1) return all;
  }
}

const forget = `
  with chosen as materialized (
    select oldest.tx, oldest.id from (
      select tx, id, at from change_event order by organization_id, tx, id limit ${rowsPerStep} for update
    ) as oldest where oldest.at < $1
  ), last as (
    select tx, id from chosen order by tx desc, id desc limit 1
  ), gone as (
    delete from change_event e using chosen, last
    where e.tx = chosen.tx and e.id = chosen.id and (chosen.tx, chosen.id) < (last.tx, last.id)
    returning e.id
  ), marked as (
    update change_event e set kind = 'forgotten', object_id = '' from last where e.tx = last.tx and e.id = last.id
  )
  select count(*)::int as many from gone`;
