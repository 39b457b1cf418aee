import { describe, expect, it } from '@jest/globals';
import { releases, schemasAreThere, schemasOf, type Release } from '@switchyard/testing';
import type { JsonObject, JsonValue } from '@switchyard/values';
import { taskTable, type AnyTaskSpec } from '../task-table.js';
import { flatten } from './testkit/members.js';
import { requestPath } from './testkit/requests.js';

/*
 * A request member with a wrong plain type is refused with its name before any seller is queried, whether or not it is
 * read here: a text instead of a list is invalid in every release.
 */

type Row = keyof typeof taskTable;

/** Values of each plain type; each is wrong for all other types. */
const samples: Readonly<Record<string, JsonValue>> = {
  string: 'x',
  number: 1.5,
  boolean: true,
  array: [],
  object: {},
};

interface Member {
  readonly path: readonly string[];
  readonly types: ReadonlySet<string>;
}

/** The types that a schema allows; undefined if it leaves them open or to branches. */
function typesOf(release: Release, schema: JsonValue): ReadonlySet<string> | undefined {
  const flat = flatten(schemasOf(release), schema);
  const named = flat.schema['type'];
  if (named !== undefined)
    return new Set(
      [named].flat().flatMap((type) => (typeof type === 'string' ? [type.replace('integer', 'number')] : [])),
    );
  const words = flat.schema['enum'];
  return Array.isArray(words) && words.every((word) => typeof word === 'string')
    ? new Set(['string'])
    : undefined;
}

/** The members of a task's request in a release, at the first two levels, with their types. */
function membersOf(release: Release, row: Row): readonly Member[] {
  const schemas = schemasOf(release);
  const top = flatten(schemas, { $ref: schemas.reference(requestPath(release, row) ?? '') });
  return Object.entries(top.properties).flatMap(([name, schema]): Member[] => {
    // Both of its shapes are read in every form.
    if (name === 'assignments') return [];
    const types = typesOf(release, schema);
    const inner = types?.has('object') === true ? flatten(schemas, schema).properties : {};
    const below = Object.entries(inner).flatMap(([member, one]): Member[] => {
      const its = typesOf(release, one);
      return its === undefined ? [] : [{ path: [name, member], types: its }];
    });
    return [...(types === undefined ? [] : [{ path: [name], types }]), ...below];
  });
}

function isRefused(
  row: Row,
  release: Release,
  [name = '', inner]: readonly string[],
  wrong: JsonValue,
): boolean {
  const spec: AnyTaskSpec = taskTable[row];
  const args: JsonObject = { [name]: inner === undefined ? wrong : { [inner]: wrong } };
  const read = spec.readRequest(args, { dialect: 'adcp', form: release }, new Map());
  const at = inner === undefined ? name : `${name}.${inner}`;
  // Faults of other missing members are reported too; for a member with branches the whole member may be named.
  return (
    !read.ok &&
    read.error.some(
      ({ field = '' }) =>
        field === at || field === name || field.startsWith(`${at}.`) || field.startsWith(`${at}[`),
    )
  );
}

const rows = (Object.keys(taskTable) as Row[]).flatMap((row) =>
  releases.filter((release) => requestPath(release, row) !== undefined).map((release) => ({ row, release })),
);

describe('a member of the wrong plain type', () => {
  it('is checked for every release, or the number of unchecked ones is printed', () => {
    if (!schemasAreThere)
      console.warn(`published schemas absent: ${rows.length} kinds of requests were not held`);
    expect(rows.length).toBeGreaterThan(40);
  });

  for (const { row, release } of schemasAreThere ? rows : [])
    it(`is refused with its name: ${row} of ${release}`, () => {
      const passed = membersOf(release, row).flatMap(({ path, types }) =>
        Object.entries(samples).flatMap(([type, wrong]) =>
          types.has(type) || isRefused(row, release, path, wrong) ? [] : [`${path.join('.')} as ${type}`],
        ),
      );
      expect(passed).toEqual([]);
    });
});
