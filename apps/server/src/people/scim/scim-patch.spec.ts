import { describe, expect, it } from '@jest/globals';
import { must, type JsonObject, type JsonValue } from '@switchyard/values';
import { readFilter } from './scim-filter.js';
import { readGroupPatch, readUserBody, readUserPatch } from './scim-patch.js';

const patch = (...operations: JsonObject[]): JsonObject => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations: operations,
});

/** Bodies as the documentation of Okta and of Microsoft Entra shows them. */
describe('a PATCH of a user', () => {
  const forms: readonly (readonly [string, JsonObject, object])[] = [
    [
      'of Okta that deactivates, without a path',
      { op: 'replace', value: { active: false } },
      { active: false },
    ],
    [
      'of Entra that deactivates, with a text',
      { op: 'Replace', path: 'active', value: 'False' },
      { active: false },
    ],
    [
      'of Entra with a path into the addresses',
      { op: 'Add', path: 'emails[type eq "work"].value', value: 'a@b.example' },
      { email: 'a@b.example' },
    ],
    [
      'of Entra with a path into the name',
      { op: 'Replace', path: 'name.familyName', value: 'Lee' },
      { familyName: 'Lee' },
    ],
    [
      'of Entra with dotted members and no path',
      { op: 'replace', value: { displayName: 'Ann', 'name.givenName': 'Ann' } },
      { displayName: 'Ann', givenName: 'Ann' },
    ],
    [
      'with the schema before the attribute',
      { op: 'replace', path: 'urn:ietf:params:scim:schemas:core:2.0:User:userName', value: 'x' },
      { userName: 'x' },
    ],
    ['that removes a text', { op: 'remove', path: 'externalId' }, { externalId: '' }],
    [
      'of an attribute that is not kept',
      {
        op: 'Replace',
        path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department',
        value: 'Desk',
      },
      {},
    ],
  ];
  it.each(forms)('%s is read', (_name, operation, change) => {
    expect(must(readUserPatch(patch(operation)))).toEqual(change);
  });

  it.each([
    ['no operations', { Operations: [] }],
    ['an unknown operation', patch({ op: 'move', path: 'active' })],
    ['a removal of nothing', patch({ op: 'remove' })],
    ['a truth that is none', patch({ op: 'replace', path: 'active', value: 'maybe' })],
    ['a name that is a number', patch({ op: 'replace', path: 'userName', value: 7 })],
    [
      'too many operations',
      { Operations: Array.from({ length: 1001 }, () => ({ op: 'remove', path: 'x' })) },
    ],
  ] as readonly (readonly [string, JsonObject])[])('with %s is refused', (_name, body) => {
    expect(readUserPatch(body).ok).toBe(false);
  });

  it('takes the primary address of a whole user, whatever the case of its members', () => {
    const user = {
      UserName: 'ann',
      emails: [{ value: 'home@x.example' }, { value: 'w@x.example', primary: true }],
    };
    expect(must(readUserBody(user))).toEqual({ userName: 'ann', email: 'w@x.example' });
  });
});

describe('a PATCH of a group', () => {
  const [one, two] = ['id-1', 'id-2'];
  const listed = (...ids: string[]): JsonValue => ids.map((value) => ({ $ref: null, value }));
  const none = { added: [], removed: [] };
  const forms: readonly (readonly [string, JsonObject[], object])[] = [
    [
      'adds members',
      [{ op: 'Add', path: 'members', value: listed(one, two) }],
      { ...none, added: [one, two] },
    ],
    [
      'removes one by its path',
      [{ op: 'remove', path: `members[value eq "${one}"]` }],
      { ...none, removed: [one] },
    ],
    [
      'removes listed ones',
      [{ op: 'Remove', path: 'members', value: listed(two) }],
      { ...none, removed: [two] },
    ],
    ['removes all', [{ op: 'remove', path: 'members' }], { ...none, members: [] }],
    ['replaces all', [{ op: 'replace', path: 'members', value: listed(two) }], { ...none, members: [two] }],
    [
      'renames without a path',
      [{ op: 'replace', value: { id: 'g', displayName: 'Desk' } }],
      { ...none, displayName: 'Desk' },
    ],
    [
      'adds and takes back',
      [
        { op: 'add', path: 'members', value: listed(one) },
        { op: 'remove', path: 'members', value: listed(one) },
      ],
      { ...none, removed: [one] },
    ],
  ];
  it.each(forms)('%s', (_name, operations, change) => {
    expect(must(readGroupPatch(patch(...operations)))).toEqual(change);
  });
});

describe('a filter', () => {
  const of = (text: string) => readFilter(text, ['username', 'emails.value']);
  it('compares one attribute, whose case does not count', () => {
    expect(must(of('userName eq "a\\"b@x"'))).toEqual({ attribute: 'username', value: 'a"b@x' });
    expect(must(of('emails[type eq "work"].value EQ "x"'))).toEqual({
      attribute: 'emails.value',
      value: 'x',
    });
    expect(must(of(''))).toBeUndefined();
  });
  it.each(['userName sw "a"', 'title eq "x"', 'userName eq "a" or userName eq "b"', 'userName eq a'])(
    '%s is refused',
    (text) => {
      expect(of(text).ok).toBe(false);
    },
  );
});
