import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import { proposalOf, proposalQuotes } from './proposal.js';

const half = { product_id: 'ctv', allocation_percentage: 50 };
const read = (members: JsonObject) =>
  proposalOf('acme', { proposal_id: 'plan', name: 'Plan', allocations: [half, half], ...members }, 7);

describe('a stored proposal', () => {
  it('has everything that its purchase is checked against', () => {
    const [startTime, endTime] = ['2027-01-01T00:00:00Z', '2027-01-09T00:00:00Z'];
    const timed = { ...half, pricing_option_id: 'cpm', start_time: startTime, end_time: endTime };
    const stored = read({
      proposal_status: 'committed',
      expires_at: '2027-01-01T00:00:00Z',
      allocations: [timed, { ...half, allocation_percentage: 50.0, daypart_targets: [{ days: ['monday'] }] }],
      insertion_order: { io_id: 'io:1', requires_signature: true, signing_url: 'https://sign.example' },
      total_budget_guidance: { min: 100.5, recommended: 200, currency: 'EUR' },
    });
    expect(stored).toEqual({
      seller: 'acme',
      proposalId: 'plan',
      name: 'Plan',
      isDraft: false,
      allocations: [
        { productId: 'ctv', pricingOptionId: 'cpm', percentage: '50', startTime, endTime },
        { productId: 'ctv', percentage: '50', daypartTargets: [{ days: ['monday'] }] },
      ],
      insertionOrder: { ioId: 'io:1', requiresSignature: true },
      guidance: { min: '100.5', currency: 'EUR' },
      expiresAt: Date.parse('2027-01-01T00:00:00Z'),
      proposedAt: 7,
    });
  });

  it('is a draft only if its seller reports it', () => {
    const states = ['draft', 'committed', 'unheard of'].map((reported) =>
      read({ proposal_status: reported }),
    );
    expect([...states, read({})].map((proposal) => proposal?.isDraft)).toEqual([true, false, false, false]);
  });

  it.each<[string, JsonObject]>([
    ['no product', { allocation_percentage: 50 }],
    ['no share', { product_id: 'ctv' }],
    ['a share below zero', { ...half, allocation_percentage: -1 }],
    ['a share of more than all', { ...half, allocation_percentage: 100.1 }],
    ['a share in words', { ...half, allocation_percentage: 'half' }],
    ['a share finer than we count', { ...half, allocation_percentage: 1e-9 }],
  ])('has no allocations if one of them has %s', (_why, broken) => {
    expect(read({ allocations: [half, broken] })?.allocations).toEqual([]);
  });

  it('needs an id, and of two with one id the last is stored', () => {
    expect(proposalOf('acme', { name: 'Plan' }, 7)).toBeUndefined();
    const proposals = ['first', 'second'].map((name): JsonObject => ({ proposal_id: 'plan', name }));
    const stored = proposalQuotes({ connectionId: 'c', seller: 'acme', proposals }, 7);
    expect(stored.map(({ connectionId, proposal }) => [connectionId, proposal.name])).toEqual([
      ['c', 'second'],
    ]);
  });
});
