import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import type { JsonValue } from '@switchyard/values';
import { concealSecrets } from './conceal-secrets.js';

const own = ['tok_0123456789'];
const concealed = (text: string): string | undefined =>
  concealSecrets(Buffer.from(text), JSON.parse(text) as JsonValue, own)?.toString();

describe('the body of a webhook', () => {
  it('is unchanged if it contains no secret', () => {
    expect(concealed('{"a": "tok_012345678", "n": 1.50}')).toBeUndefined();
  });

  it('loses our secret at any place, and nothing else', () => {
    expect(concealed('{"n": 1.50, "errors": [{"message": "Bearer tok_0123456789 is stale"}]}')).toBe(
      '{"n": 1.50, "errors": [{"message": "Bearer [secret] is stale"}]}',
    );
    expect(concealed('{"tok_0123456789": 1}')).toBe('{"[secret]": 1}');
  });

  it('loses a secret that is written with escapes', () => {
    expect(concealed('{"a": "\\u0074ok_0123456789"}')).toBe('{"a":"[secret]"}');
    const both = concealed(
      '{"a": "\\u0074ok_0123456789", "b": "tok_0123456789", "c": {"authentication": {"credentials": "x"}}}',
    );
    expect(both).not.toMatch(/tok_|"x"/);
  });
});
