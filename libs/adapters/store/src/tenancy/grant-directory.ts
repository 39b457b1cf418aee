import {
  builtInRoles,
  readPermissions,
  type Belongings,
  type GrantDirectory,
  type GrantRecord,
  type GrantScope,
  type PlacedGrant,
} from '@switchyard/tenancy';
import type { Store } from '../core/open-store.js';
import { storableValue } from '../core/storable.js';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';
import { rowReader, type Row } from '../core/row-mapper.js';
import type { Prisma } from '../generated/client.js';
import type { access_grantModel, roleModel } from '../generated/models.js';
import { grantOfPrincipal, scopeOf, storedGrantOf, type StoredGrant } from './principal-row.js';

/** Roles of principals in a scope, and roles that an organization has edited. */
export function grantDirectory(store: Store): GrantDirectory {
  return {
    ofTeam: (scope, teamId) => store.inTenant(scope, (client) => grantsOfTeam(client, teamId)),
    add: (scope, grant) => store.inTenant(scope, (client) => addGrant(client, grant)),
    remove: (scope, id, at) =>
      store.inTenant(scope, async (client) => {
        const removed = await client.models.access_grant.updateManyAndReturn({
          where: { id, removed_at: null },
          data: { removed_at: new Date(at) },
        });
        await outdate(client, removed.map(grantOf));
        return removed.length > 0;
      }),
    roles: (scope) => store.inTenant(scope, rolesIn),
    saveRole: (scope, role) => store.inTenant(scope, (client) => saveRole(client, role)),
    placeOf: (scope, of) =>
      'id' in of ? store.inTenant(scope, (client) => placeOfScope(client, of)) : Promise.resolve({}),
    holders: (scope, { area, kind }) => store.inTenant(scope, (client) => holdersIn(client, { area, kind })),
  };
}

/** Names of up to three principals that have a permission in the whole organization, by name. */
export async function holdersIn(
  client: TenantClient,
  { area, kind }: Parameters<GrantDirectory['holders']>[1],
): Promise<readonly string[]> {
  const roles = Object.entries(builtInRoles).filter(([, held]) => held[area]?.includes(kind) === true);
  const { rows } = await client.query<{ name: string }>(holders, [area, kind, roles.map(([name]) => name)]);
  return rows.map(({ name }) => name);
}

/** The team's roles, each role in a scope once. */
export async function grantsOfTeam(client: TenantClient, teamId: string): Promise<readonly PlacedGrant[]> {
  const { rows } = await client.query<StoredGrant>(heldByTeam, [teamId]);
  return rows.map((row) => ({ ...storedGrantOf(row), place: belongingsOf(row) }));
}

/** Returns false if the grant is for a team that does not exist. */
export async function addGrant(client: TenantSession, grant: GrantRecord): Promise<boolean> {
  if (grant.teamId !== undefined && !(await keepsTeam(client, grant.teamId))) return false;
  await client.models.access_grant.create({ data: grantRow(client.organizationId, grant) });
  await outdate(client, [grant]);
  return true;
}

/** Roles that the organization has edited or created. */
export async function rolesIn(client: TenantClient) {
  const { rows } = await client.query<roleModel>('select * from role order by name');
  return rows.map((row) => ({
    name: row.name,
    permissions: readPermissions(row.permissions),
    updatedAt: row.updated_at.getTime(),
  }));
}

export async function saveRole(
  client: TenantSession,
  { name, permissions, updatedAt }: Parameters<GrantDirectory['saveRole']>[1],
): Promise<void> {
  const { access_grant, role } = client.models;
  const key = { organization_id: client.organizationId, name };
  const columns = { permissions: storableValue(permissions), updated_at: new Date(updatedAt) };
  await role.upsert({
    where: { organization_id_name: key },
    create: { ...key, ...columns },
    update: columns,
  });
  const held = await access_grant.findMany({ where: { role: name, removed_at: null } });
  await outdate(client, held.map(grantOf));
}

