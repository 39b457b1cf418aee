import {
  type Connection,
  type ConnectionDirectory,
  type ConnectionPatch,
  type ProbedSeller,
} from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import { batchQueries } from '../core/batch-queries.js';
import { unlessDuplicate } from '../core/is-duplicate.js';
import type { Store } from '../core/open-store.js';
import type { Prisma } from '../generated/client.js';
import { saveDiscovered } from './capability-versions.js';
import { CachedConnections } from './cached-connections.js';
import { connectionOf, connectionRow, healthOf, healthValues, jsonColumn } from './connection-row.js';
import type { ConnectionRow } from './connection-row.js';

/** Connections and their health. If two insert one slug at the same time, one gets false. */
export function connectionDirectory(store: Store): ConnectionDirectory {
  const connections = new CachedConnections(store);
  // Many events of many sellers are read at once, and each names its connection.
  const byId = batchQueries(
    async (asked: readonly { readonly scope: TenantScope; readonly id: string }[]) => {
      const [first] = asked;
      if (first === undefined) return [];
      const ids = [...new Set(asked.map(({ id }) => id))];
      const found = await connections.find(first.scope, 'id = any($1::uuid[])', [ids]);
      const known = new Map(found.map((connection) => [connection.id, connection]));
      return asked.map(({ id }) => ({ connection: known.get(id) }));
    },
    {
      groupOf: ({ scope }) => scope.organizationId,
      ...{ most: 256, lanes: 4, anySize: true, gathers: true },
    },
  );
  const change = (
    scope: TenantScope,
    where: Prisma.connectionWhereInput,
    data: Prisma.connectionUpdateManyMutationInput,
  ): Promise<boolean> =>
    store.inTenantModels(
      scope,
      async ({ connection }) => (await connection.updateMany({ where, data })).count > 0,
    );
  return {
    insert: (scope, connection, at) => insert(store, scope, connection, at),
    bySlug: async (scope, slug) => (await connections.find(scope, 'slug = $1', [slug]))[0],
    byId: async (scope, id) => (await byId({ scope, id })).connection,
    list: (scope, filter) =>
      filter?.state === undefined
        ? connections.find(scope, "state <> 'draft'", [])
        : connections.find(scope, 'state = $1', [filter.state]),
    updateState: (scope, seller, { state, reason }, at) =>
      change(
        scope,
        { ...still(seller), NOT: { state: 'suspended' } },
        { state, state_reason: reason ?? null, updated_at: new Date(at) },
      ),
    saveCapabilities: (scope, seller, found, at) =>
      store.inTenant(scope, (client) => saveDiscovered(client, seller, found, at)),
    takeAged: (scope, at, leaseUntil, limit) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<ConnectionRow>(takeAged, [
          new Date(at),
          new Date(leaseUntil),
          limit,
        ]);
        return rows.map((row) => ({ connection: connectionOf(row), failures: row.capabilities_failures }));
      }),
    capabilitiesFailed: (scope, seller, failures, nextAt) =>
      change(scope, still(seller), {
        capabilities_failures: failures,
        capabilities_due_at: new Date(nextAt),
      }),
    readSoon: async (scope, id, what, at) => {
      const soon = new Date(at);
      const data =
        what === 'look' ? { look_due_at: soon } : { capabilities_due_at: soon, capabilities_failures: 0 };
      await change(scope, { id }, data);
    },
    takeForLook: (scope, at, leaseUntil, limit) =>
      store.inTenant(scope, async (client) => {
        const values = [new Date(at), new Date(leaseUntil), limit];
        const { rows } = await client.query<ConnectionRow>(takeForLook, values);
        return rows.map((row) => ({
          connection: connectionOf(row),
          leaseUntil: row.look_due_at?.getTime() ?? leaseUntil,
        }));
      }),
    lookedAt: async (scope, id, leaseUntil, nextAt) => {
      await change(scope, { id, look_due_at: new Date(leaseUntil) }, { look_due_at: new Date(nextAt) });
    },
    storeKeySet: (scope, seller, { kind, known = null, jwksUri }, at) =>
      kind === 'pinned'
        ? change(
            scope,
            { ...still(seller), pinned_jwks_uri: known },
            { pinned_jwks_uri: jwksUri, updated_at: new Date(at) },
          )
        : change(
            scope,
            { ...still(seller), found_jwks_uri: known },
            { found_jwks_uri: jwksUri, updated_at: new Date(at) },
          ),
    update: (scope, id, patch, at) =>
      change(scope, { id }, { ...changesOf(patch), updated_at: new Date(at) }),
    saveHealth: (health) =>
      store.inTenant(health, async (client) => {
        await client.query(upsertHealth, healthValues(health));
      }),
    health: (scope) =>
      store.inTenantModels(scope, async (models) =>
        (await models.connection_health.findMany({ orderBy: { connection_id: 'asc' } })).map(healthOf),
      ),
  };
}

