import { randomBytes } from 'node:crypto';
import type { AuditLog, ScimDirectory, ScimGroup, ScimSearch, ScimUser } from '@switchyard/store';
import type { AddressDirectory, TenantScope } from '@switchyard/tenancy';
import { err, isUuid, ok, type Clock, type JsonObject, type Result } from '@switchyard/values';
import { nameOf } from '../sign-in/invitations.js';
import { invalid, type ScimFault } from './scim-faults.js';
import { readFilter } from './scim-filter.js';
import { readGroupBody, readGroupPatch, readUserBody, readUserPatch, type UserChange } from './scim-patch.js';

export interface ScimDeps {
  readonly scim: ScimDirectory;
  readonly addresses: Pick<AddressDirectory, 'holders'>;
  readonly audit: Pick<AuditLog, 'begin' | 'end'>;
  readonly clock: Clock;
  readonly newId: () => string;
}

/** The provisioning system of an organization. */
export interface ScimCaller extends TenantScope {
  readonly principalId: string;
  readonly name: string;
  readonly requestId?: string;
  /** Of `If-Match`: `updatedAt` of the version that a change replaces. */
  readonly over?: number;
}

/** A page: `startIndex` from 1, at most 200 resources. */
export interface ScimPage {
  readonly filter?: string;
  readonly startIndex: number;
  readonly count: number;
}

type Answered<T> = Promise<Result<T, ScimFault>>;
const userFilters = {
  id: 'id',
  username: 'userName',
  externalid: 'externalId',
  'emails.value': 'email',
  emails: 'email',
} as const;
const groupFilters = { id: 'id', displayname: 'displayName', externalid: 'externalId' } as const;

const noUser: ScimFault = { status: 404, detail: 'There is no user with this id.' };
const noGroup: ScimFault = { status: 404, detail: 'There is no group with this id.' };
const outdated: ScimFault = { status: 412, detail: 'It has changed since the version of If-Match.' };
const lastAdmin: ScimFault = {
  status: 409,
  scimType: 'mutability',
  detail: 'Nobody else could manage people then. Grant a role with principals.write to somebody else first.',
};

export async function listUsers({ scim }: ScimDeps, caller: ScimCaller, page: ScimPage) {
  const search = searchOf(page, userFilters);
  return search.ok ? ok(await scim.users(caller, search.value)) : search;
}

export async function listGroups({ scim }: ScimDeps, caller: ScimCaller, page: ScimPage) {
  const search = searchOf(page, groupFilters);
  return search.ok ? ok(await scim.groups(caller, search.value)) : search;
}

function searchOf(
  { filter, startIndex, count }: ScimPage,
  names: Readonly<Record<string, NonNullable<ScimSearch['by']>>>,
): Result<ScimSearch, ScimFault> {
  const read = readFilter(filter, Object.keys(names));
  if (!read.ok) return read;
  const by = read.value && names[read.value.attribute];
  return ok({
    ...(read.value && by && { by, value: read.value.value }),
    offset: startIndex - 1,
    limit: count,
  });
}

export async function showUser({ scim }: ScimDeps, caller: ScimCaller, id: string): Answered<ScimUser> {
  const found = isUuid(id) ? await scim.user(caller, id) : undefined;
  return found === undefined ? err(noUser) : ok(found);
}

/** Makes a person, or takes over the one that has proved the address here. */
export async function createUser(deps: ScimDeps, caller: ScimCaller, body: JsonObject): Answered<ScimUser> {
  const said = readUserBody(body);
  if (!said.ok) return said;
  const { userName = '', active = true, ...others } = said.value;
  if (userName.trim() === '') return err(invalid('userName is required.'));
  const email = mailAddress(others.email === undefined || others.email === '' ? userName : others.email);
  const holder = email === '' ? undefined : await holderHere(deps, caller, email);
  const id = holder ?? deps.newId();
  const texts = { externalId: '', givenName: '', familyName: '', displayName: '', ...others };
  const user = { ...texts, id, userName, email, active };
  return recorded(deps, caller, { action: 'scim_add_user', id, detail: detailOf(said.value) }, async () => {
    for (const name of [nameOf(userName), `${nameOf(userName)}-${randomBytes(3).toString('hex')}`]) {
      const how = { name, adopts: holder !== undefined, at: deps.clock.now() };
      const added = await deps.scim.addUser(caller, user, how);
      if (added === 'added') return showUser(deps, caller, id);
      if (added === 'many')
        return err({ status: 403, detail: 'The organization has too many managed people.' });
      if (added === 'taken') break;
    }
    return err(userTaken);
  });
}

