import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { err, ok, type Clock, type JsonValue } from '@switchyard/values';
import type { Egress, EgressFailureCode } from '../egress-port.js';
import type { KeyedConnection } from './key-watch.js';
import { createSellerKeys } from './seller-keys.js';

const agentUrl = 'https://agents.seller.example/mcp';
const brandUrl = 'https://agents.seller.example/.well-known/brand.json';
const jwksUrl = 'https://keys.example/jwks.json';
const connection: KeyedConnection = { agentUrl };

type Served = JsonValue | { readonly failure: EgressFailureCode } | { readonly raw: string } | (() => Served);

/** Documents, a manual clock, and the requested URLs. */
function world(documents: Record<string, Served>) {
  let now = 1_000_000;
  const requested: string[] = [];
  const caps: number[] = [];
  const clock: Clock = { now: () => now, after: () => () => undefined };
  const serve = (served: Served): Served => (typeof served === 'function' ? serve(served()) : served);
  const egress = {
    request: async ({ url, maxBytes }: { url: string; maxBytes: number }) => {
      requested.push(url);
      caps.push(maxBytes);
      await Promise.resolve();
      const served = Object.hasOwn(documents, url) ? serve(documents[url] ?? null) : undefined;
      if (served === undefined) return ok({ status: 404, headers: {}, body: Buffer.alloc(0) });
      if (typeof served === 'object' && served !== null && 'failure' in served) {
        const code = served.failure as EgressFailureCode;
        return err({ code, message: '', delivered: 'no' as const });
      }
      const isRaw = typeof served === 'object' && served !== null && 'raw' in served;
      const text = isRaw ? (served.raw as string) : JSON.stringify(served);
      return ok({ status: 200, headers: {}, body: Buffer.from(text) });
    },
  } as unknown as Egress;
  const keys = createSellerKeys({ egress, clock });
  return {
    requested,
    caps,
    documents,
    keys,
    pass: (milliseconds: number) => (now += milliseconds),
    find: async (kid = 'k1', of: KeyedConnection = connection) => {
      const found = await keys.resolve(of, kid);
      return found.ok ? `${found.value.jwk['kid'] as string} of ${found.value.agentUrl}` : found.error;
    },
  };
}

const entry = { type: 'sales', url: agentUrl, id: 'sales', jwks_uri: jwksUrl };
const jwks = (...kids: string[]): JsonValue => ({ keys: kids.map((kid) => ({ kid, kty: 'OKP' })) });
const found = `k1 of ${agentUrl}`;

