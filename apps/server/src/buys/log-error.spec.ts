import { describe, expect, it } from '@jest/globals';
import { logError } from './log-error.js';

const what = {
  code: 'LEG_INTERRUPTED',
  seller: 'acme',
  legId: 'leg',
  message: 'It is left to the follower.',
};

describe('a notice in the log', () => {
  it('contains the thrown error as its cause', () => {
    const cause = new Error('The connection was lost.');
    expect(logError({ ...what, cause })).toMatchObject({
      message: 'LEG_INTERRUPTED: It is left to the follower.',
      cause,
    });
  });

  it('has no cause without a thrown error', () => {
    expect(logError(what)).not.toHaveProperty('cause');
  });
});