const userTaken: ScimFault = {
  status: 409,
  scimType: 'uniqueness',
  detail: 'A user with this userName exists already.',
};

async function holderHere(
  { addresses }: ScimDeps,
  caller: ScimCaller,
  email: string,
): Promise<string | undefined> {
  const holders = await addresses.holders(email);
  return holders.find(({ organizationId }) => organizationId === caller.organizationId)?.principalId;
}

/** An address in small letters; empty where the text is none. */
const mailAddress = (text: string): string =>
  /^[^@\s]{1,64}@[^@\s]{1,189}$/.test(text.trim()) ? text.trim().toLowerCase() : '';

/** PUT: what is not said is emptied, but the person stays active. */
export function replaceUser(deps: ScimDeps, caller: ScimCaller, id: string, body: JsonObject) {
  const said = readUserBody(body);
  const empty = { externalId: '', givenName: '', familyName: '', displayName: '', email: '' };
  return said.ok ? changeUser(deps, caller, id, { ...empty, ...said.value }) : Promise.resolve(said);
}

export function patchUser(deps: ScimDeps, caller: ScimCaller, id: string, body: JsonObject) {
  const said = readUserPatch(body);
  return said.ok ? changeUser(deps, caller, id, said.value) : Promise.resolve(said);
}

async function changeUser(
  deps: ScimDeps,
  caller: ScimCaller,
  id: string,
  change: UserChange,
): Answered<ScimUser> {
  if (!isUuid(id)) return err(noUser);
  if (change.userName?.trim() === '') return err(invalid('userName cannot be empty.'));
  const { email, ...others } = change;
  const wanted = { ...others, ...(email !== undefined && { email: mailAddress(email) }) };
  return recorded(deps, caller, { action: 'scim_change_user', id, detail: detailOf(change) }, async () => {
    const done = await deps.scim.changeUser(caller, id, wanted, momentOf(deps, caller));
    if (done === 'gone') return err(noUser);
    if (done === 'outdated') return err(outdated);
    if (done === 'taken') return err(userTaken);
    return done === 'last_admin' ? err(lastAdmin) : showUser(deps, caller, id);
  });
}

export async function removeUser(deps: ScimDeps, caller: ScimCaller, id: string): Answered<undefined> {
  if (!isUuid(id)) return err(noUser);
  return recorded(deps, caller, { action: 'scim_remove_user', id, detail: {} }, async () => {
    const done = await deps.scim.removeUser(caller, id, momentOf(deps, caller));
    if (done === 'gone') return err(noUser);
    if (done === 'outdated') return err(outdated);
    return done === 'last_admin' ? err(lastAdmin) : ok(undefined);
  });
}

export async function showGroup({ scim }: ScimDeps, caller: ScimCaller, id: string): Answered<ScimGroup> {
  const found = isUuid(id) ? await scim.group(caller, id) : undefined;
  return found === undefined ? err(noGroup) : ok(found);
}

export async function createGroup(deps: ScimDeps, caller: ScimCaller, body: JsonObject): Answered<ScimGroup> {
  const said = readGroupBody(body);
  if (!said.ok) return said;
  const { displayName = '', externalId = '', members } = said.value;
  const name = displayName.trim();
  if (name === '' || name.length > 100) return err(invalid('displayName must have 1 to 100 characters.'));
  const id = deps.newId();
  const detail = { display_name: name, members: members?.length ?? 0 };
  return recorded(deps, caller, { action: 'scim_add_group', id, detail }, async () => {
    const at = deps.clock.now();
    if (!(await deps.scim.addGroup(caller, { id, displayName: name, externalId }, at)))
      return err(groupTaken);
    return changedGroup(deps, caller, id, { added: members ?? [], removed: [] });
  });
}

