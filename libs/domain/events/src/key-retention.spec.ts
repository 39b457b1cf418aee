import { describe, expect, it } from '@jest/globals';
import { keyRetainedUntil } from './key-retention.js';

const day = 24 * 3_600_000;

describe('keyRetainedUntil', () => {
  it.each(['delivery_report', 'task_status'] as const)('retains the key of a %s forever', (kind) => {
    expect(keyRetainedUntil(kind, 0)).toBeUndefined();
  });

  it.each(['impairment', 'other'] as const)(
    'retains the key of a kind without money, %s, for longer than a day',
    (kind) => {
      expect(keyRetainedUntil(kind, 1000)).toBeGreaterThan(1000 + day);
    },
  );
});
