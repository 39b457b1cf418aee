import type { Team, TeamDirectory } from '@switchyard/tenancy';
import { isUuid } from '@switchyard/values';
import { unlessDuplicate } from '../core/is-duplicate.js';
import type { Store } from '../core/open-store.js';
import type { TenantSession } from '../core/tenant-client.js';
import type { teamModel } from '../generated/models.js';
import { keepsTeam, outdated } from './grant-directory.js';

/** Groups of principals with common roles. */
export function teamDirectory(store: Store): TeamDirectory {
  return {
    find: (scope, nameOrId) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<teamModel>(found, [nameOrId, isUuid(nameOrId) ? nameOrId : null]);
        return rows.map(teamOf)[0];
      }),
    byIds: (scope, ids) =>
      store.inTenantModels(scope, async ({ team }) => {
        return (await team.findMany({ where: { id: { in: [...ids] } } })).map(teamOf);
      }),
    add: (scope, { id, name, createdAt }) => {
      const data = { id, organization_id: scope.organizationId, name, created_at: new Date(createdAt) };
      return unlessDuplicate(() => store.inTenant(scope, ({ models }) => models.team.create({ data })));
    },
    of: (scope, principalId) =>
      store.inTenant(scope, async (client) => {
        // As an array, because a join would be planned as a scan of all teams by name.
        const text =
          'select * from team where id = any (array(select team_id from team_member where principal_id = $1)) order by name';
        return (await client.query<teamModel>(text, [principalId])).rows.map(teamOf);
      }),
    rename: async (scope, teamId, name) => {
      const change = { where: { id: teamId }, data: { name } };
      let renamed = 0;
      const isFree = await unlessDuplicate(async () => {
        renamed = (await store.inTenant(scope, ({ models }) => models.team.updateMany(change))).count;
      });
      if (!isFree) return 'taken';
      return renamed > 0 ? 'renamed' : 'gone';
    },
    remove: (scope, teamId, at) =>
      store.inTenant(scope, async (client) => {
        const { access_grant, team, team_member } = client.models;
        if ((await team.deleteMany({ where: { id: teamId } })).count === 0) return undefined;
        await client.query(outdated, [[], [teamId]]);
        const { count: grants } = await access_grant.updateMany({
          where: { team_id: teamId, removed_at: null },
          data: { removed_at: new Date(at) },
        });
        const { count: members } = await team_member.deleteMany({ where: { team_id: teamId } });
        return { members, grants };
      }),
    addMember: (scope, teamId, member) =>
      store.inTenant(scope, (client) => addTeamMember(client, teamId, member)),
    removeMember: (scope, teamId, principalId) =>
      store.inTenant(scope, async (client) => {
        const where = { team_id: teamId, principal_id: principalId };
        const { count } = await client.models.team_member.deleteMany({ where });
        await client.query(outdated, [[principalId], []]);
        return count > 0;
      }),
  };
}

/** Returns false if the team does not exist. */
export async function addTeamMember(
  client: TenantSession,
  teamId: string,
  { principalId, addedBy, at }: Parameters<TeamDirectory['addMember']>[2],
): Promise<boolean> {
  if (!(await keepsTeam(client, teamId))) return false;
  const member = { organization_id: client.organizationId, team_id: teamId, principal_id: principalId };
  await client.models.team_member.createMany({
    data: { ...member, added_by: addedBy, added_at: new Date(at) },
    skipDuplicates: true,
  });
  await client.query(outdated, [[principalId], []]);
  return true;
}

function teamOf({ id, name, created_at }: teamModel): Team {
  return { id, name, createdAt: created_at.getTime() };
}

// A name may look like the id of another team: then the name counts.
const found = `
  select * from team where name = $1 or id = $2::uuid order by name = $1 desc limit 1`;
