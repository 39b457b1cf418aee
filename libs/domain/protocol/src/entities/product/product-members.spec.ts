import { describe, expect, it } from '@jest/globals';
import { must, type JsonObject } from '@switchyard/values';
import { lostInAnswer } from '../../losses/lost-in-answer.js';
import { getProducts } from '../../tasks/get-products.js';
import type { Form, WireProfile } from '../../versions/wire-profile.js';
import { publicProduct } from './project-product.js';

const profile = (form: Form): WireProfile => ({ dialect: 'adcp', form });
const fixed = { pricing_option_id: 'o', pricing_model: 'cpm', currency: 'USD', fixed_price: 5 };
const product = (more: JsonObject): JsonObject => ({
  product_id: 'p1',
  name: 'Homepage',
  pricing_options: [fixed],
  ...more,
});

/** A product of one form as a buyer of another form gets it, with the reported losses. */
function passed(more: JsonObject, from: Form, to: Form) {
  const read = must(getProducts.readAnswer({ products: [product(more)] }, profile(from), new Map()));
  const written = getProducts.projectAnswer(read.answer, profile(to));
  const lost = lostInAnswer('get_products', read.answer, written, to).map(({ field }) => field);
  return { product: (written['products'] as JsonObject[])[0] ?? {}, lost };
}

const policy = {
  notice_period: { interval: 14, unit: 'days' },
  cancellation_fee: { type: 'percent_remaining', rate: 0.5 },
};

describe('members of a product', () => {
  it.each(['2.5', '3.0', '3.1'] as const)('is_custom is unchanged in %s', (to) => {
    for (const from of ['2.5', '3.0', '3.1'] as const)
      for (const isCustom of [true, false]) {
        const { product, lost } = passed({ is_custom: isCustom }, from, to);
        expect([product['is_custom'], lost.filter((field) => field?.includes('custom'))]).toEqual([
          isCustom,
          [],
        ]);
      }
  });

  const alike = {
    brief_relevance: 'Coffee is drunk in the morning.',
    expires_at: '2090-03-01T00:00:00Z',
    creative_policy: { co_branding: 'none', landing_page: 'any', templates_available: true },
    placements: [{ placement_id: 'top', name: 'Top' }],
    ext: { vendor: { tier: 1 } },
  };

  it.each([
    ['2.5', '3.0'],
    ['3.0', '2.5'],
    ['3.1', 'service'],
    ['service', '3.0'],
    ['2.5', 'service'],
  ] as const)('are the same in %s and in %s', (from, to) => {
    const { product: written, lost } = passed(alike, from, to);
    expect(written).toMatchObject(alike);
    expect(lost).toEqual([]);
  });

  it('are left out if the release does not allow their values, and reported as lost', () => {
    const odd = { expires_at: 'soon', creative_policy: { co_branding: 'none' }, brief_relevance: 7 };
    const { product: written, lost } = passed(odd, '2.5', '3.1');
    expect(Object.keys(written).filter((name) => name in odd)).toEqual([]);
    expect(lost).toEqual(expect.arrayContaining(Object.keys(odd).map((name) => `products[].${name}`)));
  });

  it("placements are targetable if the seller's release has no mode for them, and each has a name", () => {
    const inline = passed({ placements: [{ placement_id: 'top', name: 'Top' }] }, '3.0', '3.1').product;
    expect(inline['placements']).toEqual([
      { kind: 'seller_inline', mode: 'targetable', placement_id: 'top', name: 'Top' },
    ]);
    const referred = {
      kind: 'publisher_ref',
      mode: 'included',
      placement_id: 'top',
      publisher_domain: 'a.example',
    };
    expect(passed({ placements: [referred] }, '3.1', '3.0').product['placements']).toEqual([
      { ...referred, name: 'top' },
    ]);
  });
});

