import { describe, expect, it } from '@jest/globals';
import { isStorableText, storableText } from './storable-text.js';

describe('storableText', () => {
  it('replaces U+0000 and each half of a surrogate pair, and leaves whole pairs alone', () => {
    expect(storableText('a\0b\ud800c\udc00\udc00d😀')).toBe('a\ufffdb\ufffdc\ufffd\ufffdd😀');
    expect(storableText('plain é 😀')).toBe('plain é 😀');
  });

  it('says of a text whether anything would be replaced', () => {
    for (const text of ['', 'plain', '😀', '\0', 'x\ud83d', '\ude00x'])
      expect([text, isStorableText(text)]).toEqual([text, storableText(text) === text]);
  });
});
