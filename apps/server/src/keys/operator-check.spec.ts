import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { createBrandDocuments, type Egress } from '@switchyard/sellers';
import { testClock } from '@switchyard/testing';
import { err, ok, type JsonObject } from '@switchyard/values';
import { createOperatorCheck, type OperatorCheckDeps } from './operator-check.js';

const scope = { organizationId: 'org' };
const site = 'https://roaster.coffee/.well-known/brand.json';
const entry = { domain: 'agency.media', brands: ['*'], scopes: ['media_buying'] };
const listing = (...entries: readonly JsonObject[]): JsonObject => ({
  id: 'r',
  authorized_operators: [...entries],
});

/** A web of a few documents, and brands' word on us at it. */
function world(pages: Record<string, JsonObject>, more: Partial<OperatorCheckDeps> = {}) {
  const clock = testClock(Date.parse('2026-06-15T12:00:00Z'));
  const requested: string[] = [];
  const egress = {
    request: ({ url }: { readonly url: string }) => {
      requested.push(url);
      const page = pages[url];
      if (page === undefined)
        return Promise.resolve(err({ code: 'unresolved', message: '', delivered: 'no' }));
      return Promise.resolve(ok({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(page)) }));
    },
  } as unknown as Egress;
  const check = createOperatorCheck({
    documents: createBrandDocuments(egress, clock),
    delegations: { list: () => Promise.resolve([]) },
    organizationOf: () => Promise.resolve({ domain: 'agency.media', domainProof: 'dns' }),
    clock,
    isLocal: false,
    ...more,
  });
  const judge = async (principalKind: 'brand' | 'buyer', brandDomain = 'roaster.coffee') => {
    const question = { principalId: 'p', principalKind, brandDomain, brandId: '', countries: [] };
    const verdict = await check.judge(scope, question);
    return verdict.kind === 'granted' ? 'granted' : `${verdict.kind} ${verdict.reason}`;
  };
  const declares = async (operator: string) => {
    const verdict = await check.declared(scope, operator);
    return verdict.kind === 'granted' ? 'granted' : `${verdict.kind} ${verdict.reason}`;
  };
  return { judge, declares, requested, clock, pages };
}

describe('an operator declared by a caller', () => {
  it('must be the organization’s own domain or a name below it', async () => {
    const { declares, requested } = world({});
    for (const own of ['agency.media', 'AGENCY.media', 'berlin.agency.media'])
      expect([own, await declares(own)]).toEqual([own, 'granted']);
    for (const other of ['other.media', 'notagency.media', 'media', 'localhost'])
      expect([other, await declares(other)]).toEqual([other, 'refused operator_not_own']);
    expect(requested).toEqual([]);
  });

  it('passes with a finding in the local profile, where the domain needs no proof', async () => {
    const organizationOf = () => Promise.resolve({ domain: 'agency.example' });
    const { declares } = world({}, { isLocal: true, organizationOf });
    expect(await declares('agency.example')).toBe('granted');
    expect(await declares('other.media')).toBe('finding operator_not_own');
  });

  it('is refused before the domain is proved, but not where the organization was never named', async () => {
    const unproved = () => Promise.resolve({ domain: 'agency.media' });
    expect(await world({}, { organizationOf: unproved }).declares('agency.media')).toBe(
      'refused domain_not_proved',
    );
    const older = () => Promise.resolve({ domain: 'localhost' });
    expect(await world({}, { organizationOf: older }).declares('localhost')).toBe('granted');
  });
});

const delegated = (more: object = {}): Partial<OperatorCheckDeps> => ({
  delegations: {
    list: () =>
      Promise.resolve([{ delegation: { until: Number.MAX_SAFE_INTEGER, ...more }, committed: 0n }] as never),
  },
});

describe("a brand's statement of its authorized operators", () => {
  it('is requested once a day, and authorizes everybody it lists', async () => {
    const { judge, requested } = world({ [site]: listing(entry) });
    expect([await judge('brand'), await judge('buyer')]).toEqual(['granted', 'granted']);
    expect(requested).toEqual([site]);
  });

  it('names nobody who only says that the domain is theirs: a claim is refused until it is proved', async () => {
    const organizationOf = () => Promise.resolve({ domain: 'agency.media' });
    const { judge } = world({ [site]: listing(entry) }, { organizationOf });
    expect([await judge('brand'), await judge('buyer')]).toEqual([
      'refused domain_not_proved',
      'refused domain_not_proved',
    ]);
    const own = world({}, { organizationOf: () => Promise.resolve({ domain: 'roaster.coffee' }) });
    expect(await own.judge('buyer')).toBe('finding unreachable');
  });

  it('refuses both when it names others, and only a brand’s principal when it names nobody', async () => {
    const others = world({ [site]: listing({ ...entry, domain: 'other.media' }) });
    expect([await others.judge('brand'), await others.judge('buyer')]).toEqual([
      'refused not_listed',
      'refused not_listed',
    ]);
    const silent = world({ [site]: { id: 'r' } });
    expect([await silent.judge('brand'), await silent.judge('buyer')]).toEqual([
      'refused not_listed',
      'finding not_listed',
    ]);
  });

  it('refuses a brand’s principal when it is unavailable, and is a finding for an agency’s', async () => {
    const { judge } = world({});
    expect([await judge('brand'), await judge('buyer')]).toEqual([
      'refused unreachable',
      'finding unreachable',
    ]);
  });

  it('applies to a caller under a valid delegation, and not under an ended one', async () => {
    expect(await world({}, delegated()).judge('buyer')).toBe('refused unreachable');
    expect(await world({}, delegated({ revokedAt: 1 })).judge('buyer')).toBe('finding unreachable');
    expect(await world({}, delegated({ until: 1 })).judge('buyer')).toBe('finding unreachable');
  });

  it('is requested again for a missing operator, so that a new one does not wait for a day', async () => {
    const { judge, clock, pages } = world({ [site]: listing() });
    expect(await judge('brand')).toBe('refused not_listed');
    pages[site] = listing(entry);
    clock.advance(61_000);
    expect(await judge('brand')).toBe('granted');
  });

  it('is found behind one pointer, and not behind two', async () => {
    const house = 'https://house.coffee/.well-known/brand.json';
    expect(await world({ [site]: { house: 'house.coffee' }, [house]: listing(entry) }).judge('brand')).toBe(
      'granted',
    );
    const chain = world({ [site]: { house: 'house.coffee' }, [house]: { authoritative_location: site } });
    expect(await chain.judge('brand')).toBe('refused unreachable');
  });

  it('is not requested for reserved names in the local profile, where a missing statement refuses nobody', async () => {
    const { judge, requested } = world({}, { isLocal: true });
    expect([await judge('brand', 'acme.example'), await judge('buyer', 'acme.example')]).toEqual([
      'granted',
      'granted',
    ]);
    expect(requested).toEqual([]);
    expect(await judge('brand')).toBe('finding unreachable');
    expect(await world({}).judge('brand', 'acme.example')).toBe('refused unreachable');
  });

  it('is never requested if the brand is its own operator', async () => {
    const { judge, requested } = world({});
    expect(await judge('brand', 'Agency.Media')).toBe('granted');
    expect(requested).toEqual([]);
  });
});
