import type {
  AssignablePackage,
  CreativePage,
  CreativeQuery,
  CreativeStore,
  DuePlacement,
  LibraryAssignment,
  LibraryCreative,
  Placement,
} from '@switchyard/buys';
import {
  prefixId,
  readCreative,
  splitId,
  type CreativeApproval,
  type CreativeStatus,
  type Form,
} from '@switchyard/protocol';
import type { Reach } from '@switchyard/tenancy';
import type { JsonObject } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { present } from '../core/present.js';
import { withinReach } from '../core/within-reach.js';
import { storableText } from '../core/storable.js';
import type { TenantClient } from '../core/tenant-client.js';
import { rowReader, type Row } from '../core/row-mapper.js';
import type {
  creativeModel,
  creative_assignmentModel,
  creative_placementModel,
} from '../generated/models.js';
import { storeEffects } from './store-effects.js';
import { creativeAccess, libraryWhere, ofOwnBuy, sortedBy } from './library-query.js';

/** The library of creatives on PostgreSQL. */
export function creativeStore(store: Store): CreativeStore {
  return {
    byIds: (scope, creativeIds, reach = { kind: 'everything' }) =>
      store.inTenant(scope, async (client) => {
        const { read, write, values } = creativeAccess(reach, 2);
        const { rows } = await client.query<CreativeRow>(
          `select c.*, case when ${write} then null when ${read} then 'read' else 'none' end as access
           from creative c where c.creative_id = any($1)`,
          [creativeIds.map(storableText), ...values],
        );
        const found = await withDeps(client, rows);
        return new Map(found.map((stored) => [stored.creative.creativeId, stored]));
      }),
    acceptedPlacements: (scope, reach) =>
      store.inTenant(scope, async (client) => {
        const { write, values } = creativeAccess(reach, 1);
        const { rows } = await client.query<PlacementRow>(
          `select p.* from creative_placement p join creative c using (creative_id)
           where p.synced_at is not null and p.status <> 'archived' and c.organization_id = p.organization_id
             and ${write}`,
          [...values],
        );
        return rows.map(placementOf);
      }),
    sharedConnections: (scope) =>
      store.inTenant(scope, async (client) => {
        const text = 'select id from connection where shares_account(id)';
        return new Set((await client.query<{ id: string }>(text)).rows.map(({ id }) => id));
      }),
    sharesAccount: (scope, connectionId) =>
      store.inTenant(scope, async (client) => {
        const text = 'select shares_account(id) as shared from connection where id = $1';
        const { rows } = await client.query<{ shared: boolean }>(text, [connectionId]);
        // A connection of another tenant returns no row: the account counts as shared.
        return rows[0]?.shared ?? true;
      }),
    active: (scope, reach) =>
      store.inTenant(scope, async (client) => {
        const { write, values } = creativeAccess(reach, 1);
        const text = `select c.creative_id from creative c where c.archived_at is null and ${write}`;
        const { rows } = await client.query<{ creative_id: string }>(text, [...values]);
        return rows.map((row) => row.creative_id);
      }),
    packages: (scope, reach, packageIds) =>
      store.inTenant(scope, async (client) => packagesOf(client, reach, packageIds)),
    list: (scope, query) => store.inTenant(scope, (client) => listPage(client, query)),
    observe: (scope, seen, at) =>
      store.inTenant(scope, (client) => storeEffects(client, { placements: seen, assignments: [] }, at)),
    due: (scope, now, limit) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<{ principal_id: string; login: DuePlacement['login'] | null }>(
          `select p.*, c.principal_id, l.login from creative_placement p
           join creative c using (organization_id, creative_id)
           left join leg l on l.organization_id = p.organization_id and l.id = p.leg_id
           where p.next_poll_at <= $1 and p.synced_at is not null order by p.next_poll_at limit $2`,
          [new Date(now), limit],
        );
        return rows.map(({ principal_id: principalId, login, ...row }) => ({
          ...placementOf(row),
          principalId,
          ...present({ login }),
        }));
      }),
    markPolled: (scope, seen, nextAt) =>
      store.inTenant(scope, async (client) => {
        // In the order in which sellers' states are written. What was decided since it was found due has no next poll.
        const sorted = seen.toSorted((one, other) => (one.creativeId < other.creativeId ? -1 : 1));
        for (const { creativeId, connectionId } of sorted)
          await client.query(
            `update creative_placement set next_poll_at = $3
             where creative_id = $1 and connection_id = $2 and next_poll_at is not null`,
            [creativeId, connectionId, new Date(nextAt)],
          );
      }),
  };
}

type CreativeRow = Omit<creativeModel, 'body'> & {
  readonly body: JsonObject;
  /** Absent in a list, which shows only what may be read. */
  readonly access?: 'read' | 'none' | null;
};

type PlacementRow = Row & Pick<creative_placementModel, 'creative_id'>;

