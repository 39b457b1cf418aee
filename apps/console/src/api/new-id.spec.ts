import { describe, expect, it } from '@jest/globals';
import { newId } from './new-id.js';

describe('an id created by the console', () => {
  it('is a version 4 UUID if the browser has no randomUUID, and each id is different', () => {
    const plain = { getRandomValues: crypto.getRandomValues.bind(crypto) };
    const made = Array.from({ length: 100 }, () => newId(plain));
    expect(new Set(made).size).toBe(100);
    for (const id of made)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
