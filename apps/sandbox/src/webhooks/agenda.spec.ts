import { describe, expect, it } from '@jest/globals';
import { Agenda } from './agenda.js';

describe('timed work that fails', () => {
  it.each([
    [
      'at once',
      () => {
        throw new Error('ENOSPC');
      },
    ],
    ['later', () => Promise.reject(new Error('ENOSPC'))],
  ])('%s is reported and retried until it succeeds', async (_when, fail) => {
    const reported: string[] = [];
    const agenda = new Agenda((problem) => reported.push(problem), 1);
    let left = 2;
    await new Promise<void>((done) =>
      agenda.at(Date.now(), () => {
        if (left === 0) return done();
        left -= 1;
        return fail();
      }),
    );
    expect(reported).toEqual(['ENOSPC', 'ENOSPC']);
    agenda.stop();
  });
});
