import { describe, expect, it } from '@jest/globals';
import { defaultAdmissionLimits, judgeAdmissions, type AdmissionCounts } from './judge-admissions.js';
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

const brand: Served = { json: { agents: [entry] } };
const world = (jwks: Served, more: Record<string, Served> = {}) =>
  keyWorld({ [brandUrl]: brand, [jwksUrl]: jwks, ...more });

describe('a key set that fails', () => {
  it.each<[string, Served, string]>([
    ['is not there (404)', { status: 404 }, 'jwks_unavailable'],
    ['breaks (500)', { status: 500 }, 'jwks_unavailable'],
    ['is slow', { failure: 'timeout' }, 'jwks_unavailable'],
    ['is huge', { failure: 'too_large' }, 'jwks_unavailable'],
    ['is no JSON', { text: 'keys' }, 'jwks_unavailable'],
    ['has a member twice', { text: '{"keys":[],"keys":[]}' }, 'jwks_unavailable'],
    ['has the kid twice', keySet('k1', 'k1'), 'key_unknown'],
    ['redirects', { failure: 'redirect_refused' }, 'jwks_untrusted'],
    ['lies at a private address', { failure: 'blocked_address' }, 'jwks_untrusted'],
    ['has the private half', { json: { keys: [{ kid: 'k1', kty: 'OKP', d: 'd' }] } }, 'key_unknown'],
  ])('because it %s is reported with its own code', async (_what, jwks, code) => {
    expect(await world(jwks).find()).toBe(code);
  });

  it('is used again once it is valid again, after half a minute at most', async () => {
    const { find, documents, pass } = world({ status: 500 });
    expect(await find()).toBe('jwks_unavailable');
    documents[jwksUrl] = keySet('k1');
    pass(30_000);
    expect(await find()).toBe(found);
  });
});

describe('a rotated key', () => {
  it('is found at once beside the old one, and the old one is gone once it is retired', async () => {
    const { find, documents, pass } = world(keySet('k1'));
    expect(await find('k1')).toBe(found);
    documents[jwksUrl] = keySet('k1', 'k2');
    expect(await find('k2')).toBe(`k2 of ${agentUrl}`);
    expect(await find('k1')).toBe(found);
    documents[jwksUrl] = keySet('k2');
    pass(5 * 60_000);
    expect(await find('k1')).toBe('key_unknown');
  });

  it('that replaces the old one in one step is still found', async () => {
    const { find, documents } = world(keySet('k1'));
    await find('k1');
    documents[jwksUrl] = keySet('k2');
    expect(await find('k2')).toBe(`k2 of ${agentUrl}`);
  });
});

describe('a brand.json that fails', () => {
  it.each<[string, Served, string]>([
    ['is not there', { status: 404 }, 'brand_json_unreachable'],
    ['breaks', { status: 502 }, 'brand_json_unreachable'],
    ['is huge', { failure: 'too_large' }, 'brand_json_unreachable'],
    ['redirects', { failure: 'redirect_refused' }, 'brand_json_unreachable'],
    ['is no JSON', { text: 'brand' }, 'brand_json_malformed'],
    ['is a list', { json: [] }, 'brand_json_malformed'],
    ['lacks the agent', { json: { agents: [] } }, 'agent_not_in_brand_json'],
    [
      'has the agent twice with different keys',
      { json: { agents: [entry, { ...entry, jwks_uri: 'https://x.com/' }] } },
      'brand_json_ambiguous',
    ],
  ])('because it %s is reported with its own code', async (_what, document, code) => {
    expect(await keyWorld({ [brandUrl]: document }).find()).toBe(code);
  });

  it('because a trailing slash names another agent is reported, and still has no keys', async () => {
    const url = `${agentUrl}/`;
    const { explain, find } = keyWorld({ [brandUrl]: { json: { agents: [{ ...entry, url }] } } });
    expect(await find()).toBe('agent_not_in_brand_json');
    expect((await explain('k1'))?.seen).toBe(`brand.json has ${url}, which differs by a trailing slash`);
  });

  it('because it spells the agent differently is reported with that reason', async () => {
    const url = 'https://AGENTS.seller.com:443/mcp';
    const { explain } = keyWorld({ [brandUrl]: { json: { house: { agents: [{ ...entry, url }] } } } });
    expect((await explain('k1'))?.seen).toBe(`brand.json has ${url}, which is spelled otherwise`);
  });
});

describe('an agent in a portfolio', () => {
  it.each<[string, object]>([
    ['of the house', { house: { domain: 'h.com', agents: [entry] }, brands: [{ id: 'a', agents: [] }] }],
    ['of one brand', { house: { domain: 'h.com' }, brands: [{ id: 'a' }, { id: 'b', agents: [entry] }] }],
    [
      'of a brand that overrides the house',
      { house: { agents: [{ ...entry, jwks_uri: 'https://old.com/' }] }, brands: [{ agents: [entry] }] },
    ],
  ])('%s is found with the keys of its own entry', async (_what, document) => {
    expect(await world(keySet('k1'), { [brandUrl]: { json: document as never } }).find()).toBe(found);
  });
});

