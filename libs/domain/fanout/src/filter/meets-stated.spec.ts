import { describe, expect, it } from '@jest/globals';
import { getProducts, type Product } from '@switchyard/protocol';
import { must, type JsonObject } from '@switchyard/values';
import { mergeProducts } from '../merge.js';

const agent = 'https://creative.adcontextprotocol.org';
const reporting = (available: string[], more: JsonObject = {}): JsonObject => ({
  reporting_capabilities: { available_metrics: available, ...more },
});
const attention = { vendor: { domain: 'attention.example' }, metric_id: 'attention_units' };

function product(more: JsonObject): Product {
  const value = { product_id: 'p', name: 'p', pricing_options: [], ...more };
  const read = getProducts.readAnswer({ products: [value] }, { dialect: 'adcp', form: '3.1' });
  const [only] = read.ok ? read.value.answer.products : [];
  if (only === undefined) throw new Error('The product of a test cannot be read.');
  return only;
}

function filtersOf(filters: JsonObject, form: 'service' | '3.1') {
  const args = { brief: 'b', filters };
  return must(getProducts.readRequest(args, { dialect: 'ads', form }, new Map()));
}

const isKept = (reported: JsonObject, filters: JsonObject, form: 'service' | '3.1' = '3.1'): boolean =>
  mergeProducts([{ seller: 'a', items: [product(reported)] }], filtersOf(filters, form)).items.length === 1;

describe('a product that does not meet the filters', () => {
  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    ['exposures', { min_exposures: 1000 }, { estimated_exposures: 1000 }, { estimated_exposures: 999 }],
    ['countries', { countries: ['US', 'CA'] }, { countries: ['CA'] }, { countries: ['DE'] }],
    ['exclusivity', { exclusivity: 'exclusive' }, { exclusivity: 'exclusive' }, { exclusivity: 'category' }],
    [
      'kinds of video',
      { video_placement_types: ['instream'] },
      { video_placement_types: ['instream', 'interstitial'] },
      { video_placement_types: ['standalone'] },
    ],
    [
      'kinds of audio',
      { audio_distribution_types: ['podcast'] },
      { audio_distribution_types: ['podcast'] },
      { audio_distribution_types: ['web_radio'] },
    ],
    [
      'kinds of sponsored placements',
      { sponsored_placement_types: ['sponsored_search'] },
      { sponsored_placement_types: ['sponsored_search'] },
      { sponsored_placement_types: ['sponsored_display'] },
    ],
    [
      'social surfaces',
      { social_placement_surfaces: ['feed'] },
      { social_placement_surfaces: ['feed', 'stories'] },
      { social_placement_surfaces: ['search'] },
    ],
    [
      'metrics; all report impressions and spend',
      { required_metrics: ['impressions', 'spend', 'clicks'] },
      reporting(['clicks', 'views']),
      reporting(['views']),
    ],
    [
      'metrics of a vendor',
      { required_vendor_metrics: [{ vendor: { domain: 'attention.example' } }] },
      reporting([], { vendor_metrics: [attention] }),
      reporting([], { vendor_metrics: [{ ...attention, vendor: { domain: 'other.example' } }] }),
    ],
    [
      'all of several vendor metrics',
      { required_vendor_metrics: [attention, { metric_id: 'emissions' }] },
      reporting([], {
        vendor_metrics: [attention, { vendor: { domain: 'x.example' }, metric_id: 'emissions' }],
      }),
      reporting([], { vendor_metrics: [attention] }),
    ],
    [
      'signals of the buyer’s choice',
      { signal_targeting: [{ signal_ref: { scope: 'product', signal_id: 's' } }] },
      { signal_targeting_allowed: true },
      { signal_targeting_allowed: false },
    ],
    [
      'providers of trusted match',
      { trusted_match: { providers: [{ agent_url: 'https://tmp.example/', identity_match: true }] } },
      { trusted_match: { providers: [{ agent_url: 'https://tmp.example', identity_match: true }] } },
      { trusted_match: { providers: [{ agent_url: 'https://tmp.example', identity_match: false }] } },
    ],
    [
      'answers of trusted match',
      { trusted_match: { response_types: ['creative'] } },
      { trusted_match: { response_types: ['activation', 'creative'] } },
      { trusted_match: { response_types: ['activation'] } },
    ],
  ])('is left out by its %s, and one that says nothing of it stays', (_what, filters, fitting, other) => {
    expect(isKept(fitting, filters)).toBe(true);
    expect(isKept({}, filters)).toBe(true);
    expect(isKept(other, filters)).toBe(false);
  });
});

