import { describe, expect, it } from '@jest/globals';
import { concealInText, concealTexts } from './conceal-texts.js';

const secrets = ['pair:password', 'password'];

describe('a value that holds a secret', () => {
  it('holds it nowhere any more: in no text, no list and no name, and the rest stays', () => {
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

  it('is the very same where there is none in it', () => {
    const value = { a: ['x', 5, null, { b: true }] };
    expect(concealTexts(value, secrets)).toBe(value);
    expect(concealTexts({ a: 'password' }, [])).toEqual({ a: 'password' });
    expect(concealInText('nothing', secrets)).toBe('nothing');
  });

  it('is looked through however deep a stranger has nested it', () => {
    const deep = JSON.parse(`${'['.repeat(50_000)}"x"${']'.repeat(50_000)}`) as never;
    expect(concealTexts(deep, secrets)).toBe(deep);
  });
});
