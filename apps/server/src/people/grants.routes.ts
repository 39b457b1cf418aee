import { lists } from '@switchyard/store';
import {
  builtInRoles,
  firstBeyondReach,
  readPermissions,
  roleGrant,
  type GrantDirectory,
  type GrantRecord,
  type GrantScope,
  type Permissions,
  type PlacedGrant,
  type Principal,
  type Team,
  type PrincipalDirectory,
  type TeamDirectory,
  type TenantScope,
} from '@switchyard/tenancy';
import { err, isoOf, isUuid, ok, brandDomainOf, type Clock, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { aloneMember, aloneOf, takeControl, type ControlDeps } from '../platform/routes/control.js';
import { nameOrId, permissionsRequest, permissionsView } from '../platform/routes/fields.js';
import { resource, type ListDeps } from '../platform/routes/resource.js';
import { routesOn } from '../platform/routes/route.js';
import { textOf } from './scope-text.js';

interface GrantsDeps extends ControlDeps, ListDeps {
  readonly grants: GrantDirectory;
  readonly principals: Pick<PrincipalDirectory, 'find' | 'findByName'>;
  readonly teams: Pick<TeamDirectory, 'find'>;
  readonly clock: Clock;
  readonly newId: () => string;
}

const roleName = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,39}$/, 'must be 1 to 40 small letters, digits, - and _, a letter first');

/** A scope as text, parsed: `client:ID` is a client. */
const scopeText = z
  .string()
  .max(300)
  .refine((text) => scopeOf(text) !== undefined, {
    error: 'must be organization, own, client:ID, brand:DOMAIN or campaign:ID',
  });

/** A role in a scope in a request. */
export const grantRequest = z.strictObject({ role: roleName, scope: scopeText });

const example = {
  grant_id: '5d1c7a11-6a53-4f7e-9d5b-0a3a54a2b0e1',
  principal_id: '5a0e8a52-3f6d-4b1d-9d5a-0c5b8f1e2a77',
  principal: 'ann',
  role: 'trader',
  scope: 'brand:acme.example',
  created_at: '2026-11-21T12:00:00.000Z',
} as const;

const { view: grant, routes: listed } = resource(lists.grantList, {
  noun: 'grant',
  plural: 'grants',
  area: 'principals',
  summary: 'Grants of roles',
  example,
  query: { principal: nameOrId, team: nameOrId },
  read: {
    principal: async (deps: GrantsDeps, caller, text) => idOf(await named(deps, caller, text)),
    team: async (deps: GrantsDeps, caller, text) => idOf(await teamNamed(deps, caller, text)),
  },
  command: {
    title: 'roles of principals and teams, by scope',
    summary: 'list grants, oldest first',
    columns: { Holder: { of: ['principal', 'team'] }, Role: 'role', Scope: 'scope', Grant: 'grant_id' },
    none: 'There are no grants.',
    whole: true,
  },
});

const idOf = (found: Result<{ readonly id: string }, AdminFailure>): Result<string, AdminFailure> =>
  found.ok ? ok(found.value.id) : found;

const role = z.strictObject({
  role: z.string(),
  permissions: permissionsView,
  built_in: z.boolean().describe('False of a role that this organization has made or edited.'),
});

const route = routesOn<GrantsDeps>();

