import { describe, expect, it } from '@jest/globals';
import { must, ok, type JsonObject } from '@switchyard/values';
import { keyWorld, type Served } from '../keys/testkit/key-world.js';
import { memoryTrustDocuments } from '../keys/trust-documents.js';
import { findCandidates } from './find-candidates.js';

const place = 'https://tidewater.com/.well-known/adagents.json';
const brandPlace = 'https://tidewater.com/.well-known/brand.json';
const desk = 'https://sell.tidewater.com/mcp';
const network = 'https://agent.marlin.com/mcp';

const properties = [
  {
    property_id: 'web',
    property_type: 'website',
    name: 'Tidewater',
    identifiers: [{ type: 'domain', value: 'tidewater.com' }],
    tags: ['news'],
    publisher_domain: 'tidewater.com',
  },
];
const own = {
  url: desk,
  authorized_for: 'all',
  authorization_type: 'property_ids',
  property_ids: ['web'],
  delegation_type: 'direct',
  exclusive: true,
};
const limited = {
  url: network,
  authorized_for: 'remnant',
  authorization_type: 'property_tags',
  property_tags: ['news'],
  delegation_type: 'ad_network',
  countries: ['GB'],
  effective_until: '2026-12-31T23:59:59Z',
};
const file = (agents: JsonObject[], more: JsonObject = {}): Served => ({
  json: { properties, authorized_agents: agents, last_updated: '2026-11-20T08:00:00Z', ...more },
});

function world(documents: Record<string, Served>) {
  const stored = memoryTrustDocuments();
  const made = keyWorld(documents, stored);
  const egress = { ...made.egress, checkUrl: () => Promise.resolve(ok(undefined)) } as never;
  const found = async (input = 'tidewater.com') =>
    must(await findCandidates({ egress, clock: made.clock, documents: stored }, input));
  return {
    ...made,
    found,
    /** Every agent with who confirms it, or why it is not offered. */
    said: async (input?: string) => {
      const { candidates, notOffered } = await found(input);
      return [
        ...candidates.map(({ agentUrl, agrees }) => `${agentUrl} ${agrees}`),
        ...notOffered.map(({ agentUrl, code }) => `${agentUrl} ${code}`),
      ];
    },
    refusal: async (input: string) => {
      const answer = await findCandidates({ egress, clock: made.clock, documents: stored }, input);
      return answer.ok ? undefined : answer.error;
    },
  };
}

