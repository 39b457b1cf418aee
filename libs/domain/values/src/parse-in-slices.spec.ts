import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { atOnce } from './next-turn.js';
import { parseInSlices } from './parse-in-slices.js';

/** The value, or that the text is not JSON. */
function outcome(parse: () => unknown): unknown {
  try {
    return { value: parse() };
  } catch (error) {
    return error instanceof SyntaxError ? 'SyntaxError' : error;
  }
}

const document = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium' },
    fc.constantFrom(null, true, 0, -1.5e3, '', '[{,":\\'),
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.array(tie('value'), { maxLength: 6 }),
    fc.dictionary(fc.oneof(fc.string({ maxLength: 3 }), fc.constantFrom('__proto__', '0')), tie('value'), {
      maxKeys: 6,
    }),
  ),
})).value;

describe('a JSON text parsed in slices', () => {
  it('has the value that JSON.parse gives it, for any length of a slice', () => {
    fc.assert(
      fc.property(document, fc.nat(40), fc.constantFrom(undefined, 1, '\t'), (value, most, space) => {
        const text = JSON.stringify(value, undefined, space);
        expect(atOnce(parseInSlices(text, most))).toStrictEqual(JSON.parse(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is refused if JSON.parse refuses it: with characters removed, added and doubled', () => {
    const changed = fc.constantFrom('', ',', ':', '[', ']', '{', '}', '"', ' ', '\\', '1', 'null', '\u00a0');
    fc.assert(
      fc.property(document, fc.nat(), fc.nat(3), changed, fc.nat(30), (value, at, less, more, most) => {
        const whole = JSON.stringify(value);
        const place = at % (whole.length + 1);
        const text = whole.slice(0, place) + more + whole.slice(place + less);
        expect(outcome(() => atOnce(parseInSlices(text, most)))).toStrictEqual(
          outcome(() => JSON.parse(text) as unknown),
        );
      }),
      { numRuns: 5_000 },
    );
  });

  it.each([
    '{"a":[1,2,3],"a":1}',
    '{"a":1,"a":[1,2,3]}',
    '{"\\u0061":[1,2,3],"a":[4,5,6]}',
    '{"__proto__":[1,2,3],"b":{}}',
    '[1,2,]',
    '[,1,2]',
    '[[1,2],[3,4],]',
    '[[1,2][3,4],5]',
    '{"a":[1,2],}',
    '{"a":[1,2] "b":1}',
    '{[1,2,3]:1,"b":2}',
    '[          ]',
    '[1,2,3]]',
    '[1,2,3][4]',
    '\ufeff[1,2,3]',
  ])('agrees with JSON.parse about %s', (text) => {
    expect(outcome(() => atOnce(parseInSlices(text, 2)))).toStrictEqual(
      outcome(() => JSON.parse(text) as unknown),
    );
  });

  it('takes several steps for a long list, each of a bounded length', () => {
    const rows = Array.from({ length: 5_000 }, (_, at) => ({ [`name_${at}`]: 'x'.repeat(100) }));
    const work = parseInSlices(JSON.stringify({ result: { structuredContent: { products: rows } } }));
    let steps = 0;
    while (work.next().done !== true) steps += 1;
    expect(steps).toBeGreaterThan(8);
  });
});
