import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CreativeQuery } from '@switchyard/buys';
import { ownReach, type LimitedReach, type Reach } from '@switchyard/tenancy';
import { readCreative, type CreativeFilters, type CreativeSort } from '@switchyard/protocol';
import { createConnection, createOrganization, makeOperation, openTestStore } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import { operationStore } from '../buys/operation-store.js';
import { openStore } from '../core/open-store.js';
import { creativeStore } from './creative-store.js';
import { storeEffects } from './store-effects.js';

const day = 86_400_000;
const first = Date.parse('2026-11-01T00:00:00Z');
const iso = (at: number): string => new Date(at).toISOString();
const agentUrl = 'https://creatives.example';
const everything = { kind: 'everything' } as const;

let mine: Library;
let other: Library;

/** Four creatives, synced a day apart: two of one format in two sizes, one assigned, one archived. */
interface Library {
  readonly scope: { readonly organizationId: string };
  readonly principalId: string;
  readonly mediaBuyId: string;
  readonly connectionId: string;
}

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

beforeAll(async () => {
  mine = await fill('Spring');
  other = await fill('Foreign');
}, 60_000);

async function fill(word: string): Promise<Library> {
  const { id: organizationId } = await createOrganization(store);
  const scope = { organizationId };
  const [principalId, connectionId] = [randomUUID(), randomUUID()];
  const options = { principalId, sellers: ['acme'], connectionIds: { acme: connectionId } };
  const operations = operationStore(store);
  const sync = async (at: number, values: readonly JsonObject[], archived: readonly string[] = []) => {
    // Each was written for a different account.
    const budget = { scope: `account-${String(at)}`, ceilings: [] };
    const made = makeOperation(scope, { ...options, createdAt: at, buyerRef: `ref-${String(at)}` });
    const legId = made.legs[0]?.id ?? '';
    const creatives = values.map((value) => ({
      creative: readCreative({ assets: {}, ...value }, '3.1'),
      bodyHash: randomUUID(),
    }));
    const placements = creatives.map(({ creative: { creativeId } }) => ({
      creativeId,
      connectionId,
      seller: 'acme',
      legId,
    }));
    await operations.begin(scope, {
      ...made,
      budget,
      creatives: { creatives, placements, archived },
    });
    return { made, legId };
  };
  const size = (width: number): JsonObject => ({ agent_url: agentUrl, id: 'display', width, height: 250 });
  const { made, legId } = await sync(first, [
    { creative_id: 'a', name: `${word} A`, format_id: size(300), tags: ['red', 'big'], concept_id: 'spring' },
  ]);
  await sync(first + day, [{ creative_id: 'b', name: `${word} B`, format_id: size(970), tags: ['red'] }]);
  await sync(first + 2 * day, [
    {
      creative_id: 'c',
      name: '100% off_er',
      format_id: { agent_url: agentUrl, id: 'video' },
      tags: ['blue'],
    },
  ]);
  await sync(first + 3 * day, [
    { creative_id: 'd', name: `${word} D`, format_id: { agent_url: 'https://other.example', id: 'video' } },
  ]);
  await sync(first + 4 * day, [], ['d']);
  await store.inTenant(scope, async (client) => {
    await client.query(
      `update buy_package set seller_package_id = 'p1' where media_buy_id = $1 and position = 0`,
      [made.buy.id],
    );
    const seen = {
      connectionId,
      seller: 'acme',
      source: 'inline',
      legId,
      operationId: made.operation.id,
    } as const;
    const placements = [
      { ...seen, creativeId: 'a', status: 'approved', isAccepted: true },
      { ...seen, creativeId: 'b', status: 'rejected', reason: 'Too loud.', isAccepted: true },
    ] as const;
    const assignments = [
      { creativeId: 'a', packageId: 'acme:p1', seller: 'acme', operationId: made.operation.id },
    ];
    await storeEffects(client, { placements, assignments }, first + 5 * day);
  });
  return { scope, principalId, connectionId, mediaBuyId: made.buy.id };
}

const oldestFirst: CreativeSort = { field: 'created_date', direction: 'asc' };

function request(filters: CreativeFilters, more: Partial<CreativeQuery> = {}, of: Library = mine) {
  const query = {
    filters,
    sort: oldestFirst,
    limit: 10,
    asOf: first + 9 * day,
    reach: ownReach(of.principalId),
  };
  return creativeStore(store).list(of.scope, { ...query, ...more });
}

async function ids(filters: CreativeFilters, more: Partial<CreativeQuery> = {}): Promise<string> {
  return (await request(filters, more)).creatives.map(({ creative }) => creative.creativeId).join('');
}

