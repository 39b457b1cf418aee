import { describe, expect, it } from '@jest/globals';
import { convertMicros } from '../finance/payment.js';
import { derivedRates, ratesOfEcb, ratesOfEcbXml } from './published-rates.js';

const daily = [{ Date: '27 November 2026', USD: '1.1612', JPY: '181.02', GBP: 'N/A' }];

type XmlNode = Parameters<typeof ratesOfEcbXml>[0];

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
    // The history has currencies that are no more.
    expect(ratesOfEcb([{ Date: '2007-12-28', USD: '1.4692', CYP: '0.585274' }])).toHaveLength(1);
  });

  it('are read from its XML of several days, and no other document is taken for it', () => {
    const node = (name: string, attributes: Record<string, string>, children: readonly XmlNode[] = []) => ({
      ...{ name, attributes, text: '', children },
    });
    const day = (time: string, rate: string) =>
      node('Cube', { time }, [
        node('Cube', { currency: 'USD', rate }),
        node('Cube', { currency: 'JPY', rate: 'N/A' }),
      ]);
    const cubes = node('Cube', {}, [day('2026-11-27', '1.1612'), day('2026-11-26', '1.16')]);
    expect(ratesOfEcbXml(node('Envelope', {}, [node('subject', {}), cubes]))).toEqual([
      { from: 'EUR', to: 'USD', rate: '1.1612', date: '2026-11-27', source: 'ECB' },
      { from: 'EUR', to: 'USD', rate: '1.16', date: '2026-11-26', source: 'ECB' },
    ]);
    expect(ratesOfEcbXml(node('Invoice', {}))).toBeUndefined();
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
