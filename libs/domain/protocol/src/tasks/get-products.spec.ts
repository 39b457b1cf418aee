import { describe, expect, it } from '@jest/globals';
import { must, parseStrictJson, type JsonObject } from '@switchyard/values';
import type { Product } from '../entities/product/product.js';
import type { Form, WireProfile } from '../versions/wire-profile.js';
import { publicProduct } from '../entities/product/project-product.js';
import { getProducts } from './get-products.js';

const profile = (form: Form): WireProfile => ({ dialect: 'ads', form });
const product = (pricing: JsonObject[], more: JsonObject = {}): JsonObject => ({
  product_id: 'p1',
  name: 'Homepage',
  description: 'Top',
  pricing_options: pricing,
  ...more,
});
const option = (members: JsonObject): JsonObject => ({
  pricing_option_id: 'o1',
  pricing_model: 'cpm',
  ...members,
});

function readAll(
  products: JsonObject[],
  form: Form,
): { products: readonly Product[]; setAside: readonly unknown[] } {
  const result = must(getProducts.readAnswer({ products }, profile(form), new Map()));
  return { products: result.answer.products, setAside: result.setAside };
}

function priceOf(members: JsonObject, form: Form): unknown {
  const [read] = readAll([product([option(members)])], form).products;
  const price = read?.pricingOptions[0];
  return price === undefined
    ? undefined
    : [price.model, price.currency, price.fixedPrice ?? '-', price.floorPrice ?? '-', price.auction];
}

