import { describe, expect, it } from '@jest/globals';
import { getProducts } from '@switchyard/protocol';
import type { SellerTransport } from '@switchyard/sellers';
import { ok, type JsonObject } from '@switchyard/values';
import { querySeller } from './query-seller.js';
import { connectionOf } from '../testkit/market-objects.js';

describe('a request for a later page', () => {
  it('is refused if it contains a credential, even if the first request did not', async () => {
    const requested: JsonObject[] = [];
    const args: Record<string, JsonObject[string]> = { brief: 'shoes' };
    const page = { products: [], pagination: { has_more: true, cursor: 'next' } };
    const call: SellerTransport['call'] = (_target, { args: sent }) => {
      requested.push({ ...sent });
      // Not contained in the first request.
      args['ext'] = { vendor: { api_key: 'sk-live-0123456789' } };
      return Promise.resolve(ok({ payload: page, isError: false }));
    };
    const { signal } = new AbortController();
    const report = await querySeller({
      spec: getProducts,
      connection: connectionOf('acme', { form: '3.1' }),
      tool: 'get_products',
      projected: { args, findings: [] },
      transport: { call } as unknown as SellerTransport,
      count: ({ products }) => products.length,
      signal,
      mayRead: () => true,
      pages: { cursorOf: ({ page: mark }) => mark?.cursor, join: (sofar) => sofar, signal: () => signal },
    });
    expect(requested).toHaveLength(1);
    expect(JSON.stringify(requested)).not.toContain('sk-live');
    expect(report).toMatchObject({ status: 'answered', value: { isTruncated: true } });
  });
});
