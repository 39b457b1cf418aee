import { describe, expect, it } from '@jest/globals';
import { convertMicros } from '../finance/payment.js';
import { derivedRates, ratesOfEcb } from './published-rates.js';

const daily = [{ Date: '27 November 2026', USD: '1.1612', JPY: '181.02', GBP: 'N/A' }];

describe('rates of the European Central Bank', () => {
  it('are read from its table and from its SDMX file', () => {
    expect(ratesOfEcb(daily)).toEqual([
      { from: 'EUR', to: 'USD', rate: '1.1612', date: '2026-11-27', source: 'ECB' },
      { from: 'EUR', to: 'JPY', rate: '181.02', date: '2026-11-27', source: 'ECB' },
    ]);
    const sdmx = {
      KEY: 'k',
      CURRENCY: 'USD',
      CURRENCY_DENOM: 'EUR',
      TIME_PERIOD: '2026-11-27',
      OBS_VALUE: '1.1612',
    };
    expect(ratesOfEcb([sdmx])).toEqual([
      { from: 'EUR', to: 'USD', rate: '1.1612', date: '2026-11-27', source: 'ECB' },
    ]);
    expect(ratesOfEcb([{ from: 'EUR', to: 'USD', rate: '1', date: '2026-11-27' }])).toBeUndefined();
  });

  it('give the other direction and the crosses with their origin', () => {
    const derived = derivedRates(ratesOfEcb(daily) ?? []);
    expect(derived.map(({ from, to, source }) => [from, to, source])).toEqual([
      ['USD', 'EUR', '1 / 1.1612, ECB'],
      ['JPY', 'EUR', '1 / 181.02, ECB'],
      ['USD', 'JPY', '181.02 / 1.1612, ECB'],
      ['JPY', 'USD', '1.1612 / 181.02, ECB'],
    ]);
    const back = derived.find(({ from, to }) => from === 'USD' && to === 'EUR')?.rate ?? '';
    for (const euros of [1n, 1_234n, 99_999n]) {
      const dollars = convertMicros(euros * 1_000_000n, '1.1612');
      expect(convertMicros(dollars, back)).toBe(euros * 1_000_000n);
    }
  });
});
