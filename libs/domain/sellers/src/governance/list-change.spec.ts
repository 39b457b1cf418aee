import { describe, expect, it } from '@jest/globals';
import { askedBecause, readListChange } from './list-change.js';

const now = Date.parse('2026-11-29T12:00:00Z');
const property = 'property_list_changed';
const collection = 'collection_list_changed';
const asked = (
  kind: typeof property | typeof collection,
  summary: Record<string, number>,
  until?: string,
) => {
  const body = {
    list_id: 'l',
    change_summary: summary,
    ...(until !== undefined && { cache_valid_until: until }),
  };
  const change = readListChange(kind, body);
  return change && askedBecause(kind, change, now);
};

describe('a change of a list', () => {
  it('asks nobody where it takes nothing away', () => {
    expect(
      asked(property, { properties_added: 2, properties_removed: 0, total_properties: 9 }),
    ).toBeUndefined();
    expect(asked(collection, { collections_added: 0, collections_removed: 0 })).toBeUndefined();
  });

  it.each([
    [
      'takes entries out',
      property,
      { properties_removed: 3, total_properties: 7 },
      undefined,
      '3 of its entries',
    ],
    ['empties it', property, { properties_removed: 0, total_properties: 0 }, undefined, 'empty'],
    ['does not say what it takes out', property, {}, undefined, 'does not say'],
    [
      'adds to what may be a list of exclusions',
      collection,
      { collections_added: 1, collections_removed: 0 },
      undefined,
      'must not be aired',
    ],
    ['ends every copy', property, { properties_removed: 0 }, '2026-11-29T12:00:00Z', 'no copy'],
  ] as const)('asks a person where it %s', (_what, kind, summary, until, words) => {
    expect(asked(kind, summary, until)).toContain(words);
  });

  it('is read from an envelope too, and from none without the id of a list', () => {
    expect(
      readListChange(property, { result: { list_id: 'l', change_summary: { properties_removed: ['a'] } } }),
    ).toEqual({
      listId: 'l',
      removed: 1,
    });
    for (const list_id of [undefined, '', 7, 'a\0b', 'x'.repeat(256)] as const)
      expect(readListChange(property, list_id === undefined ? {} : { list_id })).toBeUndefined();
  });
});