describe('a price', () => {
  it('has the same meaning in every form’s members', () => {
    const usd = { currency: 'USD' };
    expect(priceOf({ price: 12.5 }, 'service')).toEqual(['cpm', 'USD', '12.5', '-', false]);
    expect(priceOf({ pricing_model: 'cpm-auction', floor: 3 }, 'service')).toEqual([
      'cpm',
      'USD',
      '-',
      '3',
      true,
    ]);
    expect(priceOf({ pricing_model: 'flat-fee', price: 900 }, 'service')).toEqual([
      'flat_rate',
      'USD',
      '900',
      '-',
      false,
    ]);
    expect(priceOf({ ...usd, rate: 12.5, is_fixed: true }, '2.5')).toEqual([
      'cpm',
      'USD',
      '12.5',
      '-',
      false,
    ]);
    expect(priceOf({ ...usd, is_fixed: false, price_guidance: { floor: 3 } }, '2.5')).toEqual([
      ...['cpm', 'USD', '-', '3', true],
    ]);
    expect(priceOf({ ...usd, is_fixed: false, rate: 9, price_guidance: { floor: 3 } }, '2.5')).toEqual([
      ...['cpm', 'USD', '-', '3', true],
    ]);
    expect(priceOf({ ...usd, fixed_price: 12.5 }, '3.0')).toEqual(['cpm', 'USD', '12.5', '-', false]);
    expect(priceOf({ ...usd, floor_price: 3 }, '3.1')).toEqual(['cpm', 'USD', '-', '3', true]);
    expect(priceOf(usd, '3.1')).toEqual(['cpm', 'USD', '-', '-', true]);
  });

  it('of an auction is only its floor, with any amount beside it', () => {
    expect(priceOf({ pricing_model: 'cpm-auction', price: 9, floor: 3 }, 'service')).toEqual([
      ...['cpm', 'USD', '-', '3', true],
    ]);
  });

  it('that is fixed has no floor, with any amount beside it', () => {
    for (const form of ['3.0', '3.1'] as const)
      expect(priceOf({ currency: 'USD', fixed_price: 9, floor_price: 3 }, form)).toEqual([
        ...['cpm', 'USD', '9', '-', false],
      ]);
  });

  it('of an auction without a floor is still one in each form, and has the floor zero if a form requires one', () => {
    const open = (model: string): JsonObject => option({ pricing_model: model, currency: 'USD' });
    const shownIn = (model: string, to: Form): JsonObject | undefined => {
      const { products } = readAll([product([open(model)])], '3.1');
      const [shown] = getProducts.projectAnswer({ products }, profile(to))['products'] as JsonObject[];
      return (shown?.['pricing_options'] as JsonObject[])[0];
    };
    expect(shownIn('cpm', '2.5')).toMatchObject({ is_fixed: false, price_guidance: { floor: 0 } });
    expect(shownIn('cpc', 'service')).toMatchObject({ pricing_model: 'cpc', floor: 0 });
    expect(shownIn('cpm', 'service')).toMatchObject({ pricing_model: 'cpm-auction' });
    expect(shownIn('cpm', 'service')).not.toHaveProperty('floor');
  });

  it('keeps the amounts of winning bids and their source, if a form has a member for them', () => {
    const bids = { p25: 1, p50: 2, p75: 3, p90: 4 };
    const breakdown = { list_price: 12, adjustments: [{ kind: 'fee', name: 'Ad serving', amount: 2 }] };
    const { products } = readAll(
      [
        product([
          option({ pricing_option_id: 'a', currency: 'USD', floor_price: 3, price_guidance: bids }),
          option({ pricing_option_id: 'f', currency: 'USD', fixed_price: 14, price_breakdown: breakdown }),
        ]),
      ],
      '3.1',
    );
    const shownIn = (to: Form): unknown => {
      const [shown] = getProducts.projectAnswer({ products }, profile(to))['products'] as JsonObject[];
      return shown?.['pricing_options'];
    };
    expect(shownIn('2.5')).toMatchObject([{ price_guidance: { floor: 3, ...bids } }, {}]);
    expect(shownIn('service')).toMatchObject([{ price_guidance: bids }, { price_breakdown: breakdown }]);
  });

  it('of a flat rate has the type dooh in 3.x if an older form names a share of a screen', () => {
    const screen = option({ pricing_model: 'flat-fee', price: 900, parameters: { sov_percentage: 10 } });
    const { products } = readAll([product([screen])], 'service');
    const [shown] = getProducts.projectAnswer({ products }, profile('3.1'))['products'] as JsonObject[];
    expect(shown?.['pricing_options']).toMatchObject([
      { pricing_model: 'flat_rate', fixed_price: 900, parameters: { type: 'dooh', sov_percentage: 10 } },
    ]);
  });

  it('has the service form’s own names of models there, and the others’ elsewhere', () => {
    const members = [
      option({ pricing_option_id: 'fixed', currency: 'USD', fixed_price: 2 }),
      option({ pricing_option_id: 'auction', currency: 'USD', floor_price: 3 }),
      option({ pricing_option_id: 'flat', pricing_model: 'flat_rate', currency: 'USD', fixed_price: 900 }),
    ];
    const { products } = readAll([product(members)], '3.1');
    const modelsIn = (to: Form): unknown => {
      const [shown] = getProducts.projectAnswer({ products }, profile(to))['products'] as JsonObject[];
      return (shown?.['pricing_options'] as JsonObject[]).map((one) => one['pricing_model']);
    };
    expect(modelsIn('service')).toEqual(['cpm', 'cpm-auction', 'flat-fee']);
    for (const to of ['2.5', '3.0', '3.1'] as const)
      expect([to, modelsIn(to)]).toEqual([to, ['cpm', 'cpm', 'flat_rate']]);
  });

  it('is in US dollars if the service form names no currency, and in none elsewhere', () => {
    expect(priceOf({ price: 1, currency: 'EUR' }, 'service')).toEqual(['cpm', 'EUR', '1', '-', false]);
    expect(priceOf({ fixed_price: 1 }, '3.1')).toBeUndefined();
    expect(priceOf({ fixed_price: 1, currency: 'dollars' }, '3.1')).toBeUndefined();
  });

  it('that is negative or no number is set aside, and the rest of the product is kept', () => {
    const bad = option({ pricing_option_id: 'bad', currency: 'USD', fixed_price: -1 });
    const worse = option({ pricing_option_id: 'worse', currency: 'USD', fixed_price: '12' });
    const least = option({
      pricing_option_id: 'least',
      currency: 'USD',
      fixed_price: 1,
      min_spend_per_package: -1,
    });
    const { products, setAside } = readAll(
      [product([bad, option({ currency: 'USD', fixed_price: 1 }), worse, least])],
      '3.1',
    );
    expect(products[0]?.pricingOptions.map(({ pricingOptionId }) => pricingOptionId)).toEqual(['o1']);
    expect(setAside).toMatchObject([
      { code: 'PRICING_OPTION_SET_ASIDE', field: 'p1' },
      { code: 'PRICING_OPTION_SET_ASIDE', field: 'p1' },
      { code: 'PRICING_OPTION_SET_ASIDE', field: 'p1' },
    ]);
  });

  it('keeps digits that a double would lose', () => {
    const text =
      '{"products":[{"product_id":"p","name":"n","pricing_options":[{"pricing_option_id":"o","pricing_model":"cpm","currency":"USD","fixed_price":0.12345678901234567891}]}]}';
    const parsed = must(parseStrictJson(Buffer.from(text)));
    const result = getProducts.readAnswer(parsed.value as JsonObject, profile('3.1'), parsed.exact);
    expect(result.ok && result.value.answer.products[0]?.pricingOptions[0]?.fixedPrice).toBe(
      '0.12345678901234567891',
    );
  });

  it('is the same after a conversion between any two forms', () => {
    const forms: readonly Form[] = ['service', '2.5', '3.0', '3.1'];
    const { products } = readAll(
      [
        product([
          option({ price: 12.5 }),
          option({ pricing_option_id: 'a', pricing_model: 'cpm-auction', floor: 3, currency: 'EUR' }),
          option({ pricing_option_id: 'f', pricing_model: 'flat-fee', price: 900 }),
        ]),
      ],
      'service',
    );
    const essence = (list: readonly Product[]) =>
      list.flatMap((current) => current.pricingOptions.map(({ original: _original, ...rest }) => rest));
    for (const first of forms) {
      const once = readAll(
        (getProducts.projectAnswer({ products }, profile(first))['products'] ?? []) as JsonObject[],
        first,
      );
      for (const second of forms) {
        const twice = getProducts.projectAnswer({ products: once.products }, profile(second))['products'];
        expect(essence(readAll((twice ?? []) as JsonObject[], second).products)).toEqual(essence(products));
      }
    }
  });
});

