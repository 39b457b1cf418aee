import { err, isJsonObject, ok, type JsonObject, type JsonValue, type Result } from '@switchyard/values';
import { invalid, type ScimFault } from './scim-faults.js';
import { plainAttribute } from './scim-filter.js';

/** What a provisioning system says of a person. An absent member is not said; an empty text removes. */
export interface UserChange {
  readonly userName?: string;
  readonly externalId?: string;
  readonly givenName?: string;
  readonly familyName?: string;
  readonly displayName?: string;
  readonly email?: string;
  readonly active?: boolean;
}

/** What it says of a group. `members` replaces; `added` and `removed` are ids of people. */
export interface GroupChange {
  readonly displayName?: string;
  readonly externalId?: string;
  readonly members?: readonly string[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** The most operations of a PATCH, and the most members of one request. */
export const mostOperations = 1_000;
export const mostMembers = 10_000;
const longestText = 500;

interface Operation {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path?: string;
  readonly value?: JsonValue;
}

/** The operations of a PATCH (RFC 7644, 3.5.2). Entra writes `Replace`, and both leave `path` out. */
function operationsOf(body: JsonObject): Result<readonly Operation[], ScimFault> {
  const listed = memberOf(body, 'operations');
  if (!Array.isArray(listed) || listed.length === 0)
    return err(invalid('Operations must be a list of at least one.', 'invalidSyntax'));
  if (listed.length > mostOperations)
    return err({ status: 413, detail: `Send at most ${mostOperations} operations.` });
  const read: Operation[] = [];
  for (const one of listed) {
    const op = isJsonObject(one) ? memberOf(one, 'op') : undefined;
    const name = typeof op === 'string' ? op.toLowerCase() : '';
    if (!isJsonObject(one) || (name !== 'add' && name !== 'replace' && name !== 'remove'))
      return err(invalid('Each operation has an op: add, replace or remove.', 'invalidSyntax'));
    const [path, value] = [memberOf(one, 'path'), memberOf(one, 'value')];
    if (path !== undefined && path !== null && typeof path !== 'string')
      return err(invalid('A path must be a text.', 'invalidPath'));
    read.push({
      op: name,
      ...(typeof path === 'string' && path !== '' && { path }),
      ...(value !== undefined && { value }),
    });
  }
  return ok(read);
}

/** Attributes of SCIM have no case (RFC 7643, 2.1). */
function memberOf(object: JsonObject, name: string): JsonValue | undefined {
  const key = Object.keys(object).find((known) => known.toLowerCase() === name);
  return key === undefined ? undefined : object[key];
}

/** The changes of a PATCH of a user. Attributes that are not kept here are passed over. */
export function readUserPatch(body: JsonObject): Result<UserChange, ScimFault> {
  const operations = operationsOf(body);
  if (!operations.ok) return operations;
  let change: UserChange = {};
  for (const { op, path, value } of operations.value) {
    if (op === 'remove' && path === undefined) return err(invalid('A removal needs a path.', 'noTarget'));
    const said =
      path === undefined
        ? readUser(isJsonObject(value) ? flattened(value) : {})
        : readUser({ [plainAttribute(path)]: op === 'remove' ? '' : (value ?? '') });
    if (!said.ok) return said;
    change = { ...change, ...said.value };
  }
  return ok(change);
}

/** `name: {givenName}` and `"name.givenName"` say the same. */
function flattened(body: JsonObject): JsonObject {
  const flat: JsonObject = {};
  for (const [name, value] of Object.entries(body)) {
    const key = plainAttribute(name);
    if (key === 'name' && isJsonObject(value))
      for (const [part, text] of Object.entries(value)) flat[`name.${part.toLowerCase()}`] = text;
    else flat[key] = value;
  }
  return flat;
}

/** A whole user, as POST and PUT send it. */
export const readUserBody = (body: JsonObject): Result<UserChange, ScimFault> => readUser(flattened(body));

const textAttributes: Readonly<Record<string, keyof UserChange>> = {
  username: 'userName',
  externalid: 'externalId',
  'name.givenname': 'givenName',
  'name.familyname': 'familyName',
  displayname: 'displayName',
  'emails.value': 'email',
};

function readUser(flat: JsonObject): Result<UserChange, ScimFault> {
  const change: Record<string, string | boolean> = {};
  for (const [name, value] of Object.entries(flat)) {
    const member = textAttributes[name];
    if (name === 'active') {
      const active = boolOf(value);
      if (active === undefined) return err(invalid('active must be true or false.'));
      change['active'] = active;
    } else if (name === 'emails') {
      const email = mailOf(value);
      if (email === undefined) return err(invalid('emails must be a list of objects with a value.'));
      change['email'] = email;
    } else if (name === 'name' && isJsonObject(value)) {
      const parts = readUser(flattened({ name: value }));
      if (!parts.ok) return parts;
      Object.assign(change, parts.value);
    } else if (member !== undefined) {
      if (value !== null && (typeof value !== 'string' || value.length > longestText))
        return err(invalid(`${member} must be a text of at most ${longestText} characters.`));
      change[member] = value ?? '';
    }
  }
  return ok(change);
}

/** Entra sends the texts "True" and "False". */
function boolOf(value: JsonValue): boolean | undefined {
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'string' ? value.toLowerCase() : '';
  return text === 'true' ? true : text === 'false' ? false : undefined;
}

/** The primary address, else that of work, else the first. */
function mailOf(value: JsonValue): string | undefined {
  if (value === '' || value === null) return '';
  const listed = (Array.isArray(value) ? value : [value]).slice(0, 50).filter(isJsonObject);
  if (Array.isArray(value) && value.length === 0) return '';
  const chosen =
    listed.find((one) => boolOf(one['primary'] ?? false) === true) ??
    listed.find((one) => one['type'] === 'work') ??
    listed[0];
  const text = chosen?.['value'];
  return typeof text === 'string' && text.length <= longestText ? text : undefined;
}

/** The changes of a PATCH of a group. */
export function readGroupPatch(body: JsonObject): Result<GroupChange, ScimFault> {
  const operations = operationsOf(body);
  if (!operations.ok) return operations;
  let change: GroupChange = { added: [], removed: [] };
  for (const operation of operations.value) {
    const next = afterOperation(change, operation);
    if (!next.ok) return next;
    change = next.value;
    if (change.added.length + change.removed.length > mostMembers)
      return err({ status: 413, detail: `Send at most ${mostMembers} members.` });
  }
  return ok(change);
}

function afterOperation(change: GroupChange, { op, path, value }: Operation): Result<GroupChange, ScimFault> {
  if (path === undefined) {
    if (op === 'remove') return err(invalid('A removal needs a path.', 'noTarget'));
    return isJsonObject(value) ? withBody(change, value, op) : err(invalid('The value must be an object.'));
  }
  const one = /^members\[\s*value\s+eq\s+"([^"]{1,100})"\s*\]$/i.exec(path.trim())?.[1];
  if (one !== undefined)
    return op === 'remove'
      ? ok({ ...change, removed: [...change.removed, one] })
      : err(invalid('Only a removal names a member in its path.', 'invalidPath'));
  const attribute = plainAttribute(path);
  if (attribute !== 'members')
    return withBody(change, { [attribute]: op === 'remove' ? '' : (value ?? '') }, op);
  if (op === 'remove' && value === undefined) return ok({ ...change, members: [], added: [], removed: [] });
  const ids = memberIds(value ?? []);
  if (ids === undefined) return err(wrongMembers);
  return ok(withMembers(change, op, ids));
}

function withMembers(change: GroupChange, op: Operation['op'], ids: readonly string[]): GroupChange {
  const others = (of: readonly string[]) => of.filter((id) => !ids.includes(id));
  if (op === 'replace') return { ...change, members: ids, added: [], removed: [] };
  if (op === 'add') return { ...change, added: [...change.added, ...ids], removed: others(change.removed) };
  return { ...change, added: others(change.added), removed: [...change.removed, ...ids] };
}

function withBody(
  change: GroupChange,
  body: JsonObject,
  op: Operation['op'],
): Result<GroupChange, ScimFault> {
  const said = readGroupBody(body);
  if (!said.ok) return said;
  const { members, displayName, externalId } = said.value;
  const named = {
    ...change,
    ...(displayName !== undefined && { displayName }),
    ...(externalId !== undefined && { externalId }),
  };
  return ok(members === undefined ? named : withMembers(named, op, members));
}

/** A whole group, as POST and PUT send it. */
export function readGroupBody(body: JsonObject): Result<Omit<GroupChange, 'added' | 'removed'>, ScimFault> {
  const [name, external, members] = ['displayname', 'externalid', 'members'].map((key) =>
    memberOf(body, key),
  );
  for (const text of [name, external])
    if (text !== undefined && text !== null && (typeof text !== 'string' || text.length > longestText))
      return err(invalid(`displayName and externalId must be texts of at most ${longestText} characters.`));
  const ids = members === undefined ? undefined : memberIds(members);
  if (members !== undefined && ids === undefined) return err(wrongMembers);
  return ok({
    ...(typeof name === 'string' && { displayName: name }),
    ...(typeof external === 'string' && { externalId: external }),
    ...(ids !== undefined && { members: ids }),
  });
}

const wrongMembers = invalid(`members must be a list of at most ${mostMembers} objects with a value.`);

function memberIds(value: JsonValue): readonly string[] | undefined {
  if (value === null || value === '') return [];
  const listed = Array.isArray(value) ? value : [value];
  if (listed.length > mostMembers) return undefined;
  const ids = listed.map((one) => (isJsonObject(one) ? memberOf(one, 'value') : one));
  return ids.every((id) => typeof id === 'string' && id.length <= 100) ? (ids as string[]) : undefined;
}
