import { describe, expect, it } from '@jest/globals';
import { timeOrderedId } from './time-ordered-id.js';

describe('timeOrderedId', () => {
  it('is a UUID of version 7 that begins with its time', () => {
    const id = timeOrderedId(Date.UTC(2026, 10, 21));
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(Date.UTC(2026, 10, 21));
  });

  it('differs each time and sorts by its time', () => {
    const ids = Array.from({ length: 1_000 }, () => timeOrderedId(1_000));
    expect(new Set(ids).size).toBe(1_000);
    expect(timeOrderedId(1_001) > ids.toSorted().at(-1)!).toBe(true);
  });
});
