import { describe, expect, it } from '@jest/globals';
import { createMediaBuy } from '@switchyard/protocol';
import { must, type JsonObject } from '@switchyard/values';
import { spendOfCreate } from './sealed-spend.js';

const currencies: Record<string, string> = { usd: 'USD', eur: 'EUR' };
const currencyOf = (_product: string, option: string) => currencies[option];

function spendOf(packages: readonly JsonObject[]) {
  const args: JsonObject = {
    buyer_ref: 'b',
    brand_manifest: { url: 'https://brand.example' },
    start_time: { type: 'asap' },
    end_time: '2027-01-01T00:00:00Z',
    packages: packages.map((item, at) => ({
      buyer_ref: `p${at}`,
      product_id: 'x',
      creative_ids: ['c'],
      ...item,
    })),
  };
  const read = must(createMediaBuy.readRequest(args, { dialect: 'ads', form: 'service' }, new Map()));
  return spendOfCreate(read, currencyOf);
}

describe('spendOfCreate', () => {
  it('sums the budgets of all packages to the micro', () => {
    expect(
      spendOf([
        { pricing_option_id: 'usd', budget: 0.1 },
        { pricing_option_id: 'usd', budget: 1000.25 },
      ]),
    ).toEqual({ ok: true, value: { amount: 1_000_350_000n, currency: 'USD' } });
  });

  it('ignores an unknown currency, or two of them', () => {
    expect(spendOf([{ pricing_option_id: 'nobody knows', budget: 1 }])).toEqual({
      ok: false,
      error: 'RELAY_SPEND_UNKNOWN',
    });
    expect(
      spendOf([
        { pricing_option_id: 'usd', budget: 1 },
        { pricing_option_id: 'eur', budget: 1 },
      ]),
    ).toEqual({ ok: false, error: 'RELAY_SPEND_UNKNOWN' });
  });

  it('is the total of a proposal, with any overrides and any quote', () => {
    const args: JsonObject = {
      idempotency_key: 'the-key-of-this-request',
      account: { account_id: 'a' },
      brand: { domain: 'brand.example' },
      start_time: 'asap',
      end_time: '2027-01-01T00:00:00Z',
      proposal_id: 'plan',
      total_budget: { amount: 1000.25, currency: 'EUR' },
      packages: [{ product_id: 'x', pricing_option_id: 'nobody knows', budget: 1 }],
    };
    const read = must(createMediaBuy.readRequest(args, { dialect: 'ads', form: '3.1' }, new Map()));
    expect(spendOfCreate(read, currencyOf)).toEqual({
      ok: true,
      value: { amount: 1_000_250_000n, currency: 'EUR' },
    });
  });
});
