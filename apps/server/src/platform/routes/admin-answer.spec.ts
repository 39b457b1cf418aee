import { describe, expect, it } from '@jest/globals';
import { err } from '@switchyard/values';
import type { AdminFailure } from '../failure.js';
import { asAnswer } from './stage.js';

const taken: AdminFailure = { code: 'CONFLICT', message: 'There is a principal called so.', field: 'name' };
const quiet = { onUnexpected: (): void => undefined };

describe('a failure of the administration', () => {
  it.each<[string, AdminFailure, number, string]>([
    ['that a name is taken ends with another name alone', taken, 409, 'correctable'],
    ['that somebody was faster passes', { ...taken, recovery: 'transient' }, 409, 'transient'],
    [
      'that something is not there is as the table has it',
      { ...taken, code: 'NOT_FOUND' },
      404,
      'correctable',
    ],
    [
      'that something is out of reach is as the table has it',
      { ...taken, code: 'UNAVAILABLE' },
      503,
      'transient',
    ],
  ])('%s', async (_what, failure, status, recovery) => {
    const answer = await asAnswer(quiet, 'the test', () => Promise.resolve(err(failure)));
    expect(answer).toMatchObject({ status, body: { errors: [{ code: failure.code, recovery }] } });
  });
});
