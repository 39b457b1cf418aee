import { describe, expect, it } from '@jest/globals';
import { keyFaults } from './require.js';

const codes = (key: unknown, form = '3.1') =>
  keyFaults({ idempotency_key: key as string }, form).map(({ code }) => code);

describe('the idempotency key of a request', () => {
  it.each(['0123456789abcdef', '3f1c0a52-7d5e-4c1b-9a55-0e6f6a1b2c3d'])('may be %s', (key) => {
    expect(codes(key)).toEqual([]);
  });

  it.each(['0000000000000000', 'abababababababababab', '1-1-1-1-1-1-1-1-1-1'])(
    'is refused if it can be guessed: %s',
    (key) => {
      expect(codes(key)).toEqual(['INVALID_REQUEST']);
    },
  );

  it('is required in 3.x, in a certain format, and not in the older forms', () => {
    expect(codes('short')).toEqual(['INVALID_REQUEST']);
    expect(codes('x'.repeat(256))).toEqual(['INVALID_REQUEST']);
    expect(codes('short', 'service')).toEqual([]);
  });
});