describe('the candidates of a domain', () => {
  it('are in order: what both sides say, then the shortest way to the publisher', async () => {
    const { found } = world({
      [place]: file([limited, own]),
      [brandPlace]: { json: { agents: [{ type: 'sales', id: 's', url: desk }] } },
    });
    const { candidates, documents } = await found();
    expect(candidates).toMatchObject([
      {
        agentUrl: desk,
        kinds: ['sales'],
        agrees: 'both',
        says: [{ delegation_type: 'direct', exclusive: true, covers: 1 }],
      },
      {
        agentUrl: network,
        agrees: 'publisher_only',
        says: [
          { delegation_type: 'ad_network', countries: ['GB'], window: { until: '2026-12-31T23:59:59Z' } },
        ],
      },
    ]);
    expect(candidates[0]?.foundIn).toMatchObject([
      { document: 'adagents.json', url: place, entry: '/authorized_agents/1' },
      { document: 'brand.json', url: brandPlace, entry: '/agents/0' },
    ]);
    expect(documents).toContainEqual({ url: place, state: 'read' });
  });

  it('have one row for an address in several entries', async () => {
    const { found } = world({ [place]: file([{ ...limited, url: desk }, own]) });
    const { candidates } = await found();
    expect(candidates.map(({ says }) => says.map((one) => one.delegation_type))).toEqual([
      ['direct', 'ad_network'],
    ]);
  });

  it.each<[string, JsonObject, string]>([
    ['its window is over', { ...own, effective_until: '2026-11-01T00:00:00Z' }, 'window_over'],
    ['its window opens later', { ...own, effective_from: '2026-12-01T00:00:00Z' }, 'not_yet'],
    ['its window is no time', { ...own, effective_from: 'soon' }, 'window_unreadable'],
    ['it covers nothing of the publisher', { ...own, property_ids: ['other'] }, 'not_covered'],
    [
      'it carries its properties in the wrong member',
      { url: desk, authorization_type: 'inline_properties', inline_properties: properties },
      'malformed_selector',
    ],
    [
      'it selects by id over several domains',
      {
        url: desk,
        authorization_type: 'publisher_properties',
        publisher_properties: [
          { publisher_domains: ['tidewater.com', 'b.com'], selection_type: 'by_id', property_ids: ['web'] },
        ],
      },
      'malformed_selector',
    ],
    ['its address is plain http', { ...own, url: 'http://sell.tidewater.com/mcp' }, 'malformed'],
    [
      'its type of authorization is unknown',
      { ...own, authorization_type: 'everything' },
      'malformed_selector',
    ],
  ])('leave an entry out where %s, and keep the others', async (_what, entry, code) => {
    const { found } = world({ [place]: file([entry, limited]) });
    const { candidates, notOffered } = await found();
    expect(candidates.map(({ agentUrl }) => agentUrl)).toEqual([network]);
    expect(notOffered.map((one) => one.code)).toEqual([code]);
  });

  it('skip a property without identifiers, and say so', async () => {
    const broken = { property_id: 'broken', property_type: 'website', name: 'No identifiers' };
    const { found } = world({
      [place]: file([{ ...own, property_ids: ['web', 'broken'] }], { properties: [...properties, broken] }),
    });
    const { candidates } = await found();
    expect(candidates).toMatchObject([
      { agentUrl: desk, says: [{ covers: 1 }], problems: [{ code: 'property_skipped' }] },
    ]);
  });

  it('are none where the file lists nobody, with advice', async () => {
    const { found } = world({ [place]: { json: { properties, authorized_agents: [] } } });
    const { candidates, advice } = await found();
    expect(candidates).toEqual([]);
    expect(advice).toContain('names nobody who sells it');
  });

  it('are none where there is no document, with advice', async () => {
    const { found } = world({});
    expect((await found()).advice).toContain('https://tidewater.com/.well-known/adagents.json');
  });

  it('are none where the document breaks a rule, which the advice names', async () => {
    const { found } = world({ [place]: { status: 302, location: 'https://trap.com/adagents.json' } });
    expect((await found()).advice).toContain('could not be used');
    expect((await found()).advice).toContain('It redirects to another site.');
  });

  it('are none where the domain gives no answer, and nobody is said to publish nothing', async () => {
    const { found } = world({ [place]: { failure: 'timeout' }, [brandPlace]: { failure: 'timeout' } });
    expect((await found()).advice).toContain('gave no answer');
    const half = world({ [place]: { failure: 'broken_response' } });
    expect((await half.found()).advice).toContain(`${place} could not be read`);
  });

  it('leave out an address with two key sets in the brand.json', async () => {
    const { said } = world({
      [brandPlace]: {
        json: {
          agents: [
            { type: 'sales', id: 's1', url: desk },
            { type: 'sales', id: 's2', url: desk, jwks_uri: 'https://keys.other.com/jwks.json' },
          ],
        },
      },
    });
    expect(await said()).toEqual([`${desk} ambiguous`]);
  });

  it('leave out agents that sell nothing, and name governance and rights agents as what they are', async () => {
    const agents = ['creative', 'governance', 'rights'].map((type) => ({
      type,
      id: type,
      url: `https://${type}.tidewater.com/mcp`,
    }));
    const { found, said } = world({ [brandPlace]: { json: { agents } } });
    expect((await found()).candidates.map(({ kinds }) => kinds)).toEqual([['governance'], ['rights']]);
    expect(await said()).toContain('https://creative.tidewater.com/mcp not_a_seller');
  });

  it('name a relation that the operator claims and the publisher does not', async () => {
    const { found } = world({
      [place]: file([limited]),
      'https://marlin.com/.well-known/brand.json': {
        json: {
          agents: [{ type: 'sales', id: 'm', url: network }],
          properties: [{ type: 'website', identifier: 'tidewater.com', relationship: 'owned' }],
        },
      },
    });
    expect((await found()).candidates).toMatchObject([
      { agrees: 'both', problems: [{ code: 'relationship_differs' }] },
    ]);
  });
});

