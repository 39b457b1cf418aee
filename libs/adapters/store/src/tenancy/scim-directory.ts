import type { TenantScope } from '@switchyard/tenancy';
import { defined, isUuid, type Instant } from '@switchyard/values';
import { lockControls } from '../control/lock-controls.js';
import { isDuplicate, unlessDuplicate } from '../core/is-duplicate.js';
import type { Store } from '../core/open-store.js';
import { rowReader, type Row } from '../core/row-mapper.js';
import type { TenantSession } from '../core/tenant-client.js';
import { holdersIn, outdated } from './grant-directory.js';
import { erasureOf } from './person-erasures.js';
import { insertPrincipal } from './scim-access.js';

/** What a provisioning system keeps of a person. Empty texts are ones that it has not said. */
export interface ScimUser {
  /** UUID of the principal. */
  readonly id: string;
  readonly userName: string;
  readonly externalId: string;
  readonly givenName: string;
  readonly familyName: string;
  readonly displayName: string;
  /** In small letters. */
  readonly email: string;
  readonly active: boolean;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** A team that a provisioning system manages. */
export interface ScimGroup {
  /** UUID of the team. */
  readonly id: string;
  readonly displayName: string;
  readonly externalId: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export interface ScimMember {
  readonly id: string;
  readonly userName: string;
}

/** Whom a filter finds: by an attribute with this value. */
export interface ScimSearch {
  readonly by?: 'id' | 'userName' | 'externalId' | 'email' | 'displayName';
  readonly value?: string;
  /** From 0. */
  readonly offset: number;
  readonly limit: number;
}

interface Found<T> {
  readonly total: number;
  readonly rows: readonly T[];
}

type UserDraft = Partial<Omit<ScimUser, 'id' | 'createdAt' | 'updatedAt'>>;

/** People and teams that a provisioning system manages (RFC 7644). Methods reject when the database cannot be reached. */
export interface ScimDirectory {
  users(scope: TenantScope, search: ScimSearch): Promise<Found<ScimUser>>;
  user(scope: TenantScope, id: string): Promise<ScimUser | undefined>;
  /**
   * Makes a person, or takes over the person `adopts`. `taken`: a managed person has the user name. `many`: the
   * organization has as many managed people as it may have.
   */
  addUser(
    scope: TenantScope,
    user: Omit<ScimUser, 'createdAt' | 'updatedAt'>,
    how: { readonly name: string; readonly adopts: boolean; readonly at: Instant },
  ): Promise<'added' | 'taken' | 'many' | 'name_taken'>;
  /**
   * Changes a person; one that is no longer active loses its tokens and keys in the same transaction. `last_admin`:
   * nobody else could manage people. `outdated`: it has changed since `over`.
   */
  changeUser(
    scope: TenantScope,
    id: string,
    change: UserDraft,
    when: ScimMoment,
  ): Promise<'changed' | 'gone' | 'taken' | 'last_admin' | 'outdated'>;
  /** The person is switched off and managed no more. */
  removeUser(
    scope: TenantScope,
    id: string,
    when: ScimMoment,
  ): Promise<'removed' | 'gone' | 'last_admin' | 'outdated'>;
  /** The managed person with an address. */
  userByEmail(scope: TenantScope, email: string): Promise<string | undefined>;
  groups(scope: TenantScope, search: ScimSearch): Promise<Found<ScimGroup>>;
  group(scope: TenantScope, id: string): Promise<ScimGroup | undefined>;
  members(scope: TenantScope, groupId: string): Promise<readonly ScimMember[]>;
  /** False if a team has the name. */
  addGroup(
    scope: TenantScope,
    group: Pick<ScimGroup, 'id' | 'displayName' | 'externalId'>,
    at: Instant,
  ): Promise<boolean>;
  /** Changes name and members. `no_member`: an id is of no managed person; then nothing is changed. */
  changeGroup(
    scope: TenantScope,
    id: string,
    change: {
      readonly displayName?: string;
      readonly externalId?: string;
      readonly members?: readonly string[];
      readonly added: readonly string[];
      readonly removed: readonly string[];
    },
    by: ScimMoment & { readonly principalId: string },
  ): Promise<'changed' | 'gone' | 'taken' | 'no_member' | 'last_admin' | 'outdated'>;
  /** Removes the team with its roles. */
  removeGroup(
    scope: TenantScope,
    id: string,
    when: ScimMoment,
  ): Promise<'removed' | 'gone' | 'last_admin' | 'outdated'>;
}

/** When a change is made. */
export interface ScimMoment {
  readonly at: Instant;
  /** `updatedAt` of the version that it replaces; absent: of any. */
  readonly over?: Instant;
}

/** The most managed people of one organization. */
export const scimUsersAtMost = 50_000;

export function scimDirectory(store: Store): ScimDirectory {
  return {
    users: (scope, search) => store.inTenant(scope, (client) => usersIn(client, search)),
    user: (scope, id) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<Row>(
          `${users} where u.organization_id = $1 and u.principal_id = $2`,
          [client.organizationId, id],
        );
        return rows.map(userOf)[0];
      }),
    addUser: async (scope, user, how) => {
      try {
        return await store.inTenant(scope, (client) => addUser(client, user, how));
      } catch (error) {
        if (isDuplicate(error)) return 'name_taken';
        throw error;
      }
    },
    changeUser: async (scope, id, change, when) => {
      try {
        return await store.inTenant(scope, (client) => changeUser(client, id, change, when));
      } catch (error) {
        if (isDuplicate(error)) return 'taken';
        throw error;
      }
    },
    removeUser: (scope, id, when) =>
      store.inTenant(scope, async (client) => {
        const off = await changeUser(client, id, { active: false }, when);
        if (off !== 'changed') return off;
        const where = { organization_id: client.organizationId, principal_id: id };
        await client.models.scim_user.deleteMany({ where });
        return 'removed';
      }),
    userByEmail: (scope, email) =>
      store.inTenantModels(scope, async ({ scim_user }) => {
        const where = { organization_id: scope.organizationId, email };
        const orderBy = [{ created_at: 'asc' }, { principal_id: 'asc' }] as const;
        return (await scim_user.findFirst({ where, orderBy: [...orderBy] }))?.principal_id;
      }),
    groups: (scope, search) => store.inTenant(scope, (client) => groupsIn(client, search)),
    group: (scope, id) => store.inTenant(scope, (client) => groupIn(client, id)),
    members: (scope, groupId) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<{ id: string; user_name: string }>(
          `select u.principal_id as id, u.user_name from team_member m
           join scim_user u on u.organization_id = m.organization_id and u.principal_id = m.principal_id
           where m.organization_id = $1 and m.team_id = $2 order by u.user_name limit 10000`,
          [client.organizationId, groupId],
        );
        return rows.map(({ id, user_name: userName }) => ({ id, userName }));
      }),
    addGroup: (scope, { id, displayName, externalId }, at) =>
      unlessDuplicate(() =>
        store.inTenantModels(scope, async ({ team, scim_group }) => {
          const made = { organization_id: scope.organizationId, created_at: new Date(at) };
          await team.create({ data: { ...made, id, name: displayName } });
          await scim_group.create({
            data: { ...made, team_id: id, updated_at: made.created_at, external_id: externalId },
          });
        }),
      ),
    changeGroup: async (scope, id, change, by) => {
      try {
        return await store.inTenant(scope, (client) => changeGroup(client, id, change, by));
      } catch (error) {
        if (isDuplicate(error)) return 'taken';
        if (error instanceof WouldLoseLastAdmin) return 'last_admin';
        throw error;
      }
    },
    removeGroup: async (scope, id, when) => {
      try {
        return await store.inTenant(scope, (client) => removeGroup(client, id, when));
      } catch (error) {
        if (error instanceof WouldLoseLastAdmin) return 'last_admin';
        throw error;
      }
    },
  };
}

