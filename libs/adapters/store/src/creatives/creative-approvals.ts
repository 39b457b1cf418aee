import {
  placementByApprovals,
  type CreativeApprovalRepository,
  type PlacementStatus,
} from '@switchyard/buys';
import { prefixId, type CreatedPackage, type CreativeApproval } from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';
import { retryDeadlock } from '../core/retry-deadlock.js';
import type { Store } from '../core/open-store.js';
import { storableText } from '../core/storable.js';
import type { TenantClient } from '../core/tenant-client.js';
import type { creative_assignmentModel } from '../generated/models.js';
import { storeEffects } from './store-effects.js';
import { lockCreatives } from './lock-creatives.js';

type SellerPart = Parameters<CreativeApprovalRepository['recordSnapshot']>[1];

/** Sellers' approvals of creatives on packages, on PostgreSQL, beside the assignments that they are about. */
export function creativeApprovals(store: Store): CreativeApprovalRepository {
  return {
    recordSnapshot: async (scope, part, packages, at) => {
      const speaking = packages
        .filter(({ creativeApprovals: listed }) => listed !== undefined)
        .toSorted((one, other) => (one.packageId < other.packageId ? -1 : 1));
      if (speaking.length === 0) return;
      const named = speaking.flatMap(({ creativeApprovals: listed = [] }) => listed);
      const ids = [...new Set(named.map(({ creativeId }) => storableText(creativeId)))];
      await retryDeadlock(() =>
        store.inTenant(scope, async (client) => {
          // Locked before the state is read: the seller's library may decide now, and its decision comes last.
          await lockCreatives(client, ids);
          for (const created of speaking) await storePackageApprovals(client, part, created, at);
          await followApprovals(client, part, ids, at);
        }),
      );
    },
    of: (scope, mediaBuyIds) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<ApprovalRow>(known, [[...mediaBuyIds]]);
        const found = new Map<string, CreativeApproval[]>();
        for (const { package_id: packageId, creative_id: creativeId, ...row } of rows) {
          const { approval_status: status, approval_reason: reason } = row;
          const approval = { creativeId, status, ...(reason === null ? {} : { reason }) };
          found.set(packageId, [...(found.get(packageId) ?? []), approval]);
        }
        return found;
      }),
  };
}

type ApprovalRow = Pick<creative_assignmentModel, 'package_id' | 'creative_id' | 'approval_reason'> & {
  readonly approval_status: CreativeApproval['status'];
};

const known = `
  select package_id, creative_id, approval_status, approval_reason from creative_assignment
  where media_buy_id = any($1) and approval_status is not null order by package_id, creative_id`;

async function storePackageApprovals(
  client: TenantClient,
  { mediaBuyId, seller }: SellerPart,
  { packageId, creativeApprovals: listed = [] }: CreatedPackage,
  at: Instant,
): Promise<void> {
  const rows = listed.map(({ creativeId, status, reason }) => ({
    creative_id: storableText(creativeId),
    status,
    reason: reason === undefined ? undefined : storableText(reason),
  }));
  const prefixedPackageId = storableText(prefixId(seller, packageId));
  const when = new Date(at);
  await client.query(upsertApprovals, [
    client.organizationId,
    prefixedPackageId,
    seller,
    mediaBuyId,
    storableText(packageId),
    when,
    JSON.stringify(rows),
  ]);
  await client.query(forget, [prefixedPackageId, mediaBuyId, rows.map((row) => row.creative_id), when]);
}

/** A seller that shows a creative on a package has assigned it there. The last row of one id counts. */
const upsertApprovals = `
  insert into creative_assignment as kept
    (id, organization_id, creative_id, package_id, media_buy_id, seller, operation_id, created_at,
     approval_status, approval_reason, approval_as_of)
  select gen_random_uuid(), $1, seen.creative_id, $2, m.id, $3, m.operation_id, $6, seen.status, seen.reason, $6
  from (
    select distinct on (creative_id) creative_id, status, reason
    from rows from (jsonb_to_recordset($7::jsonb) as (creative_id text, status text, reason text))
      with ordinality as listed(creative_id, status, reason, place)
    order by creative_id, place desc
  ) seen
  join media_buy m on m.id = $4
  where exists (
    select from buy_package item
    where item.media_buy_id = m.id and item.seller = $3 and item.seller_package_id = $5
  )
  on conflict (organization_id, creative_id, package_id) do update
  set approval_status = excluded.approval_status, approval_reason = excluded.approval_reason,
      approval_as_of = excluded.approval_as_of
  where kept.approval_as_of is null or kept.approval_as_of <= excluded.approval_as_of`;

const forget = `
  update creative_assignment set approval_status = null, approval_reason = null, approval_as_of = $4
  where package_id = $1 and media_buy_id = $2 and creative_id <> all($3) and approval_status is not null
    and approval_as_of <= $4`;

/** If a seller's library has not decided, its approvals on packages decide the state of a creative there. */
async function followApprovals(
  client: TenantClient,
  { connectionId, seller }: SellerPart,
  creativeIds: readonly string[],
  at: Instant,
): Promise<void> {
  const { rows } = await client.query<{
    creative_id: string;
    status: PlacementStatus;
    statuses: CreativeApproval['status'][];
    reason: string | null;
  }>(standing, [connectionId, seller, [...creativeIds]]);
  const placements = rows.flatMap(({ creative_id: creativeId, status, statuses, reason }) => {
    const next = placementByApprovals(status, statuses);
    if (next === undefined) return [];
    const why = next === 'rejected' && reason !== null ? { reason } : {};
    return [{ creativeId, connectionId, seller, status: next, source: 'poll' as const, ...why }];
  });
  await storeEffects(client, { placements, assignments: [] }, at);
}

const standing = `
  select p.creative_id, p.status, array_agg(a.approval_status) as statuses, max(a.approval_reason) as reason
  from creative_placement p
  join creative_assignment a on a.creative_id = p.creative_id and a.seller = $2 and a.approval_status is not null
  where p.connection_id = $1 and p.creative_id = any($3)
  group by p.creative_id, p.status order by p.creative_id`;