describe('a product', () => {
  it('without a delivery type is guaranteed if it is sold at a flat rate, and otherwise not', () => {
    const typeOf = (model: string, more: JsonObject = {}): unknown =>
      readAll([product([option({ pricing_model: model, price: 9 })], more)], 'service').products[0]
        ?.deliveryType;
    expect([typeOf('flat-fee'), typeOf('cpm')]).toEqual(['guaranteed', 'non_guaranteed']);
    expect(typeOf('cpm', { delivery_type: 'guaranteed' })).toBe('guaranteed');
  });

  it('has the reporting delay that its seller declares, if it is realistic', () => {
    const delayOf = (minutes: number): unknown =>
      readAll([product([], { reporting_capabilities: { expected_delay_minutes: minutes } })], '3.1')
        .products[0]?.expectedDelayMinutes;
    expect([0, 240, 129_600].map(delayOf)).toEqual([0, 240, 129_600]);
    expect([-1, 129_601].map(delayOf)).toEqual([undefined, undefined]);
  });

  it('names each of its publishers, one by one or in a list', () => {
    const listed = [{ publisher_domains: ['a.example', 'b.example'] }, { publisher_domain: 'c.example' }];
    const [read] = readAll([product([], { publisher_properties: listed })], '3.1').products;
    expect(read?.publisherProperties.map(({ publisherDomain }) => publisherDomain)).toEqual([
      ...['a.example', 'b.example', 'c.example'],
    ]);
  });

  it('without id, name or usable price is set aside with the reason', () => {
    const { products, setAside } = readAll(
      [
        product([]),
        { name: 'n', pricing_options: [] },
        { product_id: 'x', pricing_options: [] },
        { product_id: 'y', name: 'n', pricing_options: 'free' },
        product([option({ currency: 'USD', fixed_price: -5 })]),
      ],
      '3.1',
    );
    expect(products).toHaveLength(1);
    expect(setAside).toHaveLength(4);
    expect(getProducts.readAnswer({ products: { a: 1 } }, profile('3.1'))).toMatchObject({ ok: false });
  });

  it('names its seller, at the top in the service form and under ext elsewhere, beside other members', () => {
    const priced = readAll(
      [product([option({ currency: 'USD', fixed_price: 1 })], { ext: { vendor: { a: 1 } } })],
      '3.1',
    );
    const named = priced.products.map((current) => ({ ...current, productId: 'acme:p1', seller: 'acme' }));
    expect(getProducts.projectAnswer({ products: named }, profile('3.1'))).toMatchObject({
      products: [{ product_id: 'acme:p1', ext: { vendor: { a: 1 }, switchyard: { seller: 'acme' } } }],
    });
    expect(getProducts.projectAnswer({ products: named }, profile('service'))).toMatchObject({
      products: [{ product_id: 'acme:p1', seller: 'acme' }],
    });
  });

  it('shows the public no figure in any form, and keeps ids, models and currencies', () => {
    for (const form of ['service', '2.5', '3.0', '3.1'] as const) {
      const figures = {
        price: 7.77,
        rate: 7.77,
        fixed_price: 7.77,
        min_spend_per_package: 7.77,
        eligible_adjustments: [{ kind: 'fee', amount: 7.77 }],
        currency: 'USD',
      };
      const { products } = readAll(
        [product([option(figures)], { forecast: { at: 7.77 }, product_card: { price_label: '7.77' } })],
        form,
      );
      for (const to of ['service', '2.5', '3.0', '3.1'] as const) {
        const shown = getProducts.projectAnswer({ products: products.map(publicProduct) }, profile(to));
        expect(JSON.stringify(shown)).not.toContain('7.77');
        expect(shown).toMatchObject({
          products: [{ pricing_options: [{ pricing_option_id: 'o1', pricing_model: 'cpm' }] }],
        });
      }
    }
  });
});

