import { describe, expect, it } from '@jest/globals';
import { judgeAttempt, type AttemptResult } from './judge-attempt.js';

const now = Date.UTC(2026, 0, 1);
const answer = (status: number, more: Partial<Extract<AttemptResult, { kind: 'answer' }>> = {}) =>
  ({ kind: 'answer', status, ...more }) as const;

describe('an attempt', () => {
  it.each([200, 201, 202, 204, 299])('succeeds at %i', (status) => {
    expect(judgeAttempt(answer(status), 'task', now)).toEqual({
      verdict: 'delivered',
      status: 'success',
      httpStatus: status,
    });
  });

  it.each([300, 301, 302, 304, 307, 308, 400, 405, 409, 413, 415, 422])(
    'ends every kind of event at %i',
    (status) => {
      for (const kind of ['task', 'report', 'impairment'] as const)
        expect(judgeAttempt(answer(status), kind, now)).toMatchObject({
          verdict: 'refused',
          status: 'failed',
        });
    },
  );

  it.each([403, 404, 410])('is retried after %i as at a missing receiver', (status) => {
    for (const kind of ['task', 'report', 'impairment'] as const)
      expect(judgeAttempt(answer(status), kind, now)).toMatchObject({
        ...{ verdict: 'retry', status: 'failed', httpStatus: status, isMissing: true },
      });
    expect(judgeAttempt(answer(503), 'task', now)).not.toHaveProperty('isMissing');
  });

  it.each([408, 425, 429, 500, 502, 503, 504, 599])('is retried after %i', (status) => {
    for (const kind of ['task', 'report', 'impairment'] as const)
      expect(judgeAttempt(answer(status), kind, now)).toMatchObject({ verdict: 'retry', status: 'failed' });
  });

  describe('that was answered 401', () => {
    const signature = { wwwAuthenticate: 'Signature error="webhook_signature_key_unknown"' };

    it('ends a task event if the receiver names a signature code, and reports it', () => {
      const judged = judgeAttempt(answer(401, signature), 'task', now);
      expect(judged).toMatchObject({ verdict: 'refused', message: 'HTTP 401 webhook_signature_key_unknown' });
    });

    it('never ends an event of a persistent channel', () => {
      for (const kind of ['report', 'impairment'] as const)
        expect(judgeAttempt(answer(401, signature), kind, now).verdict).toBe('retry');
    });

    it.each([
      [undefined],
      ['Bearer realm="x"'],
      ['Basic realm="Signature error=webhook_x"'],
      ['Signature error="request_signature_invalid"'],
      ['Signature'],
    ])('is transient without such a code: %s', (wwwAuthenticate) => {
      const given = wwwAuthenticate === undefined ? {} : { wwwAuthenticate };
      expect(judgeAttempt(answer(401, given), 'task', now).verdict).toBe('retry');
    });
  });

  it('reads Retry-After in seconds or as a date, and ignores past and invalid values', () => {
    const requested = (retryAfter: string): number | undefined =>
      judgeAttempt(answer(503, { retryAfter }), 'task', now).retryAfterMs;
    expect(requested('120')).toBe(120_000);
    expect(requested(new Date(now + 90_000).toUTCString())).toBe(90_000);
    expect(requested(new Date(now - 90_000).toUTCString())).toBeUndefined();
    expect(requested('soon')).toBeUndefined();
    expect(requested('-5')).toBeUndefined();
  });

  it('distinguishes a timeout from an unreachable receiver, and retries both', () => {
    const failed = (code: Extract<AttemptResult, { kind: 'failure' }>['code']) =>
      judgeAttempt({ kind: 'failure', code }, 'task', now);
    expect(failed('timeout')).toMatchObject({ verdict: 'retry', status: 'timeout' });
    for (const code of ['unresolved', 'connect_failed', 'aborted', 'broken_response', 'too_large'] as const)
      expect(failed(code)).toMatchObject({ verdict: 'retry', status: 'connection_error' });
  });

  it('ends at a denied address and at a redirect', () => {
    for (const code of ['blocked_url', 'blocked_scheme', 'blocked_address', 'redirect_refused'] as const)
      expect(judgeAttempt({ kind: 'failure', code }, 'report', now).verdict).toBe('refused');
  });

  it('waits if it could not be signed', () => {
    expect(judgeAttempt({ kind: 'unsigned' }, 'task', now).verdict).toBe('retry');
  });
});
