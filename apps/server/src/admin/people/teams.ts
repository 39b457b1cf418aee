import type { GrantDirectory, PrincipalDirectory, TeamDirectory } from '@switchyard/tenancy';
import { err, isoOf, ok, type Clock } from '@switchyard/values';
import { z } from 'zod';
import { instant } from '../fields.js';
import { listPage, nextCursor, pageQuery } from '../list-page.js';
import { routesOn } from '../route.js';
import { mayHandOn, named, nameOrId, teamNamed } from './grants.js';

export interface TeamsDeps {
  readonly teams: TeamDirectory;
  readonly grants: Pick<GrantDirectory, 'list' | 'placeOf' | 'roles'>;
  readonly principals: Pick<PrincipalDirectory, 'find' | 'findByName'>;
  readonly clock: Clock;
  readonly newId: () => string;
}

const team = z.strictObject({
  team_id: z.string(),
  name: z.string(),
  members: z.array(z.strictObject({ principal_id: z.string(), name: z.string() })),
  created_at: instant,
});

const membership = z.strictObject({
  team_id: z.string(),
  name: z.string().describe('Of the team.'),
  principal_id: z.string(),
  member: z.string().describe('Name of the principal.'),
});

const example = {
  team_id: '1f6a3c0e-53b3-4c58-9d5b-0a3a54a2b0e1',
  name: 'traders of Nova',
  members: [{ principal_id: '5a0e8a52-3f6d-4b1d-9d5a-0c5b8f1e2a77', name: 'ann' }],
  created_at: '2026-11-21T12:00:00.000Z',
} as const;

const route = routesOn<TeamsDeps>();

/** Teams: principals that hold roles together. What a team holds stands among the grants. */
export const teamRoutes = [
  route({
    method: 'get',
    path: '/v1/teams',
    id: 'list_teams',
    summary: 'Teams with who is in them, oldest first',
    needs: 'principals.read',
    query: z.strictObject(pageQuery),
    answer: z.strictObject({ teams: z.array(team), next_cursor: nextCursor }),
    example: { teams: [example] },
    handle: async ({ teams }, { caller, query }) => {
      const page = await listPage(
        { id: 'list_teams', caller, query },
        ({ after, limit }) =>
          teams.list(caller, {
            ...(after && { after: { createdAt: Number(after[0]), id: String(after[1]) } }),
            limit,
          }),
        ({ createdAt, id }) => [createdAt, id],
      );
      if (!page.ok) return page;
      const rows = page.value.rows.map(({ id, name, members, createdAt }) => ({
        team_id: id,
        name,
        members: members.map((one) => ({ principal_id: one.principalId, name: one.name })),
        created_at: isoOf(createdAt),
      }));
      return ok({ teams: rows, ...page.value.next });
    },
  }),
  route({
    method: 'post',
    path: '/v1/teams',
    id: 'add_team',
    summary: 'Make a team; it holds nothing until a role is granted to it',
    needs: 'principals.write',
    body: z.strictObject({ name: z.string().trim().min(1).max(100) }),
    answer: team,
    example: { ...example, members: [] },
    status: 201,
    handle: async ({ teams, clock, newId }, { caller, body: { name } }) => {
      const made = { id: newId(), name, createdAt: clock.now() };
      if (!(await teams.add(caller, made)))
        return err({ code: 'CONFLICT', message: 'There is a team of this name.', field: 'name' });
      return ok({ team_id: made.id, name, members: [], created_at: isoOf(made.createdAt) });
    },
  }),
  route({
    method: 'post',
    path: '/v1/teams/{name}/members',
    id: 'add_team_member',
    summary: 'Add a member to a team, which may hold no more than you hold yourself',
    needs: 'principals.write',
    body: z.strictObject({ principal: nameOrId.describe('Name or id of a principal.') }),
    answer: membership,
    handle: async (deps, { caller, params, body }) => {
      const { teams, grants, clock } = deps;
      const found = await teamNamed(deps, caller, params.name);
      if (!found.ok) return found;
      const member = await named(deps, caller, body.principal);
      if (!member.ok) return member;
      const { id: teamId, name } = found.value;
      for (const held of await grants.list(caller, { teamId, limit: Number.MAX_SAFE_INTEGER })) {
        const refused = await mayHandOn(grants, caller, held, 'principal');
        if (refused !== undefined) return err(refused);
      }
      const { id: principalId } = member.value;
      await teams.addMember(caller, teamId, { principalId, addedBy: caller.principalId, at: clock.now() });
      return ok({ team_id: teamId, name, principal_id: principalId, member: member.value.name });
    },
  }),
  route({
    method: 'delete',
    path: '/v1/teams/{name}/members/{principal}',
    id: 'remove_team_member',
    summary: 'Remove a member from a team, with effect from its next request',
    needs: 'principals.delete',
    answer: z.strictObject({ ...membership.shape, removed: z.literal(true) }),
    handle: async (deps, { caller, params }) => {
      const found = await teamNamed(deps, caller, params.name);
      if (!found.ok) return found;
      const member = await named(deps, caller, params.principal);
      if (!member.ok) return member;
      const { id: teamId, name } = found.value;
      const { id: principalId } = member.value;
      if (!(await deps.teams.removeMember(caller, teamId, principalId)))
        return err({ code: 'NOT_FOUND', message: 'This principal is not in the team.', field: 'principal' });
      const was = { team_id: teamId, name, principal_id: principalId, member: member.value.name };
      return ok({ ...was, removed: true as const });
    },
  }),
];
