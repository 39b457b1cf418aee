import { expect, it } from '@jest/globals';
import { withoutEndSlashes } from './end-slashes.js';

it('removes every slash at the end, and no other', () => {
  const texts = ['https://a.example/b//', 'https://a.example/b', '/a', '///', ''];
  expect(texts.map(withoutEndSlashes)).toEqual(['https://a.example/b', 'https://a.example/b', '/a', '', '']);
});

it('takes no longer if the slashes are not at the end', () => {
  const text = `${'/'.repeat(8_000_000)}x`;
  const startedAt = performance.now();
  expect(withoutEndSlashes(text) === text).toBe(true);
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});
