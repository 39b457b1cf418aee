import { expect, it } from '@jest/globals';
import { aboutDatabase } from './open-adapters.js';

it.each([true, false])('a start names the newer tables that it runs with, embedded: %s', (embedded) => {
  const text = aboutDatabase({ embedded, pooled: false, newer: ['20990101000000_later'] });
  expect(text).toContain('(its tables are of a newer version: 20990101000000_later)');
  expect(aboutDatabase({ embedded, pooled: false, newer: [] })).not.toContain('newer');
});
