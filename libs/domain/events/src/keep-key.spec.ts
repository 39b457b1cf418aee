import { describe, expect, it } from '@jest/globals';
import { keyRetainedUntil } from './keep-key.js';

const day = 24 * 3_600_000;

describe('keyRetainedUntil', () => {
  it.each(['delivery_report', 'task_status'] as const)('never forgets the key of a %s', (kind) => {
    expect(keyRetainedUntil(kind, 0)).toBeUndefined();
  });

  it.each(['impairment', 'other'] as const)(
    'remembers the key of a kind without money, %s, for longer than a day',
    (kind) => {
      expect(keyRetainedUntil(kind, 1000)).toBeGreaterThan(1000 + day);
    },
  );
});
