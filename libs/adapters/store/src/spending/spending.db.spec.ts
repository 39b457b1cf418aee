import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { Begun, Leg, LimitKind, Operation, OperationDraft, SpendingLimit } from '@switchyard/buys';
import { programKey, type TenantScope } from '@switchyard/tenancy';
import { createScope, makeOperation, openTestStore } from '@switchyard/testing';
import type { Instant, SortKey } from '@switchyard/values';
import { openStore } from '../core/open-store.js';
import { operationStore } from '../buys/operation-store.js';
import { internalApprovals } from './internal-approvals.js';
import { moveCommitments } from './settle-spend.js';
import { spendingLimits } from './spending-limits.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

const operations = operationStore(store);
const limits = spendingLimits(store);
const at = Date.UTC(2026, 10, 21, 12);
const unit = 1_000_000n;
const everything = { kind: 'everything' } as const;

const whose = {
  principalId: '7a9b1e2c-0000-4000-8000-000000000001',
  clientId: '7a9b1e2c-0000-4000-8000-000000000002',
  brandDomain: 'brand.example',
  campaignId: '7a9b1e2c-0000-4000-8000-000000000003',
  program: 'client_1',
};

interface Wanted {
  readonly amount?: bigint;
  readonly currency?: string;
  readonly createdAt?: Instant;
  readonly of?: Partial<Operation>;
}

/** A buy at one seller, with what it commits. */
function buying(scope: TenantScope, wanted: Wanted = {}): OperationDraft {
  const { amount = unit, currency = 'USD', createdAt = at, of = {} } = wanted;
  const made = makeOperation(scope, { sellers: ['acme'], packagesPerLeg: 1, createdAt });
  const [leg] = made.legs;
  if (leg === undefined) throw new Error('A draft without legs.');
  return {
    ...made,
    operation: { ...made.operation, ...whose, ...of },
    buy: { ...made.buy, currency },
    packages: made.packages.map((item) => ({ ...item, currency, budgetMicros: amount })),
    spend: { parts: [{ legId: leg.id, seller: 'acme', amount, currency }], quotes: [] },
  };
}

async function limit(
  scope: TenantScope,
  of: { readonly kind: LimitKind; readonly key: string } & Partial<SpendingLimit>,
): Promise<SpendingLimit> {
  const made: SpendingLimit = {
    id: randomUUID(),
    amount: 10n * unit,
    currency: 'USD',
    above: 'refuse',
    createdAt: at,
    ...of,
  };
  await limits.set(scope, made, whose.principalId);
  return made;
}

const useOf = async (scope: TenantScope) => {
  const [use] = await limits.list(scope, { reach: everything, at, limit: 10 });
  return use?.sums;
};

const settled = (scope: TenantScope, draft: OperationDraft, status: Leg['status']) =>
  operations.change(scope, draft.legs[0]?.id ?? '', (state) => ({
    ...state,
    legs: state.legs.map((leg): Leg => ({ ...leg, status })),
    operation: { ...state.operation, updatedAt: at },
  }));

const keys: readonly (readonly [LimitKind, string])[] = [
  ['organization', ''],
  ['principal', whose.principalId],
  ['program', programKey(whose.principalId, whose.program)],
  ['client', whose.clientId],
  ['brand', whose.brandDomain],
  ['campaign', whose.campaignId],
  ['seller', 'acme'],
];

describe('the standings of limits for an unstored buy', () => {
  it.each([...keys, ['each_buy', ''], ['new_brand', '']] as const)(
    'have the result of storing it, by %s, and store nothing',
    async (kind, key) => {
      const scope = await createScope(store);
      const { id } = await limit(scope, { kind, key, amount: 3n * unit, per: 'month' });
      if (kind !== 'new_brand') await operations.begin(scope, buying(scope, { amount: 2n * unit }));
      const draft = buying(scope, { amount: 2n * unit });
      const { principalId, program, ...belonging } = whose;
      const question = { principalId, program, belonging, parts: draft.spend?.parts ?? [], at };
      const before = await useOf(scope);
      const found = await limits.standings(scope, question);
      expect(await useOf(scope)).toEqual(before);
      const begun = await operations.begin(scope, draft);
      const breaches =
        found.kind === 'known' ? found.standings.filter(({ isExceeded }) => isExceeded) : undefined;
      expect(found).toMatchObject({ kind: 'known', standings: [{ limit: { id } }] });
      expect(breaches).toEqual(begun.kind === 'over' ? begun.breaches : []);
      expect(breaches?.length).toBe(kind === 'each_buy' ? 0 : 1);
    },
  );

  it('name the currency without an exchange rate', async () => {
    const scope = await createScope(store);
    await limit(scope, { kind: 'organization', key: '' });
    const { principalId, program: _program, ...belonging } = whose;
    const parts = [{ legId: randomUUID(), seller: 'acme', amount: unit, currency: 'EUR' }];
    expect(await limits.standings(scope, { principalId, belonging, parts, at })).toEqual({
      ...{ kind: 'no_rate', from: 'EUR', to: 'USD' },
    });
  });
});

