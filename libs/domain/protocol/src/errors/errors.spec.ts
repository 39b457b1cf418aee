import { describe, expect, it } from '@jest/globals';
import type { JsonValue } from '@switchyard/values';
import { canonicalCode, errorRule, httpStatusOf, taskError } from './task-error.js';
import { codeIn, projectError, projectErrors } from './project-errors.js';
import { readErrors } from './read-errors.js';

const codesOf = (payload: JsonValue): string[] => readErrors(payload).map(({ code }) => code);

describe('errors in our answers', () => {
  it('have the names of their caller’s dialect', () => {
    expect(codeIn('PERMISSION_DENIED', 'ads')).toBe('INSUFFICIENT_PERMISSIONS');
    expect(codeIn('AUTH_MISSING', 'ads')).toBe('AUTH_REQUIRED');
    expect(codeIn('SIGNAL_NOT_FOUND', 'ads')).toBe('SIGNAL_AGENT_SEGMENT_NOT_FOUND');
    expect(codeIn('SIGNAL_NOT_FOUND', 'adcp', '2.5')).toBe('SIGNAL_AGENT_SEGMENT_NOT_FOUND');
    for (const form of ['3.0', '3.1'] as const)
      expect(codeIn('SIGNAL_NOT_FOUND', 'adcp', form)).toBe('SIGNAL_NOT_FOUND');
    expect(codeIn('INSUFFICIENT_PERMISSIONS', 'adcp')).toBe('PERMISSION_DENIED');
    expect(codeIn('AUTH_REQUIRED', 'adcp', '3.1')).toBe('AUTH_MISSING');
    expect(codeIn('AUTH_INVALID', 'adcp', '3.0')).toBe('AUTH_REQUIRED');
    expect(codeIn('DEPLOYMENT_UNAUTHORIZED', 'adcp')).toBe('PERMISSION_DENIED');
    expect(codeIn('DEPLOYMENT_UNAUTHORIZED', 'ads')).toBe('DEPLOYMENT_UNAUTHORIZED');
  });

  it('have the shape of their caller’s dialect', () => {
    const denied = taskError('AUTH_REQUIRED', 'Log in.', {
      field: 'x',
      suggestion: 'Send a token.',
      retryAfter: 0.2,
    });
    const item = {
      message: 'Log in.',
      field: 'x',
      suggestion: 'Send a token.',
      retry_after: 1,
      recovery: 'correctable',
    };
    expect(projectErrors([denied], 'ads')).toEqual({
      errors: [{ code: 'AUTH_REQUIRED', ...item }],
      error: { code: 'AUTH_REQUIRED', message: 'Log in.' },
    });
    expect(projectErrors([denied], 'adcp', '3.1')).toEqual({
      errors: [{ code: 'AUTH_MISSING', ...item }],
      adcp_error: { code: 'AUTH_MISSING', ...item },
    });
    expect(projectErrors([taskError('CONFLICT', 'x')], 'ads')).not.toHaveProperty('error');
  });

  it('have a wait in whole seconds, from one to an hour', () => {
    const waits = [0, 0.2, 1.5, 3_600, 86_400].map(
      (retryAfter) => projectError(taskError('RATE_LIMITED', 'x', { retryAfter }), 'adcp')['retry_after'],
    );
    expect(waits).toEqual([1, 1, 2, 3_600, 3_600]);
    expect(projectError(taskError('RATE_LIMITED', 'x'), 'ads')).not.toHaveProperty('retry_after');
  });

  it('have the HTTP status that the service description names', () => {
    const statuses = Object.fromEntries(
      [
        ...['INVALID_REQUEST', 'CREDENTIAL_IN_ARGS', 'VERSION_UNSUPPORTED', 'AUTH_REQUIRED', 'AUTH_INVALID'],
        ...[
          'INSUFFICIENT_PERMISSIONS',
          'PRODUCT_NOT_FOUND',
          'MEDIA_BUY_NOT_FOUND',
          'SIGNAL_AGENT_SEGMENT_NOT_FOUND',
        ],
        ...[
          'IDEMPOTENCY_CONFLICT',
          'VALIDATION_ERROR',
          'RATE_LIMITED',
          'SERVICE_UNAVAILABLE',
          'NOBODY_KNOWS',
        ],
        'request_signature_required',
      ].map((code) => [code, httpStatusOf(code)]),
    );
    expect(Object.values(statuses)).toEqual([
      400, 400, 400, 401, 401, 403, 404, 404, 404, 409, 422, 429, 503, 500, 401,
    ]);
  });

  it('say whether a retry is useful', () => {
    expect(errorRule('CREDENTIAL_IN_ARGS').recovery).toBe('terminal');
    expect(errorRule('IDEMPOTENCY_IN_FLIGHT').recovery).toBe('transient');
    expect(taskError('BUDGET_INSUFFICIENT', 'x')).toMatchObject({
      code: 'BUDGET_TOO_LOW',
      recovery: 'correctable',
    });
    expect(canonicalCode('__proto__')).toBe('__proto__');
  });
});

