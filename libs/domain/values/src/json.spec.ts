import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { defined } from './json.js';

describe('defined', () => {
  it('keeps every member but those that are undefined, in their order, and changes no prototype', () => {
    const name = fc.oneof(fc.string(), fc.constant('__proto__'), fc.constant('7'));
    const value = fc.oneof(fc.constant(undefined), fc.constant(null), fc.integer(), fc.object());
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value)), (members) => {
        const all = Object.fromEntries(members) as object;
        const kept = defined(all);
        expect(Object.entries(kept)).toEqual(Object.entries(all).filter(([, one]) => one !== undefined));
        expect(Object.getPrototypeOf(kept)).toBe(Object.prototype);
      }),
    );
  });
});
