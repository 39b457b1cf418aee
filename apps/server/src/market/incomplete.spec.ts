import { describe, expect, it } from '@jest/globals';
import { incompleteOf } from './incomplete.js';

const row = (seller: string, status: 'answered' | 'slow' | 'failed') => ({
  seller,
  status,
  reason: '',
  elapsed_ms: 1,
  items: 0,
});
type Market = Parameters<typeof incompleteOf<readonly string[]>>[0];
type Leg = Market['legs'][number];
const leg = (seller: string, received: readonly string[], more: Partial<Leg> = {}): Leg => ({
  seller,
  answer: received,
  setAside: [],
  findings: [],
  ...more,
});
const market = (legs: readonly Leg[], rows: Market['rows'] = [], later: readonly string[] = []): Market => ({
  legs,
  rows,
  later,
});
const of = (requested: Market, scope: 'products' | 'signals') =>
  incompleteOf(requested, scope, (received) =>
    received.map((text) => ({ scope: text, description: 'more to come' })),
  );

describe('the list of what an answer lacks', () => {
  it('has what sellers report as incomplete, in the scopes of the list, with the seller', () => {
    const requested = market([leg('acme', ['forecast', 'pricing', 'moods'])]);
    expect(of(requested, 'products').map(({ scope }) => scope)).toEqual(['forecast', 'pricing', 'products']);
    expect(of(requested, 'signals').map(({ scope }) => scope)).toEqual(['signals', 'pricing', 'signals']);
    expect(of(requested, 'signals')[0]?.description).toBe('acme: more to come');
  });

  it('has every seller that was slow, was cut short or answers later; a refusal or a failure is only a row', () => {
    const requested = market(
      [leg('cut', [], { isTruncated: true })],
      [row('late', 'slow'), row('broken', 'failed'), row('cut', 'answered')],
      ['later'],
    );
    expect(of(requested, 'signals')).toEqual([
      { scope: 'signals', description: 'late did not answer in time.' },
      { scope: 'signals', description: 'cut has more items than it sent in time.' },
      { scope: 'signals', description: 'later will answer later.' },
    ]);
  });

  it('is absent if every seller answered completely', () => {
    expect(of(market([leg('acme', [])], [row('acme', 'answered')]), 'products')).toEqual([]);
  });
});
