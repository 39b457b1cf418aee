import { randomUUID } from 'node:crypto';
import {
  isUndecided,
  rollUpCreative,
  type CreativeEffects,
  type PlacementSeen,
  type PlacementStatus,
} from '@switchyard/buys';
import { splitId, type CreativeStatus } from '@switchyard/protocol';
import { defined, type Instant } from '@switchyard/values';
import { storableText } from '../core/storable.js';
import type { TenantClient } from '../core/tenant-client.js';
import { tellOfCreatives } from '../outbox/tell-of-creatives.js';
import { lockCreatives } from './lock-creatives.js';

/** Milliseconds before a seller that has not decided is first polled for the state. */
const firstPollMs = 5_000;

/** Writes the creative states in a leg's or a seller's message. Returns the number of changed placements. */
export async function storeEffects(
  client: TenantClient,
  { placements, assignments, released = [], withdrawnBy }: CreativeEffects,
  at: Instant,
): Promise<number> {
  if (withdrawnBy !== undefined) return withdraw(client, withdrawnBy, at);
  if (placements.length + assignments.length + released.length === 0) return 0;
  await lockCreatives(client, creativesIn({ placements, assignments }));
  let changed = 0;
  for (const seen of sorted(placements)) changed += await storePlacement(client, seen, at);
  // In the same order as approvals on packages are written.
  for (const { packageId, remaining } of released.toSorted((one, other) =>
    one.packageId < other.packageId ? -1 : 1,
  ))
    await client.query(release, [storableText(packageId), remaining.map(storableText)]);
  for (const { creativeId, packageId, seller, operationId } of assignments) {
    const id = splitId(packageId);
    await client.query(assign, [
      randomUUID(),
      client.organizationId,
      storableText(creativeId),
      storableText(packageId),
      seller,
      operationId,
      new Date(at),
      storableText(id.ok ? id.value.id : packageId),
    ]);
  }
  if (changed === 0) return changed;
  const moved = await rollUpStatus(
    client,
    placements.map(({ creativeId }) => creativeId),
    at,
  );
  // What is in the answer to its own request is no news.
  const news = new Map(
    placements.filter(({ source }) => source !== 'inline').map((seen) => [seen.creativeId, seen]),
  );
  await tellOfCreatives(
    client,
    moved.flatMap((move) => {
      const seen = news.get(move.creativeId);
      return seen === undefined ? [] : [{ ...move, ...defined({ reasonCode: seen.reasonCode }) }];
    }),
    at,
  );
  return changed;
}

/** The creatives with a new state. */
export function creativesIn({
  placements,
  assignments,
}: Pick<CreativeEffects, 'placements' | 'assignments'>): readonly string[] {
  return [...placements, ...assignments].map(({ creativeId }) => creativeId);
}

/** What the seller had accepted from us before is not withdrawn by this leg. */
async function withdraw(client: TenantClient, legId: string, at: Instant): Promise<number> {
  const pending = await client.query<{ creative_id: string }>(
    'select creative_id from creative_placement where leg_id = $1',
    [legId],
  );
  await lockCreatives(
    client,
    pending.rows.map((row) => row.creative_id),
  );
  const { rows } = await client.query<{ creative_id: string }>(
    `delete from creative_placement
     where leg_id = $1 and status = 'pending' and synced_at is null returning creative_id`,
    [legId],
  );
  await rollUpStatus(
    client,
    rows.map((row) => row.creative_id),
    at,
  );
  return rows.length;
}

