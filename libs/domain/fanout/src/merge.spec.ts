import { describe, expect, it } from '@jest/globals';
import type { CreativeFormat, Signal } from '@switchyard/protocol';
import { interleave, mergeAgents, mergeFormats, mergeProducts, mergeSignals } from './merge.js';
import { original, product } from './testkit/market-objects.js';

const signal = (segmentId: string, more: Partial<Signal> = {}): Signal => ({
  segmentId,
  name: segmentId,
  description: '',
  catalogType: 'marketplace',
  dataProvider: 'Experian',
  deployments: [],
  original,
  ...more,
});

describe('the merge', () => {
  it('alternates between sellers, so that none gets more places by sending more', () => {
    const merged = interleave([
      { seller: 'many', items: [1, 2, 3, 4] },
      { seller: 'one', items: [10] },
      { seller: 'none', items: [] },
    ]);
    expect(merged.map(({ seller, item }) => `${seller} ${item}`)).toEqual([
      'many 1',
      'one 10',
      'many 2',
      'many 3',
      'many 4',
    ]);
  });

  it('prefixes product and segment ids with the slug, and leaves format ids unchanged', () => {
    const products = mergeProducts([{ seller: 'acme', items: [product('p:1')] }], {});
    expect(products.items).toMatchObject([{ seller: 'acme', item: { productId: 'acme:p:1' } }]);
    const signals = mergeSignals([{ seller: 'acme', items: [signal('s')] }], {});
    expect(signals.items).toMatchObject([{ item: { segmentId: 'acme:s' } }]);
    const format: CreativeFormat = {
      formatId: { agentUrl: 'https://f.example', id: 'x' },
      name: 'x',
      original,
    };
    expect(mergeFormats([{ seller: 'acme', items: [format] }]).items).toEqual([
      { seller: 'acme', item: format },
    ]);
  });

  it('keeps a product that two sellers offer from both', () => {
    const offers = ['a', 'b'].map((seller) => ({ seller, items: [signal('same')] }));
    expect(mergeSignals(offers, {}).items.map(({ item }) => item.segmentId)).toEqual(['a:same', 'b:same']);
  });

  it('applies filters that a seller ignored, and reports how many items were removed', () => {
    const offers = [
      {
        seller: 'a',
        items: [
          signal('dear', { pricing: { cpm: '2.50', currency: 'USD' } }),
          signal('narrow', { coveragePercentage: 4 }),
          signal('own', { catalogType: 'owned' }),
          signal('other', { dataProvider: 'Nobody' }),
          signal('right', { pricing: { cpm: '2.5', currency: 'USD' }, coveragePercentage: 5 }),
        ],
      },
    ];
    const filters = {
      maxCpm: '2.499999',
      minCoveragePercentage: 5,
      catalogTypes: ['marketplace'],
      dataProviders: ['Experian'],
    };
    expect(mergeSignals(offers, { filters })).toEqual({ items: [], filteredOut: { a: 5 } });
    const wider = mergeSignals(offers, { filters: { ...filters, maxCpm: '2.5' } });
    expect(wider.items.map(({ item }) => item.segmentId)).toEqual(['a:dear', 'a:right']);
  });

  it('keeps a signal if any of its prices is within the limit', () => {
    const offered = (...cpms: readonly number[]): Partial<Signal> => ({
      pricing: { cpm: '5', currency: 'USD' },
      original: {
        form: '3.1',
        value: { pricing_options: cpms.map((cpm) => ({ model: 'cpm', cpm, currency: 'USD' })) },
      },
    });
    const offers = [
      {
        seller: 'a',
        items: [signal('either', offered(5, 9, 2)), signal('neither', offered(5, 9)), signal('silent')],
      },
    ];
    const stored = mergeSignals(offers, { filters: { maxCpm: '2' } }).items;
    expect(stored.map(({ item }) => item.segmentId)).toEqual(['a:either', 'a:silent']);
  });

  it('keeps a signal with a percentage of media within the limit, and one without a percentage', () => {
    const shared = (...shares: readonly number[]): Partial<Signal> => ({
      original: {
        form: '3.1',
        value: { pricing_options: shares.map((percent) => ({ model: 'percent_of_media', percent })) },
      },
    });
    const items = [signal('either', shared(20, 10)), signal('neither', shared(20, 10.5)), signal('silent')];
    const stored = mergeSignals([{ seller: 'a', items }], { filters: { maxPercent: 10 } });
    expect(stored.items.map(({ item }) => item.segmentId)).toEqual(['a:either', 'a:silent']);
    expect(stored.filteredOut).toEqual({ a: 1 });
  });

  it('applies the format filters to the formats of every seller', () => {
    const format = (id: string, width?: number): CreativeFormat => ({
      formatId: { agentUrl: 'https://f.example', id, ...(width === undefined ? {} : { width, height: 250 }) },
      name: id,
      original,
    });
    const items = [format('wanted', 300), format('wanted', 728), format('other')];
    const wanted = { agentUrl: 'https://f.example/', id: 'wanted', width: 300, height: 250 };
    const stored = mergeFormats([{ seller: 'a', items }], { formatIds: [wanted] });
    expect(stored.items.map(({ item }) => item.formatId.width)).toEqual([300]);
    expect(stored.filteredOut).toEqual({ a: 2 });
  });

  it('lists each further agent once, as the first seller lists it', () => {
    const agents = [
      { agent_url: 'https://f.example/', agent_name: 'F' },
      { agent_url: 'https://f.example', agent_name: 'Other words' },
      { agent_name: 'no address' },
      { agent_url: 'https://g.example' },
    ];
    expect(mergeAgents(agents)).toEqual([agents[0], agents[3]]);
  });

  it('removes a product only for values that it states', () => {
    const offers = [
      {
        seller: 'a',
        items: [
          product('open', { deliveryType: 'non_guaranteed' }),
          product('video', { channels: ['video'] }),
          product('audio', { channels: ['audio', 'ctv'] }),
          product('silent'),
        ],
      },
    ];
    const merged = mergeProducts(offers, { filters: { deliveryType: 'guaranteed', channels: ['ctv'] } });
    expect(merged.items.map(({ item }) => item.productId)).toEqual(['a:audio', 'a:silent']);
    expect(merged.filteredOut).toEqual({ a: 2 });
  });

  it('limits the number of items after alternating between sellers', () => {
    const offers = ['a', 'b', 'c'].map((seller) => ({ seller, items: [signal('1'), signal('2')] }));
    const ids = mergeSignals(offers, { maxResults: 4 }).items.map(({ item }) => item.segmentId);
    expect(ids).toEqual(['a:1', 'b:1', 'c:1', 'a:2']);
  });
});
