import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import { isFinalizing, proposalsIn, refineFaults } from './refine-faults.js';

const finalize = (id: string): JsonObject => ({ scope: 'proposal', proposal_id: id, action: 'finalize' });
const query: JsonObject = { scope: 'request', ask: 'cheaper' };
const codes = (...args: Parameters<typeof refineFaults>) =>
  refineFaults(...args).map(({ code, field }) => [code, field]);

describe('a refinement that commits a seller', () => {
  it('names one proposal, in every release and for every seller', () => {
    for (const form of ['3.0', '3.1'] as const)
      expect(codes([finalize('a:x'), finalize('b:y')], form)).toEqual([
        ['MULTI_FINALIZE_UNSUPPORTED', 'refine'],
      ]);
    expect(codes([finalize('a:x')], '3.1')).toEqual([]);
  });

  it('is the only change from 3.1 on; 3.0 has no such rule', () => {
    expect(codes([finalize('a:x'), query], '3.1')).toEqual([['INVALID_REQUEST', 'refine']]);
    expect(codes([query, finalize('a:x')], '3.0')).toEqual([]);
  });

  it('is distinguished from one that commits nothing', () => {
    const include = { scope: 'proposal', proposal_id: 'a:x', action: 'include' };
    expect([isFinalizing([query, finalize('a:x')]), isFinalizing([query, include])]).toEqual([true, false]);
  });
});

describe('a finalization of something else than a proposal', () => {
  it.each([{ scope: 'product', product_id: 'a:p' }, { scope: 'product' }, { scope: 'request', ask: 'it' }])(
    'is an invalid request: %j',
    (change) => {
      expect(codes([{ ...change, action: 'finalize' }], '3.1')).toEqual([
        ['INVALID_REQUEST', 'refine[0].action'],
      ]);
    },
  );
});

describe('the proposals of a refinement', () => {
  it('are found with their positions', () => {
    const product = { scope: 'product', product_id: 'a:p', proposal_id: 'a:not-this' };
    expect(proposalsIn([query, finalize('a:x'), product, finalize('b:y')])).toEqual([
      { place: 1, proposalId: 'a:x' },
      { place: 3, proposalId: 'b:y' },
    ]);
  });

  it('must be named', () => {
    expect(codes([query, { scope: 'proposal', action: 'omit' }], '3.0')).toEqual([
      ['VALIDATION_ERROR', 'refine[1].proposal_id'],
    ]);
  });
});

describe('a change in a refinement', () => {
  it.each<[string, JsonObject, string]>([
    ['of nothing that is known', { scope: 'planet', ask: 'rounder' }, 'refine[0].scope'],
    ['of nothing at all', { ask: 'more' }, 'refine[0].scope'],
    ['of the request without a wish', { scope: 'request' }, 'refine[0].ask'],
    ['of no product', { scope: 'product', action: 'omit' }, 'refine[0].product_id'],
    [
      'of a product with an unknown action',
      { scope: 'product', product_id: 'a:p', action: 'freeze' },
      'refine[0].action',
    ],
    [
      'of a proposal with an unknown action',
      { scope: 'proposal', proposal_id: 'a:x', action: 'more_like_this' },
      'refine[0].action',
    ],
  ])('is refused before anybody is asked: %s', (_what, change, field) => {
    for (const form of ['3.0', '3.1'] as const)
      expect(codes([change], form)).toEqual([['VALIDATION_ERROR', field]]);
  });

  it('without an action on a product or proposal includes it', () => {
    const product = { scope: 'product', product_id: 'a:p' };
    const proposal = { scope: 'proposal', proposal_id: 'a:x', ask: 'more video' };
    expect(codes([query, product, proposal], '3.1')).toEqual([]);
  });
});
