import {
  builtInRoles,
  directGrant,
  firstBeyondReach,
  isLooserPolicy,
  isStepDown,
  joinsDuties,
  policyText,
  roleGrant,
  type FourEyes,
  type Grant,
  type PlacedGrant,
  type Permissions,
  type Principal,
  type SignInPolicy,
} from '@switchyard/tenancy';
import type { JsonValue } from '@switchyard/values';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';
import { addGrant, grantsOfTeam, placeOfScope, rolesIn, saveRole } from '../tenancy/grant-directory.js';
import { grantOfPrincipal, principalOf, rolesOf, type HolderRow } from '../tenancy/principal-row.js';
import { policyIn, savePolicy } from '../tenancy/sign-in-policies.js';
import { erasedName, erasureOf } from '../tenancy/person-erasures.js';
import { endWaysIn } from '../tenancy/scim-directory.js';
import { addTeamMember } from '../tenancy/team-directory.js';
import { freely, refused, type ActRules, type Judged, type Taking, type Verdict } from './control-act.js';
import { lockRow } from '../core/lock-row.js';

/** A role is asked for if it lets somebody both set limits and buy under them. */
export const grantAdded: ActRules<'add_grant'> = {
  judge: async (client, { grant }, taking) => {
    const place = await placeOfScope(client, grant.scope);
    const permissions = await permissionsOf(client, grant.role);
    if (place === undefined || permissions === undefined)
      return refused('NOT_FOUND', 'The role or its scope does not exist any more.');
    const added: PlacedGrant = { ...roleGrant(grant.role, permissions, grant.scope), place };
    const holders = await holdersOf(client, grant);
    if (holders === undefined) return refused('NOT_FOUND', 'There is no team with this name.');
    const text = 'id' in grant.scope ? `${grant.scope.kind}:${grant.scope.id}` : grant.scope.kind;
    const subject = `role ${grant.role} in ${text}`;
    return (
      beyond(taking, [added]) ??
      joining(subject, permissions, await joinedBy(client, holders, (before) => [...before, added]))
    );
  },
  apply: async (client, { grant }, { by, at }) => {
    await addGrant(client, { ...grant, grantedBy: by, createdAt: at });
    return true;
  },
};

export const teamMemberAdded: ActRules<'add_team_member'> = {
  judge: async (client, { teamId, principalId }, taking) => {
    const team = await client.models.team.findFirst({ where: { id: teamId } });
    if (team === null) return refused('NOT_FOUND', 'There is no team with this name.');
    const held = await grantsOfTeam(client, teamId);
    const joined = await joinedBy(client, await principals(client, 'p.id = $1', principalId), (before) => [
      ...before,
      ...held,
    ]);
    return beyond(taking, held) ?? joining(`team ${team.name}`, held, joined);
  },
  apply: async (client, { teamId, principalId }, { by, at }) => {
    await addTeamMember(client, teamId, { principalId, addedBy: by, at });
    return true;
  },
};

/** A principal that was switched off would hold all its roles at once. It begins without its old tokens and keys. */
export const principalRestored: ActRules<'restore_principal'> = {
  judge: async (client, { principalId }, taking) => {
    const { rows } = await client.query<HolderRow>(
      `select p.*, ${rolesOf} from principal p where p.id = $1 for update of p`,
      [principalId],
    );
    const [row] = rows;
    if (row === undefined) return refused('NOT_FOUND', 'There is no principal with this name.');
    const { name, permissions, grants } = principalOf(row);
    if (row.disabled_at === null) return refused('CONFLICT', 'The principal is not revoked.');
    if (name === erasedName(principalId)) return refused('CONFLICT', 'The person is erased.');
    const job = await erasureOf(client, principalId);
    if (job !== undefined)
      return refused('CONFLICT', `The person will be erased. To keep it, cancel the job ${job} first.`);
    const place = placing(client);
    const held: PlacedGrant[] = [];
    for (const grant of grants ?? [directGrant({ principalId, permissions })]) held.push(await place(grant));
    const basedOn = [row.disabled_at.getTime(), held];
    return beyond(taking, held) ?? joining(`principal ${name}`, basedOn, joinsDuties([], held) ? [name] : []);
  },
  apply: async (client, { principalId }, { at }) => {
    await endWaysIn(client, principalId, at);
    await client.models.scim_user.updateMany({
      where: { organization_id: client.organizationId, principal_id: principalId },
      data: { switched_off_at: null },
    });
    await client.models.principal.updateMany({ where: { id: principalId }, data: { disabled_at: null } });
    return true;
  },
};

/** A role's permissions are those of everybody who has it, and of whoever is invited with it. */
export const roleSet: ActRules<'set_role'> = {
  judge: async (client, { name, permissions }, taking) => {
    const everywhere = { permissions, scope: { kind: 'organization' } } as const;
    const hasRole = `exists (select 1 from access_grant g where ${grantOfPrincipal} and g.role = $1)`;
    const holders = await principals(client, hasRole, name);
    const joined = await joinedBy(client, holders, (before) =>
      before.map((grant) => (grant.role === name ? roleGrant(name, permissions, grant.scope) : grant)),
    );
    const invited = joinsDuties([], [everywhere]) ? await invitedWith(client, name, taking) : [];
    const before = (await permissionsOf(client, name)) ?? {};
    return beyond(taking, [everywhere]) ?? joining(`role ${name}`, before, [...joined, ...invited]);
  },
  apply: async (client, { name, permissions }, { at }) => {
    await saveRole(client, { name, permissions, updatedAt: at });
    return true;
  },
};