describe('sixty-four writers at one limit', () => {
  it.each(keys)('reach it to the micro and never pass it, by %s', async (kind, key) => {
    const scope = await createScope(store);
    await limit(scope, { kind, key, amount: 20n * unit + 1n, per: 'month' });
    const begun = await Promise.all(Array.from({ length: 64 }, () => operations.begin(scope, buying(scope))));
    expect(begun.filter((candidate) => candidate.kind === 'stored')).toHaveLength(20);
    expect(begun.filter((candidate) => candidate.kind === 'over')).toHaveLength(44);
    expect(await useOf(scope)).toEqual([{ currency: 'USD', pending: 20n * unit, committed: 0n }]);
  });

  it('count what others release, and never exceed it while sellers accept and refuse', async () => {
    const scope = await createScope(store);
    await limit(scope, { kind: 'organization', key: '', amount: 20n * unit });
    const outcomes = await Promise.all(
      Array.from({ length: 64 }, async (_, index) => {
        const draft = buying(scope);
        const { kind } = await operations.begin(scope, draft);
        if (kind === 'stored') await settled(scope, draft, index % 2 === 0 ? 'completed' : 'failed');
        return kind === 'stored' && index % 2 === 0;
      }),
    );
    const accepted = BigInt(outcomes.filter(Boolean).length) * unit;
    expect(accepted).toBeLessThanOrEqual(20n * unit);
    expect(await useOf(scope)).toEqual([{ currency: 'USD', pending: 0n, committed: accepted }]);
  });

  it('share one limit in two currencies', async () => {
    const scope = await createScope(store);
    await limit(scope, { kind: 'organization', key: '', amount: 20n * unit });
    await limits.setRate(
      scope,
      { from: 'EUR', to: 'USD', date: '2026-11-20', rate: '1.25', source: 'ECB' },
      whose.principalId,
      at,
    );
    const begun = await Promise.all(
      Array.from({ length: 64 }, (_, index) =>
        operations.begin(scope, buying(scope, { currency: index % 2 === 0 ? 'USD' : 'EUR' })),
      ),
    );
    const sums = (await useOf(scope)) ?? [];
    const used = sums.reduce(
      (sum, { currency, pending }) => sum + (currency === 'EUR' ? (pending * 5n) / 4n : pending),
      0n,
    );
    expect(used).toBeLessThanOrEqual(20n * unit);
    expect(used).toBeGreaterThan(18n * unit);
    expect(begun.some(({ kind }) => kind === 'over')).toBe(true);
  });
});