describe('measurement of a product', () => {
  const received = { provider: 'Counts Inc', notes: 'by panel' };

  it("has the seller's value in every version", () => {
    for (const from of ['service', '2.5', '3.0', '3.1'] as const)
      for (const to of ['service', '2.5', '3.0', '3.1'] as const) {
        const { product: written, lost } = passed({ delivery_measurement: received }, from, to);
        expect([from, to, written['delivery_measurement']]).toEqual([from, to, received]);
        expect(lost).not.toContain('products[].delivery_measurement');
      }
  });

  it('is a text made of its vendors before 3.1', () => {
    const vendors = [{ domain: 'a.example' }, { domain: 'b.example' }];
    for (const to of ['2.5', '3.0'] as const)
      expect(
        passed({ delivery_measurement: { vendors } }, '3.1', to).product['delivery_measurement'],
      ).toEqual({
        vendors,
        provider: 'a.example, b.example',
      });
  });

  it('is the billing vendor or the seller in 2.5, which requires one, and is never invented elsewhere', () => {
    const billing = { measurement_terms: { billing_measurement: { vendor: { domain: 'c.example' } } } };
    expect(passed(billing, '3.1', '2.5').product['delivery_measurement']).toEqual({ provider: 'c.example' });
    expect(passed({}, '3.1', '2.5').product['delivery_measurement']).toEqual({ provider: 'seller' });
    for (const to of ['service', '3.0', '3.1'] as const)
      expect(passed({}, '2.5', to).product).not.toHaveProperty('delivery_measurement');
  });

  it('of outcomes has other names in 2.5 and 3.x, and a window as text in 2.5 and as a duration in 3.x', () => {
    const base = { type: 'incremental_sales_lift', attribution: 'deterministic', reporting: 'weekly' };
    const words = { measurement: { ...base, window: '30 days' } };
    const length = { outcome_measurement: { ...base, window: { interval: 30, unit: 'days' } } };
    expect(passed(words, '2.5', '3.0')).toMatchObject({ product: length, lost: [] });
    expect(passed(length, '3.1', '2.5')).toMatchObject({ product: words, lost: [] });
    const { reporting: _none, ...part } = base;
    for (const odd of [{ ...base, window: 'a while' }, { ...base, window: '0 days' }, part]) {
      const vague = passed({ measurement: odd }, '2.5', '3.0');
      expect(vague.product).not.toHaveProperty('outcome_measurement');
      expect(vague.lost).toContain('products[].measurement');
    }
  });

  it('has default terms in 3.x and in the service form, which are reported as lost in 2.5', () => {
    const terms = {
      measurement_terms: {
        billing_measurement: { vendor: { domain: 'c.example' }, max_variance_percent: 5 },
      },
      performance_standards: [{ metric: 'viewability', threshold: 0.7, vendor: { domain: 'c.example' } }],
    };
    for (const to of ['service', '3.0'] as const)
      expect(passed(terms, '3.1', to).product).toMatchObject(terms);
    const old = passed(terms, '3.1', '2.5');
    expect(old.lost).toEqual(['products[].measurement_terms', 'products[].performance_standards']);
  });
});

describe('terms of cancellation', () => {
  it('are shown in 3.x and in the service form, and reported as lost in 2.5', () => {
    for (const to of ['service', '3.0', '3.1'] as const) {
      expect(passed({ cancellation_policy: policy }, '3.1', to).product['cancellation_policy']).toEqual(
        policy,
      );
      expect(passed({ cancellation_policy: policy }, 'service', to).lost).toEqual([]);
    }
    expect(passed({ cancellation_policy: policy }, '3.1', '2.5').lost).toEqual([
      'products[].cancellation_policy',
    ]);
  });

  it.each([
    ['no notice', { cancellation_fee: { type: 'none' } }],
    ['an unknown unit of notice', { ...policy, notice_period: { interval: 1, unit: 'moons' } }],
    ['a share without its rate', { ...policy, cancellation_fee: { type: 'percent_remaining' } }],
    ['a rate above 1', { ...policy, cancellation_fee: { type: 'percent_remaining', rate: 1.5 } }],
    ['a fixed fee without its amount', { ...policy, cancellation_fee: { type: 'fixed_fee' } }],
    ['an unknown type of fee', { ...policy, cancellation_fee: { type: 'by_mood' } }],
  ])('with %s are left out for a buyer whose release does not allow them, and are reported', (_, odd) => {
    const { product: written, lost } = passed({ cancellation_policy: odd }, 'service', '3.1');
    expect(written).not.toHaveProperty('cancellation_policy');
    expect(lost).toContain('products[].cancellation_policy');
  });

  it('and prices of signals are hidden from callers without credentials, in every version', () => {
    const priced = {
      cancellation_policy: { ...policy, cancellation_fee: { type: 'fixed_fee', amount: 777 } },
      signal_targeting_options: [
        { name: 's', pricing_options: [{ model: 'cpm', cpm: 777, currency: 'USD' }] },
      ],
    };
    for (const from of ['service', '3.0', '3.1'] as const) {
      const read = must(getProducts.readAnswer({ products: [product(priced)] }, profile(from), new Map()));
      const products = read.answer.products.map(publicProduct);
      for (const to of ['service', '2.5', '3.0', '3.1'] as const)
        expect(JSON.stringify(getProducts.projectAnswer({ products }, profile(to)))).not.toContain('777');
    }
  });
});

