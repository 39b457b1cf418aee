import { describe, expect, it } from '@jest/globals';
import type { PricingOption, PublisherProperty } from '@switchyard/protocol';
import { comparablePrices } from '../filter/comparable-prices.js';
import { furtherPages, type Pages } from './further-pages.js';
import { mergeProposals } from '../merge.js';
import { answerIdOf, openCursor, writeCursor } from '../page-cursor.js';
import { passesProduct } from '../filter/filter-items.js';
import { mergeVerdicts, refineFor } from '../refine-for.js';
import { sameSupply } from '../same-supply.js';
import { original, product } from '../testkit/market-objects.js';

const price = (model: string, currency: string, more: Partial<PricingOption>): PricingOption => ({
  pricingOptionId: `${model} ${currency}`,
  model,
  currency,
  auction: more.fixedPrice === undefined,
  original,
  ...more,
});
const home = (values: readonly string[]): PublisherProperty => ({
  publisherDomain: 'News.example',
  selectionType: 'by_id',
  values,
});

describe('prices side by side', () => {
  it('are grouped by model and currency, lowest first, and never converted', () => {
    const groups = comparablePrices([
      product('a:1', { pricingOptions: [price('cpm', 'USD', { fixedPrice: '12.5' })] }),
      product('b:1', {
        pricingOptions: [price('cpm', 'USD', { floorPrice: '3' }), price('cpm', 'EUR', { fixedPrice: '1' })],
      }),
      product('c:1', { pricingOptions: [price('cpm', 'USD', {})] }),
    ]);
    expect(groups).toMatchObject([
      { pricing_model: 'cpm', currency: 'EUR', prices: [{ product_id: 'b:1', amount: 1 }] },
      {
        pricing_model: 'cpm',
        currency: 'USD',
        unit: '1000 impressions',
        prices: [
          { product_id: 'b:1', kind: 'floor', amount: 3 },
          { product_id: 'a:1', kind: 'fixed', amount: 12.5 },
        ],
      },
    ]);
  });
});

describe('prices of one model', () => {
  it.each([
    ['time', (unit: string) => ({ parameters: { time_unit: unit } })],
    ['cpa', (unit: string) => ({ event_type: unit })],
  ] as const)('%s are compared only if they pay for the same', (model, written) => {
    const at = (unit: string, fixedPrice: string): PricingOption =>
      price(model, 'USD', { fixedPrice, original: { form: '3.1', value: written(unit) } });
    const groups = comparablePrices([
      product('a:1', { pricingOptions: [at('day', '10')] }),
      product('b:1', { pricingOptions: [at('week', '50'), at('day', '8')] }),
    ]);
    expect(groups.map(({ unit, prices }) => [unit, prices.map(({ amount }) => amount)])).toEqual([
      ['day', [8, 10]],
      ['week', [50]],
    ]);
  });
});

describe('a filter of prices', () => {
  const fixed = product('a:1', { pricingOptions: [price('cpm', 'USD', { fixedPrice: '5' })] });
  const auctioned = product('a:2', { pricingOptions: [price('cpm', 'EUR', { floorPrice: '5' })] });
  const untold = product('a:3', { pricingOptions: [price('cpm', 'USD', {})] });

  it('removes products that state another value, and keeps those that state none', () => {
    const passing = (filters: Parameters<typeof passesProduct>[1]) =>
      [fixed, auctioned, untold]
        .filter((candidate) => passesProduct(candidate, filters))
        .map(({ productId }) => productId);
    expect(passing({ isFixedPrice: true })).toEqual(['a:1', 'a:3']);
    expect(passing({ isFixedPrice: false })).toEqual(['a:2', 'a:3']);
    expect(passing({ pricingCurrencies: ['EUR', 'GBP'] })).toEqual(['a:2']);
  });
});

describe('a filter of formats', () => {
  const sized = { agentUrl: 'https://F.example:443/agent/', id: 'd', width: 300, height: 250 };
  const offered = product('a:1', { formatIds: [sized] });

  it.each([
    [{ agentUrl: 'https://f.example/agent', id: 'd' }, true],
    [{ agentUrl: 'https://f.example/agent', id: 'd', width: 300, height: 250 }, true],
    [{ agentUrl: 'https://f.example/agent', id: 'd', width: 728, height: 90 }, false],
    [{ agentUrl: 'https://f.example/agent', id: 'D' }, false],
    [{ agentUrl: 'https://f.example/Agent', id: 'd' }, false],
    [{ agentUrl: 'https://g.example/agent', id: 'd' }, false],
  ])('finds a format by its agent, its id and its parameters: %j', (wanted, isFound) => {
    expect(passesProduct(offered, { formatIds: [wanted] })).toBe(isFound);
  });
});