/** Roles of principals and teams in a scope, and the permissions of a role. */
export const grantRoutes = [
  ...listed,
  route({
    method: 'post',
    path: '/v1/grants',
    id: 'add_grant',
    summary:
      'Grant a role in a scope to a principal or a team; you cannot grant permissions that you do not have there',
    needs: 'principals.write',
    body: z
      .strictObject({
        principal: nameOrId.exactOptional().describe('Name or id of a principal.'),
        team: nameOrId.exactOptional().describe('Name or id of a team, in place of a principal.'),
        ...grantRequest.shape,
      })
      .refine(({ principal, team }) => (principal === undefined) !== (team === undefined), {
        error: 'must name either a principal or a team',
        path: ['principal'],
      }),
    answer: z.strictObject({ ...grant.shape, ...aloneMember }),
    example,
    status: 201,
    mayWait: true,
    handle: async (deps, { caller, body }) => {
      const { principal = '', team, role: wanted, scope } = body;
      const found = await (team === undefined
        ? named(deps, caller, principal)
        : teamNamed(deps, caller, team));
      if (!found.ok) return found;
      const { id } = found.value;
      const holder = team === undefined ? { principalId: id } : { teamId: id };
      const made = await draftGrant(deps, caller, { ...holder, role: wanted, scope }, '');
      if (!made.ok) return made;
      const taken = await takeControl(deps, caller, { kind: 'add_grant', grant: made.value });
      return 'answer' in taken
        ? taken.answer
        : ok({ ...viewOf(made.value, found.value.name), ...aloneOf(taken) });
    },
  }),
  route({
    method: 'delete',
    path: '/v1/grants/{id}',
    id: 'remove_grant',
    summary: 'Remove a grant, with effect from the next request',
    needs: 'principals.delete',
    answer: z.strictObject({ grant_id: z.string(), removed: z.boolean() }),
    example: { grant_id: example.grant_id, removed: true },
    handle: async ({ grants, clock }, { caller, params: { id } }) =>
      isUuid(id) && (await grants.remove(caller, id, clock.now()))
        ? ok({ grant_id: id, removed: true })
        : err({ code: 'NOT_FOUND', message: 'There is no grant with this id.', field: 'id' }),
  }),
  route({
    method: 'get',
    path: '/v1/roles',
    id: 'list_roles',
    summary: 'Roles and their permissions',
    needs: 'principals.read',
    answer: z.strictObject({ roles: z.array(role) }),
    handle: async ({ grants }, { caller }) => {
      const edited = new Map(
        (await grants.roles(caller)).map(({ name, permissions }) => [name, permissions]),
      );
      const names = [...new Set([...Object.keys(builtInRoles), ...edited.keys()])].toSorted();
      return ok({
        roles: names.map((name) => ({
          role: name,
          permissions: edited.get(name) ?? builtInRoles[name] ?? {},
          built_in: !edited.has(name),
        })),
      });
    },
  }),
  route({
    method: 'post',
    path: '/v1/roles/{name}',
    id: 'set_role',
    summary:
      'Make a role, or say anew what it may do, of one that holds no more than you; whoever has it holds that from the next request on',
    needs: 'principals.write',
    body: z.strictObject({ permissions: permissionsRequest }),
    answer: z.strictObject({ ...role.shape, ...aloneMember }),
    mayWait: true,
    handle: async (deps, { caller, params, body }) => {
      const { grants } = deps;
      const name = roleName.safeParse(params.name);
      if (!name.success)
        return err({
          code: 'INVALID_REQUEST',
          message: `A role ${name.error.issues[0]?.message}.`,
          field: 'name',
        });
      const permissions = readPermissions(body.permissions);
      const beyond = firstBeyondReach(caller, everywhere(permissions));
      if (beyond !== undefined) return err(beyondScope(beyond, 'organization', 'permissions'));
      const before = await permissionsOf(grants, caller, name.data);
      const more = firstBeyondReach(caller, everywhere(before ?? {}));
      if (more !== undefined) return err(ofGreaterRole(more));
      const taken = await takeControl(deps, caller, { kind: 'set_role', name: name.data, permissions });
      return 'answer' in taken
        ? taken.answer
        : ok({ role: name.data, permissions, built_in: false, ...aloneOf(taken) });
    },
  }),
];

const everywhere = (permissions: Permissions) => ({ permissions, scope: { kind: 'organization' } }) as const;

/** Whoever holds less than a role could otherwise take it away from those who hold it. */
const ofGreaterRole = (more: string): AdminFailure => ({
  code: 'INVALID_REQUEST',
  message: `The role holds ${more}, which you do not hold in the scope organization.`,
  field: 'name',
});

interface GrantDraft extends Pick<GrantRecord, 'principalId' | 'teamId'> {
  readonly role: string;
  /** In the format of `scopeText`. */
  readonly scope: string;
}

/**
 * A grant as it will be stored. Refuses a role or a scope that the organization does not have, and a grant beyond what
 * its giver holds in all of that scope. `at` begins the path of the fields that a refusal names.
 */
export async function draftGrant(
  { grants, clock, newId }: Pick<GrantsDeps, 'grants' | 'clock' | 'newId'>,
  caller: PrincipalCaller,
  { role: wanted, scope: text, ...holder }: GrantDraft,
  at: string,
): Promise<Result<GrantRecord, AdminFailure>> {
  const scope = scopeOf(text);
  if (scope === undefined || (await grants.placeOf(caller, scope)) === undefined)
    return err({ code: 'NOT_FOUND', message: `There is no ${text} here.`, field: `${at}scope` });
  if ((await permissionsOf(grants, caller, wanted)) === undefined) {
    const suggestion = 'GET /v1/roles, or `switchyard roles list`, names the roles.';
    const message = `There is no role ${wanted}.`;
    return err({ code: 'INVALID_REQUEST', message, field: `${at}role`, suggestion });
  }
  const refused = await refuseGrant(grants, caller, { role: wanted, scope }, `${at}role`);
  if (refused !== undefined) return err(refused);
  return ok({
    id: newId(),
    ...holder,
    role: wanted,
    scope,
    grantedBy: caller.principalId,
    createdAt: clock.now(),
  });
}

