import { describe, expect, it } from '@jest/globals';
import type { Breach, SpendVerdict } from '../model/limit.js';
import type { OperationDraft } from '../model/operation-store.js';
import { decideRequest, decideSpend, type SpendFacts, type WaitingFacts } from './decide-spend.js';

const breach: Breach = {
  limit: {
    id: 'l',
    kind: 'each_buy',
    key: '',
    amount: 5_000_000n,
    currency: 'EUR',
    above: 'ask',
    createdAt: 0,
  },
  ...{ pending: 0n, committed: 0n, requested: 10n, left: 5n },
};
const asks: SpendVerdict = { kind: 'ask', breaches: [breach] };
const refuses: SpendVerdict = { kind: 'refuse', breaches: [breach] };
const noRate: SpendVerdict = { kind: 'no_rate', from: 'USD', to: 'EUR' };
const within: SpendVerdict = { kind: 'within' };
const parts = [{ legId: 'leg', seller: 'acme', amount: 10n, currency: 'EUR' }];

function draftOf(isSealed = false): OperationDraft {
  const leg = { id: 'leg', seller: 'acme', status: 'pending', task: 'create_media_buy', sealed: isSealed };
  return {
    operation: { task: 'create_media_buy', createdAt: 1_000 },
    legs: [leg, { ...leg, id: 'done', status: 'completed' }, { ...leg, id: 'other', task: 'sync_creatives' }],
    buy: { currency: 'EUR' },
  } as unknown as OperationDraft;
}
const decide = (of: Partial<SpendFacts> & { readonly verdict: SpendVerdict }, isSealed = false) =>
  decideSpend({ parts, changedSellers: [], ...of }, draftOf(isSealed), 500);

describe('what an operation spends', () => {
  it('is committed within its limits, waits where one asks, and is refused where one refuses', () => {
    expect(decide({ verdict: within })).toEqual({ kind: 'committed', state: 'pending' });
    expect(decide({ verdict: within, parts: [] })).toEqual({ kind: 'nothing' });
    expect(decide({ verdict: refuses })).toMatchObject({ kind: 'refused', refusal: { kind: 'over' } });
    expect(decide({ verdict: noRate })).toMatchObject({ kind: 'refused', refusal: { kind: 'no_rate' } });
    expect(decide({ verdict: asks })).toMatchObject({
      ...{ kind: 'committed', state: 'waiting' },
      approval: { amount: 10n, legIds: ['leg'], sellers: ['acme'], expiresAt: 1_500 },
    });
  });

  it('cannot wait where another party signed the request', () => {
    expect(decide({ verdict: asks }, true)).toMatchObject({ kind: 'refused', refusal: { kind: 'over' } });
    expect(decide({ verdict: within }, true)).toEqual({ kind: 'committed', state: 'pending' });
  });

  it('waits at sellers that changed, and says both reasons where a limit asks too', () => {
    const finding = (verdict: SpendVerdict) => {
      const decided = decide({ verdict, changedSellers: ['acme'] });
      return decided.kind === 'committed' ? decided.approval?.finding.message : undefined;
    };
    expect(finding(within)).toMatch(/^The seller acme can no longer/);
    expect(finding(asks)).toMatch(/^A buy above 5 EUR needs an internal approval\. The seller acme/);
    expect(decide({ verdict: refuses, changedSellers: ['acme'] }).kind).toBe('refused');
  });
});

describe('a decision about a request that waits', () => {
  const waiting: WaitingFacts = { state: 'open', expiresAt: 2_000 };
  const approve = (of: Partial<WaitingFacts>, at = 1_000) =>
    decideRequest({ ...waiting, ...of }, { state: 'approved', at });

  it('is prevented by the first check that fails, in the order of the contract', () => {
    const worst = { hasChanged: true, busySeller: 'acme', verdict: noRate };
    const told = [
      decideRequest(undefined, { state: 'approved', at: 0 }),
      approve({ ...worst, state: 'denied' }),
      approve(worst, 2_000),
      approve(worst),
      approve({ ...worst, hasChanged: false }),
      approve({ verdict: noRate }),
      approve({ verdict: refuses }),
      approve({ verdict: asks }),
    ];
    expect(told.map(({ kind }) => kind)).toEqual([
      ...[
        'decided_before',
        'decided_before',
        'decided_before',
        'changed',
        'busy',
        'no_rate',
        'over',
        'decided',
      ],
    ]);
  });

  it('may end a request that has expired, and denies one whatever its limits say', () => {
    expect(decideRequest(waiting, { state: 'expired', at: 3_000 })).toEqual({ kind: 'decided' });
    expect(decideRequest({ ...waiting, verdict: refuses }, { state: 'denied', at: 0 })).toEqual({
      kind: 'decided',
    });
  });
});
