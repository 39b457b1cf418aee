import { describe, expect, it } from '@jest/globals';
import { must, type JsonObject } from '@switchyard/values';
import { getProducts } from '../tasks/get-products.js';
import { getSignals } from '../tasks/get-signals.js';
import type { Form } from '../versions/wire-profile.js';
import { notReportedOfProduct, notReportedOfSignal } from './not-reported.js';

const forms: readonly Form[] = ['service', '2.5', '3.0', '3.1'];
const bare = { product_id: 'p', name: 'P', pricing_options: [] };
const segment = { signal_agent_segment_id: 's', name: 'S', deployments: [] };

function ofProduct(more: JsonObject, from: Form): readonly (readonly string[])[] {
  const read = must(
    getProducts.readAnswer({ products: [{ ...bare, ...more }] }, { dialect: 'adcp', form: from }),
  );
  const [product] = read.answer.products;
  return forms.map((to) => (product === undefined ? ['none'] : notReportedOfProduct(product, to)));
}

function ofSignal(more: JsonObject, from: Form): readonly (readonly string[])[] {
  const read = must(
    getSignals.readAnswer({ signals: [{ ...segment, ...more }] }, { dialect: 'adcp', form: from }),
  );
  const [signal] = read.answer.signals;
  return forms.map((to) => (signal === undefined ? ['none'] : notReportedOfSignal(signal, to)));
}

describe('a required member that a seller did not report', () => {
  it('is, for a product of the service description, the supply, the delivery type or the measurement', () => {
    const modern = ['publisher_properties', 'delivery_type', 'reporting_capabilities'];
    expect(ofProduct({}, 'service')).toEqual([
      [],
      ['publisher_properties', 'delivery_type', 'delivery_measurement'],
      modern,
      modern,
    ]);
  });

  it('is absent for a complete product, in its own form or another', () => {
    const whole = {
      publisher_properties: [{ publisher_domain: 'news.example', selection_type: 'all' }],
      delivery_type: 'guaranteed',
      delivery_measurement: { provider: 'Counting House' },
      reporting_capabilities: {},
    };
    for (const from of forms) expect(ofProduct(whole, from)).toEqual([[], [], [], []]);
  });

  it('is, for a signal, its coverage, its price or its source, if a release requires them', () => {
    expect(ofSignal({}, 'service')).toEqual([
      [],
      ['signal_type', 'data_provider', 'coverage_percentage', 'pricing'],
      ['signal_type', 'signal_id', 'data_provider', 'coverage_percentage', 'pricing_options'],
      ['signal_type', 'signal_id'],
    ]);
  });

  it('is never a price of a buyer’s own signal, and for a share of the media only one per mille', () => {
    const received = { signal_id: { source: 'agent', id: 's' }, data_provider: 'D', coverage_percentage: 5 };
    const owned = { ...received, signal_type: 'owned' };
    const share = {
      ...received,
      signal_type: 'marketplace',
      pricing_options: [{ pricing_option_id: 'x', model: 'percent_of_media', percent: 5, currency: 'USD' }],
    };
    expect(ofSignal(owned, '3.1')).toEqual([[], [], [], []]);
    expect(ofSignal(share, '3.1')).toEqual([[], ['pricing'], [], []]);
  });
});