const users = `
  select u.principal_id as id, u.user_name, u.external_id, u.given_name, u.family_name, u.display_name, u.email,
    p.disabled_at is null as active, u.created_at, u.updated_at
  from scim_user u join principal p on p.id = u.principal_id and p.organization_id = u.organization_id`;
const readUser = rowReader<Omit<ScimUser, 'active'>>()(
  'id, user_name, external_id, given_name, family_name, display_name, email, created_at, updated_at',
);
const userOf = (row: Row): ScimUser => ({ ...readUser(row), active: row['active'] === true });

const userKeys = {
  id: 'u.principal_id::text = $2',
  userName: 'lower(u.user_name) = lower($2)',
  externalId: 'u.external_id = $2',
  email: 'u.email = lower($2)',
  displayName: 'u.display_name = $2',
} as const;

async function usersIn(
  client: TenantSession,
  { by, value, offset, limit }: ScimSearch,
): Promise<Found<ScimUser>> {
  const key = by === undefined ? '$2::text is null' : userKeys[by];
  const values = [client.organizationId, value ?? null];
  const counted = await client.query<{ total: string }>(
    `select count(*) as total from scim_user u where u.organization_id = $1 and ${key}`,
    values,
  );
  const { rows } = await client.query<Row>(
    `${users} where u.organization_id = $1 and ${key} order by u.created_at, u.principal_id offset $3 limit $4`,
    [...values, offset, limit],
  );
  return { total: Number(counted.rows[0]?.total ?? 0), rows: rows.map(userOf) };
}