describe('a filter of the library', () => {
  it.each<[string, CreativeFilters, string]>([
    ['no filter leaves out what is archived', {}, 'abc'],
    ['statuses', { statuses: ['approved', 'rejected'] }, 'ab'],
    ['statuses, archived by name', { statuses: ['archived'] }, 'd'],
    ['creative ids', { creativeIds: ['b', 'nobody'] }, 'b'],
    ['no creative id at all', { creativeIds: [] }, ''],
    [
      'a format with its sizes',
      { formats: [{ agent_url: agentUrl, id: 'display', width: 970, height: 250 }] },
      'b',
    ],
    ['a format without sizes, for all of them', { formats: [{ agent_url: agentUrl, id: 'display' }] }, 'ab'],
    [
      'a format of another agent by the same id',
      { formats: [{ agent_url: 'https://x.example', id: 'video' }] },
      '',
    ],
    ['a format by its id alone', { formatNames: ['video'] }, 'c'],
    ['all tags', { tags: ['red', 'big'] }, 'a'],
    ['any tag', { tagsAny: ['big', 'blue'] }, 'ac'],
    ['a part of the name, in any case', { nameContains: 'sPrInG' }, 'ab'],
    ['a part of the name, without wildcards', { nameContains: '0% off_e' }, 'c'],
    ['a wildcard that stands in no name', { nameContains: 'S%A' }, ''],
    ['created after', { createdAfter: iso(first) }, 'bc'],
    ['created before', { createdBefore: iso(first + day) }, 'a'],
    ['updated after', { updatedAfter: iso(first + day) }, 'c'],
    ['updated before', { updatedBefore: iso(first + 2 * day) }, 'ab'],
    ['packages', { packageIds: ['acme:p1'] }, 'a'],
    ['packages of nobody', { packageIds: ['acme:p2'] }, ''],
    ['assigned', { unassigned: false }, 'a'],
    ['not assigned', { unassigned: true }, 'bc'],
    ['the references of buys', { buyerRefs: [`ref-${String(first)}`] }, 'a'],
    ['concepts', { conceptIds: ['spring', 'autumn'] }, 'a'],
    ['a concept of nobody', { conceptIds: ['autumn'] }, ''],
    ['two at once', { tags: ['red'], unassigned: true }, 'b'],
  ])('%s', async (_what, filters, found) => {
    expect(await ids(filters)).toBe(found);
  });

  it('by buy counts only buys of the caller', async () => {
    const filters = { mediaBuyIds: [mine.mediaBuyId] };
    expect(await ids(filters)).toBe('a');
    expect(await ids(filters, { reach: ownReach(randomUUID()) })).toBe('');
  });

  it('by account counts creatives last written by its requests, and excludes those without an account', async () => {
    const of = (...days: readonly number[]) => ({
      accountScopes: days.map((at) => `account-${String(first + at * day)}`),
    });
    expect(await ids({}, of(0))).toBe('a');
    expect(await ids({}, of(0, 2))).toBe('ac');
    expect(await ids({}, of(0, 9))).toBe('a');
    expect(await ids({}, { accountScopes: [] })).toBe('');
  });

  it('matches nothing for text that PostgreSQL cannot store', async () => {
    expect(await ids({ nameContains: 'Spring\u0000' })).toBe('');
  });
});