describe('a limit', () => {
  it('counts what was committed before it was set', async () => {
    const scope = await createScope(store);
    const draft = buying(scope, { amount: 7n * unit });
    await operations.begin(scope, draft);
    await settled(scope, draft, 'completed');
    await limit(scope, { kind: 'client', key: whose.clientId });
    const over = await operations.begin(scope, buying(scope, { amount: 4n * unit }));
    expect(over).toMatchObject({ kind: 'over', breaches: [{ left: 3n * unit, committed: 7n * unit }] });
    expect(await operations.begin(scope, buying(scope, { amount: 3n * unit }))).toEqual({ kind: 'stored' });
  });

  it('per month resets with the month of the organization', async () => {
    const scope = await createScope(store);
    await store.inTenant(scope, (client) =>
      client.query(`update organization set time_zone = 'America/New_York' where id = $1`, [
        scope.organizationId,
      ]),
    );
    await limit(scope, { kind: 'organization', key: '', per: 'month' });
    const lastHour = Date.UTC(2026, 11, 1, 4, 59);
    const begin = (createdAt: Instant): Promise<Begun> =>
      operations.begin(scope, buying(scope, { amount: 10n * unit, createdAt }));
    const kinds = [await begin(at), await begin(lastHour), await begin(lastHour + 60_000)];
    expect(kinds.map(({ kind }) => kind)).toEqual(['stored', 'over', 'stored']);
  });

  it('is not checked without an exchange rate, and the missing rate is named', async () => {
    const scope = await createScope(store);
    await limit(scope, { kind: 'organization', key: '' });
    const begun = await operations.begin(scope, buying(scope, { currency: 'EUR' }));
    expect(begun).toEqual({ kind: 'no_rate', from: 'EUR', to: 'USD' });
  });

  it('of another organization refuses nothing, and is not shown', async () => {
    const [mine, theirs] = [await createScope(store), await createScope(store)];
    const made = await limit(theirs, { kind: 'brand', key: whose.brandDomain, amount: 1n });
    expect(await operations.begin(mine, buying(mine))).toEqual({ kind: 'stored' });
    expect(await limits.list(mine, { reach: everything, at, limit: 10 })).toEqual([]);
    expect(await limits.remove(mine, made.id, whose.principalId, at)).toBe(false);
  });

  it('is shown only to callers that reach its object', async () => {
    const scope = await createScope(store);
    await limit(scope, { kind: 'organization', key: '' });
    await limit(scope, { kind: 'client', key: whose.clientId });
    await limit(scope, { kind: 'seller', key: 'acme' });
    const reach = {
      kind: 'limited',
      clientIds: [whose.clientId],
      brandDomains: [],
      campaignIds: [],
    } as const;
    const shown = await limits.list(scope, { reach, at, limit: 10 });
    expect(shown.map((one) => one.limit.kind)).toEqual(['client']);
    const walk = async (sort: 'newest' | 'oldest', after?: SortKey): Promise<readonly string[]> => {
      const page = { reach: everything, at, sort, limit: 1, ...(after && { after }) };
      const [one] = await limits.list(scope, page);
      if (one === undefined) return [];
      const { createdAt, id } = one.limit;
      return [id, ...(await walk(sort, [createdAt, id]))];
    };
    const newest = await walk('newest');
    expect(newest).toHaveLength(3);
    expect(await walk('oldest')).toEqual(newest.toReversed());
  });
});

describe('a limit on each buy', () => {
  it('compares only the current commitment of the buy', async () => {
    const scope = await createScope(store);
    await limit(scope, { kind: 'each_buy', key: '' });
    const kinds = await Promise.all(
      Array.from({ length: 64 }, async (_, index) => {
        const amount = 10n * unit + BigInt(index % 2);
        return (await operations.begin(scope, buying(scope, { amount }))).kind;
      }),
    );
    expect(kinds.map((kind, index) => [kind, index % 2 === 0])).toEqual(
      kinds.map((_, index) => (index % 2 === 0 ? ['stored', true] : ['over', false])),
    );
  });
});