async function addUser(
  client: TenantSession,
  user: Parameters<ScimDirectory['addUser']>[1],
  { name, adopts, at }: Parameters<ScimDirectory['addUser']>[2],
): Promise<'added' | 'taken' | 'many'> {
  const { rows } = await client.query<{ total: string; taken: boolean }>(
    `select count(*) as total, coalesce(bool_or(lower(user_name) = lower($2) or principal_id = $3), false) as taken
     from scim_user where organization_id = $1`,
    [client.organizationId, user.userName, user.id],
  );
  const [known] = rows;
  if (known?.taken === true) return 'taken';
  if (Number(known?.total ?? 0) >= scimUsersAtMost) return 'many';
  if (!adopts) await insertPrincipal(client, { id: user.id, name, kind: 'person' }, at);
  await client.models.scim_user.create({
    data: {
      organization_id: client.organizationId,
      principal_id: user.id,
      user_name: user.userName,
      external_id: user.externalId,
      given_name: user.givenName,
      family_name: user.familyName,
      display_name: user.displayName,
      email: user.email,
      created_at: new Date(at),
      updated_at: new Date(at),
    },
  });
  if (!user.active) await switchOff(client, user.id, at);
  return 'added';
}

async function changeUser(
  client: TenantSession,
  id: string,
  change: UserDraft,
  { at, over }: ScimMoment,
): Promise<'changed' | 'gone' | 'last_admin' | 'outdated'> {
  const { rowCount } = await client.query(
    `update scim_user set user_name = coalesce($3, user_name), external_id = coalesce($4, external_id),
       given_name = coalesce($5, given_name), family_name = coalesce($6, family_name),
       display_name = coalesce($7, display_name), email = coalesce($8, email),
       updated_at = greatest($9, updated_at + interval '1 millisecond')
     where organization_id = $1 and principal_id = $2 and ($10::timestamptz is null or updated_at = $10)`,
    [
      ...[client.organizationId, id, change.userName ?? null, change.externalId ?? null],
      ...[change.givenName ?? null, change.familyName ?? null, change.displayName ?? null],
      ...[change.email ?? null, new Date(at), over === undefined ? null : new Date(over)],
    ],
  );
  if (rowCount === 0) {
    const where = { organization_id: client.organizationId, principal_id: id };
    return (await client.models.scim_user.count({ where })) === 0 ? 'gone' : 'outdated';
  }
  // A system sends the state of a person with every change: whom an admin has switched off, or erases, stays off.
  if (change.active === true && (await erasureOf(client, id)) === undefined)
    await client.query(
      `update principal p set disabled_at = null from scim_user u
       where p.organization_id = $1 and p.id = $2 and u.organization_id = $1 and u.principal_id = $2
         and p.disabled_at = u.switched_off_at`,
      [client.organizationId, id],
    );
  if (change.active !== false) return 'changed';
  await lockControls(client);
  if (!(await managesWithout(client, id))) return 'last_admin';
  await switchOff(client, id, at);
  return 'changed';
}

/** Whether somebody else may manage people, or this one may not. */
async function managesWithout(client: TenantSession, id: string): Promise<boolean> {
  const principal = await client.models.principal.findFirst({ where: { id, disabled_at: null } });
  const holders = await holdersIn(client, { area: 'principals', kind: 'write' });
  return principal === null || holders.some((name) => name !== principal.name) || holders.length === 0;
}

async function switchOff(client: TenantSession, id: string, at: Instant): Promise<void> {
  const { principal, scim_user } = client.models;
  const since = new Date(at);
  const { count } = await principal.updateMany({
    where: { id, disabled_at: null },
    data: { disabled_at: since },
  });
  if (count > 0)
    await scim_user.updateMany({
      where: { organization_id: client.organizationId, principal_id: id },
      data: { switched_off_at: since },
    });
  await endWaysIn(client, id, at);
}

/** Ends tokens, sessions, keys and programs of a principal: one that is switched on again begins without them. */
export async function endWaysIn(client: TenantSession, id: string, at: Instant): Promise<void> {
  const { principal_token, principal_signer } = client.models;
  const own = { organization_id: client.organizationId, principal_id: id };
  await principal_token.updateMany({
    where: { ...own, revoked_at: null },
    data: { revoked_at: new Date(at) },
  });
  await principal_signer.updateMany({
    where: { ...own, removed_at: null },
    data: { removed_at: new Date(at) },
  });
  const account = `${client.organizationId}:${id}`;
  await client.query("delete from oauth_artifact where account = $1 or account like $1 || ':%'", [account]);
}

const groups = `
  select g.team_id as id, t.name as display_name, g.external_id, g.created_at, g.updated_at
  from scim_group g join team t on t.id = g.team_id and t.organization_id = g.organization_id`;
const groupOf = rowReader<ScimGroup>()('id, display_name, external_id, created_at, updated_at');

const groupKeys = {
  id: 'g.team_id::text = $2',
  displayName: 't.name = $2',
  externalId: 'g.external_id = $2',
  userName: 'false and $2::text is null',
  email: 'false and $2::text is null',
} as const;

