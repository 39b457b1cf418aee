import { describe, expect, it } from '@jest/globals';
import { openBuyingHarness } from '@switchyard/testing';
import { harnessCall, harnessDeps, marketPorts } from '../platform/tasks/testkit/harness-call.js';
import { taskService } from '../main/testkit/task-service.js';

const product = {
  product_id: 'fresh',
  name: 'P',
  description: '',
  delivery_type: 'guaranteed',
  publisher_properties: [{ publisher_domain: 'news.example', selection_type: 'all' }],
  format_ids: [{ agent_url: 'https://formats.example', id: 'f' }],
  pricing_options: [{ pricing_option_id: 'x', pricing_model: 'cpm', currency: 'USD', fixed_price: 5 }],
};

describe('the public data of a seller', () => {
  it.each([
    ['is no offer that could be bought', true],
    ['is one where it was asked with credentials', false],
  ])('%s', async (_what, isPublic) => {
    const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
    harness.seller('acme').fate('get_products', { says: { products: [product] } });
    const { organizationId } = harness.scope;
    const stored: string[] = [];
    const saveOffers: typeof harness.ports.store.saveOffers = (_scope, quotes) => {
      stored.push(...quotes.map(({ offer }) => offer.productId));
      return Promise.resolve();
    };
    const ports = { ...marketPorts(harness), store: { ...harness.ports.store, saveOffers } };
    const call = harnessCall(harness, 'get_products', {
      adcp_version: '3.1',
      buying_mode: 'brief',
      brief: 'shoes',
    });
    const { body } = await taskService(harnessDeps(harness, [], { ports })).call(
      isPublic ? { ...call, caller: { kind: 'public', organizationId } } : call,
    );
    expect(body['products']).toMatchObject([{ product_id: 'acme:fresh' }]);
    expect(body['cache_scope']).toBe(isPublic ? 'public' : 'account');
    expect(stored).toEqual(isPublic ? [] : ['fresh']);
  });
});
