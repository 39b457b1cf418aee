import { describe, expect, it } from '@jest/globals';
import { digitsOf, moneyText, percentText, rounded, shortText } from './money.js';

describe('an amount on a page', () => {
  it.each([
    ['1234.56789', 'USD', '1,234.57 USD'],
    ['6900', 'USD', '6,900 USD'],
    ['-651.1', 'EUR', '−651.10 EUR'],
    ['1234.5', 'JPY', '1,234 JPY'],
    ['0.12345', 'KWD', '0.123 KWD'],
    ['-0.001', 'USD', '0 USD'],
    ['99999999999999999999.995', 'USD', '100,000,000,000,000,000,000 USD'],
  ])('has at most the digits of its currency, rounded half to even: %s %s', (amount, currency, shown) => {
    expect(moneyText(amount, currency)).toBe(shown);
    expect((moneyText(amount, currency).split(' ')[0]?.split('.')[1] ?? '').length).toBeLessThanOrEqual(
      digitsOf(currency),
    );
  });

  it('rounds a half to the even digit, and anything above a half up', () => {
    expect(
      ['0.125', '0.135', '0.1350001', '2.5', '3.5'].map((amount) =>
        rounded(amount, amount.length > 4 ? 2 : 0),
      ),
    ).toEqual(['0.12', '0.14', '0.14', '2', '4']);
  });

  it('has whole units or always cents where a page asks for them', () => {
    expect(moneyText('6900.49', 'USD', 'whole')).toBe('6,900 USD');
    expect(moneyText('6900', 'USD', 'cents')).toBe('6,900.00 USD');
  });
});

describe('counts and percentages', () => {
  it('are short: three digits of a count, one digit of a small percentage', () => {
    expect(['9481', '757412', '2611034', '12', '1200000000'].map(shortText)).toEqual([
      '9,481',
      '757 k',
      '2.61 M',
      '12',
      '1.2 bn',
    ]);
    expect(['200000', '180000', '10000', '2500000', '30200'].map(shortText)).toEqual([
      '200 k',
      '180 k',
      '10 k',
      '2.5 M',
      '30.2 k',
    ]);
    expect([13.49, -42.5, 6.04, 9.96].map(percentText)).toEqual(['13%', '−43%', '6%', '10%']);
  });
});