describe('a request for products', () => {
  it('requests everything if it has no brief, and keeps its filters', () => {
    const request = must(
      getProducts.readRequest({ filters: { channels: ['ctv'], budget: 500 } }, profile('service'), new Map()),
    );
    expect(request).toMatchObject({
      buyingMode: 'wholesale',
      filters: { budget: { max: '500', currency: 'USD' } },
    });
    expect(getProducts.projectRequest(request, profile('3.1')).args).toMatchObject({
      buying_mode: 'wholesale',
      filters: { channels: ['ctv'], budget_range: { max: 500, currency: 'USD' } },
    });
  });

  it('is refused with the field for a wrong type', () => {
    expect(getProducts.readRequest({ brief: 7 }, profile('service'), new Map())).toMatchObject({
      ok: false,
      error: [{ code: 'VALIDATION_ERROR', field: 'brief' }],
    });
    expect(getProducts.readRequest({ filters: { channels: 'tv' } }, profile('3.1'), new Map())).toMatchObject(
      {
        ok: false,
        error: [{ code: 'VALIDATION_ERROR', field: 'filters.channels' }],
      },
    );
  });
});

describe('filters for a seller', () => {
  const sent = (filters: JsonObject, from: Form, to: Form) => {
    const request = must(getProducts.readRequest({ brief: 'b', filters }, profile(from), new Map()));
    const { args, findings } = getProducts.projectRequest(request, profile(to));
    return { filters: args['filters'], lost: findings.map(({ code, field }) => `${code} ${String(field)}`) };
  };
  const newest: JsonObject = {
    pricing_currencies: ['EUR'],
    required_metrics: ['clicks'],
    required_vendor_metrics: [{ metric_id: 'attention' }],
    video_placement_types: ['instream'],
    audio_distribution_types: ['podcast'],
    sponsored_placement_types: ['sponsored_search'],
    social_placement_surfaces: ['feed'],
  };
  const lostOf = (filters: JsonObject) => Object.keys(filters).map((name) => `NOT_CARRIED filters.${name}`);

  it('leave out members of 3.1 for 3.0, and report it; members of 3.0 are sent', () => {
    const older = { countries: ['US'], regions: ['US-NY'], keywords: [{ keyword: 'shoes' }], own: { a: 1 } };
    expect(sent({ ...older, ...newest }, '3.1', '3.0')).toEqual({ filters: older, lost: lostOf(newest) });
    expect(sent({ ...older, ...newest }, '3.1', '3.1')).toEqual({
      filters: { ...older, ...newest },
      lost: [],
    });
    expect(sent(older, '3.0', '3.1')).toEqual({ filters: older, lost: [] });
  });

  it('leave out members newer than 2.5 for it, each with a finding', () => {
    const older = { countries: ['US'], min_exposures: 5, start_date: '2026-12-01', end_date: '2026-12-31' };
    const modern = { regions: ['US-NY'], exclusivity: 'exclusive', ...newest };
    expect(sent({ ...older, ...modern }, '3.1', '2.5')).toEqual({ filters: older, lost: lostOf(modern) });
  });

  it('name channels in the seller’s terms', () => {
    expect(sent({ channels: ['video', 'ctv', 'retail'] }, '2.5', '3.1')).toEqual({
      filters: { channels: ['olv', 'ctv', 'retail_media'] },
      lost: [],
    });
    expect(sent({ channels: ['olv', 'streaming_audio', 'display'] }, '3.0', '2.5')).toEqual({
      filters: { channels: ['video', 'audio', 'display'] },
      lost: [],
    });
    expect(sent({ channels: ['display', 'anything'] }, '3.1', 'service').filters).toEqual({
      channels: ['display', 'anything'],
    });
  });

  it('omit all channels if the release lacks one of them: the rest alone would exclude products', () => {
    const lost = ['NOT_CARRIED filters.channels'];
    expect(sent({ channels: ['ctv', 'cinema'] }, '3.1', '2.5')).toEqual({ filters: {}, lost });
    expect(sent({ channels: ['ctv', 'tv'] }, 'service', '3.1')).toEqual({ filters: {}, lost });
  });
});

