import { describe, expect, it } from '@jest/globals';
import {
  agentUrl,
  brandUrl,
  connectionWith,
  entry,
  found,
  jwksUrl,
  keySet,
  keyWorld,
  type Served,
} from './testkit/key-world.js';
import { memoryTrustDocuments } from './trust-documents.js';

const at = (publisher: string) => `https://${publisher}/.well-known/adagents.json`;
const update = at('news.com');
const pin = (kid: string, more: object = {}) => ({
  kid,
  kty: 'OKP',
  crv: 'Ed25519',
  x: `pinned-${kid}`,
  ...more,
});
const pinning = (keys: object[], more: object = {}, url = agentUrl): Served => ({
  json: { authorized_agents: [{ url, authorized_for: 'ads', signing_keys: keys }], ...more } as never,
});
const seller = connectionWith({ publisherDomains: ['news.com'] });
const jwksWorld: Record<string, Served> = {
  [brandUrl]: { json: { agents: [entry] } },
  [jwksUrl]: keySet('k1', 'k9'),
};
const day = 24 * 3_600_000;

describe("a publisher's pin", () => {
  it('replaces the key set of the seller completely, under the same identity', async () => {
    const { find, key, requested } = keyWorld({ ...jwksWorld, [update]: pinning([pin('k1')]) });
    expect(await find('k1', seller)).toBe(found);
    expect(requested).not.toContain(jwksUrl);
    expect(await key('k1', seller)).toEqual({
      kid: 'k1',
      kty: 'OKP',
      crv: 'Ed25519',
      x: 'pinned-k1',
      alg: 'EdDSA',
      use: 'sig',
      key_ops: ['verify'],
      ads_use: 'request-signing',
      adcp_use: 'request-signing',
    });
    expect(await find('k9', seller)).toBe('key_unknown');
  });

  it.each<[string, Served]>([
    ['no such document', { status: 404 }],
    ['a document that pins nothing', { json: { authorized_agents: [{ url: agentUrl }] } }],
    ['pins for another agent', pinning([pin('k7')], {}, `${agentUrl}/`)],
    ['an empty list of agents', { json: { authorized_agents: [] } }],
    ['a document that is no JSON and never was', { text: '<html>' }],
    ['an outage where nothing was ever pinned', { status: 503 }],
    [
      'a network document that takes the publisher back',
      pinning([pin('k7')], { revoked_publisher_domains: ['news.com'] }),
    ],
    [
      'one that takes it back as 3.1 says it, with the time',
      pinning([pin('k7')], {
        revoked_publisher_domains: [{ publisher_domain: 'news.com', revoked_at: '2026-11-01T00:00:00Z' }],
      }),
    ],
  ])('is ignored with %s: the key set of the seller is used', async (_what, document) => {
    expect(await keyWorld({ ...jwksWorld, [update]: document }).find('k1', seller)).toBe(found);
  });

  it('with an empty list lets the agent use no key at all', async () => {
    expect(await keyWorld({ ...jwksWorld, [update]: pinning([]) }).find('k1', seller)).toBe('key_unknown');
  });

  it('is requested once more before an unknown kid is refused, and then not for half a minute', async () => {
    const { find, documents, requested, pass } = keyWorld({ ...jwksWorld, [update]: pinning([pin('k1')]) });
    expect(await find('k1', seller)).toBe(found);
    documents[update] = pinning([pin('k1'), pin('k2')]);
    expect(await find('k2', seller)).toBe(`k2 of ${agentUrl}`);
    documents[update] = pinning([pin('k1'), pin('k3')]);
    expect(await find('k3', seller)).toBe('key_unknown');
    expect(requested.filter((url) => url === update)).toHaveLength(2);
    pass(30_000);
    expect(await find('k3', seller)).toBe(`k3 of ${agentUrl}`);
  });

  it('must be in the list of each publisher that pins, with the same key in all of them', async () => {
    const both = connectionWith({ publisherDomains: ['news.com', 'sport.com', 'free.com'] });
    const of = (other: Served) =>
      keyWorld({ ...jwksWorld, [update]: pinning([pin('k1')]), [at('sport.com')]: other });
    expect(await of(pinning([pin('k1')])).find('k1', both)).toBe(found);
    expect(await of(pinning([pin('k2')])).find('k1', both)).toBe('key_unknown');
    expect(await of(pinning([pin('k1', { x: 'another' })])).find('k1', both)).toBe('key_unknown');
  });

  it('that was revoked verifies nothing from then on, and an unreadable time counts as past', async () => {
    const revokedAt = new Date(Date.UTC(2026, 10, 21) + 60_000).toISOString();
    const { status, pass } = keyWorld({
      ...jwksWorld,
      [update]: pinning([pin('k1', { revoked_at: revokedAt })]),
    });
    expect(await status('k1', seller)).toBe('ok');
    pass(60_000);
    expect(await status('k1', seller)).toBe('revoked');
    const unread = keyWorld({ ...jwksWorld, [update]: pinning([pin('k1', { revoked_at: 'soon' })]) });
    expect(await unread.status('k1', seller)).toBe('revoked');
  });

  it.each<[string, Record<string, Served>, string]>([
    [
      'three redirects within its site',
      {
        [update]: { status: 301, location: 'https://www.news.com/a' },
        'https://www.news.com/a': { status: 302, location: '/b' },
        'https://www.news.com/b': { status: 308, location: 'https://news.com/c' },
        'https://news.com/c': pinning([pin('k1')]),
      },
      'k1',
    ],
    [
      'four of them',
      {
        [update]: { status: 301, location: '/a' },
        'https://news.com/a': { status: 301, location: '/b' },
        'https://news.com/b': { status: 301, location: '/c' },
        'https://news.com/c': { status: 301, location: '/d' },
        'https://news.com/d': pinning([pin('k1')]),
      },
      'none',
    ],
    [
      'one to another site',
      {
        [update]: { status: 301, location: 'https://evil.com/a' },
        'https://evil.com/a': pinning([pin('k1')]),
      },
      'none',
    ],
    [
      'one to plain http',
      {
        [update]: { status: 301, location: 'http://news.com/a' },
        'http://news.com/a': pinning([pin('k1')]),
      },
      'none',
    ],
    [
      'a document that speaks for it elsewhere',
      {
        [update]: { json: { authoritative_location: 'https://network.com/a.json' } },
        'https://network.com/a.json': pinning([pin('k1')]),
      },
      'k1',
    ],
    [
      'one that redirects',
      {
        [update]: { json: { authoritative_location: 'https://network.com/a.json' } },
        'https://network.com/a.json': { status: 301, location: '/b' },
        'https://network.com/b': pinning([pin('k1')]),
      },
      'none',
    ],
    [
      'one that points on',
      {
        [update]: { json: { authoritative_location: 'https://network.com/a.json' } },
        'https://network.com/a.json': { json: { authoritative_location: 'https://third.com/a.json' } },
        'https://third.com/a.json': pinning([pin('k1')]),
      },
      'none',
    ],
  ])('behind %s is found or not', async (_what, documents, pinned) => {
    const { key } = keyWorld({ ...jwksWorld, ...documents });
    expect((await key('k1', seller))?.['x']).toBe(pinned === 'k1' ? 'pinned-k1' : 'x-k1');
  });

  it('is cached as long as the publisher declares, one hour if it declares nothing', async () => {
    const reported: Served = {
      ...(pinning([pin('k1')]) as { json: never }),
      headers: { 'cache-control': 'max-age=120' },
    };
    const { find, requested, pass, documents } = keyWorld({ ...jwksWorld, [update]: reported });
    const fetches = () => requested.filter((url) => url === update).length;
    for (const wait of [0, 119_000]) {
      pass(wait);
      await find('k1', seller);
    }
    expect(fetches()).toBe(1);
    pass(1000);
    documents[update] = pinning([pin('k1')]);
    await find('k1', seller);
    pass(3_599_000);
    await find('k1', seller);
    expect(fetches()).toBe(2);
    pass(1000);
    await find('k1', seller);
    expect(fetches()).toBe(3);
  });

  it('is used for a day while its publisher is down, then refuses for a week, and then is deleted', async () => {
    const { find, pass, documents, restart } = keyWorld({ ...jwksWorld, [update]: pinning([pin('k1')]) });
    await find('k1', seller);
    documents[update] = { status: 500 };
    pass(day - 1);
    restart();
    expect(await find('k9', seller)).toBe('key_unknown');
    pass(2 * 60_000);
    expect(await find('k1', seller)).toBe('jwks_unavailable');
    pass(7 * day);
    expect(await find('k1', seller)).toBe(found);
  });

  it('is never replaced by an older document, also after a restart', async () => {
    const stored = memoryTrustDocuments();
    const newer = pinning([pin('k2')], { last_updated: '2026-11-20T00:00:00Z' });
    const older = pinning([pin('k1')], { last_updated: '2026-11-19T00:00:00Z' });
    const world = keyWorld({ ...jwksWorld, [update]: newer }, stored);
    expect(await world.find('k2', seller)).toBe(`k2 of ${agentUrl}`);
    world.documents[update] = older;
    world.restart();
    expect(await world.find('k1', seller)).toBe('key_unknown');
    expect(await world.find('k2', seller)).toBe(`k2 of ${agentUrl}`);
  });

  it('is requested only from public names, and from at most twenty of them', async () => {
    const names = ['news.example', 'a.test', 'localhost', '10.0.0.1', 'x_y.com', 'news.com/..'];
    const odd = keyWorld(jwksWorld);
    await odd.find('k1', connectionWith({ publisherDomains: names }));
    expect(odd.requested).toEqual([brandUrl, jwksUrl]);
    const many = keyWorld(jwksWorld);
    const publisherDomains = Array.from({ length: 500 }, (_, index) => `p${index}.com`);
    await many.find('k1', connectionWith({ publisherDomains }));
    expect(many.requested).toHaveLength(22);
  });

  it('is fetched once for any number of simultaneous webhooks', async () => {
    const { find, requested } = keyWorld({ ...jwksWorld, [update]: pinning([pin('k1')]) });
    await Promise.all(Array.from({ length: 50 }, () => find('k1', seller)));
    expect(requested).toEqual([update]);
  });
});
