import { describe, expect, it } from '@jest/globals';
import { chosenIn, countsOf, facetsOf, fits, isPriced } from './facets.js';
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
  offer('a', { channels: ['olv', 'ctv'], minimum: '5000', formats: ['video_15s'] }),
  offer('b', {
    channels: ['audio'],
    isAuction: true,
    seller: 'bluebird',
    price: '20',
    formats: ['audio', 'video_15s'],
  }),
  offer('c', { channels: ['olv'], currency: 'EUR' }),
];
const shown = (
  filters: Readonly<Record<string, string>>,
  budget = '',
  own: readonly string[] = [],
): readonly string[] => {
  const facets = facetsOf(budget, new Set(own));
  const chosen = chosenIn(facets, filters);
  return offers
    .filter((one) => fits(one, facets, chosen) && isPriced(one, filters))
    .map(({ productId }) => productId);
};

describe('the facets of offers', () => {
  it('widen within one question, and narrow from one question to the next', () => {
    expect(shown({})).toEqual(['a', 'b', 'c']);
    expect(shown({ channel: 'ctv,audio' })).toEqual(['a', 'b']);
    expect(shown({ channel: 'olv,audio', price: 'fixed' })).toEqual(['a', 'c']);
    expect(shown({ can: 'least spend is within my budget' }, '4000')).toEqual(['b', 'c']);
  });

  it('ask for both, where it has to fit a creative and the budget', () => {
    const both = 'a creative of mine fits,least spend is within my budget';
    expect(shown({ can: 'a creative of mine fits' }, '4000', ['video_15s'])).toEqual(['a', 'b']);
    expect(shown({ can: both }, '4000', ['video_15s'])).toEqual(['b']);
  });

  it('keep the offers between two prices, and without either all', () => {
    expect(shown({ least: '9', most: '10' })).toEqual(['a', 'c']);
    expect(shown({ least: '10.01' })).toEqual(['b']);
    expect(shown({ most: 'cheap' })).toEqual(['a', 'b', 'c']);
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
