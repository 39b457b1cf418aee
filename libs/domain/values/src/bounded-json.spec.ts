import { describe, expect, it } from '@jest/globals';
import { exceedsBounds, membersWithin, weightOf } from './parse-in-slices.js';

const bounds = { maxDepth: 3, maxMembers: 5 };

describe('the limits of a JSON text that is not yet read', () => {
  it.each([
    ['three levels', '[[[1]]]', false],
    ['four levels', '[[[[1]]]]', true],
    ['four objects', '{"a":{"b":{"c":{}}}}', true],
    ['five items', '[1,2,3,4,5]', false],
    ['six items', '[1,2,3,4,5,6]', true],
    ['brackets and commas in a string', '["[[[[,,,,,,\\"[[[[,,,,,,"]', false],
    ['brackets after a string that ends in a backslash', '["\\\\",[[[]]]]', true],
    ['a string that never ends', '["[[[[[[', false],
  ])('apply to %s', (_what, text, exceeds) => {
    expect(exceedsBounds(text, bounds)).toBe(exceeds);
  });
});

describe('the members of a JSON text that is not yet read', () => {
  it('are at least as many as it has, and not counted beyond the limits', () => {
    expect(membersWithin('{"a":[1,2],"b":","}', { maxDepth: 3, maxMembers: 10 })).toBe(4);
    expect(membersWithin('[1,2,3]', { maxDepth: 3, maxMembers: 2 })).toBeUndefined();
    const narrow = { maxDepth: 3, maxMembers: 20, maxWidth: 2 };
    expect(membersWithin('[{"a":1,"b":[1,2,3]},{"c":{"d":1,"e":1}},3]}]', narrow)).toBe(11);
    expect(membersWithin('[1,{"a":1,"b":{},"c":1}]', narrow)).toBeUndefined();
  });
});

describe('the weight of a value', () => {
  it('is the number of its values at every depth and the length of its texts, up to the limit', () => {
    expect(weightOf(['x'.repeat(640)], 100)).toBe(12);
    expect(weightOf({ a: [1, { b: null }], c: 'x' }, 100)).toBe(6);
    expect(weightOf(1, 100)).toBe(1);
    expect(
      weightOf(
        Array.from({ length: 1_000 }, () => ({})),
        10,
      ),
    ).toBeGreaterThan(10);
  });
});
