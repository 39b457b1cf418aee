import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkBudget, currencyExponent, isCurrency } from './currency.js';
import {
  divideHalfEven,
  decimalsOf,
  microsOf,
  microsToDecimal,
  parseDecimal,
  roundToMicros,
  splitByWeights,
  sumMicros,
} from './micros.js';

const amounts = fc.bigInt({ min: -(10n ** 18n) + 1n, max: 10n ** 18n - 1n });
const codeOf = (text: string, currency = 'USD') => {
  const result = checkBudget(text, currency);
  return result.ok ? result.value : result.error.code;
};

describe('micros', () => {
  it('are the same after a conversion to decimal text and back', () => {
    fc.assert(
      fc.property(amounts, (micros) => {
        expect(parseDecimal(microsToDecimal(micros))).toEqual({ ok: true, value: micros });
      }),
    );
  });

  it('have one shortest text', () => {
    expect(microsToDecimal(12_500_000n)).toBe('12.5');
    expect(microsToDecimal(3_000_000n)).toBe('3');
    expect(microsToDecimal(-1n)).toBe('-0.000001');
    expect(microsToDecimal(0n)).toBe('0');
    expect(decimalsOf(1_230_000n)).toBe(2);
  });

  it('are read exactly or not at all', () => {
    expect(parseDecimal('1e3')).toEqual({ ok: true, value: 1_000_000_000n });
    expect(parseDecimal('0.0000010')).toEqual({ ok: true, value: 1n });
    expect(parseDecimal('0.0000001')).toEqual({ ok: false, error: { code: 'too_precise' } });
    expect(parseDecimal('1e400')).toEqual({ ok: false, error: { code: 'too_large' } });
    expect(parseDecimal('1e999999999999')).toEqual({ ok: false, error: { code: 'not_a_number' } });
    for (const text of ['', 'NaN', 'Infinity', '1,5', '0x10', ' 1', '--1']) {
      expect(parseDecimal(text)).toEqual({ ok: false, error: { code: 'not_a_number' } });
    }
  });

  it('of reported figures round half to even', () => {
    expect(roundToMicros('0.0000005')).toEqual({ ok: true, value: 0n });
    expect(roundToMicros('0.0000015')).toEqual({ ok: true, value: 2n });
    expect(roundToMicros('0.00000150000001')).toEqual({ ok: true, value: 2n });
    expect(roundToMicros('-0.0000025')).toEqual({ ok: true, value: -2n });
    expect(microsOf('33.33333333333333333')).toBe(33_333_333n);
    expect(() => microsOf('money')).toThrow(RangeError);
  });
});

describe('rounding half to even', () => {
  it('is never more than half a step away', () => {
    fc.assert(
      fc.property(amounts, fc.bigInt({ min: 1n, max: 10n ** 9n }), (amount, divisor) => {
        const difference = divideHalfEven(amount, divisor) * divisor - amount;
        expect((difference < 0n ? -difference : difference) * 2n <= divisor).toBe(true);
      }),
    );
  });

  it('rounds a tie to the even neighbour on both sides of zero', () => {
    expect([5n, 15n, 25n, -5n, -15n, -25n].map((n) => divideHalfEven(n, 10n))).toEqual([
      0n,
      2n,
      2n,
      -0n,
      -2n,
      -2n,
    ]);
    expect(() => divideHalfEven(1n, 0n)).toThrow(RangeError);
  });
});

describe('currencies', () => {
  it('have the decimals of ISO 4217', () => {
    expect(
      ['JPY', 'KRW', 'USD', 'EUR', 'KWD', 'BHD', 'OMR', 'TND', 'JOD', 'CLF'].map(currencyExponent),
    ).toEqual([0, 0, 2, 2, 3, 3, 3, 3, 3, 4]);
  });

  it('are known by their exact code', () => {
    expect(isCurrency('USD')).toBe(true);
    for (const code of ['usd', 'US', 'XXX', 'BTC', '', '__proto__']) expect(isCurrency(code)).toBe(false);
  });
});

describe('a budget', () => {
  it('is refused with the reason when it makes no sense', () => {
    expect(codeOf('0')).toBe('not_positive');
    expect(codeOf('-0')).toBe('not_positive');
    expect(codeOf('-5')).toBe('not_positive');
    expect(codeOf('1e400')).toBe('too_large');
    expect(codeOf('ten')).toBe('not_a_number');
    expect(codeOf(String(0.1 + 0.2))).toBe('too_precise');
    expect(codeOf('10.005')).toBe('too_precise');
    expect(codeOf('10.5', 'JPY')).toBe('too_precise');
  });

  it('may have every decimal of its currency', () => {
    expect(codeOf('10.05')).toBe(10_050_000n);
    expect(codeOf('10.50')).toBe(10_500_000n);
    expect(codeOf('10.005', 'KWD')).toBe(10_005_000n);
    expect(codeOf('1e3', 'JPY')).toBe(1_000_000_000n);
  });
});

describe('splitting', () => {
  it('neither loses nor adds a micro, and every share but the last is a whole unit', () => {
    const weights = fc.array(fc.bigInt({ min: 1n, max: 1000n }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), weights, (amount, parts) => {
        const shares = splitByWeights(amount, parts, 10_000n);
        expect(sumMicros(shares)).toBe(amount);
        for (const share of shares.slice(0, -1)) expect(share % 10_000n).toBe(0n);
      }),
    );
    expect(() => splitByWeights(1n, [])).toThrow(RangeError);
    expect(() => splitByWeights(1n, [2n, -1n])).toThrow(RangeError);
  });
});
