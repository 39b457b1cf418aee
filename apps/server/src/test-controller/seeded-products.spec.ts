import { describe, expect, it } from '@jest/globals';
import type { TaskReply } from '../platform/tasks/call/task-call.js';
import type { JsonObject } from '@switchyard/values';
import { SeededProducts } from './seeded-products.js';

const reply = (...ids: readonly string[]) =>
  ({ body: { products: ids.map((id) => ({ product_id: id })) } }) as unknown as TaskReply;
const order = ({ body }: TaskReply) =>
  (body['products'] as readonly JsonObject[]).map((product) => product['product_id']);

describe('products that were seeded by comply_test_controller', () => {
  const seeded = new SeededProducts();
  seeded.note('org', 'test-product', 'prompt:test-product');
  const shown = reply('auction:a', 'prompt:b', 'courier:c', 'prompt:test-product');

  it('are first in the answer to their caller, before those of their seller', () => {
    expect(order(seeded.inFront('org', 'get_products', shown))).toEqual([
      ...['prompt:test-product', 'prompt:b', 'auction:a', 'courier:c'],
    ]);
  });

  it('do not change the answer to another organization or to another task', () => {
    expect(seeded.inFront('other', 'get_products', shown)).toBe(shown);
    expect(seeded.inFront('org', 'list_creatives', shown)).toBe(shown);
  });

  it('are bought by the price named default, which is their first one, and without a bid at its floor', () => {
    const priced = new SeededProducts();
    priced.note('org', 'plain', 'prompt:plain');
    priced.note('org', 'auction', 'prompt:auction');
    priced.note('org', 'auction', 'prompt:auction', { id: 'floor_2', floor: 2 });
    priced.note('org', 'auction', 'prompt:auction', { id: 'fixed_9' });
    const asked = (item: JsonObject) => priced.prefixed('org', { packages: [item] })['packages'];
    expect(asked({ product_id: 'plain', pricing_option_id: 'default' })).toEqual([
      { product_id: 'prompt:plain', pricing_option_id: 'fixed_usd' },
    ]);
    for (const product_id of ['auction', 'prompt:auction'])
      expect(asked({ product_id, pricing_option_id: 'default' })).toEqual([
        { product_id: 'prompt:auction', pricing_option_id: 'floor_2', bid_price: 2 },
      ]);
    expect(asked({ product_id: 'auction', pricing_option_id: 'floor_2', bid_price: 3 })).toEqual([
      { product_id: 'prompt:auction', pricing_option_id: 'floor_2', bid_price: 3 },
    ]);
    const other = { product_id: 'acme:shop', pricing_option_id: 'default' };
    expect(asked(other)).toEqual([other]);
    const strange = { product_id: 'auction', pricing_option_id: 'unknown' };
    expect(asked(strange)).toEqual([{ ...strange, product_id: 'prompt:auction' }]);
  });
});
