import { describe, expect, it } from '@jest/globals';
import { mergeProducts } from '@switchyard/fanout';
import { getProducts, type GetProductsAnswer, type Product } from '@switchyard/protocol';
import { atOnce, must, type JsonObject } from '@switchyard/values';
import { mergeOffers } from '../../../market/merge-offers.js';
import { productsAnswer } from '../../../market/products-answer.js';
import { withFailed, writeItems } from './write-answer.js';

const profile = { dialect: 'adcp', form: '3.1' } as const;

function productsOf(count: number, more: JsonObject = {}): readonly Product[] {
  const products = Array.from({ length: count }, (_, at) => ({
    product_id: `p${at}`,
    name: 'P',
    description: 'A product.',
    publisher_properties: [{ publisher_domain: 'news.example', selection_type: 'all' }],
    format_ids: [{ agent_url: 'https://formats.example', id: 'f' }],
    pricing_options: [{ pricing_option_id: 'x', pricing_model: 'cpm', currency: 'USD', fixed_price: 5 }],
    ...more,
  }));
  const read = must(getProducts.readAnswer({ products }, profile));
  return read.answer.products;
}

const answerOf = (sellers: Readonly<Record<string, number>>): GetProductsAnswer => ({
  products: Object.entries(sellers).flatMap(([seller, count]) =>
    productsOf(count).map((product) => ({ ...product, seller })),
  ),
});
const sellersIn = (payload: JsonObject): readonly unknown[] =>
  (payload['products'] as { ext: { switchyard: { seller: string } } }[]).map(
    ({ ext }) => ext.switchyard.seller,
  );

describe('the items of many sellers in one answer', () => {
  it.each([
    ['a short answer', 3],
    ['a long one', 900],
  ])('are written except those of a seller that cannot be, in %s', (_what, count) => {
    const broken = {
      ...getProducts,
      projectAnswer: (...[answer, to]: Parameters<typeof getProducts.projectAnswer>) => {
        if (answer.products.some(({ seller }) => seller === 'bad')) throw new RangeError('too deep');
        return getProducts.projectAnswer(answer, to);
      },
    };
    const { payload, failed } = atOnce(
      writeItems(broken, answerOf({ acme: count, bad: count, bravo: count }), profile),
    );
    expect(failed).toEqual(['bad']);
    expect(sellersIn(payload)).toEqual([
      ...Array.from({ length: count }, () => 'acme'),
      ...Array.from({ length: count }, () => 'bravo'),
    ]);
    const rows = [
      { seller: 'acme', status: 'answered' },
      { seller: 'bad', status: 'answered' },
    ];
    expect(withFailed(rows, failed)).toMatchObject([{ status: 'answered' }, { status: 'failed', items: 0 }]);
  });

  it('are the same whether they are written at once or in slices', () => {
    const few = answerOf({ acme: 2, bravo: 2 });
    const many = answerOf({ acme: 400, bravo: 400 });
    const [short, long] = [few, many].map(
      (answer) => atOnce(writeItems(getProducts, answer, profile)).payload,
    );
    const [first] = short?.['products'] as unknown[];
    expect((long?.['products'] as unknown[])[0]).toEqual(first);
    expect(Object.keys(long ?? {}).sort()).toEqual(Object.keys(short ?? {}).sort());
  });
});

describe('the merged offers of sellers', () => {
  const merge = (offers: Parameters<typeof mergeProducts>[0]) => mergeProducts(offers, {});

  it('contain everything except invalid offers, and the sellers of these are reported separately', () => {
    const poisoned = productsOf(1).map((product) =>
      Object.defineProperty({ ...product }, 'pricingOptions', {
        get: () => {
          throw new RangeError('too deep');
        },
        enumerable: true,
      }),
    );
    const offers = [
      { seller: 'acme', items: productsOf(1) },
      { seller: 'bad', items: poisoned },
    ];
    const { items, failed } = atOnce(mergeOffers(offers, merge));
    expect([items.map(({ seller }) => seller), failed]).toEqual([['acme'], ['bad']]);
  });

  it('are cut above the limit of one answer: each seller loses its lowest ranked, and the answer reports it', () => {
    const all = productsOf(4_000);
    const legs = ['acme', 'bravo', 'carol', 'delta'].map((seller) => ({
      seller,
      answer: { products: all },
      setAside: [],
      findings: [],
    }));
    const question = {
      request: { buyingMode: 'brief' as const, filters: {} },
      args: {},
      profile,
      isPublic: false,
    };
    const payload = productsAnswer(question, { legs, rows: [], later: [] });
    const sellers = sellersIn(payload);
    expect(sellers.length).toBeLessThan(16_000);
    expect(sellers.length).toBeGreaterThan(4_000);
    expect(sellers.slice(0, 4)).toEqual(['acme', 'bravo', 'carol', 'delta']);
    expect(payload['incomplete']).toMatchObject([
      {
        scope: 'products',
        description: 'acme has more items than one answer can contain: use narrower filters.',
      },
      {},
      {},
      {},
    ]);
  });
});
