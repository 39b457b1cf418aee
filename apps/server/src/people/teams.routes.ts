import { lists } from '@switchyard/store';
import type { GrantDirectory, PrincipalDirectory, Team, TeamDirectory } from '@switchyard/tenancy';
import { err, isoOf, ok, type Clock, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { aloneMember, aloneOf, takeControl, type ControlDeps } from '../platform/routes/control.js';
import { plainText } from '../platform/routes/fields.js';
import { resource, type ListDeps } from '../platform/routes/resource.js';
import { routesOn } from '../platform/routes/route.js';
import { mayChangeTeam, named, noSuchTeam, teamNamed } from './grants.routes.js';
import { nameOrId } from '../platform/routes/fields.js';

interface TeamsDeps extends ControlDeps, ListDeps {
  readonly teams: TeamDirectory;
  readonly grants: Pick<GrantDirectory, 'ofTeam'>;
  readonly principals: Pick<PrincipalDirectory, 'find' | 'findByName'>;
  readonly clock: Clock;
  readonly newId: () => string;
}

const teamName = plainText(100).trim().min(1);

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
};

const { view: team, routes: listed } = resource(lists.teamList, {
  noun: 'team',
  plural: 'teams',
  area: 'principals',
  summary: 'Teams with who is in them',
  example,
  views: { members: z.array(z.strictObject({ principal_id: z.string(), name: z.string() })) },
  command: {
    title: 'teams: members share the roles of grants add --team',
    summary: 'list teams with their members, oldest first',
    columns: { Team: 'name', Members: { of: ['members'], each: 'name' }, Id: 'team_id' },
    none: 'There are no teams.',
    whole: true,
  },
});

const route = routesOn<TeamsDeps>();

/** Teams: principals that hold roles together. The roles of a team are among the grants. */
export const teamRoutes = [
  ...listed,
  route({
    method: 'post',
    path: '/v1/teams',
    id: 'add_team',
    summary: 'Create a team; it has no permissions until a role is granted',
    needs: 'principals.write',
    body: z.strictObject({ name: teamName }),
    answer: team,
    example: { ...example, members: [] },
    status: 201,
    handle: async ({ teams, clock, newId }, { caller, body: { name } }) => {
      const made = { id: newId(), name, createdAt: clock.now() };
      if (!(await teams.add(caller, made))) return err(nameTaken);
      return ok({ team_id: made.id, name, members: [], created_at: isoOf(made.createdAt) });
    },
  }),
  route({
    method: 'post',
    path: '/v1/teams/{name}',
    id: 'rename_team',
    summary: 'Rename a team, if you have all its permissions',
    needs: 'principals.write',
    body: z.strictObject({ name: teamName.describe('The new name.') }),
    answer: z.strictObject({ team_id: z.string(), name: z.string() }),
    example: { team_id: example.team_id, name: 'desk of Nova' },
    handle: async (deps, { caller, params, body: { name } }) => {
      const found = await teamToChange(deps, caller, params.name, 'team');
      if (!found.ok) return found;
      const { id } = found.value;
      const done = await deps.teams.rename(caller, id, name);
      if (done === 'taken') return err(nameTaken);
      return done === 'gone' ? err(noSuchTeam) : ok({ team_id: id, name });
    },
  }),
  route({
    method: 'delete',
    path: '/v1/teams/{name}',
    id: 'remove_team',
    summary: 'Remove a team and its grants, if you have all its permissions',
    needs: 'principals.delete',
    answer: z.strictObject({
      team_id: z.string(),
      name: z.string(),
      removed: z.literal(true),
      members: z.number().int().describe('How many principals were in it.'),
      grants_ended: z.number().int(),
    }),
    example: { team_id: example.team_id, name: example.name, removed: true, members: 1, grants_ended: 2 },
    handle: async (deps, { caller, params }) => {
      const found = await teamToChange(deps, caller, params.name, 'team');
      if (!found.ok) return found;
      const { id, name } = found.value;
      const was = await deps.teams.remove(caller, id, deps.clock.now());
      if (was === undefined) return err(noSuchTeam);
      const { members, grants } = was;
      return ok({ team_id: id, name, removed: true as const, members, grants_ended: grants });
    },
  }),
  route({
    method: 'post',
    path: '/v1/teams/{name}/members',
    id: 'add_team_member',
    summary: 'Add a member to a team, if you have all its permissions',
    needs: 'principals.write',
    body: z.strictObject({ principal: nameOrId.describe('Name or id of a principal.') }),
    answer: z.strictObject({ ...membership.shape, ...aloneMember }),
    mayWait: true,
    handle: async (deps, { caller, params, body }) => {
      const found = await teamToChange(deps, caller, params.name, 'principal');
      if (!found.ok) return found;
      const member = await named(deps, caller, body.principal);
      if (!member.ok) return member;
      const { id: teamId, name } = found.value;
      const { id: principalId } = member.value;
      const taken = await takeControl(deps, caller, { kind: 'add_team_member', teamId, principalId });
      if ('answer' in taken) return taken.answer;
      const added = { team_id: teamId, name, principal_id: principalId, member: member.value.name };
      return ok({ ...added, ...aloneOf(taken) });
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

const nameTaken: AdminFailure = {
  code: 'CONFLICT',
  message: 'A team with this name already exists.',
  field: 'name',
};

/** The rule for adding to, renaming or removing a team: the team holds nothing that the caller does not hold. */
async function teamToChange(
  deps: Pick<TeamsDeps, 'teams' | 'grants'>,
  caller: PrincipalCaller,
  nameOfTeam: string,
  field: string,
): Promise<Result<Team, AdminFailure>> {
  const found = await teamNamed(deps, caller, nameOfTeam);
  if (!found.ok) return found;
  const refused = await mayChangeTeam(deps.grants, caller, found.value.id, field);
  return refused === undefined ? found : err(refused);
}
