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
  it('takes turns, so that no seller wins places by sending more', () => {
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

  it('puts the slug before product and segment ids and leaves format ids as they are', () => {
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

  it('keeps what two sellers both offer, from both', () => {
    const offers = ['a', 'b'].map((seller) => ({ seller, items: [signal('same')] }));
    expect(mergeSignals(offers, {}).items.map(({ item }) => item.segmentId)).toEqual(['a:same', 'b:same']);
  });

  it('enforces the filters that a seller ignored, and says how many items that cost', () => {
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

  it('keeps a signal that has one price within the limit, whichever of its options that is', () => {
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

  it('keeps a signal of which one share of the media is within the limit, and one that is not paid so', () => {
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

  it('holds the formats that were asked for against what every seller sent', () => {
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

  it('names each further agent once, as the first seller names it', () => {
    const agents = [
      { agent_url: 'https://f.example/', agent_name: 'F' },
      { agent_url: 'https://f.example', agent_name: 'Other words' },
      { agent_name: 'no address' },
      { agent_url: 'https://g.example' },
    ];
    expect(mergeAgents(agents)).toEqual([agents[0], agents[3]]);
  });

  it('holds only what a product says of itself against it', () => {
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

  it('cuts to the number asked for after the turns, not before', () => {
    const offers = ['a', 'b', 'c'].map((seller) => ({ seller, items: [signal('1'), signal('2')] }));
    const ids = mergeSignals(offers, { maxResults: 4 }).items.map(({ item }) => item.segmentId);
    expect(ids).toEqual(['a:1', 'b:1', 'c:1', 'a:2']);
  });
});
