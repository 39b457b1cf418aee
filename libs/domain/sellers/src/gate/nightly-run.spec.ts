import { describe, expect, it } from '@jest/globals';
import type { StoredCheck } from './check.js';
import { isNightlyDue, nightlyState } from './nightly-run.js';

const check = (result: Partial<StoredCheck>): StoredCheck => ({
  ...{ key: 'read.mcp', attempt: 1, inputsHash: '', at: 0 },
  ...{ state: 'failed', code: 'not_conformant', words: '' },
  ...result,
});
const stateOf = (result: Partial<StoredCheck>) =>
  nightlyState([check({ key: 'address', state: 'passed' }), check(result)]);

describe('the state of nightly checks', () => {
  it('is that of an answer alone: a server that is down, busy or slow is unanswered', () => {
    const unanswered: readonly Partial<StoredCheck>[] = [
      { code: 'unreachable' },
      { code: 'busy' },
      { code: 'slow', state: 'waiting' },
      { code: 'http_error', evidence: { status: 503 } },
      { code: 'http_error', evidence: { status: 429 } },
      { code: 'credential_unopened' },
    ];
    expect(unanswered.map(stateOf)).toEqual(unanswered.map(() => 'unanswered'));
    const failed: readonly Partial<StoredCheck>[] = [
      {},
      { code: 'refused' },
      { code: 'http_error', evidence: { status: 404 } },
      { code: 'blocked_address' },
      { code: 'token_wanted', state: 'needs_person' },
    ];
    expect(failed.map(stateOf)).toEqual(failed.map(() => 'failed'));
    expect(stateOf({ state: 'skipped' })).toBe('passed');
  });

  it('is failed where one check is wrong and another one was not answered', () => {
    expect(nightlyState([check({ key: 'keys' }), check({ code: 'unreachable' })])).toBe('failed');
  });
});

describe('nightly checks', () => {
  it('are due from an hour of the seller until six, unless it was checked in the last twelve hours', () => {
    const hourMs = 3_600_000;
    // The third of five hours.
    const id = '00000002-0000-4000-8000-000000000000';
    const hours = Array.from({ length: 24 }, (_, hour) => hour);
    const dueAt = (answeredAt?: number) =>
      hours.filter((hour) =>
        isNightlyDue(id, { hour, now: 0, ...(answeredAt !== undefined && { answeredAt }) }),
      );
    expect(dueAt()).toEqual([2, 3, 4, 5]);
    expect(dueAt(-12 * hourMs)).toEqual([2, 3, 4, 5]);
    expect(dueAt(-11 * hourMs)).toEqual([]);
  });
});