describe('the way to a document', () => {
  const elsewhere = 'https://files.marlin.com/v3.json';
  const networkFile = (more: JsonObject = {}): Served => ({
    json: {
      properties: [{ ...properties[0], publisher_domain: 'tidewater.com' }],
      authorized_agents: [
        {
          url: network,
          authorization_type: 'publisher_properties',
          publisher_properties: [
            {
              publisher_domains: ['tidewater.com', 'harbour.com'],
              selection_type: 'by_tag',
              property_tags: ['news'],
            },
          ],
        },
      ],
      ...more,
    },
  });

  it('follows one pointer to another site, and no redirect there', async () => {
    const documents: Record<string, Served> = {
      [place]: { json: { authoritative_location: elsewhere } },
      [elsewhere]: networkFile(),
    };
    const { said, found } = world(documents);
    expect(await said()).toEqual([`${network} publisher_only`]);
    expect((await found()).documents.slice(0, 2)).toMatchObject([
      { url: place, state: 'redirected' },
      { url: elsewhere, state: 'read' },
    ]);
    documents[elsewhere] = { status: 302, location: 'https://files.marlin.com/v4.json' };
    expect((await found()).documents).toContainEqual(
      expect.objectContaining({ url: elsewhere, state: 'refused' }),
    );
    documents[elsewhere] = { json: { authoritative_location: 'https://third.com/x.json' } };
    expect(await said()).toEqual([]);
  });

  it('reads the file of a network with 30,000 properties, whatever its entries select', async () => {
    const many = Array.from({ length: 30_000 }, (_, at) => ({
      ...{ property_id: `p${at}`, property_type: 'website', name: `Site ${at}`, tags: ['net'] },
      identifiers: [{ type: 'domain', value: `site-${at}.com` }],
      publisher_domain: at === 0 ? 'tidewater.com' : `site-${at}.com`,
    }));
    const byId = { property_ids: many.map(({ property_id: id }) => id), authorization_type: 'property_ids' };
    const parts = many.map(({ publisher_domain: domain }) => ({
      ...{ publisher_domain: domain, selection_type: 'by_tag', property_tags: ['net'] },
    }));
    const documents: Record<string, Served> = {
      [place]: { json: { authoritative_location: elsewhere } },
      [elsewhere]: {
        json: {
          properties: many,
          authorized_agents: [
            { url: network, authorized_for: 'all', ...byId },
            {
              ...{ url: desk, authorized_for: 'all', authorization_type: 'publisher_properties' },
              publisher_properties: parts,
            },
          ],
        },
      },
    };
    const { candidates } = await world(documents).found();
    expect(candidates.map(({ agentUrl, says }) => [agentUrl, says[0]?.covers])).toEqual([
      [network, 1],
      [desk, 1],
    ]);
  });

  it('follows three redirects within the site, and none to another', async () => {
    const at = (nr: number) => `https://www.tidewater.com/${nr}`;
    const documents: Record<string, Served> = {
      [place]: { status: 301, location: at(1) },
      [at(1)]: { status: 302, location: at(2) },
      [at(2)]: { status: 302, location: at(3) },
      [at(3)]: file([own]),
    };
    const { said, found } = world(documents);
    expect(await said()).toEqual([`${desk} publisher_only`]);
    documents[at(3)] = { status: 302, location: at(4) };
    documents[at(4)] = file([own]);
    expect(await said()).toEqual([]);
    documents[at(1)] = { status: 302, location: 'https://trap.com/adagents.json' };
    expect((await found()).documents).toContainEqual(
      expect.objectContaining({ url: at(1), state: 'refused' }),
    );
  });

  it('ends at a revocation of the publisher, also when the document says nothing of it any more, for seven days', async () => {
    const documents: Record<string, Served> = {
      [place]: { json: { authoritative_location: elsewhere } },
      [elsewhere]: networkFile({
        revoked_publisher_domains: [{ publisher_domain: 'tidewater.com' }],
        last_updated: '2026-11-18T00:00:00Z',
      }),
    };
    const { said, found, pass } = world(documents);
    expect(await said()).toEqual([`${network} revoked`]);
    await (await found()).remember();
    documents[elsewhere] = networkFile({ last_updated: '2026-11-19T00:00:00Z' });
    expect(await said()).toEqual([`${network} revoked`]);
    pass(8 * 24 * 3_600_000);
    expect(await said()).toEqual([`${network} publisher_only`]);
  });

  it('keeps the stored document where an older one is served', async () => {
    const documents: Record<string, Served> = { [place]: file([own]) };
    const { said, found } = world(documents);
    await (await found()).remember();
    documents[place] = file([limited], { last_updated: '2026-11-19T08:00:00Z' });
    expect(await said()).toEqual([`${desk} publisher_only`, `${network} rolled_back`]);
    const { documents: rows, candidates } = await found();
    expect(rows[0]).toMatchObject({ url: place, state: 'rolled_back' });
    expect(candidates[0]?.problems).toMatchObject([{ code: 'rolled_back' }]);
  });

  it('takes the next document after one whose time was still to come', async () => {
    const documents: Record<string, Served> = {
      [place]: file([own], { last_updated: '2999-01-01T00:00:00Z' }),
    };
    const { said, found, pass } = world(documents);
    await (await found()).remember();
    pass(3_600_000);
    documents[place] = file([limited], { last_updated: '2026-11-21T12:30:00Z' });
    expect(await said()).toEqual([`${network} publisher_only`]);
  });

  it('keeps the stored document for a day where none can be read', async () => {
    const documents: Record<string, Served> = { [place]: file([own]) };
    const { said, found, pass } = world(documents);
    await (await found()).remember();
    documents[place] = { status: 503 };
    expect(await said()).toEqual([`${desk} publisher_only`]);
    pass(25 * 3_600_000);
    expect(await said()).toEqual([]);
  });

  it('does not follow a pointer that was changed since', async () => {
    const other = 'https://files.trap.com/v3.json';
    const documents: Record<string, Served> = {
      [place]: { json: { authoritative_location: elsewhere } },
      [elsewhere]: networkFile(),
      [other]: { json: { authorized_agents: [{ url: 'https://trap.com/mcp' }] } },
    };
    const { said, found } = world(documents);
    await (await found()).remember();
    documents[place] = { json: { authoritative_location: other } };
    expect(await said()).toEqual([`${network} publisher_only`, 'https://trap.com/mcp pointer_changed']);
  });
});