async function listPage(client: TenantClient, query: CreativeQuery): Promise<CreativePage> {
  const { where, values } = libraryWhere(query);
  const { direction } = query.sort;
  const counts = await client.query<{ status: string; count: number }>(
    `select c.status, count(*)::int as count from creative c where ${where} group by 1`,
    values,
  );
  const after = query.after;
  const key = sortedBy(query.sort);
  const seek =
    after === undefined
      ? ''
      : `and ((${key}) collate "C", c.id) ${direction === 'asc' ? '>' : '<'} ($${values.length + 1}, $${values.length + 2}::uuid)`;
  const { rows } = await client.query<CreativeRow & { sort_value: string }>(
    `select c.*, ${key} as sort_value from creative c where ${where} ${seek}
     order by (${key}) collate "C" ${direction}, c.id ${direction}
     limit ${query.limit + 1} offset ${after === undefined ? (query.offset ?? 0) : 0}`,
    after === undefined ? values : [...values, after.value, after.id],
  );
  const shown = rows.slice(0, query.limit);
  const last = rows.length > query.limit ? shown.at(-1) : undefined;
  return {
    creatives: await withDeps(client, shown, query.reach),
    total: counts.rows.reduce((sum, { count }) => sum + count, 0),
    statusSummary: Object.fromEntries(counts.rows.map(({ status, count }) => [status, count])),
    ...(last === undefined ? {} : { next: { value: last.sort_value, id: last.id } }),
  };
}

/**
 * Rows with their placements and assignments, in two statements for any number of rows. With a reach, only assignments
 * to packages of buys in it.
 */
async function withDeps(
  client: TenantClient,
  rows: readonly CreativeRow[],
  reach: Reach = { kind: 'everything' },
): Promise<readonly LibraryCreative[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.creative_id);
  const placements = await client.query<PlacementRow>(
    'select * from creative_placement where creative_id = any($1) order by seller',
    [ids],
  );
  const within = withinReach('own', reach, 2);
  const assignments = await client.query<AssignmentRow>(
    `select creative_id, package_id, seller, created_at, approval_status, approval_reason, approval_as_of
     from creative_assignment a
     where creative_id = any($1) and ${ofOwnBuy('a', within.text)}
     order by created_at, package_id`,
    [ids, ...within.values],
  );
  return rows.map((row) => ({
    id: row.id,
    creative: readCreative(row.body, row.form as Form),
    bodyHash: row.body_hash,
    status: row.status as CreativeStatus,
    createdAt: row.created_at.getTime(),
    updatedAt: row.updated_at.getTime(),
    placements: placements.rows
      .filter((placement) => placement.creative_id === row.creative_id)
      .map(placementOf),
    assignments: assignments.rows
      .filter((assignment) => assignment.creative_id === row.creative_id)
      .map(assignmentOf),
    ...(row.archived_at === null ? {} : { archivedAt: row.archived_at.getTime() }),
    ...(row.access ? { access: row.access } : {}),
  }));
}

type AssignmentRow = Omit<creative_assignmentModel, 'approval_status'> & {
  readonly approval_status: CreativeApproval['status'] | null;
};

function assignmentOf(row: AssignmentRow): LibraryAssignment {
  const { approval_status: status, approval_reason: reason, approval_as_of: asOf } = row;
  return {
    packageId: row.package_id,
    seller: row.seller,
    assignedAt: row.created_at.getTime(),
    ...(status === null || asOf === null
      ? {}
      : { approval: { status, asOf: asOf.getTime(), ...(reason === null ? {} : { reason }) } }),
  };
}

const placementOf = rowReader<Placement>()(
  'creative_id, connection_id, seller, status, seller_creative_id, reason, synced_at, observed_at',
);

/** Packages of buys in reach. Others are not found, as if they did not exist. */
async function packagesOf(
  client: TenantClient,
  reach: Reach,
  packageIds: readonly string[],
): Promise<ReadonlyMap<string, AssignablePackage>> {
  const split = packageIds.flatMap((text) => {
    const id = splitId(text);
    return id.ok ? [{ slug: id.value.slug, id: storableText(id.value.id) }] : [];
  });
  const within = withinReach('m', reach, 3);
  const { rows } = await client.query<{
    seller: string;
    seller_package_id: string;
    connection_id: string;
    media_buy_id: string;
  }>(
    `select item.seller, item.seller_package_id, leg.connection_id, item.media_buy_id
     from buy_package item join leg on leg.id = item.leg_id join media_buy m on m.id = item.media_buy_id
     where ${within.text}
       and (item.seller, item.seller_package_id) in (select * from unnest($1::text[], $2::text[]))`,
    [split.map(({ slug }) => slug), split.map(({ id }) => id), ...within.values],
  );
  return new Map(
    rows.map((row) => {
      const packageId = prefixId(row.seller, row.seller_package_id);
      const { seller_package_id: sellerPackageId, connection_id: connectionId } = row;
      return [packageId, { packageId, sellerPackageId, connectionId, mediaBuyId: row.media_buy_id }];
    }),
  );
}
