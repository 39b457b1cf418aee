import { describe, expect, it } from '@jest/globals';
import { isStorableText, storableText, findNul } from './storable-text.js';

describe('storableText', () => {
  it('replaces U+0000 and each half of a surrogate pair, and leaves whole pairs alone', () => {
    expect(storableText('a\0b\ud800c\udc00\udc00d😀')).toBe('a\ufffdb\ufffdc\ufffd\ufffdd😀');
    expect(storableText('plain é 😀')).toBe('plain é 😀');
  });

  it('reports whether a text would change', () => {
    for (const text of ['', 'plain', '😀', '\0', 'x\ud83d', '\ude00x'])
      expect([text, isStorableText(text)]).toEqual([text, storableText(text) === text]);
  });
});

describe('the search for U+0000', () => {
  it('finds it in a text at any depth and returns its place', () => {
    expect(findNul('\0')).toBe('');
    expect(findNul({ brief: 'tea\0' })).toBe('/brief');
    expect(findNul({ packages: [{}, { context: { ref: ['a', 'b\0'] } }] })).toBe('/packages/1/context/ref/1');
  });

  it('finds it in a key, and does not show what follows it there', () => {
    expect(findNul({ context: { 'a\0b': 1 } })).toBe('/context/a<sanitized:1>');
  });

  it('finds nothing if there is none, even if it is spelled', () => {
    expect(findNul({ a: ['\\u0000', null, 0, true, { b: '' }], __proto__: 'x' })).toBeUndefined();
  });
});
