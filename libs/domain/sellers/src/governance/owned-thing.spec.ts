import { describe, expect, it } from '@jest/globals';
import type { JsonObject, JsonValue } from '@switchyard/values';
import {
  binds,
  changeRead,
  differenceOf,
  questionOf,
  readThingPage,
  thingOf,
  thingsIn,
  type ThingKind,
} from './owned-thing.js';

const thing = (kind: ThingKind, subject = 'x') => ({ kind, subject, agentUrl: 'https://lists.example/mcp' });
const list = { list_id: 'x' };

describe('a thing that an agent owns', () => {
  it.each<[ThingKind, JsonObject, readonly string[]]>([
    ['property_list', { list, identifiers: [{ type: 'domain', value: 'a.com' }] }, ['domain:a.com']],
    [
      'collection_list',
      {
        list,
        collections: [
          { collection_rid: 'r1', name: 'One' },
          { name: 'Two', distribution_ids: [{ type: 'imdb', value: 'tt2' }] },
          { name: 'Three' },
        ],
      },
      ['r1', 'imdb:tt2', 'Three'],
    ],
    ['content_standards', { standards_id: 'x' }, []],
  ])(
    'is read from an answer about a %s, alone and as the result of an envelope',
    (kind, payload, entries) => {
      for (const one of [payload, { status: 'completed', result: payload }])
        expect(readThingPage(thing(kind), one)).toEqual({ ok: true, value: { entries } });
    },
  );

  it.each<[string, JsonObject]>([
    ['another list', { list: { list_id: 'y' }, identifiers: [] }],
    ['no entries', { list }],
    ['entries that are no list', { list, identifiers: 'a.com' }],
    ['more without a cursor', { list, identifiers: [], pagination: { has_more: true } }],
    ['nothing', {}],
  ])('is not read from an answer with %s', (_what, payload) => {
    expect(readThingPage(thing('property_list'), payload).ok).toBe(false);
  });

  it('of any shape makes entries that can be stored', () => {
    const odd: JsonValue[] = [null, 7, 'a\0b', [], { value: 'x'.repeat(5_000) }, { type: {}, value: null }];
    for (const [kind, member] of [
      ['property_list', 'identifiers'],
      ['collection_list', 'collections'],
    ] as const) {
      const read = readThingPage(thing(kind), { list, [member]: odd });
      const entries = read.ok ? read.value.entries : [];
      expect(entries).toHaveLength(odd.length);
      for (const entry of entries) expect(entry.length <= 300 && !entry.includes('\0')).toBe(true);
    }
  });

  it('is asked for by its own task, from where the last page ended', () => {
    expect(questionOf(thing('content_standards'))).toEqual({
      tool: 'get_content_standards',
      args: { standards_id: 'x' },
    });
    expect(questionOf(thing('collection_list'), 'next')).toMatchObject({
      tool: 'get_collection_list',
      args: { list_id: 'x', resolve: true, pagination: { cursor: 'next' } },
    });
  });

  it('has the same version in any order of its pages', () => {
    expect(thingOf(['b', 'a', 'b']).version).toBe(thingOf(['a', 'b']).version);
  });
});

describe('what a targeting names', () => {
  it('is found wherever it stands, and what is no reference is left out', () => {
    const named = (id: string) => ({ agent_url: 'https://lists.example/mcp', list_id: id });
    const targeting: JsonObject = {
      ...{ geo_countries: ['GB'], property_list: named('a'), collection_list_exclude: named('b') },
      groups: [{ collection_list: [named('c')] }],
      content_standards: { agent_url: 'https://lists.example/mcp', standards_id: 'd' },
    };
    expect(thingsIn(targeting).map(({ kind, subject }) => [kind, subject])).toEqual([
      ['property_list', 'a'],
      ['collection_list', 'b'],
      ['collection_list', 'c'],
      ['content_standards', 'd'],
    ]);
    const { agent_url: url } = named('');
    const odd = [{ list_id: 'a' }, { agent_url: url, list_id: 7 }, named(''), named('a\0'), 'a', null];
    for (const property_list of odd) expect(thingsIn({ property_list })).toEqual([]);
    expect(
      thingsIn(JSON.parse('{"__proto__": {"x": 1}, "constructor": {"list_id": "a"}}') as JsonValue),
    ).toEqual([]);
  });
});

describe('a change', () => {
  const now = thingOf(['a', 'c']);

  it('is what differs from the read before; where nothing does, what its owner told of it counts', () => {
    const difference = differenceOf(['a', 'b'], now.entries);
    expect(difference).toEqual({ added: ['c'], removed: ['b'] });
    expect(changeRead({ listId: 'x', removed: 40 }, 'x', now, difference)).toEqual({
      ...{ listId: 'x', added: 1, removed: 1, total: 2 },
    });
    const told = { listId: 'x', removed: 40, validUntil: 5 };
    expect(changeRead(told, 'x', now, undefined)).toEqual({ ...told, total: 2 });
    expect(changeRead(told, 'x', now, { added: [], removed: [] })).toEqual({ ...told, total: 2 });
  });

  it('of standards binds where one of the policies does, and where they do not say', () => {
    const policies = (...rows: readonly JsonObject[]): readonly string[] => {
      const read = readThingPage(thing('content_standards'), { standards_id: 'x', policies: [...rows] });
      return read.ok ? read.value.entries : [];
    };
    const bindsWith = (row: JsonObject): boolean => binds({ added: policies(row), removed: [] });
    expect([bindsWith({ policy_id: 'p', enforcement: 'may' }), bindsWith({ policy_id: 'p' })]).toEqual([
      false,
      true,
    ]);
    expect(
      differenceOf(policies({ policy_id: 'p', policy: 'A' }), policies({ policy_id: 'p', policy: 'B' }))
        .added,
    ).toHaveLength(1);
    expect(policies({ policy: 'A', policy_id: 'p' })).toEqual(policies({ policy_id: 'p', policy: 'A' }));
  });
});