/** A step up is taken at once. */
export const fourEyesSet: ActRules<'set_four_eyes'> = {
  judge: async (client, { fourEyes }) => {
    const row = await lockRow(client, 'organization', { id: client.organizationId }, ['four_eyes']);
    const before = (row?.four_eyes ?? 'known') as FourEyes;
    return {
      asks: isStepDown(before, fourEyes),
      basedOn: before,
      place: {},
      subject: 'rule of four eyes',
      reason: `Sets the rule of four eyes from ${before} to ${fourEyes}.`,
      before,
      after: fourEyes,
    };
  },
  apply: async ({ models, organizationId: id }, { fourEyes }) => {
    await models.organization.updateMany({ where: { id }, data: { four_eyes: fourEyes } });
    return true;
  },
};

/** A policy that asks less of somebody is asked for; what only asks more is taken at once. */
export const signInPolicySet: ActRules<'set_sign_in_policy'> = {
  judge: async (client, { change, usual }) => {
    const before: SignInPolicy = { ...usual, ...(await policyIn(client)) };
    const [was, is] = [policyText(before), policyText({ ...before, ...change })];
    return {
      ...freely('sign-in policy'),
      asks: isLooserPolicy(before, { ...before, ...change }),
      basedOn: was,
      reason: `Lets people sign in with less: from ${was} to ${is}.`,
      before: was,
      after: is,
    };
  },
  apply: async (client, { change, usual }, { by, at }) => {
    const before: SignInPolicy = { ...usual, ...(await policyIn(client)) };
    const policy = { ...before, ...change };
    await savePolicy(client, policy, { principalId: by, at });
    return { policy, isLooser: isLooserPolicy(before, policy) };
  },
};

/** `rest` is plain data that the verdict rests on: another value, and it is judged again. */
function joining(subject: string, rest: unknown, joined: readonly string[]): Judged {
  const basedOn = rest as JsonValue;
  if (joined.length === 0) return { ...freely(subject), basedOn };
  const names = joined.slice(0, namesShown).join(', ');
  const more = joined.length > namesShown ? ` and ${joined.length - namesShown} more` : '';
  const reason = `Lets ${names}${more} both set limits and buy under them.`;
  return { ...freely(subject), basedOn, asks: true, reason };
}

const namesShown = 5;

/** The requester must still hold what it gives when that is approved. */
export function beyond({ requester }: Taking, held: readonly PlacedGrant[]): Verdict | undefined {
  if (requester === undefined) return undefined;
  const giver = { ...requester, principalId: requester.id };
  const missing = held.map((one) => firstBeyondReach(giver, one, one.place)).find(Boolean);
  return missing === undefined
    ? undefined
    : refused('CONFLICT', `${requester.name} does not hold ${missing} there any more.`);
}

export async function permissionsOf(client: TenantSession, name: string): Promise<Permissions | undefined> {
  const edited = (await rolesIn(client)).find((role) => role.name === name);
  return edited?.permissions ?? (Object.hasOwn(builtInRoles, name) ? builtInRoles[name] : undefined);
}

/** Whoever would have a grant; undefined if its team does not exist. */
async function holdersOf(
  client: TenantSession,
  { principalId, teamId }: { readonly principalId?: string; readonly teamId?: string },
): Promise<readonly Principal[] | undefined> {
  if (teamId === undefined) return principals(client, 'p.id = $1', principalId ?? '');
  if ((await client.models.team.count({ where: { id: teamId } })) === 0) return undefined;
  const inTeam = 'p.id = any(array(select m.principal_id from team_member m where m.team_id = $1))';
  return principals(client, inTeam, teamId);
}

async function principals(
  client: TenantClient,
  condition: string,
  value: string,
): Promise<readonly Principal[]> {
  const text = `select p.*, ${rolesOf} from principal p where p.disabled_at is null and ${condition}`;
  return (await client.query<HolderRow>(text, [value])).rows.map(principalOf);
}

/** Names of principals that could then both set limits and buy where they cannot yet. */
async function joinedBy(
  client: TenantClient,
  holders: readonly Principal[],
  changed: (before: readonly Grant[]) => readonly PlacedGrant[],
): Promise<readonly string[]> {
  const placed = placing(client);
  const names: string[] = [];
  for (const { id: principalId, name, permissions, grants } of holders) {
    const held = grants ?? [directGrant({ principalId, permissions })];
    const before: PlacedGrant[] = [];
    for (const grant of held) before.push(await placed(grant));
    const after: PlacedGrant[] = [];
    for (const grant of changed(held)) after.push(await placed(grant));
    if (joinsDuties(before, after)) names.push(name);
  }
  return names;
}

/** A function that finds where the scope of a grant is; it reads each scope once. */
function placing(client: TenantClient): (grant: Grant) => Promise<PlacedGrant> {
  const places = new Map<string, PlacedGrant['place']>();
  return async (grant) => {
    const { scope } = grant;
    if (!('id' in scope)) return grant;
    const key = `${scope.kind}:${scope.id}`;
    if (!places.has(key)) places.set(key, await placeOfScope(client, scope));
    const place = places.get(key);
    return { ...grant, ...(place !== undefined && { place }) };
  };
}

async function invitedWith(
  { models, organizationId }: TenantSession,
  role: string,
  { at }: Taking,
): Promise<readonly string[]> {
  const open = { withdrawn_at: null, accepted_at: null, expires_at: { gt: new Date(at) } };
  const rows = await models.invitation.findMany({
    where: { organization_id: organizationId, role, ...open },
    orderBy: { email: 'asc' },
    take: 50,
  });
  return rows.map(({ email }) => email);
}
