import { describe, expect, it } from '@jest/globals';
import { steadyOrder } from './use-steady-order.js';

describe('the order of a list that grows', () => {
  it('is the wanted one while nobody points at it', () => {
    expect(steadyOrder(['b', 'c'], ['a', 'b', 'c'], false)).toEqual(['a', 'b', 'c']);
  });

  it('keeps every row at its place while somebody points at it, and adds what is new at the end', () => {
    expect(steadyOrder(['b', 'c'], ['a', 'b', 'd', 'c'], true)).toEqual(['b', 'c', 'a', 'd']);
  });

  it('drops what is no longer wanted', () => {
    expect(steadyOrder(['b', 'c'], ['c'], true)).toEqual(['c']);
  });
});