const groupTaken: ScimFault = {
  status: 409,
  scimType: 'uniqueness',
  detail:
    'A team with this name exists already. A team that people made is not taken over: rename it or the group.',
};

export function replaceGroup(deps: ScimDeps, caller: ScimCaller, id: string, body: JsonObject) {
  const said = readGroupBody(body);
  if (!said.ok) return Promise.resolve(said);
  return changeGroup(deps, caller, id, { members: [], ...said.value, added: [], removed: [] });
}

export function patchGroup(deps: ScimDeps, caller: ScimCaller, id: string, body: JsonObject) {
  const said = readGroupPatch(body);
  return said.ok ? changeGroup(deps, caller, id, said.value) : Promise.resolve(said);
}

/** A removed team takes the roles of its members with it. */
export async function removeGroup(deps: ScimDeps, caller: ScimCaller, id: string): Answered<undefined> {
  if (!isUuid(id)) return err(noGroup);
  return recorded(deps, caller, { action: 'scim_remove_group', id, detail: {} }, async () => {
    const done = await deps.scim.removeGroup(caller, id, momentOf(deps, caller));
    if (done === 'gone') return err(noGroup);
    if (done === 'outdated') return err(outdated);
    return done === 'last_admin' ? err(lastAdmin) : ok(undefined);
  });
}

type GroupChange = Parameters<ScimDirectory['changeGroup']>[2];

async function changeGroup(
  deps: ScimDeps,
  caller: ScimCaller,
  id: string,
  change: GroupChange,
): Answered<ScimGroup> {
  if (!isUuid(id)) return err(noGroup);
  if ((change.displayName?.trim().length ?? 1) > 100)
    return err(invalid('displayName must have at most 100 characters.'));
  const detail = {
    ...(change.displayName !== undefined && { display_name: change.displayName }),
    ...(change.members && { members: change.members.length }),
    added: change.added.slice(0, 100),
    removed: change.removed.slice(0, 100),
  };
  return recorded(deps, caller, { action: 'scim_change_group', id, detail }, () =>
    changedGroup(deps, caller, id, change),
  );
}

async function changedGroup(
  deps: ScimDeps,
  caller: ScimCaller,
  id: string,
  change: GroupChange,
): Answered<ScimGroup> {
  const by = { principalId: caller.principalId, ...momentOf(deps, caller) };
  const done = await deps.scim.changeGroup(caller, id, change, by);
  if (done === 'gone') return err(noGroup);
  if (done === 'outdated') return err(outdated);
  if (done === 'taken') return err(groupTaken);
  if (done === 'last_admin') return err(lastAdmin);
  if (done === 'no_member') return err(invalid('A member is no user that is managed here.'));
  return showGroup(deps, caller, id);
}

const momentOf = ({ clock }: ScimDeps, { over }: ScimCaller) => ({
  at: clock.now(),
  ...(over !== undefined && { over }),
});

const detailOf = (change: UserChange): JsonObject => ({ ...change });

/** As for admin acts: the row of the audit is written before the act. */
async function recorded<T>(
  { audit, clock }: ScimDeps,
  caller: ScimCaller,
  { action, id, detail }: { readonly action: string; readonly id: string; readonly detail: JsonObject },
  run: () => Answered<T>,
): Answered<T> {
  const row = await audit.begin(caller, {
    at: clock.now(),
    actorId: caller.principalId,
    actorName: caller.name,
    action,
    objectKind: action.endsWith('user') ? 'principal' : 'team',
    objectId: id,
    detail,
    ...(caller.requestId !== undefined && { requestId: caller.requestId }),
  });
  try {
    const done = await run();
    const outcome = done.ok ? 'ok' : 'refused';
    await audit.end(caller, row, {
      outcome,
      endedAt: clock.now(),
      ...(!done.ok && { code: done.error.scimType ?? String(done.error.status) }),
    });
    return done;
  } catch (error) {
    await audit.end(caller, row, { outcome: 'failed', endedAt: clock.now() });
    throw error;
  }
}
