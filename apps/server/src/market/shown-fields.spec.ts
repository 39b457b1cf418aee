import { describe, expect, it } from '@jest/globals';
import { shownFields } from './shown-fields.js';

const product = {
  product_id: 'acme:p',
  name: 'P',
  description: 'D',
  publisher_properties: [],
  delivery_type: 'guaranteed',
  delivery_measurement: { provider: 'x' },
  pricing_options: [],
  format_ids: [],
  reporting_capabilities: {},
  ext: { switchyard: { seller: 'acme' } },
  channels: ['ctv'],
  forecast: { points: [] },
};

describe('the members of products that a buyer requests', () => {
  it('are shown beside required ones and the seller, and no others', () => {
    const { channels: _not, ...without } = product;
    const shown = shownFields({ products: [product], pagination: { has_more: false } }, 'products', [
      'forecast',
    ]);
    expect(shown).toEqual({ products: [without], pagination: { has_more: false } });
  });

  it('do not change an answer without products', () => {
    expect(shownFields({ unchanged: true }, 'products', ['forecast'])).toEqual({ unchanged: true });
  });
});
