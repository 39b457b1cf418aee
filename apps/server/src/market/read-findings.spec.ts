import { describe, expect, it } from '@jest/globals';
import { readFindings } from './market-findings.js';

describe('a value that was lost of a seller’s answer', () => {
  it('is named by as much of the seller’s own text as finds it, of any length', () => {
    const setAside = [
      { code: 'PRODUCT_SET_ASIDE', message: 'a product has no name', field: 'x'.repeat(5_000) },
    ];
    const received = readFindings([{ seller: 'acme', findings: [], setAside, errors: [] }]);
    expect(received).toEqual([
      { seller: 'acme', code: 'PRODUCT_SET_ASIDE', message: 'a product has no name', field: 'x'.repeat(256) },
    ]);
  });
});