/** The reason why a caller cannot grant a role in a scope: it does not hold all of the role there itself. */
export async function refuseGrant(
  grants: Pick<GrantDirectory, 'placeOf' | 'roles'>,
  caller: PrincipalCaller,
  { role: name, scope }: Pick<GrantRecord, 'role' | 'scope'>,
  field: string,
): Promise<AdminFailure | undefined> {
  return refusalOf(caller, [await placedGrant(grants, caller, { role: name, scope })], field);
}

/** A role in a scope as whoever gets it would hold it. */
export async function placedGrant(
  grants: Pick<GrantDirectory, 'placeOf' | 'roles'>,
  caller: PrincipalCaller,
  { role: name, scope }: Pick<GrantRecord, 'role' | 'scope'>,
): Promise<PlacedGrant> {
  const held = (await permissionsOf(grants, caller, name)) ?? {};
  const place = await grants.placeOf(caller, scope);
  return { ...roleGrant(name, held, scope), ...(place && { place }) };
}

/** Why a caller cannot change a team's members or name, or remove it: the team holds more than the caller. */
export async function mayChangeTeam(
  grants: Pick<GrantDirectory, 'ofTeam'>,
  caller: PrincipalCaller,
  teamId: string,
  field: string,
): Promise<AdminFailure | undefined> {
  return refusalOf(caller, await grants.ofTeam(caller, teamId), field);
}

function refusalOf(
  caller: PrincipalCaller,
  held: readonly PlacedGrant[],
  field: string,
): AdminFailure | undefined {
  for (const { place, ...rest } of held) {
    const beyond = firstBeyondReach(caller, rest, place);
    if (beyond !== undefined) return beyondScope(beyond, textOf(rest.scope), field);
  }
  return undefined;
}

async function permissionsOf(
  grants: Pick<GrantDirectory, 'roles'>,
  scope: TenantScope,
  name: string,
): Promise<Permissions | undefined> {
  const edited = (await grants.roles(scope)).find((roleRecord) => roleRecord.name === name);
  return edited?.permissions ?? (Object.hasOwn(builtInRoles, name) ? builtInRoles[name] : undefined);
}

function beyondScope(beyond: string, scope: string, field: string): AdminFailure {
  const message = `This would give ${beyond} in the scope ${scope}, which you do not have there.`;
  return { code: 'INVALID_REQUEST', message, field };
}

export async function teamNamed(
  { teams }: { readonly teams: Pick<TeamDirectory, 'find'> },
  caller: PrincipalCaller,
  text: string,
): Promise<Result<Team, AdminFailure>> {
  const found = await teams.find(caller, text);
  if (found !== undefined) return ok(found);
  return err(noSuchTeam);
}

export const noSuchTeam: AdminFailure = {
  code: 'NOT_FOUND',
  message: 'There is no team with this name.',
  field: 'team',
};

export async function named(
  { principals }: { readonly principals: Pick<PrincipalDirectory, 'find' | 'findByName'> },
  caller: PrincipalCaller,
  text: string,
): Promise<Result<Principal, AdminFailure>> {
  const found =
    (await principals.findByName(caller, text)) ??
    (isUuid(text) ? await principals.find(caller, text) : undefined);
  if (found !== undefined) return ok(found);
  return err({ code: 'NOT_FOUND', message: 'There is no principal with this name.', field: 'principal' });
}

function scopeOf(text: string): GrantScope | undefined {
  if (text === 'organization' || text === 'own') return { kind: text };
  const [kind, id] = [text.slice(0, text.indexOf(':')), text.slice(text.indexOf(':') + 1)];
  if (kind === 'client' || kind === 'campaign')
    return isUuid(id) ? { kind, id: id.toLowerCase() } : undefined;
  const domain = brandDomainOf(id);
  return kind === 'brand' && /^[^\s:/]+$/.test(domain) ? { kind, id: domain } : undefined;
}

function viewOf(
  { id, principalId, teamId, role: name, scope, grantedBy, createdAt }: GrantRecord,
  holder = '',
) {
  return {
    grant_id: id,
    ...(principalId !== undefined && { principal_id: principalId, principal: holder }),
    ...(teamId !== undefined && { team_id: teamId, team: holder }),
    role: name,
    scope: textOf(scope),
    ...(grantedBy !== undefined && { granted_by: grantedBy }),
    created_at: isoOf(createdAt),
  };
}
