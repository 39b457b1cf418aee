import { describe, expect, it } from '@jest/globals';
import { fittedCatalog } from './fitted-catalog.js';

describe('a catalog', () => {
  it('whose feed has no name in 3.0 is left out there completely', () => {
    expect(fittedCatalog({ type: 'product', feed_format: 'tiktok_shop' }, '3.0')).toEqual({ lost: [''] });
  });

  it('names the events that 3.0 has, and reports the others', () => {
    const reported = { type: 'product', conversion_events: ['purchase', 'follow'] };
    expect(fittedCatalog(reported, '3.0')).toEqual({
      catalog: { type: 'product', conversion_events: ['purchase'] },
      lost: ['conversion_events'],
    });
  });

  it('is unchanged in 3.1, and if 3.0 has all its values', () => {
    const newest = { type: 'product', feed_format: 'tiktok_shop', conversion_events: ['follow'] };
    expect(fittedCatalog(newest, '3.1')).toEqual({ catalog: newest, lost: [] });
    const known = { type: 'product', feed_format: 'shopify', conversion_events: ['purchase'] };
    expect(fittedCatalog(known, '3.0')).toEqual({ catalog: known, lost: [] });
  });
});