describe('a price', () => {
  const option = (more: JsonObject): JsonObject => ({
    pricing_option_id: 'x',
    pricing_model: 'cpm',
    currency: 'USD',
    ...more,
  });
  const idsOf = (one: JsonObject): unknown =>
    (one['pricing_options'] as JsonObject[]).map(({ pricing_option_id: id }) => id);

  it.each([
    ['2.5', 'a model of 3.x', { pricing_model: 'time', fixed_price: 9, parameters: { time_unit: 'day' } }],
    ['2.5', 'an auction of clicks', { pricing_model: 'cpc', floor_price: 1 }],
    ['3.0', 'an event of 3.1', { pricing_model: 'cpa', fixed_price: 9, event_type: 'follow' }],
    ['3.0', 'an event that costs nothing', { pricing_model: 'cpa', fixed_price: 0, event_type: 'purchase' }],
    [
      '3.1',
      'a time without a length',
      { pricing_model: 'time', price: 9, parameters: { time_unit: 'moon' } },
    ],
    [
      '3.1',
      'a view of no length',
      { pricing_model: 'cpv', price: 9, parameters: { view_threshold: { duration_seconds: 0 } } },
    ],
    [
      '2.5',
      'another system’s audience',
      { pricing_model: 'cpp', fixed_price: 9, parameters: { demographic: 'Adults' } },
    ],
  ] as const)(
    'that %s cannot express is left out there and reported, the others stay: %s',
    (to, _what, odd) => {
      const from = 'price' in odd ? 'service' : '3.1';
      const own = from === 'service' ? { ...fixed, price: 5 } : fixed;
      const { product: written, lost } = passed({ pricing_options: [own, option(odd)] }, from, to);
      expect(idsOf(written)).toEqual(['o']);
      expect(lost).toContain('products[].pricing_options');
    },
  );

  it('of an unknown model is shown in the service form, and left out if the list of models is closed', () => {
    const own = option({ pricing_model: 'cost-per-smile', price: 9 });
    expect(idsOf(passed({ pricing_options: [fixed, own] }, 'service', 'service').product)).toEqual([
      'o',
      'x',
    ]);
    const closed = passed({ pricing_options: [{ ...fixed, price: 5 }, own] }, 'service', '3.1');
    expect(idsOf(closed.product)).toEqual(['o']);
    expect(closed.lost).toContain('products[].pricing_options');
  });

  it('names its unit in the service form as well', () => {
    const timed = option({ pricing_model: 'time', fixed_price: 9, parameters: { time_unit: 'day' } });
    expect(passed({ pricing_options: [timed] }, '3.1', 'service').product['pricing_options']).toMatchObject([
      { pricing_model: 'time', price: 9, parameters: { time_unit: 'day' } },
    ]);
  });
});

describe('reporting capabilities of a product', () => {
  const reporting = {
    available_reporting_frequencies: ['hourly', 'daily'],
    expected_delay_minutes: 60,
    timezone: 'UTC',
    supports_webhooks: true,
    available_metrics: ['impressions', 'spend', 'completed_views'],
    date_range_support: 'date_range',
    windowed_pull_granularities: ['hourly'],
  };

  it('are in the service form too, so that a buyer knows the granularities', () => {
    const { product: written, lost } = passed({ reporting_capabilities: reporting }, '3.1', 'service');
    expect(written['reporting_capabilities']).toEqual(reporting);
    expect(lost).toEqual([]);
    expect(passed({}, '2.5', 'service').product).not.toHaveProperty('reporting_capabilities');
  });

  it('list the metrics of the release; others are reported as lost', () => {
    const metrics = (list: readonly string[], from: Form, to: Form) => {
      const received = { reporting_capabilities: { ...reporting, available_metrics: [...list] } };
      const { product: written, lost } = passed(received, from, to);
      return [(written['reporting_capabilities'] as JsonObject)['available_metrics'], lost];
    };
    const at = 'products[].reporting_capabilities.available_metrics';
    expect(metrics(['spend', 'completed_views'], '3.1', '2.5')).toEqual([['spend', 'video_completions'], []]);
    expect(metrics(['spend', 'video_completions'], '2.5', '3.1')).toEqual([['spend', 'completed_views'], []]);
    expect(metrics(['spend', 'plays'], '3.1', '3.0')).toEqual([['spend'], [at]]);
  });

  it('by postal area have a value for each country before 3.1', () => {
    const geo = { supports_geo_breakdown: { postal_area: { US: ['zip'], BR: ['cep'] } } };
    const { product: written, lost } = passed(
      { reporting_capabilities: { ...reporting, ...geo } },
      '3.1',
      '3.0',
    );
    expect(written['reporting_capabilities']).toMatchObject({
      supports_geo_breakdown: { postal_area: { us_zip: true } },
    });
    expect(lost).toEqual(['products[].reporting_capabilities.supports_geo_breakdown.postal_area.BR']);
  });
});

describe('trusted match of a product', () => {
  const match = (...types: string[]) => ({
    trusted_match: { providers: [{ agent_url: 'https://m.example', uid_types: types }, { agent_url: 'x' }] },
  });
  const matched = (from: Form, to: Form) =>
    passed(match('uid2', 'world_id_nullifier', 'other'), from, to).product['trusted_match'];

  it('has the identity type other in 3.0 for a type that only 3.1 has', () => {
    expect(matched('3.1', '3.0')).toEqual(match('uid2', 'other')['trusted_match']);
    expect(matched('3.0', '3.1')).toEqual(match('uid2', 'world_id_nullifier', 'other')['trusted_match']);
  });
});
