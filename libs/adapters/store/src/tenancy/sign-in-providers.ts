import { randomUUID } from 'node:crypto';
import {
  roleKey,
  type GrantRecord,
  type PlacedRole,
  type SettledRoles,
  type SignInProvider,
  type SignInProviders,
} from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import { lockControls } from '../control/lock-controls.js';
import type { Store } from '../core/open-store.js';
import { storableJson } from '../core/storable.js';
import type { TenantClient } from '../core/tenant-client.js';
import type { access_grantModel, sign_in_providerModel } from '../generated/models.js';
import { addGrant, grantOf, holdersIn, outdate } from './grant-directory.js';

/** The providers that the people of organizations sign in with, in PostgreSQL. */
export function signInProviders(store: Store): SignInProviders {
  return {
    of: (scope) => store.inTenant(scope, providerIn),
    remove: (scope) =>
      store.inTenant(scope, async (client) => {
        const removed = await providerIn(client);
        if (removed === undefined) return false;
        await client.query('delete from sign_in_provider where organization_id = $1', [
          client.organizationId,
        ]);
        await dropSecret(client, removed);
        return true;
      }),
    settleRoles: (scope, principalId, wanted, at) =>
      store.inTenant(scope, (client) => settleRoles(client, principalId, wanted, at)),
  };
}

export async function providerIn(client: TenantClient): Promise<SignInProvider | undefined> {
  const { rows } = await client.query<ProviderRow>(
    'select * from sign_in_provider where organization_id = $1',
    [client.organizationId],
  );
  return rows.map(providerOf)[0];
}

/** Replaces the provider, and removes the secret of the one before. */
export async function saveProvider(
  client: TenantClient,
  provider: SignInProvider,
  by: { readonly principalId: string; readonly at: Instant },
): Promise<void> {
  const before = await providerIn(client);
  const { issuer, clientId, credentialId, name, domains, trustsEmail, groupsClaim, extraScopes, groups } =
    provider;
  await client.query(
    `insert into sign_in_provider (organization_id, issuer, client_id, credential_id, name, domains, trusts_email,
       groups_claim, extra_scopes, groups, set_at, set_by) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
     on conflict (organization_id) do update set issuer = excluded.issuer, client_id = excluded.client_id,
       credential_id = excluded.credential_id, name = excluded.name, domains = excluded.domains,
       trusts_email = excluded.trusts_email, groups_claim = excluded.groups_claim,
       extra_scopes = excluded.extra_scopes, groups = excluded.groups, set_at = excluded.set_at,
       set_by = excluded.set_by`,
    [
      ...[client.organizationId, issuer, clientId, credentialId ?? null, name, [...domains], trustsEmail],
      ...[groupsClaim, [...extraScopes], storableJson(groups), new Date(by.at), by.principalId],
    ],
  );
  if (before !== undefined && before.credentialId !== credentialId) await dropSecret(client, before);
}

async function dropSecret(client: TenantClient, { credentialId }: SignInProvider): Promise<void> {
  if (credentialId === undefined) return;
  await client.query(
    `delete from credential where organization_id = $1 and credential_id = $2 and kind = 'sign_in_client'`,
    [client.organizationId, credentialId],
  );
}

type ProviderRow = Omit<sign_in_providerModel, 'groups'> & Pick<SignInProvider, 'groups'>;

function providerOf(row: ProviderRow): SignInProvider {
  return {
    issuer: row.issuer,
    clientId: row.client_id,
    ...(row.credential_id !== null && { credentialId: row.credential_id }),
    name: row.name,
    domains: row.domains,
    trustsEmail: row.trusts_email,
    groupsClaim: row.groups_claim,
    extraScopes: row.extra_scopes,
    groups: row.groups,
  };
}

/** Takes turns with other changes of controls: two sign-ins never take away the last two admins at once. */
async function settleRoles(
  client: TenantClient,
  principalId: string,
  wanted: readonly PlacedRole[],
  at: Instant,
): Promise<SettledRoles> {
  const held = await heldByProvider(client, principalId);
  const heldKeys = new Set(held.map(roleKey));
  const wantedKeys = new Set(wanted.map(roleKey));
  const missing = wanted.filter((role) => !heldKeys.has(roleKey(role)));
  const lost = held.filter((role) => !wantedKeys.has(roleKey(role)));
  if (missing.length === 0 && lost.length === 0) return { added: [], removed: [], kept: [] };
  await lockControls(client);
  for (const role of missing)
    await addGrant(client, { ...role, id: randomUUID(), principalId, createdAt: at, isByProvider: true });
  if (lost.length === 0) return { added: missing, removed: [], kept: [] };
  await setRemoved(client, lost, new Date(at));
  const isLast = (await holdersIn(client, managesPeople)).length === 0;
  // Which of several roles carries it need not be known: all of them come back.
  if (isLast) await setRemoved(client, lost, null);
  return { added: missing, removed: isLast ? [] : lost, kept: isLast ? lost : [] };
}

const managesPeople = { area: 'principals', kind: 'write' } as const;

async function heldByProvider(client: TenantClient, principalId: string): Promise<readonly GrantRecord[]> {
  const { rows } = await client.query<access_grantModel>(
    `select * from access_grant
     where organization_id = $1 and principal_id = $2 and is_by_provider and removed_at is null
     order by created_at, id for update`,
    [client.organizationId, principalId],
  );
  return rows.map(grantOf);
}

async function setRemoved(client: TenantClient, grants: readonly GrantRecord[], at: Date | null) {
  await client.query(
    'update access_grant set removed_at = $3 where organization_id = $1 and id = any($2::uuid[])',
    [client.organizationId, grants.map(({ id }) => id), at],
  );
  await outdate(client, grants);
}
