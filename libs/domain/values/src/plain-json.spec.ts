import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { JsonReader, JsonRefusal } from './json-reader.js';
import { readPlainJson, parseStrictJson } from './strict-json.js';

const limits = { maxDepth: 12, maxMembers: 40 };
const plain = (text: string, within = limits) => readPlainJson(Buffer.from(text), text, within);

/** What the careful reader says, which goes through every document letter by letter. */
function careful(text: string, within = limits): unknown {
  const reader = new JsonReader(text, within.maxDepth, within.maxMembers);
  try {
    return { value: reader.document(), exact: [...reader.exact] };
  } catch (error) {
    if (error instanceof JsonRefusal) return error.refusal;
    throw error;
  }
}

function both(text: string, within = limits): unknown {
  const read = parseStrictJson(Buffer.from(text), within);
  return read.ok ? { value: read.value.value, exact: [...read.value.exact] } : read.error;
}

const keys = fc.constantFrom(
  'a',
  'b',
  '\\u0061',
  'é',
  '__proto__',
  'toString',
  '',
  '\\"',
  '1',
  '\\ud800',
  'a\\u0062',
);
const numbers = fc.constantFrom(
  ...['0', '-0', '1.50', '999999999999999', '-999999999999999', '9007199254740993', '0.1234567890123456'],
  ...['1e3', '1E400', '1e-400', '01', '0.00000000000001', '-', '1.', '.5', '0.30000000000000004'],
);
const texts = fc.constantFrom(
  ...[
    '"x"',
    '"a:b,{[]}"',
    '"\\\\"',
    '"\\ud83d\\ude00"',
    '"\\uDC00"',
    '"\\u0000"',
    '"\\x"',
    '"é\u2028"',
    '"\u0001"',
    '"',
  ],
);
const { document } = fc.letrec<{ document: string }>((tie) => ({
  document: fc.oneof(
    { maxDepth: 5, depthSize: 'small' },
    fc.oneof(numbers, texts, fc.constantFrom('true', 'false', 'null', 'nul')),
    fc.array(tie('document'), { maxLength: 4 }).map((items) => `[${items.join(', ')}]`),
    fc
      .array(fc.tuple(keys, tie('document')), { maxLength: 4 })
      .map((members) => `{${members.map(([key, value]) => `"${key}" :${value}`).join(',')}}`),
  ),
}));

describe('readPlainJson', () => {
  it('never differs from the careful reader, for any keys, numbers, texts and nesting', () => {
    let answered = 0;
    fc.assert(
      fc.property(document, (text) => {
        const value = plain(text);
        if (value === undefined) return;
        answered += 1;
        expect({ value, exact: [] }).toEqual(careful(text));
      }),
      { numRuns: 8_000 },
    );
    expect(answered).toBeGreaterThan(1_500);
  });

  it('gives the same result as parseStrictJson, refusals and their places included', () => {
    fc.assert(
      fc.property(document, (text) => expect(both(text)).toEqual(careful(text))),
      { numRuns: 8_000 },
    );
  });

  it('never differs after any one letter of a document was replaced, removed or doubled', () => {
    const letters = fc.constantFrom(...'{}[],:"\\ud0129.eE-+tfn \n\u0000é'.split(''));
    fc.assert(
      fc.property(document, fc.nat(), letters, fc.nat(2), (text, where, letter, how) => {
        const at = where % text.length;
        const changed =
          [
            text.slice(0, at) + letter + text.slice(at + 1),
            text.slice(0, at) + text.slice(at + 1),
            text.slice(0, at) + letter + text.slice(at),
          ][how] ?? text;
        expect(both(changed)).toEqual(careful(changed));
      }),
      { numRuns: 8_000 },
    );
  });

  it('leaves to the careful reader what JSON.parse would wrongly accept', () => {
    for (const text of [
      '{"a":1,"a":2}',
      '{"a":1,"\\u0061":2}',
      '[{"__proto__":1,"__proto__":2}]',
      '"\\uD800"',
      '9007199254740993',
      '1e400',
      '[1,1e2]',
    ]) {
      expect(() => JSON.parse(text) as unknown).not.toThrow();
      expect([text, plain(text)]).toEqual([text, undefined]);
    }
  });

  it('is not affected by members that somebody added to all objects', () => {
    Object.defineProperty(Object.prototype, 'polluted', { value: 1, enumerable: true, configurable: true });
    try {
      expect(plain('{"a":1,"a":2}')).toBeUndefined();
      expect(plain('{"a":1,"b":2}')).toEqual({ a: 1, b: 2 });
    } finally {
      delete (Object.prototype as { polluted?: number }).polluted;
    }
  });

  it('counts levels and members like the careful reader, or leaves it to that one', () => {
    for (const text of ['[[1]]', '[[[1]]]', '[1,2,3]', '{"a":1,"b":2,"c":3}', '[[],[],{}]', '[1,2,3,4]'])
      expect([text, both(text, { maxDepth: 2, maxMembers: 3 })]).toEqual([
        text,
        careful(text, { maxDepth: 2, maxMembers: 3 }),
      ]);
  });
});
