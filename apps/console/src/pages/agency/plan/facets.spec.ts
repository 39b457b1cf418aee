import { describe, expect, it } from '@jest/globals';
import { chosenIn, countsOf, facetsOf, fits } from './facets.js';
import type { Offer } from './offers.js';

const offer = (productId: string, rest: Partial<Offer>): Offer => ({
  productId,
  name: productId,
  description: '',
  audience: '',
  countries: [],
  reason: '',
  seller: 'harbor',
  channels: ['olv'],
  delivery: 'guaranteed',
  publishers: [],
  formats: [],
  pricingOptionId: 'o',
  model: 'cpm',
  price: '10',
  isAuction: false,
  currency: 'USD',
  minimum: '',
  budget: '',
  bid: '',
  ...rest,
});

const offers = [
  offer('a', { channels: ['olv', 'ctv'], minimum: '5000' }),
  offer('b', { channels: ['audio'], isAuction: true, seller: 'bluebird' }),
  offer('c', { channels: ['olv'], currency: 'EUR' }),
];
const shown = (filters: Readonly<Record<string, string>>, budget = ''): readonly string[] => {
  const facets = facetsOf(budget);
  const chosen = chosenIn(facets, filters);
  return offers.filter((one) => fits(one, facets, chosen)).map(({ productId }) => productId);
};

describe('the facets of offers', () => {
  it('widen within one question, and narrow from one question to the next', () => {
    expect(shown({})).toEqual(['a', 'b', 'c']);
    expect(shown({ channel: 'ctv,audio' })).toEqual(['a', 'b']);
    expect(shown({ channel: 'olv,audio', price: 'fixed' })).toEqual(['a', 'c']);
    expect(shown({ room: 'least spend is within my budget' }, '4000')).toEqual(['b', 'c']);
  });

  it('count what each value would show beside the other questions', () => {
    const facets = facetsOf('');
    const chosen = chosenIn(facets, { channel: 'audio', price: 'fixed' });
    const [channel] = facets;
    expect(channel && countsOf(channel, offers, facets, chosen)).toEqual([
      ['olv', 2],
      ['ctv', 1],
      ['audio', 0],
    ]);
  });
});