describe('the address of a brand manifest', () => {
  it.each([
    ['https://brand.example', []],
    ['https://brand.example/', []],
    ['https://brand.example/shop/brand.json', ['brand_manifest']],
    ['https://brand.example/?of=shop', ['brand_manifest']],
    [{ url: 'https://brand.example/shop' }, ['brand_manifest.url']],
  ] as const)('%j is reported if only its domain is passed on and it contains more', (manifest, fields) => {
    const read = must(
      getProducts.readRequest({ brief: 'Coffee', brand_manifest: manifest }, profile('2.5'), new Map()),
    );
    const { args, findings } = getProducts.projectRequest(read, profile('3.1'));
    expect(args['brand']).toEqual({ domain: 'brand.example' });
    expect(findings.map(({ field }) => field)).toEqual(fields);
  });
});

describe('a brand', () => {
  it.each(['service', '2.5', '3.0', '3.1'] as const)(
    'that is named by no domain is refused in %s',
    (form) => {
      const request = { brief: 'Coffee', brand: { domain: 'Bike Shop & Sons' } };
      const received = getProducts.readRequest(request, profile(form), new Map());
      expect(received.ok ? [] : received.error).toMatchObject([
        { code: 'VALIDATION_ERROR', field: 'brand.domain' },
      ]);
    },
  );
});

describe('a time budget', () => {
  it.each<[JsonObject, string]>([
    [{ interval: 0, unit: 'seconds' }, 'time_budget.interval'],
    [{ interval: 1.5, unit: 'seconds' }, 'time_budget.interval'],
    [{ interval: 1, unit: 'fortnights' }, 'time_budget.unit'],
    [{ interval: 1 }, 'time_budget.unit'],
  ])('that is invalid is refused at once: %j', (time_budget, field) => {
    const request = getProducts.readRequest({ brief: 'video', time_budget }, profile('service'), new Map());
    expect(request).toMatchObject({ ok: false, error: [{ code: 'VALIDATION_ERROR', field }] });
  });
});
