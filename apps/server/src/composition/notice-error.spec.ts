import { describe, expect, it } from '@jest/globals';
import { noticeError } from './notice-error.js';

const what = {
  code: 'LEG_INTERRUPTED',
  seller: 'acme',
  legId: 'leg',
  message: 'It is left to the follower.',
};

describe('a notice in the log', () => {
  it('brings what was thrown as its cause', () => {
    const cause = new Error('The connection was lost.');
    expect(noticeError({ ...what, cause })).toMatchObject({
      message: 'LEG_INTERRUPTED: It is left to the follower.',
      cause,
    });
  });

  it('has no cause where nothing was thrown', () => {
    expect(noticeError(what)).not.toHaveProperty('cause');
  });
});
