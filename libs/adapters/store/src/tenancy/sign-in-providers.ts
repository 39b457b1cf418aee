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
import { rowReader } from '../core/row-mapper.js';
import { storableValue } from '../core/storable.js';
import type { TenantSession } from '../core/tenant-client.js';
import type { access_grantModel } from '../generated/models.js';
import { addGrant, grantOf, holdersIn, outdate } from './grant-directory.js';

/** The providers that the people of organizations sign in with, in PostgreSQL. */
export function signInProviders(store: Store): SignInProviders {
  return {
    of: (scope) => store.inTenant(scope, providerIn),
    remove: (scope) =>
      store.inTenant(scope, async (client) => {
        const removed = await providerIn(client);
        if (removed === undefined) return false;
        await client.models.sign_in_provider.deleteMany({
          where: { organization_id: client.organizationId },
        });
        await dropSecret(client, removed);
        return true;
      }),
    settleRoles: (scope, principalId, wanted, at) =>
      store.inTenant(scope, (client) => settleRoles(client, principalId, wanted, at)),
  };
}

export async function providerIn({
  models,
  organizationId,
}: TenantSession): Promise<SignInProvider | undefined> {
  const row = await models.sign_in_provider.findFirst({ where: { organization_id: organizationId } });
  return row === null ? undefined : providerOf(row);
}

/** Replaces the provider, and removes the secret of the one before. */
export async function saveProvider(
  client: TenantSession,
  provider: SignInProvider,
  by: { readonly principalId: string; readonly at: Instant },
): Promise<void> {
  const before = await providerIn(client);
  const { issuer, clientId, credentialId, name, domains, trustsEmail, groupsClaim, extraScopes, groups } =
    provider;
  const key = { organization_id: client.organizationId };
  const columns = {
    issuer,
    client_id: clientId,
    credential_id: credentialId ?? null,
    name,
    domains: [...domains],
    trusts_email: trustsEmail,
    groups_claim: groupsClaim,
    extra_scopes: [...extraScopes],
    groups: storableValue(groups),
    set_at: new Date(by.at),
    set_by: by.principalId,
  };
  await client.models.sign_in_provider.upsert({
    where: key,
    create: { ...key, ...columns },
    update: columns,
  });
  if (before !== undefined && before.credentialId !== credentialId) await dropSecret(client, before);
}

async function dropSecret(
  { models, organizationId }: TenantSession,
  { credentialId }: SignInProvider,
): Promise<void> {
  if (credentialId === undefined) return;
  await models.credential.deleteMany({
    where: { organization_id: organizationId, credential_id: credentialId, kind: 'sign_in_client' },
  });
}

const providerOf = rowReader<SignInProvider>()(`
  issuer, client_id, credential_id, name, domains, trusts_email, groups_claim, extra_scopes, groups`);

/** Takes turns with other changes of controls: two sign-ins never take away the last two admins at once. */
async function settleRoles(
  client: TenantSession,
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

async function heldByProvider(client: TenantSession, principalId: string): Promise<readonly GrantRecord[]> {
  const { rows } = await client.query<access_grantModel>(
    `select * from access_grant
     where organization_id = $1 and principal_id = $2 and is_by_provider and removed_at is null
     order by created_at, id for update`,
    [client.organizationId, principalId],
  );
  return rows.map(grantOf);
}

async function setRemoved(client: TenantSession, grants: readonly GrantRecord[], at: Date | null) {
  await client.models.access_grant.updateMany({
    where: { organization_id: client.organizationId, id: { in: grants.map(({ id }) => id) } },
    data: { removed_at: at },
  });
  await outdate(client, grants);
}