describe('a budget', () => {
  const dear = product('a:1', {
    pricingOptions: [price('cpm', 'USD', { fixedPrice: '5', minSpendPerPackage: '1000' })],
  });
  const fits = (max: string, currency = 'USD') => passesProduct(dear, { budget: { max, currency } });

  it("removes products whose every price exceeds it, only in the budget's currency", () => {
    expect(fits('999.99')).toBe(false);
    expect(fits('1000')).toBe(true);
    expect(fits('1', 'EUR')).toBe(true);
  });

  it('must cover a whole flat rate, and only one of several prices', () => {
    const flat = price('flat_rate', 'USD', { fixedPrice: '900' });
    const open = price('cpm', 'USD', { fixedPrice: '5' });
    const among = (...pricingOptions: PricingOption[]) =>
      passesProduct(product('a:1', { pricingOptions }), { budget: { max: '899', currency: 'USD' } });
    expect([among(flat), among(open), among(flat, open)]).toEqual([false, true, true]);
  });
});

describe('the same supply', () => {
  it('is marked if two sellers offer a property; a seller of a whole domain offers each of its properties', () => {
    const found = sameSupply([
      { seller: 'a', item: product('a:1', { publisherProperties: [home(['home', 'sport'])] }) },
      { seller: 'b', item: product('b:1', { publisherProperties: [home(['home'])] }) },
      {
        seller: 'c',
        item: product('c:1', {
          publisherProperties: [{ publisherDomain: 'news.example', selectionType: 'all', values: [] }],
        }),
      },
    ]);
    expect(found).toEqual([
      { publisher_domain: 'news.example', property: 'home', product_ids: ['a:1', 'b:1', 'c:1'] },
      { publisher_domain: 'news.example', property: 'sport', product_ids: ['a:1', 'c:1'] },
    ]);
  });

  it("is sorted with the publisher's direct seller first, and unlisted sellers last", () => {
    const ways = { a: 'not_authorized', b: 'unverified', c: 'direct', d: 'ad_network' } as const;
    const offers = (['a', 'b', 'c', 'd'] as const).map((seller) => ({
      seller,
      item: product(`${seller}:1`, { publisherProperties: [home(['home'])] }),
    }));
    expect(
      sameSupply(
        offers,
        (domain, seller) => ways[(domain === 'news.example' ? seller : 'a') as keyof typeof ways],
      ),
    ).toEqual([
      {
        publisher_domain: 'news.example',
        property: 'home',
        product_ids: ['c:1', 'd:1', 'b:1', 'a:1'],
        direct_product_ids: ['c:1'],
      },
    ]);
  });

  it('sorts a delegate before a network, and an authorized seller of no known relationship after both', () => {
    const ways = { a: 'authorized', b: 'ad_network', c: 'delegated' } as const;
    const offers = (['a', 'b', 'c'] as const).map((seller) => ({
      seller,
      item: product(`${seller}:1`, { publisherProperties: [home(['home'])] }),
    }));
    const [found] = sameSupply(offers, (_domain, seller) => ways[seller as keyof typeof ways]);
    expect(found?.product_ids).toEqual(['c:1', 'b:1', 'a:1']);
    expect(found).not.toHaveProperty('direct_product_ids');
  });

  it('is not found between a property id and an equal tag', () => {
    const tagged: PublisherProperty = {
      publisherDomain: 'news.example',
      selectionType: 'by_tag',
      values: ['home'],
    };
    const offers = [
      { seller: 'a', item: product('a:1', { publisherProperties: [home(['home'])] }) },
      { seller: 'b', item: product('b:1', { publisherProperties: [tagged] }) },
    ];
    expect(sameSupply(offers)).toEqual([]);
    const both = [...offers, { seller: 'c', item: product('c:1', { publisherProperties: [tagged] }) }];
    expect(sameSupply(both).map(({ property }) => property)).toEqual(['tag:home']);
  });

  it('is not found between two products of one seller', () => {
    const twice = ['a:1', 'a:2'].map((id) => ({
      seller: 'a',
      item: product(id, { publisherProperties: [home(['home'])] }),
    }));
    expect(sameSupply(twice)).toEqual([]);
  });
});

