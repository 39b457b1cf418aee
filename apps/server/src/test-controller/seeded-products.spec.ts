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
});