/** The seller, if it is still the one that was checked. As a condition of the statement, no change can intervene. */
function still({ id, agentUrl }: ProbedSeller): Prisma.connectionWhereInput {
  return { id, agent_url: agentUrl };
}

async function insert(
  store: Store,
  scope: TenantScope,
  connection: Connection,
  at: Instant,
): Promise<boolean> {
  const data = connectionRow(connection, new Date(at));
  return unlessDuplicate(() => store.inTenantModels(scope, (models) => models.connection.create({ data })));
}

const takeForLook = `
  with due as materialized (
    select id from connection
    where state = 'live' and not coalesce(kinds, '{}') && '{rights,governance}' and coalesce(look_due_at, created_at) <= lease_now($1)
      and not exists (
        select from emergency_stop s where s.kind = 'all' or (s.kind = 'seller' and s.subject = connection.id::text))
    order by coalesce(look_due_at, created_at), id limit $3 for no key update skip locked
  )
  update connection c set look_due_at = lease_now($1) + ($2::timestamptz - $1::timestamptz)
  from due where c.id = due.id returning c.*`;

const takeAged = `
  with aged as materialized (
    select id from connection
    where state = 'live' and not coalesce(kinds, '{}') && '{rights,governance}' and coalesce(capabilities_due_at, created_at) <= lease_now($1)
      and not exists (
        select from emergency_stop s where s.kind = 'all' or (s.kind = 'seller' and s.subject = connection.id::text))
    order by coalesce(capabilities_due_at, created_at), id limit $3 for no key update skip locked
  )
  update connection c set capabilities_due_at = lease_now($1) + ($2::timestamptz - $1::timestamptz)
  from aged where c.id = aged.id returning c.*`;

const upsertHealth = `
  insert into connection_health as kept
    (connection_id, organization_id, breaker, failures, last_ok_at, last_failure_at, last_failure_code, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict (connection_id) do update set
    breaker = excluded.breaker, failures = excluded.failures, updated_at = excluded.updated_at,
    last_ok_at = coalesce(excluded.last_ok_at, kept.last_ok_at),
    last_failure_at = coalesce(excluded.last_failure_at, kept.last_failure_at),
    last_failure_code = coalesce(excluded.last_failure_code, kept.last_failure_code)
  where kept.updated_at <= excluded.updated_at`;

/** A member set to `undefined` is cleared; an absent one does not change. */
function changesOf(patch: ConnectionPatch): Prisma.connectionUpdateManyMutationInput {
  const cleared = <T>(value: T | undefined): T | null => value ?? null;
  const isQueriedSoon = patch.agentUrl !== undefined || 'credentialId' in patch;
  return {
    // Another URL or credential may get an answer that the previous one did not.
    ...(isQueriedSoon ? { capabilities_due_at: null, capabilities_failures: 0 } : {}),
    ...(patch.name === undefined ? {} : { name: patch.name }),
    ...(patch.protocol === undefined ? {} : { protocol: patch.protocol }),
    ...(patch.dialect === undefined ? {} : { dialect: patch.dialect }),
    ...(patch.agentUrl === undefined ? {} : { agent_url: patch.agentUrl }),
    ...(patch.kinds === undefined ? {} : { kinds: [...patch.kinds] }),
    ...(patch.configuredForm === undefined ? {} : { configured_form: patch.configuredForm }),
    ...(patch.form === undefined ? {} : { form: patch.form }),
    ...(patch.wantsRelaySignature === undefined ? {} : { wants_relay_signature: patch.wantsRelaySignature }),
    ...(patch.wantsAccount === undefined ? {} : { wants_account: patch.wantsAccount }),
    ...(patch.legacyWebhooks === undefined
      ? {}
      : { legacy_webhooks: patch.legacyWebhooks === false ? null : patch.legacyWebhooks }),
    ...('reportRegistration' in patch ? { report_registration: cleared(patch.reportRegistration) } : {}),
    ...('account' in patch ? { account: jsonColumn(patch.account) } : {}),
    ...('pinnedJwksUri' in patch ? { pinned_jwks_uri: cleared(patch.pinnedJwksUri) } : {}),
    ...('pinnedBrandJsonUrl' in patch ? { pinned_brand_json_url: cleared(patch.pinnedBrandJsonUrl) } : {}),
    ...('foundJwksUri' in patch ? { found_jwks_uri: cleared(patch.foundJwksUri) } : {}),
    ...('credentialId' in patch ? { credential_id: cleared(patch.credentialId) } : {}),
    ...('keyCredentialId' in patch ? { key_credential_id: cleared(patch.keyCredentialId) } : {}),
    ...('webhookCredentialId' in patch ? { webhook_credential_id: cleared(patch.webhookCredentialId) } : {}),
  };
}