describe('the origins that a seller declares for its keys', () => {
  const of = (keyOrigins: object, webhookSigning = true) => connectionWith({ keyOrigins, webhookSigning });
  it.each<[string, object, string]>([
    ['fit', { webhook_signing: 'https://keys.seller.com' }, found],
    ['fit in another case', { webhook_signing: 'https://KEYS.seller.com/' }, found],
    ['do not fit', { webhook_signing: 'https://agents.seller.com' }, 'key_origin_mismatch'],
    ['lack the purpose', { request_signing: 'https://keys.seller.com' }, 'key_origin_missing'],
    [
      'put governance beside transport',
      { webhook_signing: 'https://keys.seller.com', governance_signing: 'https://keys.seller.com' },
      'key_origin_mismatch',
    ],
    ['are no addresses', { webhook_signing: 'keys' }, 'key_origin_mismatch'],
  ])('%s: that decides', async (_what, origins, expected) => {
    expect(await world(keySet('k1')).find('k1', of(origins))).toBe(expected);
  });
});

describe('the address of a key set', () => {
  const moved = 'https://evil.com/jwks.json';
  const movedBrand: Served = { json: { agents: [{ ...entry, jwks_uri: moved }] } };

  it('is reported when it is found; another one is refused and reported, while the known one stays in use', async () => {
    const { find, notices, documents, restart, explain } = world(keySet('k1'), {
      [moved]: keySet('k1', 'k6'),
    });
    await find();
    expect(notices).toEqual([`found ${jwksUrl}`]);
    documents[brandUrl] = movedBrand;
    restart();
    const known = { agentUrl, foundJwksUri: jwksUrl };
    expect(await find('k6', known)).toBe('key_unknown');
    expect(await find('k1', known)).toBe(found);
    expect(notices).toContain(`changed ${jwksUrl} to ${moved}`);
    expect((await explain('k6', known))?.seen).toContain(
      `discovery names ${moved}, which nobody has accepted`,
    );
    expect(await find('k6', { agentUrl, foundJwksUri: moved })).toBe(`k6 of ${agentUrl}`);
  });

  it('that an admin pinned stays, and a different one from discovery is reported', async () => {
    const { find, notices } = world(keySet('k1'), { [brandUrl]: movedBrand, [moved]: keySet('k6') });
    expect(await find('k1', { agentUrl, pinnedJwksUri: jwksUrl })).toBe(found);
    expect(await find('k6', { agentUrl, pinnedJwksUri: jwksUrl })).toBe('key_unknown');
    expect(notices).toContain(`changed ${jwksUrl} to ${moved}`);
  });
});

describe('a published test key', () => {
  const test = 'test-ed25519-2026';

  it('is rejected and reported, except in the local profile', async () => {
    const { find, notices, restart, explain } = world(keySet(test));
    expect(await find(test)).toBe('key_unknown');
    expect(notices).toContain(`test key ${test}`);
    expect((await explain(test, { agentUrl, foundJwksUri: jwksUrl }))?.seen).toContain('published test key');
    restart(true);
    expect(await find(test)).toBe(`${test} of ${agentUrl}`);
  });
});

describe('new keys of counterparties', () => {
  const counts = (more: Partial<AdmissionCounts> = {}): AdmissionCounts => ({
    knownForMs: 90 * 86_400_000,
    lastFiveMinutes: 0,
    lastHour: 0,
    lastDay: 0,
    last30Days: 0,
    hourly: [],
    daily: [],
    ...more,
  });
  const judge = (more: Partial<AdmissionCounts>) => judgeAdmissions(counts(more), defaultAdmissionLimits);

  it.each<[string, Partial<AdmissionCounts>, readonly string[]]>([
    ['none', {}, []],
    [
      'those of twelve sellers on the first day of an instance',
      { knownForMs: 86_399_999, lastFiveMinutes: 12, lastHour: 12, lastDay: 12, last30Days: 12 },
      [],
    ],
    [
      'more than twenty at once on that day',
      { knownForMs: 0, lastFiveMinutes: 21, lastHour: 21, lastDay: 21, last30Days: 21 },
      ['floor_and_share'],
    ],
    ['four at once where there were none', { lastFiveMinutes: 4, lastHour: 4, lastDay: 4 }, []],
    [
      'five at once in a busy day',
      {
        lastFiveMinutes: 5,
        lastDay: 600,
        last30Days: 9000,
        daily: Array.from({ length: 90 }, () => 600),
        hourly: Array.from({ length: 720 }, () => 25),
      },
      [],
    ],
    [
      'seven at once in the same day',
      { lastFiveMinutes: 7, lastDay: 600, last30Days: 9000, daily: Array.from({ length: 90 }, () => 600) },
      ['short_ratio'],
    ],
    [
      'an hour of more than twice the usual',
      {
        lastHour: 51,
        lastDay: 51,
        daily: Array.from({ length: 90 }, () => 51),
        hourly: Array.from({ length: 720 }, () => 25),
      },
      ['medium_ratio'],
    ],
    [
      'an hour of twice the usual',
      {
        lastHour: 50,
        lastDay: 50,
        daily: Array.from({ length: 90 }, () => 51),
        hourly: Array.from({ length: 720 }, () => 25),
      },
      [],
    ],
    [
      'a day of more than half again the usual',
      { lastDay: 31, daily: Array.from({ length: 90 }, () => 20) },
      ['long_ratio'],
    ],
    [
      'more than a tenth of a month in five minutes',
      { lastFiveMinutes: 31, lastDay: 3000, last30Days: 300, daily: Array.from({ length: 90 }, () => 3000) },
      ['floor_and_share'],
    ],
    [
      'exactly a tenth of it',
      { lastFiveMinutes: 30, lastDay: 3000, last30Days: 300, daily: Array.from({ length: 90 }, () => 3000) },
      [],
    ],
  ])('are checked by every rule: %s', (_what, given, clauses) => {
    expect(judge(given)).toEqual(clauses);
  });
});