describe('a page of the library', () => {
  it.each<[CreativeSort['field'], string]>([
    ['created_date', 'abc'],
    ['updated_date', 'abc'],
    ['name', 'cab'],
    ['status', 'acb'],
  ])('is sorted by %s in both directions, and pages of one row find each once', async (field, order) => {
    const walk = async (direction: 'asc' | 'desc'): Promise<string> => {
      let found = '';
      let after: { readonly value: string; readonly id: string } | undefined;
      do {
        const page = await request({}, { sort: { field, direction }, limit: 1, ...(after && { after }) });
        found += page.creatives.map(({ creative }) => creative.creativeId).join('');
        expect(page.total).toBe(3);
        after = page.next;
      } while (after !== undefined);
      return found;
    };
    expect(await walk('asc')).toBe(order);
    expect(await walk('desc')).toBe(order.split('').reverse().join(''));
  });

  it.each<[CreativeSort['field'], CreativeSort['direction']]>([
    ['updated_date', 'desc'],
    ['updated_date', 'asc'],
    ['name', 'desc'],
    ['name', 'asc'],
  ])('skips none by %s, %s, that is written between pages', async (field, direction) => {
    const own = await fill('Moving');
    const asOf = first + 9 * day;
    const shown: string[] = [];
    let after: { readonly value: string; readonly id: string } | undefined;
    do {
      const page = await request(
        {},
        { sort: { field, direction }, limit: 1, asOf, ...(after && { after }) },
        own,
      );
      shown.push(...page.creatives.map(({ creative }) => creative.creativeId));
      after = page.next;
      // A creative that was not listed yet moves to an earlier page.
      if (shown.length === 1) {
        const others = ['a', 'b', 'c'].filter((id) => id !== shown[0]);
        const creatives = others.map((id) => ({
          creative: readCreative(
            { creative_id: id, name: direction === 'asc' ? '!' : '~', assets: {} },
            '3.1',
          ),
          bodyHash: randomUUID(),
        }));
        const { principalId, scope } = own;
        const made = makeOperation(scope, { principalId, createdAt: asOf + day });
        const begun = { ...made, creatives: { creatives, placements: [], archived: [] } };
        expect(await operationStore(store).begin(scope, begun)).toEqual({ kind: 'stored' });
      }
    } while (after !== undefined);
    expect(shown.toSorted()).toEqual(['a', 'b', 'c']);
  });

  it.each<[CreativeSort['field'], CreativeSort['direction'], 'approved' | 'rejected']>([
    ['status', 'asc', 'approved'],
    ['status', 'desc', 'rejected'],
    ['assignment_count', 'desc', 'approved'],
  ])('skips none by %s, %s, that a seller changes between pages', async (field, direction, status) => {
    const own = await fill('Moved');
    const asOf = first + 9 * day;
    const sort = { field, direction };
    const seen = { connectionId: own.connectionId, seller: 'acme', source: 'poll' } as const;
    const shown: string[] = [];
    let after: { readonly value: string; readonly id: string } | undefined;
    do {
      const page = await request({}, { sort, limit: 1, asOf, ...(after && { after }) }, own);
      shown.push(...page.creatives.map(({ creative }) => creative.creativeId));
      after = page.next;
      const last = ['a', 'b', 'c'].find((id) => !shown.includes(id));
      // The creative that was not listed yet moves to an earlier page.
      if (shown.length === 2 && last !== undefined) {
        const assigned = {
          creativeId: last,
          packageId: 'acme:p1',
          seller: 'acme',
          operationId: randomUUID(),
        };
        await store.inTenant(own.scope, (client) =>
          storeEffects(
            client,
            { placements: [{ ...seen, creativeId: last, status }], assignments: [assigned] },
            asOf + day,
          ),
        );
        const moved = (await creativeStore(store).byIds(own.scope, [last])).get(last);
        expect([moved?.status, moved?.assignments.length]).toEqual([status, 1]);
      }
    } while (after !== undefined);
    expect(shown.toSorted()).toEqual(['a', 'b', 'c']);
  });

  it('is sorted by the number of assigned packages', async () => {
    const sort = { field: 'assignment_count', direction: 'desc' } as const;
    expect(await ids({}, { sort, limit: 1 })).toBe('a');
  });

  it('skips by offset, and counts all with their states', async () => {
    expect(await ids({}, { offset: 1, limit: 1 })).toBe('b');
    const page = await request({}, { limit: 1 });
    expect(page).toMatchObject({ total: 3, statusSummary: { approved: 1, rejected: 1, processing: 1 } });
  });

  it('does not show creatives added after the first page', async () => {
    expect(await ids({}, { asOf: first + day })).toBe('ab');
  });

  it('shows the state of each at its seller, and its assignments', async () => {
    const { creatives } = await request({ creativeIds: ['a', 'b'] });
    expect(creatives).toMatchObject([
      { placements: [{ seller: 'acme', status: 'approved' }], assignments: [{ packageId: 'acme:p1' }] },
      { placements: [{ seller: 'acme', status: 'rejected', reason: 'Too loud.' }], assignments: [] },
    ]);
  });
});