describe('errors of sellers', () => {
  it('are read in every known shape, each once', () => {
    const item = { code: 'CONFLICT', message: 'x' };
    expect(codesOf({ errors: [item], adcp_error: item })).toEqual(['CONFLICT']);
    expect(codesOf({ error: { code: 'AUTH_INVALID', message: 'x' } })).toEqual(['AUTH_INVALID']);
    expect(codesOf({ error: { code: -32000, message: 'x', data: { adcp_error: item } } })).toEqual([
      'CONFLICT',
    ]);
    expect(codesOf({ error: { code: -32603, message: 'boom' } })).toEqual(['SERVICE_UNAVAILABLE']);
    expect(codesOf({ error: 'boom' })).toEqual(['SERVICE_UNAVAILABLE']);
    expect(codesOf({ errors: ['boom', { message: 'no code' }, 7, null, {}] })).toEqual([
      'SERVICE_UNAVAILABLE',
      'SERVICE_UNAVAILABLE',
    ]);
    expect(codesOf({ error: null, errors: [] })).toEqual([]);
    expect(codesOf('boom')).toEqual([]);
  });

  it('are read once if a single member repeats a part of one', () => {
    const denied = taskError('AUTH_MISSING', 'Log in.', { field: 'x' });
    expect(readErrors(projectErrors([denied], 'ads', 'service'))).toEqual([
      expect.objectContaining({ code: 'AUTH_MISSING', field: 'x' }),
    ]);
  });

  it('have modern names, and a class even if they are unknown', () => {
    expect(codesOf({ errors: [{ code: 'RATE_LIMIT_EXCEEDED', message: 'x' }] })).toEqual(['RATE_LIMITED']);
    const recoveryOf = (value: JsonValue): unknown => readErrors({ errors: [value] })[0]?.recovery;
    expect(recoveryOf({ code: 'NEW_CODE', message: 'x' })).toBe('transient');
    expect(recoveryOf({ code: 'NEW_CODE', message: 'x', recovery: 'correctable' })).toBe('correctable');
    expect(recoveryOf({ code: 'NEW_CODE', message: 'x', recovery: 'someday' })).toBe('terminal');
    expect(recoveryOf({ code: 'BUDGET_TOO_LOW', message: 'x' })).toBe('correctable');
  });

  it('keep each wrong member, in the form of the reader', () => {
    const issue = { pointer: '/packages/0/budget', message: 'too low', keyword: 'minimum', schema_id: 's' };
    const details = { minimum: 5 };
    const issues = [
      issue,
      { pointer: '/x', message: 'no keyword' },
      'text',
      { ...issue, message: 'm'.repeat(9_000) },
    ];
    const [error] = readErrors({ errors: [{ code: 'VALIDATION_ERROR', message: 'x', issues, details }] });
    if (error === undefined) throw new Error('There is an error in it.');
    expect(error.issues).toEqual([issue]);
    for (const form of ['3.0', '3.1'] as const)
      expect(projectError(error, 'adcp', form)).toMatchObject({ issues: [issue], details });
    for (const form of ['service', '2.5'] as const) {
      const shown = projectError(error, form === 'service' ? 'ads' : 'adcp', form);
      expect(shown['issues']).toBeUndefined();
      expect(shown['details']).toEqual({ ...details, issues: [issue] });
    }
    const many = Array.from({ length: 500 }, () => issue);
    expect(readErrors({ errors: [{ code: 'X', message: 'x', issues: many }] })[0]?.issues).toHaveLength(50);
  });

  it('have limited lengths, whatever a seller writes', () => {
    const errors = Array.from({ length: 500 }, (_, index) => ({
      code: 'C'.repeat(5_000),
      message: `${index}${'m'.repeat(50_000)}`,
      retry_after: 1e9,
    }));
    const read = readErrors({ errors });
    expect(read).toHaveLength(50);
    expect(read[0]?.code.length).toBe(64);
    expect(read[0]?.message.length).toBeLessThan(2_010);
    expect(read[0]?.retryAfter).toBe(3_600);
    const hurried = readErrors({ errors: [{ code: 'RATE_LIMITED', message: 'x', retry_after: 0 }] });
    expect(hurried[0]?.retryAfter).toBe(1);
  });
});