describe('the commitment of a leg', () => {
  it('grows with an update, and shrinks if the seller accepts less', async () => {
    const scope = await createScope(store);
    await limit(scope, { kind: 'organization', key: '' });
    const made = buying(scope, { amount: 6n * unit });
    await operations.begin(scope, made);
    await operations.change(scope, made.legs[0]?.id ?? '', (state) => ({
      ...state,
      legs: state.legs.map((leg): Leg => ({ ...leg, status: 'completed' })),
      packages: state.packages.map((item) => ({ ...item, sellerPackageId: 'pkg_1' })),
    }));
    const update = (budget: bigint): OperationDraft => {
      const draft = buying(scope);
      const [leg] = draft.legs;
      const budgets = new Map([['pkg_1', budget]]);
      return {
        operation: { ...draft.operation, task: 'update_media_buy', mediaBuyId: made.buy?.id ?? '' },
        legs: draft.legs.map((current) => ({ ...current, task: 'update_media_buy' })),
        sellerBuys: [],
        packages: [],
        registrations: [],
        spend: {
          parts: [{ legId: leg?.id ?? '', seller: 'acme', amount: 0n, currency: 'USD', budgets }],
          quotes: [],
        },
      };
    };
    const accept = (draft: OperationDraft, budget: bigint) =>
      operations.change(scope, draft.legs[0]?.id ?? '', (state) => ({
        ...state,
        legs: state.legs.map((leg): Leg => ({ ...leg, status: 'completed' })),
        packages: state.packages.map((item) => ({ ...item, budgetMicros: budget })),
      }));
    expect((await operations.begin(scope, update(10n * unit + 1n))).kind).toBe('over');
    const more = update(10n * unit);
    expect((await operations.begin(scope, more)).kind).toBe('stored');
    expect(await useOf(scope)).toEqual([{ currency: 'USD', pending: 4n * unit, committed: 6n * unit }]);
    await accept(more, 10n * unit);
    expect(await useOf(scope)).toEqual([{ currency: 'USD', pending: 0n, committed: 10n * unit }]);
    const less = update(2n * unit);
    await operations.begin(scope, less);
    expect(await useOf(scope)).toEqual([{ currency: 'USD', pending: 0n, committed: 10n * unit }]);
    await accept(less, 2n * unit);
    expect(await useOf(scope)).toEqual([{ currency: 'USD', pending: 0n, committed: 2n * unit }]);
  });

  it('moves to another campaign with its buy', async () => {
    const scope = await createScope(store);
    const other = randomUUID();
    await limit(scope, { kind: 'campaign', key: other });
    const draft = buying(scope, { amount: 6n * unit });
    await operations.begin(scope, draft);
    await store.inTenant(scope, (client) =>
      moveCommitments(client, draft.buy?.id ?? '', { ...whose, campaignId: other }, at),
    );
    expect(await useOf(scope)).toEqual([{ currency: 'USD', pending: 6n * unit, committed: 0n }]);
  });

  it('adds up to the sums, with any outcome', async () => {
    const scope = await createScope(store);
    const drafts = Array.from({ length: 12 }, (_, index) => buying(scope, { amount: BigInt(index + 1) }));
    for (const draft of drafts) await operations.begin(scope, draft);
    const ends = ['completed', 'failed', 'rejected', 'submitted'] as const;
    await Promise.all(drafts.map((draft, index) => settled(scope, draft, ends[index % 4] ?? 'failed')));
    const { rows } = await store.inTenant(scope, (client) =>
      client.query(
        `select kind, key, month, pending_micros::int as pending, committed_micros::int as committed from spend_total
         order by kind, month`,
      ),
    );
    expect(rows).toHaveLength(2 * keys.length);
    for (const row of rows) expect(row).toMatchObject({ pending: 4 + 8 + 12, committed: 1 + 5 + 9 });
  });
});

