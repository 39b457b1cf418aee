import type { Capabilities } from '@switchyard/protocol';
import {
  capabilitiesFreshMs,
  capabilityChanges,
  type CapabilityChange,
  type DiscoveredSeller,
  type ProbedSeller,
} from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { rowReader } from '../core/row-mapper.js';
import { storableJson } from '../core/storable.js';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';

/** One version of what a seller says it can do. */
export interface CapabilityVersion {
  readonly version: number;
  readonly readAt: Instant;
  readonly changes: readonly CapabilityChange[];
  /** True while a person has to accept a breaking change. */
  readonly asks: boolean;
  readonly acceptedAt?: Instant;
}

/** Versions that are stored of one seller. */
const mostVersions = 50;

/**
 * Stores what a seller was found to be, and a version if its capabilities have changed. Both are one transaction, so that no
 * change is lost or counted twice. False if the seller is no longer the one that was asked.
 */
export async function saveDiscovered(
  client: TenantSession,
  { id, agentUrl }: ProbedSeller,
  found: DiscoveredSeller,
  time: Instant,
): Promise<boolean> {
  const at = new Date(time);
  const { rows } = await client.query<{ capabilities: Capabilities | null; state: string }>(
    `select capabilities, state from connection where organization_id = $1 and id = $2 and agent_url = $3
     for no key update`,
    [client.organizationId, id, agentUrl],
  );
  const [before] = rows;
  if (before === undefined) return false;
  const changes =
    before.capabilities === null ? [] : capabilityChanges(before.capabilities, found.capabilities);
  if (before.capabilities === null || changes.length > 0) {
    // A draft is judged as a whole before it is live.
    const asks = before.state !== 'draft' && changes.some(({ grade }) => grade === 'breaking');
    await insertVersion(client, id, { changes, asks, document: found.capabilities.original }, at);
  }
  await client.query(
    `update connection set capabilities = $3::jsonb, capabilities_at = $4, capabilities_due_at = $5,
       capabilities_failures = 0, form = $6, kinds = $7, updated_at = $4, name = coalesce($8, name),
       tools = coalesce($9::jsonb, tools)
     where organization_id = $1 and id = $2`,
    [
      client.organizationId,
      id,
      storableJson(found.capabilities),
      at,
      new Date(at.getTime() + capabilitiesFreshMs),
      found.form,
      [...found.kinds],
      found.name ?? null,
      found.tools === undefined ? null : storableJson(found.tools),
    ],
  );
  return true;
}

async function insertVersion(
  client: TenantSession,
  id: string,
  {
    changes,
    asks,
    document,
  }: { readonly changes: readonly CapabilityChange[]; readonly asks: boolean; readonly document: unknown },
  at: Date,
): Promise<void> {
  const { rows } = await client.query<{ version: number }>(
    `insert into capability_version (organization_id, connection_id, version, read_at, changes, document, asks)
     select $1, $2, coalesce(max(version), 0) + 1, $3, $4::jsonb, $5::jsonb, $6
     from capability_version where organization_id = $1 and connection_id = $2 returning version`,
    [client.organizationId, id, at, storableJson(changes), storableJson(document), asks],
  );
  const old = { version: { lte: (rows[0]?.version ?? 0) - mostVersions }, asks: false };
  await client.models.capability_version.deleteMany({
    where: { organization_id: client.organizationId, connection_id: id, ...old },
  });
}

/** Sellers among these whose last changes nobody has accepted yet. */
export async function sellersThatAsk(
  client: TenantClient,
  slugs: readonly string[],
): Promise<readonly string[]> {
  if (slugs.length === 0) return [];
  const { rows } = await client.query<{ slug: string }>(
    `select c.slug from connection c where c.organization_id = $1 and c.slug = any($2::text[])
       and exists (select from capability_version v
                   where v.organization_id = $1 and v.connection_id = c.id and v.asks) order by 1`,
    [client.organizationId, [...slugs]],
  );
  return rows.map(({ slug }) => slug);
}

/** The versions of capabilities of sellers. */
export function capabilityVersions(store: Store) {
  return {
    /** The newest first. */
    of: (scope: TenantScope, connectionId: string): Promise<readonly CapabilityVersion[]> =>
      store.inTenantModels(scope, async ({ capability_version }) => {
        const rows = await capability_version.findMany({
          where: { organization_id: scope.organizationId, connection_id: connectionId },
          orderBy: { version: 'desc' },
          take: mostVersions,
          omit: { document: true },
        });
        return rows.map(versionOf);
      }),
    /** Sellers among these at which new buys ask. */
    thatAsk: (scope: TenantScope, slugs: readonly string[]): Promise<readonly string[]> =>
      store.inTenant(scope, (client) => sellersThatAsk(client, slugs)),
    /** Ends the questions of all versions of a seller. Returns how many there were. */
    accept: (scope: TenantScope, connectionId: string, by: string, at: Instant): Promise<number> =>
      store.inTenantModels(scope, async ({ capability_version }) => {
        const where = { organization_id: scope.organizationId, connection_id: connectionId, asks: true };
        const data = { asks: false, accepted_at: new Date(at), accepted_by: by };
        return (await capability_version.updateMany({ where, data })).count;
      }),
  };
}

export type CapabilityVersions = ReturnType<typeof capabilityVersions>;

const versionOf = rowReader<CapabilityVersion>()('version, read_at, changes, asks, accepted_at');