describe('a refinement', () => {
  const refine = [
    { scope: 'request', ask: 'cheaper' },
    { scope: 'product', product_id: 'a:p:1', action: 'omit' },
    { scope: 'proposal', proposal_id: 'b:plan', action: 'finalize' },
  ];

  it('goes only to the sellers that it names, with their own ids', () => {
    expect(refineFor(refine, 'a')).toEqual({
      changes: [refine[0], { scope: 'product', product_id: 'p:1', action: 'omit' }],
      places: [0, 1],
    });
    expect(refineFor(refine, 'b').changes).toContainEqual({
      scope: 'proposal',
      proposal_id: 'plan',
      action: 'finalize',
    });
    expect(refineFor(refine, 'c').changes).toEqual([]);
    expect(refineFor([{ scope: 'request', ask: 'cheaper' }], 'c').changes).toHaveLength(1);
  });

  it('is answered per change, in the order and with the ids of the buyer', () => {
    const verdicts = mergeVerdicts(refine, [
      {
        seller: 'a',
        places: [0, 1],
        verdicts: [{ status: 'applied' }, { status: 'partial', notes: 'Soon.' }],
      },
      { seller: 'b', places: [0, 2], verdicts: [{ status: 'unable' }] },
    ]);
    expect(verdicts).toMatchObject([
      { scope: 'request', status: 'partial' },
      { scope: 'product', product_id: 'a:p:1', status: 'partial', notes: 'a: Soon.' },
      { scope: 'proposal', proposal_id: 'b:plan', status: 'unable' },
    ]);
  });
});

describe('proposals', () => {
  it("have the seller's slug before their ids and those of their products", () => {
    const allocations = [{ product_id: 'p', allocation_percentage: 100 }];
    expect(
      mergeProposals([{ seller: 'a', proposals: [{ proposal_id: 'x', allocations }, { name: 'no id' }] }]),
    ).toEqual([
      {
        proposal_id: 'a:x',
        allocations: [{ product_id: 'a:p', allocation_percentage: 100 }],
        ext: { switchyard: { seller: 'a' } },
      },
    ]);
  });
});

describe('further pages', () => {
  type Page = { readonly items: readonly number[]; readonly next?: string };
  const pages: Pages<Page> = {
    cursorOf: ({ next }) => next,
    join: (sofar, next) => ({ items: [...sofar.items, ...next.items] }),
  };

  it('are read to the end, each with the cursor of the previous page', async () => {
    const requested: unknown[] = [];
    const reported: Page[] = [{ items: [2], next: 'c' }, { items: [3] }];
    const all = await furtherPages(
      pages,
      { items: [1], next: 'b' },
      { pagination: { max_results: 1 } },
      (args) => {
        requested.push(args['pagination']);
        return Promise.resolve(reported.shift());
      },
    );
    expect(all).toEqual({ answer: { items: [1, 2, 3] }, isWhole: true });
    expect(requested).toEqual([
      { max_results: 1, cursor: 'b' },
      { max_results: 1, cursor: 'c' },
    ]);
  });

  it('that are missing or repeated leave an answer marked as incomplete', async () => {
    const none = await furtherPages(pages, { items: [1], next: 'b' }, {}, () => Promise.resolve(undefined));
    expect(none).toMatchObject({ answer: { items: [1] }, isWhole: false });
    const round = await furtherPages(pages, { items: [1], next: 'b' }, {}, () =>
      Promise.resolve({ items: [2], next: 'b' }),
    );
    expect(round).toEqual({ answer: { items: [1, 2] }, isWhole: false });
  });

  it('of an endless list end after fifty, and the answer is marked as incomplete', async () => {
    let requested = 0;
    const endless = await furtherPages(pages, { items: [], next: 'c0' }, {}, () => {
      requested += 1;
      return Promise.resolve(requested > 500 ? undefined : { items: [requested], next: `c${requested}` });
    });
    expect([requested, endless.answer.items.length, endless.isWhole]).toEqual([50, 50, false]);
  });
});

describe('a cursor', () => {
  const place = { answerId: '0b1f6f4e-5a55-4b53-9d6c-0f3a6f1d2c3b', offset: 50 };
  const seal = Buffer.alloc(32, 7);
  const cursor = writeCursor(place, seal);

  it('returns to its place, and is invalid after any change', () => {
    expect(answerIdOf(cursor)).toBe(place.answerId);
    expect(openCursor(cursor, seal)).toEqual(place);
    const text = Buffer.from(cursor, 'base64url').toString('latin1');
    const moved = Buffer.from(text.replace('.50.', '.51.')).toString('base64url');
    expect(openCursor(moved, seal)).toBeUndefined();
    expect(openCursor(cursor, Buffer.alloc(32, 8))).toBeUndefined();
    for (const odd of ['', 'x', '%', Buffer.from('a.b.c').toString('base64url')]) {
      expect(openCursor(odd, seal)).toBeUndefined();
      expect(answerIdOf(odd)).toBeUndefined();
    }
  });
});