/** The place of a scope; undefined if the scope does not exist. */
export async function placeOfScope(client: TenantClient, of: GrantScope): Promise<Belongings | undefined> {
  if (of.kind === 'organization' || of.kind === 'own') return {};
  const { rows } = await client.query<Row>(places[of.kind]('$1'), [of.id]);
  return rows.map(belongingsOf)[0];
}

const belongingsOf = rowReader<Belongings>()('client_id, brand_domain, campaign_id');

/** A grant as a new row. */
export function grantRow(
  organizationId: string,
  { id, principalId, teamId, role, scope, grantedBy, createdAt, isByProvider }: GrantRecord,
): Prisma.access_grantUncheckedCreateInput {
  return {
    id,
    organization_id: organizationId,
    principal_id: principalId ?? null,
    team_id: teamId ?? null,
    role,
    scope_kind: scope.kind,
    scope_id: 'id' in scope ? scope.id : '',
    granted_by: grantedBy ?? null,
    created_at: new Date(createdAt),
    is_by_provider: isByProvider === true,
  };
}

const readGrant = rowReader<Omit<GrantRecord, 'scope' | 'isByProvider'>>()(
  'id, role, principal_id, team_id, granted_by, created_at',
);

export function grantOf(row: access_grantModel): GrantRecord {
  const grant = { ...readGrant(row), scope: scopeOf(row.scope_kind, row.scope_id) };
  return row.is_by_provider ? { ...grant, isByProvider: true } : grant;
}

/**
 * Gives the rows of the holders of these grants new versions. The relay caches a token's rights with the versions of
 * its rows (`relay_mark`), and grants are not among them.
 */
export async function outdate(
  client: TenantClient,
  held: readonly Pick<GrantRecord, 'principalId' | 'teamId'>[],
): Promise<void> {
  if (held.length === 0) return;
  const principalIds = new Set(held.flatMap(({ principalId }) => principalId ?? []));
  const teamIds = new Set(held.flatMap(({ teamId }) => teamId ?? []));
  await client.query(outdated, [[...principalIds], [...teamIds]]);
}

/** Whether a team exists; locks it against removal until the transaction ends. */
export async function keepsTeam(client: TenantClient, teamId: string): Promise<boolean> {
  const { rowCount } = await client.query('select from team where id = $1 for key share', [teamId]);
  return rowCount > 0;
}

export const outdated = `
  update principal set kind = kind
  where id = any($1::uuid[] || array(select principal_id from team_member where team_id = any($2::uuid[])))`;

const holders = `
  select p.name from principal p
  where p.disabled_at is null and (p.permissions -> $1 ? $2 or exists (
    select 1 from access_grant g left join role r on r.organization_id = g.organization_id and r.name = g.role
    where ${grantOfPrincipal} and g.scope_kind = 'organization'
      and case when r.name is null then g.role = any($3::text[]) else r.permissions -> $1 ? $2 end))
  order by p.name limit 3`;

/** Parents of each kind of scope, by an expression for its id. */
const places = {
  client: (id: string) =>
    `select id as client_id, null as brand_domain, null::uuid as campaign_id from client where id = ${id}::uuid`,
  // A domain may have brands of several clients: then it belongs to none of them.
  brand: (id: string) => `
    select case when count(distinct client_id) = 1 then min(client_id::text)::uuid end as client_id,
      domain as brand_domain, null::uuid as campaign_id
    from brand where domain = ${id} group by domain`,
  campaign: (id: string) =>
    `select client_id, brand_domain, id as campaign_id from campaign where id = ${id}::uuid`,
} as const;

const placed = Object.entries(places)
  .map(([kind, placeOf]) => `(${placeOf(`case g.kind when '${kind}' then g.id end`)})`)
  .join(' union all ');

const heldByTeam = `
  select g.*, place.*
  from (
    select distinct g.role, r.permissions, g.scope_kind as kind, g.scope_id as id
    from access_grant g left join role r on r.organization_id = g.organization_id and r.name = g.role
    where g.team_id = $1 and g.removed_at is null) as g
  left join lateral (${placed}) as place on true`;
