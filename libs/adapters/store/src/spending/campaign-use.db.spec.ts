import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { waitsForApproval, type Campaign, type MediaBuy, type OperationDraft } from '@switchyard/buys';
import type { TenantScope } from '@switchyard/tenancy';
import { createScope, makeOperation, openTestStore } from '@switchyard/testing';
import { operationStore } from '../buys/operation-store.js';
import { clientRepository } from '../campaigns/client-repository.js';
import { openStore } from '../core/open-store.js';
import { organizations } from '../tenancy/organizations.js';
import { internalApprovals } from './internal-approvals.js';
import { spendingLimits } from './spending-limits.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

const operations = operationStore(store);
const limits = spendingLimits(store);
const approvals = internalApprovals(store);
const repository = clientRepository(store);
const at = Date.UTC(2026, 10, 21, 12);
const unit = 1_000_000n;
const everything = { kind: 'everything' } as const;
const ofNovember = { startTime: '2026-11-21T00:00:00Z', endTime: '2026-12-01T00:00:00Z' };

async function campaignOf(scope: TenantScope, more: Partial<Campaign> = {}): Promise<Campaign> {
  const client = { id: randomUUID(), name: 'Nova', status: 'active' as const, codes: {} };
  await repository.saveClient(scope, { ...client, createdAt: at, updatedAt: at });
  const campaign: Campaign = {
    ...{
      id: randomUUID(),
      clientId: client.id,
      client: client.name,
      brandDomain: 'acme.example',
      brandId: '',
    },
    ...{ name: 'Spring', currency: 'USD', budgetMicros: 10n * unit, plan: {}, rules: {}, status: 'active' },
    ...{ startsOn: '2026-11-01', endsOn: '2026-11-30', createdAt: at, updatedAt: at },
    ...more,
  };
  await repository.saveCampaign(scope, campaign);
  return campaign;
}

interface Wanted extends Partial<Pick<MediaBuy, 'startTime' | 'endTime'>> {
  readonly amount?: bigint;
  readonly currency?: string;
  readonly isSealed?: true;
}

function buying(scope: TenantScope, { id, clientId }: Campaign, wanted: Wanted = {}): OperationDraft {
  const { amount = unit, currency = 'USD', isSealed, ...flight } = wanted;
  const made = makeOperation(scope, { sellers: ['acme'], packagesPerLeg: 1, createdAt: at });
  const whose = { campaignId: id, clientId, brandDomain: 'acme.example' };
  return {
    ...made,
    operation: { ...made.operation, ...whose },
    buy: { ...made.buy, ...whose, ...ofNovember, ...flight, currency },
    legs: made.legs.map((leg) => ({
      ...{ ...leg, findings: [] },
      ...(isSealed && ({ status: 'sent', sealed: true } as const)),
    })),
    packages: made.packages.map((item) => ({ ...item, currency, budgetMicros: amount })),
    spend: {
      parts: made.legs.map((leg) => ({ legId: leg.id, seller: 'acme', amount, currency })),
      quotes: [],
    },
  };
}

/** A change of a stored buy: its money, and what its request says of the flight. */
function changing(
  scope: TenantScope,
  { buy, operation }: OperationDraft,
  {
    amount = 0n,
    request = {},
  }: { readonly amount?: bigint; readonly request?: Readonly<Record<string, string>> },
): OperationDraft {
  const made = makeOperation(scope, { sellers: ['acme'], packagesPerLeg: 1, createdAt: at + 1 });
  const { brandDomain = '', clientId = '', campaignId = '' } = operation;
  return {
    operation: {
      ...{ ...made.operation, task: 'update_media_buy', request, brandDomain, clientId, campaignId },
      mediaBuyId: buy?.id ?? '',
    },
    legs: made.legs.map((leg) => ({ ...leg, task: 'update_media_buy', findings: [] })),
    ...{ sellerBuys: [], packages: [], registrations: [] },
    spend: {
      parts: made.legs.map(({ id }) => ({ legId: id, seller: 'acme', amount, currency: 'USD' })),
      quotes: [],
    },
  };
}

async function reasonOf(scope: TenantScope, begun: object): Promise<string | undefined> {
  const { approvalId = '' } = begun as { readonly approvalId?: string };
  return (await approvals.find(scope, approvalId, everything))?.reason;
}

