import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import canonicalize from 'canonicalize';
import { canonicalJson, canonicalText } from './canonical-json.js';

describe('canonicalJson', () => {
  it('gives one text for every order of members', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
        const reversed = Object.fromEntries(Object.entries(object).reverse());
        expect(canonicalJson(reversed)).toBe(canonicalJson(object));
      }),
    );
  });

  it('sorts keys by UTF-16 code units and writes numbers as ECMAScript does', () => {
    expect(canonicalJson({ '\u20ac': 1, '\r': 2, '1': 3, '\ud83d\ude00': 4, '\ufb33': 5 })).toBe(
      '{"\\r":2,"1":3,"\u20ac":1,"\ud83d\ude00":4,"\ufb33":5}',
    );
    expect(canonicalJson([1e30, 4.5, 0.002, 1e-27, -0, 1 / 3])).toBe(
      '[1e+30,4.5,0.002,1e-27,0,0.3333333333333333]',
    );
  });

  it('throws if there is no JSON value', () => {
    expect(() => canonicalJson(Number.NaN)).toThrow();
    expect(() => canonicalJson(undefined)).toThrow();
  });
});

const careful = canonicalize as unknown as (value: unknown) => string | undefined;
const anyText = fc.string({ unit: 'binary', maxLength: 150 });

describe('canonicalText', () => {
  it('writes every JSON value like the careful writer, byte for byte', () => {
    const document = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'medium' },
        anyText,
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 5 }),
        fc.dictionary(anyText, fc.oneof(tie('value'), fc.constant(undefined)), { maxKeys: 6 }),
      ),
    })).value;
    fc.assert(
      fc.property(document, (value) => {
        expect(canonicalText(value)).toBe(careful(value));
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['names that look like places of a list', { 10: 1, 9: 2, a: 3, '': 4 }],
    ['quotes, backslashes and controls, in names as well', { 'a"b': '\\', '\u0000': '\u001f\u007f\u2028' }],
    ['half of a surrogate pair', { '\ud800': '\udc00' }],
    ['a name that an object has of itself', JSON.parse('{"__proto__":{"toJSON":1},"constructor":2}')],
    ['zero below zero and numbers at the ends', [-0, 5e-324, 1.7976931348623157e308, 1e21, 1e-7]],
    ['members that are not there', { a: undefined, b: { c: undefined } }],
    ['texts around the longest that is looked at', ['x'.repeat(99), 'x'.repeat(100), `${'x'.repeat(101)}"`]],
  ])('writes %s like the careful writer', (_what, value: unknown) => {
    expect(canonicalText(value)).toBe(careful(value));
  });

  it.each([
    ['a number that is not finite', [Number.POSITIVE_INFINITY]],
    ['what has a JSON form of its own', { at: new Date(0) }],
    ['a list that has one', Object.assign([1], { toJSON: () => 'else' })],
    ['a place that holds nothing', [undefined]],
    ['a function', { call: () => 1 }],
    ['an integer without an end', { sum: 1n }],
    ['nothing at all', undefined],
  ])('leaves %s to the careful writer', (_what, value: unknown) => {
    expect(canonicalText(value)).toBeUndefined();
  });
});
