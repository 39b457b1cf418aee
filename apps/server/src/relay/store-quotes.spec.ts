import { describe, expect, it } from '@jest/globals';
import type { Quote } from '@switchyard/buys';
import { openBuyingHarness } from '@switchyard/testing';
import { storeQuotes } from './pass-sealed.js';

const askedAt = Date.UTC(2026, 0, 2);

describe('a quote in the answer to a sealed read', () => {
  it('has the time of its request, so that a slow answer is older than quotes made meanwhile', async () => {
    const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
    const connection = { ...harness.connection('acme'), dialect: 'adcp' as const, form: '3.0' as const };
    const stored: Quote[] = [];
    const option = { pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'USD', fixed_price: 5 };
    const products = [{ product_id: 'tv', name: 'TV', description: 'TV', pricing_options: [option] }];
    const reply = { status: 'completed' as const, replayed: false, payload: { products }, errors: [] };
    storeQuotes(
      { quotes: { gather: (_scope, quotes) => void stored.push(...quotes) } },
      connection,
      { reply },
      askedAt,
    );
    expect(stored.map(({ offer }) => [offer.productId, offer.offeredAt])).toEqual([['tv', askedAt]]);
  });
});