async function groupsIn(
  client: TenantSession,
  { by, value, offset, limit }: ScimSearch,
): Promise<Found<ScimGroup>> {
  const key = by === undefined ? '$2::text is null' : groupKeys[by];
  const values = [client.organizationId, value ?? null];
  const counted = await client.query<{ total: string }>(
    `select count(*) as total from scim_group g join team t on t.id = g.team_id and t.organization_id = g.organization_id
     where g.organization_id = $1 and ${key}`,
    values,
  );
  const { rows } = await client.query<Row>(
    `${groups} where g.organization_id = $1 and ${key} order by g.created_at, g.team_id offset $3 limit $4`,
    [...values, offset, limit],
  );
  return { total: Number(counted.rows[0]?.total ?? 0), rows: rows.map(groupOf) };
}

async function groupIn(client: TenantSession, id: string): Promise<ScimGroup | undefined> {
  const { rows } = await client.query<Row>(`${groups} where g.organization_id = $1 and g.team_id = $2`, [
    client.organizationId,
    id,
  ]);
  return rows.map(groupOf)[0];
}

class WouldLoseLastAdmin extends Error {}

async function changeGroup(
  client: TenantSession,
  id: string,
  change: Parameters<ScimDirectory['changeGroup']>[2],
  { principalId, at, over }: Parameters<ScimDirectory['changeGroup']>[3],
): Promise<'changed' | 'gone' | 'no_member' | 'outdated'> {
  // Until the end of the transaction: the version that is compared is the one that is changed.
  await lockControls(client);
  const present = await groupIn(client, id);
  if (present === undefined) return 'gone';
  if (over !== undefined && present.updatedAt !== over) return 'outdated';
  const wanted = [...new Set([...(change.members ?? []), ...change.added])];
  const { models, organizationId: organization_id } = client;
  const named = { organization_id, principal_id: { in: wanted.filter(isUuid) } };
  const users = await models.scim_user.findMany({ where: named, select: { principal_id: true } });
  const known = new Set(users.map((user) => user.principal_id));
  if (!wanted.every((one) => known.has(one))) return 'no_member';
  await models.scim_group.updateMany({
    where: { organization_id, team_id: id },
    data: {
      ...defined({ external_id: change.externalId }),
      updated_at: new Date(Math.max(at, present.updatedAt + 1)),
    },
  });
  if (change.displayName !== undefined && change.displayName !== '')
    await models.team.updateMany({ where: { id }, data: { name: change.displayName } });
  const hadAdmin = await hasAdmin(client);
  const left = await client.query<{ principal_id: string }>(
    `delete from team_member m using scim_user u
     where m.organization_id = $1 and m.team_id = $2 and u.organization_id = m.organization_id
       and u.principal_id = m.principal_id
       and (m.principal_id::text = any($3::text[]) or ($4::text[] is not null and not m.principal_id::text = any($4)))
     returning m.principal_id`,
    [organization_id, id, [...change.removed], change.members === undefined ? null : wanted],
  );
  const added = { organization_id, team_id: id, added_by: principalId, added_at: new Date(at) };
  const joined = await models.team_member.createManyAndReturn({
    data: wanted.map((one) => ({ ...added, principal_id: one })),
    select: { principal_id: true },
    skipDuplicates: true,
  });
  const changed = [...left.rows, ...joined].map((row) => row.principal_id);
  if (changed.length > 0) await client.query(outdated, [changed, []]);
  // The transaction is rolled back: everything of this request is refused.
  if (hadAdmin && left.rowCount > 0 && !(await hasAdmin(client))) throw new WouldLoseLastAdmin();
  return 'changed';
}

async function removeGroup(
  client: TenantSession,
  id: string,
  { at, over }: ScimMoment,
): Promise<'removed' | 'gone' | 'outdated'> {
  await lockControls(client);
  const present = await groupIn(client, id);
  if (present === undefined) return 'gone';
  if (over !== undefined && present.updatedAt !== over) return 'outdated';
  const hadAdmin = await hasAdmin(client);
  await client.query(outdated, [[], [id]]);
  const { access_grant, team_member, scim_group, team } = client.models;
  const own = { organization_id: client.organizationId, team_id: id };
  await access_grant.updateMany({ where: { ...own, removed_at: null }, data: { removed_at: new Date(at) } });
  await team_member.deleteMany({ where: own });
  await scim_group.deleteMany({ where: own });
  await team.deleteMany({ where: { id } });
  if (hadAdmin && !(await hasAdmin(client))) throw new WouldLoseLastAdmin();
  return 'removed';
}

const hasAdmin = async (client: TenantSession): Promise<boolean> =>
  (await holdersIn(client, { area: 'principals', kind: 'write' })).length > 0;