describe('the library of another organization', () => {
  it('has the same ids, and neither sees the other', async () => {
    const foreign = await request({}, {}, other);
    expect(foreign.creatives.map(({ creative }) => creative.name)).toEqual([
      'Foreign A',
      'Foreign B',
      '100% off_er',
    ]);
    expect(await ids({ nameContains: 'foreign' })).toBe('');
    expect((await request({ mediaBuyIds: [mine.mediaBuyId] }, {}, other)).total).toBe(0);
    const library = await creativeStore(store).byIds(mine.scope, ['a']);
    expect(library.get('a')?.creative.name).toBe('Spring A');
    expect(library.get('a')?.placements).toHaveLength(1);
    const empty = await createOrganization(store);
    const scope = { organizationId: empty.id };
    const creatives = creativeStore(store);
    expect((await creatives.byIds(scope, ['a', 'b'])).size).toBe(0);
    expect(await creatives.active(scope, everything)).toEqual([]);
    expect(await creatives.acceptedPlacements(scope, everything)).toEqual([]);
    expect((await creatives.packages(scope, ownReach(mine.principalId), ['acme:p1'])).size).toBe(0);
  });

  it('is not changed by an update of a creative with the same id', async () => {
    const update = {
      creativeId: 'a',
      connectionId: mine.connectionId,
      seller: 'acme',
      status: 'suspended',
    } as const;
    const creatives = creativeStore(store);
    expect(await creatives.observe(other.scope, [{ ...update, source: 'webhook' }], first + 6 * day)).toBe(0);
    expect((await creatives.byIds(mine.scope, ['a'])).get('a')?.status).toBe('approved');
  });
});

describe('a reach narrower than the organization', () => {
  const nobodys: LimitedReach = { kind: 'limited', clientIds: [], brandDomains: [], campaignIds: [] };
  const [client, campaign] = [randomUUID(), randomUUID()];
  let shared: Library;
  const shown = async (reach: Reach, filters: CreativeFilters = {}) => {
    const { creatives, total } = await request(filters, { reach }, shared);
    return [creatives.map(({ creative }) => creative.creativeId).join(''), total];
  };
  beforeAll(async () => {
    shared = await fill('Shared');
    await store.inTenant(shared.scope, async (tenant) => {
      // b was synced for a brand of the client; a stands on a buy of the campaign.
      const ofB = `(select operation_id from creative where creative_id = 'b')`;
      await tenant.query(
        `update operation set client_id = $1, brand_domain = 'brand.example' where id = ${ofB}`,
        [client],
      );
      await tenant.query('update media_buy set campaign_id = $1 where id = $2', [
        campaign,
        shared.mediaBuyId,
      ]);
    });
  });

  it.each<[string, Reach, string]>([
    ['client', { ...nobodys, clientIds: [client] }, 'b'],
    ['brand', { ...nobodys, brandDomains: ['brand.example'] }, 'b'],
    ['campaign, by its buys', { ...nobodys, campaignIds: [campaign] }, 'a'],
    ['another client', { ...nobodys, clientIds: [randomUUID()] }, ''],
    ['another principal’s own', ownReach(randomUUID()), ''],
    ['nothing', nobodys, ''],
  ])('shows and counts only what is in it: %s', async (_, reach, seen) => {
    expect(await shown(reach)).toEqual([seen, seen.length]);
    expect(
      await shown(reach, { creativeIds: ['a', 'b', 'c'], statuses: ['archived', 'approved', 'rejected'] }),
    ).toEqual([seen, seen.length]);
  });

  it('distinguishes what may be written from what is only shown', async () => {
    const of = async (reach: Reach) => {
      const found = await creativeStore(store).byIds(shared.scope, ['a', 'b'], reach);
      return ['a', 'b'].map((id) => found.get(id)?.access ?? 'write');
    };
    expect(await of({ ...nobodys, clientIds: [client], campaignIds: [campaign] })).toEqual(['read', 'write']);
    expect(await of(ownReach(shared.principalId))).toEqual(['write', 'write']);
    expect(await of(nobodys)).toEqual(['none', 'none']);
  });

  it('limits what delete_missing deletes', async () => {
    const creatives = creativeStore(store);
    const reach = { ...nobodys, clientIds: [client], campaignIds: [campaign] };
    expect(await creatives.active(shared.scope, reach)).toEqual(['b']);
    expect(
      (await creatives.acceptedPlacements(shared.scope, reach)).map(({ creativeId }) => creativeId),
    ).toEqual(['b']);
  });

  it('protects a creative from being overwritten, and keeps its owner', async () => {
    const write = async (principalId: string, name: string, reach?: Reach) => {
      const made = makeOperation(shared.scope, { principalId, sellers: ['acme'], buyerRef: randomUUID() });
      const creative = readCreative({ creative_id: 'b', name, assets: {} }, '3.1');
      return operationStore(store).begin(shared.scope, {
        ...made,
        creatives: {
          ...{ creatives: [{ creative, bodyHash: name }], placements: [], archived: [] },
          ...(reach && { reach }),
        },
      });
    };
    const stranger = randomUUID();
    expect(await write(stranger, 'Taken')).toEqual({ kind: 'taken', creativeId: 'b' });
    expect(await write(stranger, 'Taken', { ...nobodys, campaignIds: [campaign] })).toMatchObject({
      kind: 'taken',
    });
    expect(await write(stranger, 'Mended', { ...nobodys, clientIds: [client] })).toEqual({ kind: 'stored' });
    expect((await creativeStore(store).byIds(shared.scope, ['b'])).get('b')?.creative.name).toBe('Mended');
    expect(await shown({ ...nobodys, brandDomains: ['brand.example'] })).toEqual(['b', 1]);
    expect(await shown(ownReach(stranger))).toEqual(['', 0]);
  });
});

