import { describe, expect, it } from '@jest/globals';
import { typedAmount } from './typed-amount.js';

describe('an amount that somebody types', () => {
  it.each([
    ['14000', '14000'],
    ['14,000', '14000'],
    ['14.000', '14000'],
    ['14 000', '14000'],
    ['1.234.567', '1234567'],
    ['1,234.56', '1234.56'],
    ['1.234,56', '1234.56'],
    ['2500.50', '2500.50'],
    ['2500,5', '2500.5'],
    ["12'000", '12000'],
  ])('%s is %s', (typed, amount) => {
    expect(typedAmount(typed)).toBe(amount);
  });

  it.each(['', 'much', '-5', '12.', '1,2,3.4.5x', '5 USD'])('%s is none', (typed) => {
    expect(typedAmount(typed)).toBeUndefined();
  });
});