describe('a request above a limit that requires approval', () => {
  const approvals = internalApprovals(store);
  const letGo = (leg: Leg): Leg => ({ ...leg, status: 'pending', nextPollAt: at });

  it('waits with its legs, is not counted, and is sent once when two people approve at once', async () => {
    const scope = await createScope(store);
    await store.inTenant(scope, (client) =>
      client.query(
        `insert into client (id, organization_id, name, created_at, updated_at) values ($1, $2, 'Nova', now(), now())`,
        [whose.clientId, scope.organizationId],
      ),
    );
    await limit(scope, { kind: 'client', key: whose.clientId, above: 'ask' });
    const draft = buying(scope, { amount: 11n * unit });
    const begun = await operations.begin(scope, draft);
    const { approvalId = '' } = begun as { readonly approvalId?: string };
    expect((await operations.state(scope, draft.operation.id))?.legs.map(({ status }) => status)).toEqual([
      'held',
    ]);
    expect(await operations.dueLegs(scope, at + 1, 10)).toEqual([]);
    expect(await useOf(scope)).toEqual([]);
    const found = await approvals.find(scope, approvalId, everything);
    expect(found).toMatchObject({
      requestedBy: whose.principalId,
      amount: 11n * unit,
      sellers: ['acme'],
      state: 'open',
      reason: expect.stringContaining('Over the limit of client Nova, 10 USD: 0 USD committed'),
    });
    const decide = () =>
      approvals.decide(scope, approvalId, { state: 'approved', at, by: randomUUID() }, (state) => ({
        ...state,
        legs: state.legs.map(letGo),
      }));
    const decided = await Promise.all([decide(), decide()]);
    expect(decided.map(({ kind }) => kind).toSorted()).toEqual(['decided', 'decided_before']);
    expect(await operations.dueLegs(scope, at + 1, 10)).toHaveLength(1);
    expect(await useOf(scope)).toEqual([{ currency: 'USD', pending: 11n * unit, committed: 0n }]);
  });

  it('is checked against refusing limits again at the approval', async () => {
    const scope = await createScope(store);
    await limit(scope, { kind: 'each_buy', key: '', amount: unit, above: 'ask' });
    const begun = await operations.begin(scope, buying(scope, { amount: 8n * unit }));
    const { approvalId = '' } = begun as { readonly approvalId?: string };
    await limit(scope, { kind: 'organization', key: '', amount: 7n * unit });
    const decided = await approvals.decide(
      scope,
      approvalId,
      { state: 'approved', at, by: randomUUID() },
      (state) => ({ ...state, legs: state.legs.map(letGo) }),
    );
    expect(decided).toMatchObject({ kind: 'over', breaches: [{ left: 7n * unit }] });
    expect((await approvals.find(scope, approvalId, everything))?.state).toBe('open');
  });

  it('is required for each buy of a new brand, until one was approved', async () => {
    const scope = await createScope(store);
    await limit(scope, { kind: 'new_brand', key: '', amount: 0n, above: 'ask', currency: 'EUR' });
    const begin = async (draft = buying(scope)) => operations.begin(scope, draft);
    const begun = await begin();
    const { approvalId = '' } = begun as { readonly approvalId?: string };
    expect(await approvals.find(scope, approvalId, everything)).toMatchObject({
      reason: 'The first buy for a brand needs an internal approval.',
    });
    expect(await begin()).toMatchObject({ kind: 'stored', approvalId: expect.any(String) });
    const decision = { state: 'approved', at, by: randomUUID() } as const;
    await approvals.decide(scope, approvalId, decision, (state) => ({
      ...state,
      legs: state.legs.map(letGo),
    }));
    expect(await begin()).not.toHaveProperty('approvalId');
    const other = await begin(buying(scope, { of: { brandDomain: 'other.example' } }));
    expect(other).toMatchObject({ kind: 'stored', approvalId: expect.any(String) });
  });

  it('is listed newest or oldest first, page by page', async () => {
    const scope = await createScope(store);
    await limit(scope, { kind: 'organization', key: '', amount: 1n, above: 'ask' });
    for (let count = 0; count < 3; count += 1) await operations.begin(scope, buying(scope));
    const walk = async (sort: 'newest' | 'oldest', after?: SortKey): Promise<readonly string[]> => {
      const page = { reach: everything, sort, limit: 1, ...(after && { after }) };
      const [one] = await approvals.list(scope, page);
      return one === undefined ? [] : [one.id, ...(await walk(sort, [one.requestedAt, one.id]))];
    };
    const newest = await walk('newest');
    expect(newest).toHaveLength(3);
    expect(await walk('oldest')).toEqual(newest.toReversed());
  });

  it('is not found from another organization or out of reach', async () => {
    const [mine, theirs] = [await createScope(store), await createScope(store)];
    await limit(mine, { kind: 'organization', key: '', amount: 1n, above: 'ask' });
    const begun = await operations.begin(mine, buying(mine));
    const { approvalId = '' } = begun as { readonly approvalId?: string };
    const nothing = {
      kind: 'limited',
      clientIds: [],
      brandDomains: ['other.example'],
      campaignIds: [],
    } as const;
    expect(approvalId).not.toBe('');
    expect(await approvals.find(theirs, approvalId, everything)).toBeUndefined();
    expect(await approvals.find(mine, approvalId, nothing)).toBeUndefined();
    expect(await approvals.list(mine, { reach: nothing, limit: 10 })).toEqual([]);
    const none = await approvals.decide(theirs, approvalId, { state: 'denied', at }, (state) => state);
    expect(none).toEqual({ kind: 'decided_before' });
  });
});