describe('creatives at sellers', () => {
  it('are those that they accepted and did not archive', async () => {
    const taken = await creativeStore(store).acceptedPlacements(mine.scope, everything);
    expect(taken.map(({ creativeId }) => creativeId).sort()).toEqual(['a', 'b']);
  });

  it('are found by package only for the principal that bought it', async () => {
    const creatives = creativeStore(store);
    const found = await creatives.packages(mine.scope, ownReach(mine.principalId), [
      'acme:p1',
      'acme:p9',
      'no prefix',
    ]);
    expect([...found.keys()]).toEqual(['acme:p1']);
    expect((await creatives.packages(mine.scope, ownReach(randomUUID()), ['acme:p1'])).size).toBe(0);
  });

  it('ignore an update that is older than the stored state', async () => {
    const creatives = creativeStore(store);
    const update = {
      creativeId: 'b',
      connectionId: mine.connectionId,
      seller: 'acme',
      status: 'approved',
    } as const;
    expect(await creatives.observe(mine.scope, [{ ...update, source: 'poll' }], first)).toBe(0);
    expect((await creatives.byIds(mine.scope, ['b'])).get('b')?.status).toBe('rejected');
  });
});

describe('a package with new creatives', () => {
  it('has only those, and no other package of the same name changes', async () => {
    const of = await fill('Autumn');
    const assignedTo = async (library: Library, id: string) =>
      (await creativeStore(store).byIds(library.scope, [id])).get(id)?.assignments.length;
    const released = [{ packageId: 'acme:p1', remaining: ['b'] }];
    const operationId = randomUUID();
    const assignments = [{ creativeId: 'b', packageId: 'acme:p1', seller: 'acme', operationId }];
    await store.inTenant(of.scope, (client) =>
      storeEffects(client, { placements: [], assignments, released }, first + 6 * day),
    );
    expect([await assignedTo(of, 'a'), await assignedTo(of, 'b')]).toEqual([0, 1]);
    expect(await assignedTo(mine, 'a')).toBe(1);
    await store.inTenant(of.scope, (client) =>
      storeEffects(
        client,
        { placements: [], assignments: [], released: [{ packageId: 'acme:p1', remaining: [] }] },
        first + 7 * day,
      ),
    );
    expect(await assignedTo(of, 'b')).toBe(0);
  });
});

describe('two tenants at one seller', () => {
  it('are detected as sharing an account, even without creatives there', async () => {
    const agentUrl = `https://seller-${randomUUID()}.example/mcp`;
    const [ours, theirs] = [await createOrganization(store), await createOrganization(store)];
    const [own, other] = [{ organizationId: ours.id }, { organizationId: theirs.id }];
    const at = await createConnection(store, ours.id, { agentUrl });
    const theirAt = await createConnection(store, theirs.id, { agentUrl });
    await createConnection(store, ours.id);
    const creatives = creativeStore(store);
    expect(await creatives.sharedConnections(own)).toEqual(new Set([at.id]));
    expect(await creatives.sharedConnections(other)).toEqual(new Set([theirAt.id]));
    expect(await creatives.sharesAccount(own, at.id)).toBe(true);
    // A connection of another tenant says nothing about that tenant.
    expect(await creatives.sharesAccount(own, theirAt.id)).toBe(true);
  });

  it('do not share an account if each names its own', async () => {
    const agentUrl = `https://seller-${randomUUID()}.example/mcp`;
    const [ours, theirs] = [await createOrganization(store), await createOrganization(store)];
    const own = { organizationId: ours.id };
    const at = await createConnection(store, ours.id, { agentUrl, account: { accountId: 'a' } });
    await createConnection(store, theirs.id, { agentUrl, account: { accountId: 'b' } });
    expect(await creativeStore(store).sharedConnections(own)).toEqual(new Set());
    expect(await creativeStore(store).sharesAccount(own, at.id)).toBe(false);
  });
});
