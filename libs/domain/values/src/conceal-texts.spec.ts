import { describe, expect, it } from '@jest/globals';
import { concealInText, concealTexts } from './conceal-texts.js';

const secrets = ['pair:password', 'password'];

describe('a value that contains a secret', () => {
  it('loses it in every text, list and name, and keeps the rest', () => {
    const value = {
      a: ['x password y', 5, null, { 'by password': true }],
      b: 'pair:password',
      c: 'pass word',
    };
    expect(concealTexts(value, secrets)).toEqual({
      a: ['x [secret] y', 5, null, { 'by [secret]': true }],
      b: '[secret]',
      c: 'pass word',
    });
  });

  it('is the same object if it has none', () => {
    const value = { a: ['x', 5, null, { b: true }] };
    expect(concealTexts(value, secrets)).toBe(value);
    expect(concealTexts({ a: 'password' }, [])).toEqual({ a: 'password' });
    expect(concealInText('nothing', secrets)).toBe('nothing');
  });

  it('is searched at any depth', () => {
    const deep = JSON.parse(`${'['.repeat(50_000)}"x"${']'.repeat(50_000)}`) as never;
    expect(concealTexts(deep, secrets)).toBe(deep);
  });
});
