import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { makeOperation } from '@switchyard/testing';
import { applyAndExplain } from '../apply/apply-observation.js';
import type { OperationState } from './operation-state.js';
import { isPackageMove, judgePackageMove, packageState, type PackageState } from './package-states.js';

const states: readonly PackageState[] = ['active', 'paused', 'canceled'];

describe('the states of a package', () => {
  const allowed = ['active paused', 'active canceled', 'paused active', 'paused canceled'];
  const cells = states.flatMap((from) =>
    states.map((to) => [from, to, allowed.includes(`${from} ${to}`)] as const),
  );

  it.each(cells)('%s to %s is a valid transition: %s', (from, to, isStep) => {
    expect(isPackageMove(from, to)).toBe(isStep);
  });

  it.each([
    ['active', {}, 'taken', 'active'],
    ['active', { paused: false }, 'taken', 'active'],
    ['active', { paused: true }, 'taken', 'paused'],
    ['active', { canceled: true }, 'taken', 'canceled'],
    ['paused', {}, 'taken', 'paused'],
    ['paused', { paused: true }, 'taken', 'paused'],
    ['paused', { paused: false }, 'taken', 'active'],
    ['paused', { canceled: true }, 'taken', 'canceled'],
    ['canceled', {}, 'refused', 'active'],
    ['canceled', { paused: true }, 'refused', 'paused'],
    ['canceled', { paused: false }, 'refused', 'active'],
    ['canceled', { canceled: true }, 'repeated', 'canceled'],
  ] as const)('%s with the request %j is %s', (from, update, verdict, to) => {
    expect(judgePackageMove(from, update)).toEqual({ verdict, to });
  });

  it('are read from what is stored: canceled overrides paused', () => {
    expect([{}, { paused: true }, { paused: true, canceledAt: 1 }].map(packageState)).toEqual(states);
  });
});

describe('an update of a package that another update has canceled meanwhile', () => {
  const canceledAt = Date.UTC(2026, 0, 4);
  const at = canceledAt + 60_000;

  function after(change: object): OperationState {
    const draft = makeOperation({ organizationId: randomUUID() }, { sellers: ['acme'], packagesPerLeg: 2 });
    const [buying] = draft.legs;
    const [sellerBuy] = draft.sellerBuys;
    const outbound = JSON.stringify({ media_buy_id: 'their-1', packages: [{ package_id: 'p1', ...change }] });
    const leg = {
      ...buying!,
      id: randomUUID(),
      task: 'update_media_buy',
      sellerBuyId: sellerBuy!.id,
      status: 'submitted' as const,
      findings: [],
      outbound,
    };
    const state: OperationState = {
      ...draft,
      operation: { ...draft.operation, task: 'update_media_buy' },
      legs: [leg],
      sellerBuys: [{ ...sellerBuy!, sellerMediaBuyId: 'their-1', status: 'active' }],
      packages: draft.packages.map((item, index) => ({
        ...item,
        sellerPackageId: `p${index + 1}`,
        ...(index === 0 ? { canceledAt } : {}),
      })),
    };
    const payload = {
      media_buy_id: 'their-1',
      status: 'completed',
      affected_packages: [{ package_id: 'p1' }],
    };
    const reply = { status: 'completed' as const, payload, errors: [], replayed: false };
    return applyAndExplain(state, leg.id, { source: 'webhook', at, reply }).state;
  }

  it.each([
    [{ paused: true }, 'paused'],
    [{ budget: 9_000 }, 'active'],
  ])('by %j is not applied, and is recorded on the leg and in the history', (change, to) => {
    const state = after(change);
    expect(state.legs[0]).toMatchObject({
      status: 'completed',
      findings: [{ code: 'ILLEGAL_TRANSITION', field: 'p1' }],
    });
    expect(state.changes).toMatchObject([
      { actor: 'seller', action: 'refused_transition', packageId: 'p1', detail: { from: 'canceled', to } },
    ]);
    expect(state.changes).toHaveLength(1);
    expect(state.packages[0]).toMatchObject({ canceledAt });
    expect(state.packages[0]).not.toHaveProperty('paused', true);
    expect(state.packages[0]?.budgetMicros).toBe(9_007_199_254_740_993n);
  });

  it('by canceling it again keeps the first time, and adds no second fee', () => {
    const state = after({ canceled: true });
    expect(state.packages[0]).toMatchObject({ canceledAt });
    expect([state.changes, state.legs[0]?.findings]).toEqual([[], []]);
  });
});
