import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import { keyWorld, type Served } from '../keys/testkit/key-world.js';
import { createPublisherStatements } from './publisher-statements.js';

const agent = 'https://sales.com/mcp';
const other = 'https://other.com/mcp';
const update = 'https://news.com/.well-known/adagents.json';
const minute = 60_000;
const listing = (entry: JsonObject, more: JsonObject = {}): Served => ({
  json: { authorized_agents: [{ url: agent, authorized_for: 'ads', ...entry }], ...more },
});
const at = (time: string): string => `2026-11-${time}T00:00:00Z`;

function world(documents: Record<string, Served>) {
  const made = keyWorld(documents);
  const words = createPublisherStatements(made);
  const state = async (publisher = 'news.com', of = agent): Promise<string> => {
    const word = (await words.of([publisher], 1_000))(publisher, of);
    if (word.state === 'unverified') return word.reason;
    return 'delegation' in word ? `${word.state} ${word.delegation}` : word.state;
  };
  return { ...made, words, state };
}

describe("a publisher's statement about an agent", () => {
  it.each<[string, Served, string]>([
    ['lists it', listing({}), 'authorized'],
    ['lists it with a slash too many', listing({ url: `${agent}/` }), 'authorized'],
    ['says that it is its own way', listing({ delegation_type: 'direct' }), 'authorized direct'],
    ['says that it is of a network', listing({ delegation_type: 'ad_network' }), 'authorized ad_network'],
    ['says something else of it', listing({ delegation_type: 'friend' }), 'authorized'],
    ['lists another', listing({ url: other }), 'not_authorized'],
    ['lists nobody', { json: { authorized_agents: [] } }, 'lists_nobody'],
    ['has no such document', { status: 404 }, 'no_document'],
    ['has no such name', { failure: 'unresolved' }, 'no_document'],
    ['is down', { status: 503 }, 'unreachable'],
    ['answers with a page', { text: '<html>' }, 'unreachable'],
    ['opens tomorrow', listing({ effective_from: at('22') }), 'not_authorized'],
    ['ended yesterday', listing({ effective_until: at('20') }), 'not_authorized'],
    ['is open today', listing({ effective_from: at('20'), effective_until: at('22') }), 'authorized'],
    ['ends at no time that can be read', listing({ effective_until: 'soon' }), 'not_authorized'],
    ['opens at no time that can be read', listing({ effective_from: 'soon' }), 'not_authorized'],
    [
      'lets it sell signals alone',
      listing({ authorization_type: 'signal_ids', signal_ids: ['s'] }),
      'not_authorized',
    ],
    [
      'is taken back by its network',
      listing({}, { revoked_publisher_domains: ['news.com'] }),
      'not_authorized',
    ],
    [
      'is taken back as 3.1 says it',
      listing({}, { revoked_publisher_domains: [{ publisher_domain: 'news.com' }] }),
      'not_authorized',
    ],
  ])('that %s', async (_what, document, expected) => {
    expect(await world({ [update]: document }).state()).toBe(expected);
  });

  it('names the nearest of several paths', async () => {
    const ways = ['ad_network', 'direct', 'delegated'].map((delegation_type) => ({
      url: agent,
      delegation_type,
    }));
    expect(await world({ [update]: { json: { authorized_agents: ways } } }).state()).toBe(
      'authorized direct',
    );
  });

  it.each<[string, JsonObject, string]>([
    ['its property by id', { authorization_type: 'property_ids', property_ids: ['mine'] }, 'authorized'],
    [
      'a property of somebody else',
      { authorization_type: 'property_ids', property_ids: ['theirs'] },
      'not_authorized',
    ],
    ['its property by tag', { authorization_type: 'property_tags', property_tags: ['sport'] }, 'authorized'],
    ['a tag of others', { authorization_type: 'property_tags', property_tags: ['food'] }, 'not_authorized'],
    [
      'it by name',
      {
        authorization_type: 'publisher_properties',
        publisher_properties: [{ publisher_domain: 'news.com' }],
      },
      'authorized',
    ],
    [
      'it among names',
      {
        authorization_type: 'publisher_properties',
        publisher_properties: [{ publisher_domains: ['a.com', 'news.com'] }],
      },
      'authorized',
    ],
    [
      'another by name',
      { authorization_type: 'publisher_properties', publisher_properties: [{ publisher_domain: 'a.com' }] },
      'not_authorized',
    ],
    ['what it defines itself', { authorization_type: 'inline_properties', properties: [{}] }, 'authorized'],
    [
      'what it defines of others',
      { authorization_type: 'inline_properties', properties: [{ publisher_domain: 'a.com' }] },
      'not_authorized',
    ],
  ])('in the document of a network is an entry that applies to %s', async (_what, entry, expected) => {
    const network = listing(entry, {
      properties: [
        { property_id: 'mine', publisher_domain: 'news.com', tags: ['sport'] },
        { property_id: 'theirs', publisher_domain: 'food.com', tags: ['food'] },
      ],
    });
    const elsewhere = 'https://network.com/adagents.json';
    const { state } = world({
      [update]: { json: { authoritative_location: elsewhere } },
      [elsewhere]: network,
    });
    expect(await state()).toBe(expected);
  });

  it('is not requested from reserved names', async () => {
    const { state, requested } = world({});
    for (const name of ['news.example', 'news.example.com', 'localhost', 'printer.local'])
      expect(await state(name)).toBe('reserved_name');
    expect(requested).toEqual([]);
  });

  it('is requested once an hour, and from an unreachable publisher once a minute', async () => {
    const { state, requested, documents, pass } = world({ [update]: { status: 503 } });
    expect([await state(), await state()]).toEqual(['unreachable', 'unreachable']);
    expect(requested).toHaveLength(1);
    documents[update] = listing({});
    pass(minute);
    expect([await state(), await state(), requested.length]).toEqual(['authorized', 'authorized', 2]);
    pass(59 * minute);
    expect([await state(), requested.length]).toEqual(['authorized', 2]);
    pass(minute);
    expect([await state(), requested.length]).toEqual(['authorized', 3]);
  });

  it('counts for a day without its publisher, and then is unknown', async () => {
    const { state, documents, pass } = world({ [update]: listing({}) });
    expect(await state()).toBe('authorized');
    documents[update] = { status: 503 };
    pass(23 * 60 * minute);
    expect(await state()).toBe('authorized');
    pass(60 * minute);
    expect(await state()).toBe('unreachable');
  });

  it('is not replaced by an older document', async () => {
    const { state, documents, pass } = world({
      [update]: listing({ url: other }, { last_updated: at('10') }),
    });
    expect(await state()).toBe('not_authorized');
    documents[update] = listing({}, { last_updated: at('09') });
    pass(60 * minute);
    expect(await state()).toBe('not_authorized');
    documents[update] = listing({}, { last_updated: at('11') });
    pass(minute);
    expect(await state()).toBe('authorized');
  });

  it('is not awaited beyond the time limit, and is known to the next query', async () => {
    const made = keyWorld({ [update]: listing({}) });
    const impatient = {
      ...made.clock,
      after: (_ms: number, then: () => void) => {
        then();
        return () => undefined;
      },
    };
    const words = createPublisherStatements({ egress: made.egress, clock: impatient });
    const early = await words.of(['news.com'], 1);
    expect(early('news.com', agent)).toEqual({ state: 'unverified', reason: 'not_in_time' });
    await words.of(['news.com'], 0);
    expect(made.requested).toEqual([update]);
    await new Promise(setImmediate);
    expect((await words.of(['news.com'], 0))('news.com', agent)).toEqual({ state: 'authorized' });
  });

  it('is fetched from at most a hundred publishers for one query, and from the others for the next', async () => {
    const { words, requested } = world({});
    const names = Array.from({ length: 150 }, (_, nr) => `news${String(nr)}.com`);
    await words.of(names, 1_000);
    expect(requested).toHaveLength(100);
    await words.of(names, 1_000);
    expect(requested).toHaveLength(150);
  });
});