describe('seller keys', () => {
  it("are cached separately if only one tenant's configuration names their owner", async () => {
    const { keys } = world({ [brandUrl]: { id: 'b', agents: [entry] }, [jwksUrl]: jwks('k1') });
    const spaceOf = async (of: KeyedConnection) => {
      const resolved = await keys.resolve(of, 'k1');
      return resolved.ok ? resolved.value.keyspace : resolved.error;
    };
    expect(await spaceOf({ agentUrl, organizationId: 'a' })).toBeUndefined();
    const pinned = { agentUrl, pinnedJwksUri: jwksUrl };
    const [a, b] = [
      await spaceOf({ ...pinned, organizationId: 'a' }),
      await spaceOf({ ...pinned, organizationId: 'b' }),
    ];
    expect(a).not.toBe(b);
    expect([a, b]).not.toContain(agentUrl);
  });

  it.each<[string, JsonValue]>([
    ['a brand’s own document', { id: 'b', agents: [{ url: 'https://other.example/' }, entry] }],
    ['a house', { house: { domain: 'h.example', agents: [entry] }, brands: [] }],
    [
      'a brand of a house',
      { house: { agents: [{ ...entry, jwks_uri: 'https://no.example/' }] }, brands: [{ agents: [entry] }] },
    ],
    ['several brands with one key set', { house: {}, brands: [{ agents: [entry] }, { agents: [entry] }] }],
    ['a brand agent', { brand_agent: entry }],
  ])('are found through %s', async (_what, document) => {
    const { find, requested, caps } = world({ [brandUrl]: document, [jwksUrl]: jwks('k0', 'k1') });
    expect(await find()).toBe(found);
    expect(requested).toEqual([brandUrl, jwksUrl]);
    expect(caps).toEqual([256 * 1024, 64 * 1024]);
  });

  it.each<[string, JsonValue]>([
    ['an authoritative location', { authoritative_location: 'https://house.example/b.json' }],
    ['a house by name', { house: 'house.example' }],
  ])('are found behind %s, one redirect away and no further', async (_what, pointer) => {
    const next =
      'house' in (pointer as object)
        ? 'https://house.example/.well-known/brand.json'
        : 'https://house.example/b.json';
    const near = world({ [brandUrl]: pointer, [next]: { agents: [entry] }, [jwksUrl]: jwks('k1') });
    expect(await near.find()).toBe(found);
    const far = world({ [brandUrl]: pointer, [next]: { authoritative_location: brandUrl } });
    expect(await far.find()).toBe('brand_json_malformed');
    expect(far.requested).toHaveLength(2);
  });

  it.each<[string, Served, string]>([
    ['no entry', { agents: [] }, 'agent_not_in_brand_json'],
    [
      'an entry with a trailing slash',
      { agents: [{ ...entry, url: `${agentUrl}/` }] },
      'agent_not_in_brand_json',
    ],
    [
      'two entries with different keys',
      { agents: [entry, { ...entry, jwks_uri: 'https://x.example/' }] },
      'brand_json_ambiguous',
    ],
    ['keys that are no address', { agents: [{ ...entry, jwks_uri: 7 }] }, 'brand_json_malformed'],
    ['a list', [], 'brand_json_malformed'],
    ['duplicate members', { raw: '{"agents":[],"agents":[]}' }, 'brand_json_malformed'],
    ['a house with a path in its name', { house: 'h.example/x' }, 'brand_json_malformed'],
    ['silence', { failure: 'timeout' }, 'brand_json_unreachable'],
    ['a redirect', { failure: 'redirect_refused' }, 'brand_json_unreachable'],
  ])('are not found through a brand.json with %s', async (_what, document, code) => {
    expect(await world({ [brandUrl]: document }).find()).toBe(code);
  });

  it('are at the agent’s own origin when its entry names no key set', async () => {
    const own = 'https://agents.seller.example/.well-known/jwks.json';
    const { find } = world({ [brandUrl]: { agents: [{ url: agentUrl }] }, [own]: jwks('k1') });
    expect(await find()).toBe(found);
  });

  it('are those that an admin pinned, before anything that the seller declares', async () => {
    const pinned = world({ [jwksUrl]: jwks('k1') });
    expect(await pinned.find('k1', { agentUrl, pinnedJwksUri: jwksUrl })).toBe(found);
    // The result of discovery is only compared with the pin.
    expect([...pinned.requested].sort()).toEqual([brandUrl, jwksUrl]);
    const elsewhere = 'https://unrelated.example/brand.json';
    const brand = world({ [elsewhere]: { agents: [entry] }, [jwksUrl]: jwks('k1') });
    const capabilities = {
      brandJsonUrl: 'https://declared.example/b.json',
    } as KeyedConnection['capabilities'];
    expect(
      await brand.find('k1', {
        agentUrl,
        pinnedBrandJsonUrl: elsewhere,
        ...(capabilities && { capabilities }),
      }),
    ).toBe(found);
  });

  it.each<[string, string, JsonValue, string]>([
    ['of the same site', 'https://www.seller.example/b.json', {}, found],
    ['of another site', 'https://brand.example/b.json', {}, 'brand_origin_mismatch'],
    ['of another site under a shared suffix', 'https://seller.co.uk/b.json', {}, 'brand_origin_mismatch'],
    [
      'of another site that authorises it',
      'https://brand.example/b.json',
      { authorized_operators: [{ domain: 'seller.example', brands: ['*'] }] },
      found,
    ],
    [
      'of another site that authorises a namesake',
      'https://brand.example/b.json',
      { authorized_operators: [{ domain: 'ller.example' }] },
      'brand_origin_mismatch',
    ],
  ])('accept a declared brand.json %s: or report the error', async (_what, url, more, expected) => {
    const { find } = world({ [url]: { ...(more as object), agents: [entry] }, [jwksUrl]: jwks('k1') });
    const capabilities = { brandJsonUrl: url } as NonNullable<KeyedConnection['capabilities']>;
    expect(await find('k1', { agentUrl, capabilities })).toBe(expected);
  });

  it('are fetched once for any number of simultaneous callers', async () => {
    const { find, requested } = world({ [brandUrl]: { agents: [entry] }, [jwksUrl]: jwks('k1') });
    const answers = await Promise.all(Array.from({ length: 50 }, () => find()));
    expect(new Set(answers)).toEqual(new Set([found]));
    expect(requested).toEqual([brandUrl, jwksUrl]);
  });

  it('are refetched at once for a kid that a cached set lacks, once for simultaneous callers', async () => {
    const { find, requested, documents, pass } = world({
      [brandUrl]: { agents: [entry] },
      [jwksUrl]: jwks('k1'),
    });
    await find();
    pass(10);
    documents[jwksUrl] = jwks('k1', 'k2');
    const answers = await Promise.all(Array.from({ length: 20 }, () => find('k2')));
    expect(new Set(answers)).toEqual(new Set([`k2 of ${agentUrl}`]));
    expect(requested.filter((url) => url === jwksUrl)).toHaveLength(2);
  });

  it('are not refetched twice within 30 seconds, and are again after them', async () => {
    const { find, requested, pass } = world({ [brandUrl]: { agents: [entry] }, [jwksUrl]: jwks('k1') });
    const fetches = () => requested.filter((url) => url === jwksUrl).length;
    await find();
    for (const kid of ['x', 'y', 'z']) expect(await find(kid)).toBe('key_unknown');
    expect(fetches()).toBe(2);
    pass(30_000);
    expect(await find('x')).toBe('key_unknown');
    expect(fetches()).toBe(3);
    expect(await find()).toBe(found);
  });

  it('stay after a failed refetch', async () => {
    const { find, documents } = world({ [brandUrl]: { agents: [entry] }, [jwksUrl]: jwks('k1') });
    await find();
    documents[jwksUrl] = { failure: 'timeout' };
    // Not `key_unknown`, which would end the event permanently: the key may still exist.
    for (const kid of ['k2', 'k2']) expect(await find(kid)).toBe('jwks_unavailable');
    expect(await find()).toBe(found);
  });

  it('are deleted after their time, and when they were withdrawn', async () => {
    const { find, documents, pass } = world({ [brandUrl]: { agents: [entry] }, [jwksUrl]: jwks('k1') });
    await find();
    documents[jwksUrl] = jwks('k2');
    expect(await find()).toBe(found);
    pass(5 * 60_000);
    expect(await find()).toBe('key_unknown');
  });

  it('are fetched again within a minute of a failure', async () => {
    const { find, documents, pass, requested } = world({
      [brandUrl]: { failure: 'timeout' },
      [jwksUrl]: jwks('k1'),
    });
    expect([await find(), await find()]).toEqual(['brand_json_unreachable', 'brand_json_unreachable']);
    expect(requested).toHaveLength(1);
    documents[brandUrl] = { agents: [entry] };
    pass(60_000);
    expect(await find()).toBe(found);
  });

  it('are fetched once more one to five seconds after a first failure, and then not for half a minute', async () => {
    const { find, documents, pass, requested } = world({
      [brandUrl]: { failure: 'timeout' },
      [jwksUrl]: jwks('k1'),
    });
    await find();
    pass(999);
    await find();
    expect(requested).toHaveLength(1);
    pass(4_002);
    await find();
    expect(requested).toHaveLength(2);
    documents[brandUrl] = { agents: [entry] };
    pass(29_999);
    expect(await find()).toBe('brand_json_unreachable');
    pass(1);
    expect(await find()).toBe(found);
    expect(requested.filter((url) => url === brandUrl)).toHaveLength(3);
  });

  it.each<[string, Served, string]>([
    ['blocked', { failure: 'blocked_address' }, 'jwks_untrusted'],
    ['redirected', { failure: 'redirect_refused' }, 'jwks_untrusted'],
    ['too large', { failure: 'too_large' }, 'jwks_unavailable'],
    ['no key set', { raw: '<html>' }, 'jwks_unavailable'],
    ['with the kid twice', jwks('k1', 'k1'), 'key_unknown'],
    ['with the kid three times', jwks('k1', 'k1', 'k1'), 'key_unknown'],
    ['with the private half', { keys: [{ kid: 'k1', kty: 'OKP', d: 'x' }] }, 'key_unknown'],
    ['with a kid that is no text', { keys: [{ kid: 1 }] }, 'key_unknown'],
  ])('from a key set that is %s: %s', async (_what, document, code) => {
    expect(await world({ [brandUrl]: { agents: [entry] }, [jwksUrl]: document }).find()).toBe(code);
  });

  it('stay the same object while they do not change, so that an imported key stays imported', async () => {
    const { keys, find } = world({ [brandUrl]: { agents: [entry] }, [jwksUrl]: () => jwks('k1') });
    const first = await keys.resolve(connection, 'k1');
    await find('other');
    const second = await keys.resolve(connection, 'k1');
    expect(first.ok && second.ok && first.value.jwk === second.value.jwk).toBe(true);
  });
});