describe('what may be given', () => {
  it.each([
    ['the address of the document', place],
    ['the domain in capitals', 'Tidewater.COM'],
    ['the origin', 'https://tidewater.com'],
    ['the address of the agent', desk],
  ])('is %s', async (_what, input) => {
    const { said } = world({ [place]: file([own]) });
    expect(await said(input)).toEqual([`${desk} publisher_only`]);
  });

  it('is an address that no document confirms', async () => {
    const { found } = world({});
    expect((await found(desk)).candidates).toMatchObject([
      { agentUrl: desk, agrees: 'neither', problems: [{ code: 'unconfirmed' }] },
    ]);
  });

  it('is a port on loopback, read over plain http', async () => {
    const { said, requested } = world({
      'http://127.0.0.1:4100/.well-known/adagents.json': file([{ ...own, url: 'http://127.0.0.1:4101/mcp' }]),
    });
    expect(await said('127.0.0.1:4100')).toEqual(['http://127.0.0.1:4101/mcp publisher_only']);
    expect(requested).toContain('http://127.0.0.1:4100/.well-known/brand.json');
  });

  it('is no plain http beyond this machine, and no name with a password', async () => {
    const { refusal } = world({});
    expect(await refusal('http://tidewater.com/mcp')).toContain('https');
    expect(await refusal('https://user:secret@tidewater.com/')).toContain('no domain');
    expect(await refusal('')).toContain('Give a domain');
    expect(await refusal('=HYPERLINK("http://trap.com")')).toContain('no domain');
  });
});