describe('a filter of channels', () => {
  it('finds a channel under its name in an older version, and under no other', () => {
    expect(isKept({ channels: ['olv'] }, { channels: ['video'] }, 'service')).toBe(true);
    expect(isKept({ channels: ['video'] }, { channels: ['olv', 'cinema'] })).toBe(true);
    expect(isKept({ channels: ['video'] }, { channels: ['ctv'] })).toBe(false);
    expect(isKept({ channels: ['podcast'] }, { channels: ['video'] }, 'service')).toBe(false);
    expect(isKept({ channels: ['cinema'] }, { channels: ['cinema'] })).toBe(true);
  });
});

describe('a filter of format types', () => {
  const wants = (type: string, reported: JsonObject): boolean =>
    isKept(reported, { format_types: [type] }, 'service');

  it('is compared with the types that a product states', () => {
    expect(wants('video', { format_types: ['video', 'audio'] })).toBe(true);
    expect(wants('video', { format_types: ['display'] })).toBe(false);
  });

  it('is compared with the types of its options and of standard formats', () => {
    expect(wants('video', { format_options: [{ format_kind: 'video_vast' }] })).toBe(true);
    expect(wants('video', { format_options: [{ format_kind: 'image' }, { format_kind: 'html5' }] })).toBe(
      false,
    );
    const standard = { format_ids: [{ agent_url: `${agent}/`, id: 'display_300x250' }] };
    expect(wants('display', standard)).toBe(true);
    expect(wants('video', standard)).toBe(false);
  });

  it('keeps a product with a format of unknown type, and one of any type', () => {
    const own = { agent_url: 'https://seller.example', id: 'display_thing' };
    expect(wants('video', { format_ids: [{ agent_url: agent, id: 'display_300x250' }, own] })).toBe(true);
    expect(wants('video', { format_ids: [{ agent_url: agent, id: 'universal_canvas' }] })).toBe(true);
    expect(wants('video', { formats: [{ type: 'universal' }] })).toBe(true);
    expect(wants('video', { format_options: [{ format_kind: 'custom' }] })).toBe(true);
  });
});

describe('a filter of prices', () => {
  it('leaves a product only the requested prices', () => {
    const prices = {
      pricing_options: [
        { pricing_option_id: 'fixed', pricing_model: 'cpm', currency: 'USD', fixed_price: 5 },
        { pricing_option_id: 'bid', pricing_model: 'cpm', currency: 'USD', floor_price: 2 },
        { pricing_option_id: 'euro', pricing_model: 'cpm', currency: 'EUR', fixed_price: 4 },
      ],
    };
    const left = (filters: JsonObject) =>
      mergeProducts([{ seller: 'a', items: [product(prices)] }], filtersOf(filters, '3.1')).items.flatMap(
        ({ item }) => item.pricingOptions.map(({ pricingOptionId }) => pricingOptionId),
      );
    expect(left({ is_fixed_price: true })).toEqual(['fixed', 'euro']);
    expect(left({ is_fixed_price: false })).toEqual(['bid']);
    expect(left({ is_fixed_price: true, pricing_currencies: ['EUR'] })).toEqual(['euro']);
    expect(left({ is_fixed_price: false, pricing_currencies: ['EUR'] })).toEqual([]);
    expect(left({})).toEqual(['fixed', 'bid', 'euro']);
  });
});
