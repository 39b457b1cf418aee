import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseStrictJson, type StrictJsonLimits } from './strict-json.js';

const read = (text: string, limits?: StrictJsonLimits) => parseStrictJson(Buffer.from(text), limits);
const codeOf = (text: string | Uint8Array, limits?: StrictJsonLimits) => {
  const result = typeof text === 'string' ? read(text, limits) : parseStrictJson(text, limits);
  return result.ok ? 'ok' : result.error.code;
};

describe('parseStrictJson', () => {
  it('reads what JSON.parse reads, to the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const text = JSON.stringify(value, null, 1);
        if (text.includes('\\ud')) return;
        const result = read(text);
        expect(result.ok && result.value.value).toEqual(JSON.parse(text));
      }),
      { numRuns: 500 },
    );
  });

  it('accepts nothing that JSON.parse refuses', () => {
    const pieces = fc.constantFrom(
      ...['{', '}', '[', ']', ',', ':', '"', '"a"', '"\\u0041"', '\\', '1', '-', '0', '.5', 'e9'],
      ...['true', 'null', 'fals', ' ', '\n', '\u0000', 'é', '01', '+1', "'"],
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        if (!read(text).ok) return;
        expect(() => JSON.parse(text) as unknown).not.toThrow();
      }),
      { numRuns: 3000 },
    );
  });

  it('never throws, for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect(typeof parseStrictJson(bytes).ok).toBe('boolean');
      }),
      { numRuns: 2000 },
    );
  });

  it('refuses a repeated key at any depth, compared decoded', () => {
    expect(codeOf('{"a":1,"a":2}')).toBe('duplicate_key');
    expect(codeOf('{"a":1,"\\u0061":2}')).toBe('duplicate_key');
    expect(codeOf('{"x":[{"y":{"b":1,"c":2,"b":3}}]}')).toBe('duplicate_key');
    expect(codeOf('{"__proto__":1,"__proto__":2}')).toBe('duplicate_key');
    expect(codeOf('{"toString":1,"constructor":2}')).toBe('ok');
  });

  it('keeps __proto__ as an ordinary own key and does not change prototypes', () => {
    const result = read('{"__proto__":{"polluted":true}}');
    const value = result.ok ? (result.value.value as object) : {};
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(JSON.stringify(value)).toBe('{"__proto__":{"polluted":true}}');
    expect('polluted' in {}).toBe(false);
  });

  it('refuses deep, crowded and large documents', () => {
    expect(codeOf('['.repeat(64) + ']'.repeat(64))).toBe('ok');
    expect(codeOf('['.repeat(65) + ']'.repeat(65))).toBe('too_deep');
    expect(codeOf('['.repeat(200_000))).toBe('too_deep');
    expect(codeOf('[1,2,3]', { maxMembers: 2 })).toBe('too_many_members');
    expect(codeOf('[1,2,3]', { maxBytes: 6 })).toBe('too_large');
    const narrow = { maxWidth: 2 };
    expect(codeOf('[{"a":1,"b":[1,2,3]},{"c":{"d":1,"e":1}},3]', narrow)).toBe('ok');
    expect(codeOf('[1,{"a":1,"b":{},"c":1}]', narrow)).toBe('too_many_members');
    // Read with care, because a double cannot hold its number.
    expect(codeOf('{"a":12345678901234567890,"b":1,"c":1}', narrow)).toBe('too_many_members');
  });

  it('leaves out one byte order mark at the beginning', () => {
    const result = read('\ufeff{"a":12345678901234567890}');
    expect(result).toMatchObject({ ok: true, value: { exact: new Map([['/a', '12345678901234567890']]) } });
    expect(codeOf('\ufeff{}')).toBe('ok');
  });

  it('refuses bytes that two readers could understand differently', () => {
    expect(codeOf(Buffer.from([0x22, 0xc3, 0x28, 0x22]))).toBe('invalid_utf8');
    expect(codeOf('\ufeff\ufeff{}')).toBe('malformed');
    expect(codeOf('{}\ufeff')).toBe('malformed');
    expect(codeOf('"\\ud800"')).toBe('malformed');
    expect(codeOf('{"\\udc00":1}')).toBe('malformed');
    expect(codeOf('"\\ud83d\\ude00"')).toBe('ok');
    expect(codeOf('{} {}')).toBe('malformed');
    expect(codeOf('{"a":1,}')).toBe('malformed');
    expect(codeOf('')).toBe('malformed');
    expect(codeOf('"a\u0001"')).toBe('malformed');
  });

  it('refuses numbers that a double cannot reach, in either direction', () => {
    expect(codeOf('1e400')).toBe('number_out_of_range');
    expect(codeOf('[-1e400]')).toBe('number_out_of_range');
    expect(codeOf('1e-400')).toBe('number_out_of_range');
    expect(codeOf('0e999999999')).toBe('ok');
    expect(codeOf('-0')).toBe('ok');
  });

  it('keeps the text of exactly the numbers that a double cannot hold, by pointer', () => {
    const result = read(
      '{"a":9007199254740993,"b":[0.1,1.0,1e3,12.50],"c/d":{"~":0.1234567890123456789},"e":0.30000000000000004}',
    );
    expect(result.ok && [...result.value.exact]).toEqual([
      ['/a', '9007199254740993'],
      ['/c~1d/~0', '0.1234567890123456789'],
    ]);
  });

  it('names the place in its errors and never a value', () => {
    const result = read('{"outer":{"key\\u202eevil":"hunter2","key\\u202eevil":"hunter3"}}');
    if (result.ok) throw new Error('expected a refusal');
    expect(result.error).toEqual({
      code: 'duplicate_key',
      message: 'the key "key<sanitized:3>" occurs twice in one object',
      pointer: '/outer',
    });
  });

  it('takes time in proportion to the text, with any repetition', () => {
    const texts = [
      `[${'1'.repeat(300)}00000000.${'0'.repeat(2_000_000)}]`,
      `"${'\\u0061'.repeat(300_000)}"`,
      `{${Array.from({ length: 100_000 }, (_, i) => `"k${i}":${i}`).join(',')}}`,
      `${' '.repeat(2_000_000)}1`,
    ];
    for (const text of texts) {
      const from = process.cpuUsage().user;
      read(text);
      expect(process.cpuUsage().user - from).toBeLessThan(3_000_000);
    }
  });
});
