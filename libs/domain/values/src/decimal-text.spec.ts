import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decimalTextAt, plainDecimal, sameDecimal } from './decimal-text.js';

describe('decimal text', () => {
  it('never shows an exponent and keeps the value', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = decimalTextAt(value, '', new Map());
        expect(text).toMatch(/^-?\d+(\.\d*[1-9])?$/);
        expect(Number(text)).toBe(value === 0 ? 0 : value);
      }),
    );
  });

  it('prefers the text that was on the wire', () => {
    expect(decimalTextAt(9007199254740992, '/a', new Map([['/a', '9007199254740993']]))).toBe(
      '9007199254740993',
    );
    expect(decimalTextAt(0.3, '/a', new Map([['/b', '7']]))).toBe('0.3');
  });

  it('expands exponents and drops needless zeros', () => {
    expect(plainDecimal('1e3')).toBe('1000');
    expect(plainDecimal('12.50E-1')).toBe('1.25');
    expect(plainDecimal('-0.0')).toBe('0');
    expect(plainDecimal('0012')).toBe('12');
    expect(plainDecimal('1e-7')).toBe('0.0000001');
  });

  it('refuses an invalid number, and exponents that would fill the memory', () => {
    for (const text of ['', '1.', '.5', 'NaN', '1e', '0x1', '1e999999999', '1e-999999999', ' 1']) {
      expect(plainDecimal(text)).toBeUndefined();
    }
  });

  it('compares values, not notations', () => {
    expect(sameDecimal('1.0', '1')).toBe(true);
    expect(sameDecimal('10e-1', '1')).toBe(true);
    expect(sameDecimal('-0', '0')).toBe(true);
    expect(sameDecimal('1', '-1')).toBe(false);
    expect(sameDecimal('1', '10')).toBe(false);
  });
});