async function storePlacement(client: TenantClient, seen: PlacementSeen, at: Instant): Promise<number> {
  const { rowCount } = await client.query(seen.operationId === undefined ? observe : upsert, [
    storableText(seen.creativeId),
    seen.connectionId,
    seen.status,
    seen.reason === undefined ? null : storableText(seen.reason),
    seen.platformId === undefined ? null : storableText(seen.platformId),
    seen.isAccepted === true,
    seen.source,
    new Date(at),
    isUndecided(seen.status) ? new Date(at + firstPollMs) : null,
    ...(seen.operationId === undefined
      ? []
      : [
          randomUUID(),
          client.organizationId,
          seen.seller,
          seen.legId ?? null,
          seen.operationId,
          seen.sellerCreativeId === undefined ? null : storableText(seen.sellerCreativeId),
        ]),
  ]);
  return rowCount;
}

const changes = `
  status = case when $3 = 'failed' and kept.synced_at is not null then kept.status else $3 end,
  reason = $4, platform_id = coalesce($5, kept.platform_id),
  synced_at = case when $6 then coalesce(kept.synced_at, $8) else kept.synced_at end,
  observed_at = $8, observed_by = $7, next_poll_at = $9, updated_at = $8`;

/** An older or equal state changes nothing. */
const isUpdate = `
  (kept.observed_at is null or kept.observed_at <= $8)
  and (kept.status, kept.reason) is distinct from ($3, $4)`;

const observe = `
  update creative_placement kept set ${changes}
  where kept.creative_id = $1 and kept.connection_id = $2 and ${isUpdate}`;

/** If a seller refuses a new version and holds an older one, the state stays and the reason is stored. */
const upsert = `
  insert into creative_placement as kept
    (id, organization_id, creative_id, connection_id, seller, leg_id, operation_id, status, reason, platform_id,
     synced_at, observed_at, observed_by, next_poll_at, created_at, updated_at, seller_creative_id)
  values ($10, $11, $1, $2, $12, $13, $14, $3, $4, $5, case when $6 then $8::timestamptz end, $8, $7, $9, $8, $8, $15)
  on conflict (organization_id, creative_id, connection_id) do update
  set ${changes}
  where kept.observed_at is null or kept.observed_at <= $8`;

const assign = `
  insert into creative_assignment
    (id, organization_id, creative_id, package_id, media_buy_id, seller, operation_id, created_at)
  select $1, $2, $3, $4, item.media_buy_id, $5, $6, $7
  from buy_package item where item.seller = $5 and item.seller_package_id = $8 limit 1
  on conflict (organization_id, creative_id, package_id) do nothing`;

const release = 'delete from creative_assignment where package_id = $1 and creative_id <> all($2)';

/** A change of the status of a creative over all its sellers. */
interface CreativeMove {
  readonly creativeId: string;
  readonly from: CreativeStatus;
  readonly to: CreativeStatus;
}

/** The library status of a creative follows its sellers' states, in the same commit. Returns what has changed. */
export async function rollUpStatus(
  client: TenantClient,
  creativeIds: readonly string[],
  at: Instant,
): Promise<readonly CreativeMove[]> {
  if (creativeIds.length === 0) return [];
  const moved: CreativeMove[] = [];
  const ids = [...new Set(creativeIds)].map(storableText).sort();
  const { rows } = await client.query<{
    creative_id: string;
    archived: boolean;
    status: CreativeStatus;
    states: PlacementStatus[];
  }>(
    `select c.creative_id, c.archived_at is not null as archived, c.status,
            array(select p.status from creative_placement p where p.creative_id = c.creative_id) as states
     from creative c where c.creative_id = any($1) order by c.creative_id for update of c`,
    [ids],
  );
  for (const row of rows) {
    const status = rollUpCreative(row.states, row.archived);
    if (status === row.status) continue;
    await client.query('update creative set status = $2, status_at = $3 where creative_id = $1', [
      row.creative_id,
      status,
      new Date(at),
    ]);
    moved.push({ creativeId: row.creative_id, from: row.status, to: status });
  }
  return moved;
}

function sorted(placements: readonly PlacementSeen[]): readonly PlacementSeen[] {
  const keyOf = ({ creativeId, connectionId }: PlacementSeen): string => `${creativeId} ${connectionId}`;
  return [...placements].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}
