import { describe, expect, it } from '@jest/globals';
import { openBuyingHarness } from '@switchyard/testing';
import type { JsonValue } from '@switchyard/values';
import { taskService } from '../main/testkit/task-service.js';
import { harnessCall, harnessDeps } from '../platform/tasks/testkit/harness-call.js';

const product = (id: string) => ({
  product_id: id,
  name: id,
  description: '',
  delivery_type: 'guaranteed',
  publisher_properties: [{ publisher_domain: 'news.example', selection_type: 'all' }],
  format_ids: [{ agent_url: 'https://formats.example', id: 'f' }],
  pricing_options: [{ pricing_option_id: 'x', pricing_model: 'cpm', currency: 'USD', fixed_price: 5 }],
});

describe('a question for products whose answer is read as it comes', () => {
  it.each([
    ['with credentials', false],
    ['without credentials', true],
  ])('names its sellers, then shows of each what the answer shows of it, %s', async (_what, isPublic) => {
    const harness = await openBuyingHarness({
      acme: { isIdempotent: true },
      globex: { isIdempotent: true },
      initech: { isIdempotent: true },
    });
    harness.seller('acme').fate('get_products', { says: { products: [product('a1'), product('a2')] } });
    harness.seller('globex').fate('get_products', { says: { products: [product('g1')] } });
    harness.seller('initech').fate('get_products', { says: { products: 'none' } });
    const { organizationId } = harness.scope;
    const heard: string[] = [];
    const parts: JsonValue[] = [];
    const args = { adcp_version: '3.1', buying_mode: 'brief', brief: 'shoes' };
    const { body } = await taskService(harnessDeps(harness)).call({
      ...harnessCall(harness, 'get_products', args),
      ...(isPublic && { caller: { kind: 'public', organizationId } }),
      onAsked: (sellers) => void heard.push(`asked ${[...sellers].toSorted().join(' ')}`),
      onSeller: ({ seller, status }) => void heard.push(`${seller} ${status}`),
      onItems: (seller, list, items) => {
        heard.push(`${seller} ${list} ${items.length}`);
        parts.push(...items);
      },
    });
    expect(heard[0]).toBe('asked acme globex initech');
    expect(heard.filter((line) => line.includes('products')).toSorted()).toEqual([
      'acme products 2',
      'globex products 1',
    ]);
    expect(heard).toEqual(expect.arrayContaining(['initech failed']));
    const shown = Array.isArray(body['products']) ? body['products'] : [];
    expect(shown).toHaveLength(3);
    const byText = (a: JsonValue, b: JsonValue): number => JSON.stringify(a).localeCompare(JSON.stringify(b));
    expect(parts.toSorted(byText)).toEqual(shown.toSorted(byText));
  });
});
