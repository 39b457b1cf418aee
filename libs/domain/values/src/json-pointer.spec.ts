import { describe, expect, it } from '@jest/globals';
import { sanitizeKeyName } from './json-pointer.js';

describe('key names in logs and errors', () => {
  it('are cut at the first unprintable character, with the number of kept ones', () => {
    expect(sanitizeKeyName('plain')).toBe('plain');
    expect(sanitizeKeyName('ab\ncd')).toBe('ab<sanitized:2>');
    expect(sanitizeKeyName('\u202eabc')).toBe('<sanitized:0>');
    expect(sanitizeKeyName('é\u200b')).toBe('é<sanitized:2>');
  });

  it('hold at most 32 bytes, never half a character', () => {
    expect(sanitizeKeyName('x'.repeat(100))).toBe('x'.repeat(32));
    expect(sanitizeKeyName(`${'x'.repeat(31)}é`)).toBe('x'.repeat(31));
  });
});