describe('a buy under a campaign', () => {
  it.each([
    ['above the budget', { amount: 11n * unit }, 'Over the budget of the campaign Spring, 10 USD'],
    ['outside the flight', { endTime: '2026-12-24T00:00:00Z' }, 'the buy runs from 2026-11-21 to 2026-12-23'],
    ['in a currency without a rate', { currency: 'EUR' }, 'no rate from EUR was entered'],
  ] as const)('%s waits for a person, and its preview says the same', async (_name, wanted, words) => {
    const scope = await createScope(store);
    const campaign = await campaignOf(scope);
    const draft = buying(scope, campaign, wanted);
    const { operation, buy, spend } = draft;
    const { principalId, clientId = '', brandDomain = '', campaignId = '' } = operation;
    const found = await limits.standings(scope, {
      ...{ principalId, belonging: { clientId, brandDomain, campaignId }, parts: spend?.parts ?? [], at },
      ...(buy && { flight: buy }),
    });
    const exceeded = found.kind === 'known' ? found.standings.filter(({ isExceeded }) => isExceeded) : [];
    const begun = await operations.begin(scope, draft);
    expect(await reasonOf(scope, begun)).toBe(exceeded.map((breach) => breach.words?.full).join(' '));
    expect(await reasonOf(scope, begun)).toContain(words);
  });

  it('after the end of the campaign waits for a person, whatever its days', async () => {
    const scope = await createScope(store);
    const campaign = await campaignOf(scope, { startsOn: '2026-10-01', endsOn: '2026-10-31' });
    const begun = await operations.begin(scope, buying(scope, campaign));
    expect(await reasonOf(scope, begun)).toContain('The campaign Spring ended on 2026-10-31');
  });

  it('is counted with every other buy of the campaign, and lifted by an approval', async () => {
    const scope = await createScope(store);
    const campaign = await campaignOf(scope);
    expect(await operations.begin(scope, buying(scope, campaign, { amount: 7n * unit }))).toEqual({
      kind: 'stored',
    });
    const begun = await operations.begin(scope, buying(scope, campaign, { amount: 4n * unit }));
    expect(await reasonOf(scope, begun)).toContain('7 USD pending, 3 USD left, 4 USD requested');
    const { approvalId = '' } = begun as { readonly approvalId?: string };
    const decided = await approvals.decide(
      scope,
      approvalId,
      { state: 'approved', at, by: randomUUID() },
      (state) => ({
        ...state,
        legs: state.legs.map((leg) => ({ ...leg, status: 'pending', nextPollAt: at })),
      }),
    );
    expect(decided.kind).toBe('decided');
    expect(await reasonOf(scope, await operations.begin(scope, buying(scope, campaign)))).toContain(
      '11 USD pending, 1 USD above it already',
    );
  });

  it('is never sent past a rule that asks, if another party has signed it', async () => {
    const scope = await createScope(store);
    const campaign = await campaignOf(scope);
    const over = await operations.begin(
      scope,
      buying(scope, campaign, { amount: 11n * unit, isSealed: true }),
    );
    expect(over).toMatchObject({ kind: 'over', breaches: [{ limit: { kind: 'campaign_budget' } }] });
    const { spend: _unknown, ...late } = buying(scope, campaign, {
      isSealed: true,
      endTime: '2027-01-01T00:00:00Z',
    });
    expect(await operations.begin(scope, late)).toMatchObject({
      ...{ kind: 'over', breaches: [{ limit: { kind: 'campaign_flight' } }] },
    });
  });

  it('follows the rule of the organization, and that of the campaign before it', async () => {
    const scope = await createScope(store);
    const own = await campaignOf(scope, { rules: { aboveBudget: 'warn' } });
    const other = await campaignOf(scope, { id: randomUUID(), clientId: own.clientId });
    await organizations(store).change(scope.organizationId, {
      campaignRules: { aboveBudget: 'refuse', outsideFlight: 'warn' },
    });
    expect(await operations.begin(scope, buying(scope, other, { amount: 11n * unit }))).toMatchObject({
      kind: 'over',
    });
    const warned = buying(scope, own, { amount: 11n * unit, endTime: '2026-12-24T00:00:00Z' });
    expect(await operations.begin(scope, warned)).toEqual({ kind: 'stored' });
    const state = await operations.state(scope, warned.operation.id);
    expect(state?.legs[0]?.findings.map(({ code }) => code)).toEqual([
      'OVER_CAMPAIGN_BUDGET',
      'OUTSIDE_CAMPAIGN_FLIGHT',
    ]);
  });
});

describe('a change of a buy under a campaign', () => {
  it.each([
    ['more money than is left', { amount: 4n * unit }, 'Over the budget'],
    ['days after the flight', { request: { end_time: '2026-12-05T00:00:00Z' } }, 'to 2026-12-04'],
  ] as const)('by %s waits for a person', async (_name, change, words) => {
    const scope = await createScope(store);
    const first = buying(scope, await campaignOf(scope), { amount: 7n * unit });
    await operations.begin(scope, first);
    const changed = changing(scope, first, change);
    const begun = await operations.begin(scope, changed);
    expect(await reasonOf(scope, begun)).toContain(words);
    const state = await operations.state(scope, changed.operation.id);
    expect(state?.legs[0]).toMatchObject({ status: 'held', findings: [{ code: waitsForApproval }] });
  });

  it('that adds neither money nor days is made', async () => {
    const scope = await createScope(store);
    const first = buying(scope, await campaignOf(scope), { amount: 7n * unit });
    await operations.begin(scope, first);
    for (const request of [{}, { end_time: '2026-11-28T00:00:00Z' }])
      expect(await operations.begin(scope, changing(scope, first, { request }))).toEqual({ kind: 'stored' });
  });
});
