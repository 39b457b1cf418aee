import type { ScimGroup, ScimMember, ScimUser } from '@switchyard/store';
import { isoOf } from '@switchyard/values';

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group';

/** The version of a resource as an entity tag (RFC 7644, 3.14). */
export const versionOf = ({ updatedAt }: { readonly updatedAt: number }): string => `W/"${updatedAt}"`;
/** `updatedAt` of a version; 0, which nothing has, of a text that is none. */
export const versionIn = (text: string): number => Number(/^W\/"(\d{1,15})"$/.exec(text)?.[1] ?? 0);

/** A user as RFC 7643, 4.1 has it. */
export function userView(base: string, user: ScimUser) {
  const { id, userName, externalId, givenName, familyName, displayName, email, active } = user;
  const name = {
    ...(givenName !== '' && { givenName }),
    ...(familyName !== '' && { familyName }),
  };
  return {
    schemas: [userSchema],
    id,
    ...(externalId !== '' && { externalId }),
    userName,
    ...(Object.keys(name).length > 0 && { name }),
    ...(displayName !== '' && { displayName }),
    ...(email !== '' && { emails: [{ value: email, type: 'work', primary: true }] }),
    active,
    meta: metaOf(base, 'User', user),
  };
}

/** A group as RFC 7643, 4.2 has it; without its members where they were not asked for. */
export function groupView(base: string, group: ScimGroup, members?: readonly ScimMember[]) {
  const { id, displayName, externalId } = group;
  return {
    schemas: [groupSchema],
    id,
    ...(externalId !== '' && { externalId }),
    displayName,
    ...(members && {
      members: members.map((member) => ({
        value: member.id,
        display: member.userName,
        $ref: `${base}/Users/${member.id}`,
      })),
    }),
    meta: metaOf(base, 'Group', group),
  };
}

function metaOf(
  base: string,
  resourceType: 'User' | 'Group',
  of: { readonly id: string; readonly createdAt: number; readonly updatedAt: number },
) {
  return {
    resourceType,
    created: isoOf(of.createdAt),
    lastModified: isoOf(of.updatedAt),
    location: `${base}/${resourceType}s/${of.id}`,
    version: versionOf(of),
  };
}

/** One page of a list (RFC 7644, 3.4.2). `startIndex` is from 1. */
export function listView(resources: readonly object[], total: number, startIndex: number) {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}

/** What is understood (RFC 7643, 5). */
export function serviceProviderConfig(base: string) {
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: 200 },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Bearer token',
        description: 'A token of `switchyard scim token`.',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  };
}

/** What there is to read about this service. */
export interface Described {
  readonly id: string;
}

export function resourceTypes(base: string): readonly Described[] {
  const type = (name: 'User' | 'Group', schema: string) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    ...{ id: name, name, endpoint: `/${name}s`, schema },
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
  });
  return [type('User', userSchema), type('Group', groupSchema)];
}

/** The attributes that are kept (RFC 7643, 7). */
export function schemas(base: string): readonly Described[] {
  const text = (name: string, more: object = {}) => ({
    ...{ name, type: 'string', multiValued: false, required: false, caseExact: false },
    ...{ mutability: 'readWrite', returned: 'default', uniqueness: 'none', ...more },
  });
  const complex = (name: string, multiValued: boolean, subAttributes: readonly object[]) => ({
    ...{ name, type: 'complex', multiValued, required: false, mutability: 'readWrite', returned: 'default' },
    subAttributes,
  });
  const schema = (id: string, name: string, attributes: readonly object[]) => ({
    ...{ schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'], id, name, attributes },
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
  });
  const members = complex('members', true, [
    text('value', { mutability: 'immutable' }),
    text('display', { mutability: 'readOnly' }),
  ]);
  return [
    schema(userSchema, 'User', [
      text('userName', { required: true, uniqueness: 'server' }),
      text('externalId', { caseExact: true }),
      complex('name', false, [text('givenName'), text('familyName')]),
      text('displayName'),
      complex('emails', true, [text('value'), text('type'), text('primary', { type: 'boolean' })]),
      text('active', { type: 'boolean' }),
    ]),
    schema(groupSchema, 'Group', [
      text('displayName', { required: true }),
      text('externalId', { caseExact: true }),
      members,
    ]),
  ];
}
