import { afterAll, describe, expect, it } from '@jest/globals';
import { adminRoutes } from '../../main/routes.js';
import { openHttpHarness } from '../../main/testkit/http-harness.js';

const http = await openHttpHarness();
afterAll(() => http.close());

const send = (method: string, path: string, body?: string, token?: string) =>
  fetch(http.url + path, {
    method,
    headers: {
      'x-request-id': 'of-the-spec',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body }),
  });

describe('a refusal of the routes of administration', () => {
  it('is problem details, with the members of earlier versions', async () => {
    const answer = await send('DELETE', '/v1/principals/nobody?why=x', undefined, http.token);
    expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    const error = { code: 'NOT_FOUND', message: 'There is no such thing.', recovery: 'correctable' };
    expect([answer.status, await answer.json()]).toEqual([
      404,
      {
        type: 'urn:switchyard:problem:not-found',
        title: 'Not found',
        status: 404,
        detail: 'There is no such thing.',
        instance: 'urn:switchyard:request:of-the-spec',
        code: 'NOT_FOUND',
        error,
        errors: [error],
      },
    ]);
  });

  it.each<[string, string, string, string | undefined, 'token' | 'readerToken' | undefined, number, string]>([
    ['no credential', 'GET', '/v1/keys', undefined, undefined, 401, 'AUTH_REQUIRED'],
    ['no permission', 'GET', '/v1/keys', undefined, 'readerToken', 403, 'INSUFFICIENT_PERMISSIONS'],
    ['no JSON', 'POST', '/v1/keys/rotate', '[', 'token', 400, 'INVALID_REQUEST'],
    ['a wrong member', 'POST', '/v1/keys/rotate', '{"kid":1}', 'token', 422, 'VALIDATION_ERROR'],
    ['a secret', 'POST', '/v1/keys/rotate', '{"api_key":"x"}', 'token', 400, 'CREDENTIAL_IN_ARGS'],
    ['no such route', 'GET', '/v1/planets', undefined, 'token', 404, 'NOT_FOUND'],
  ])('is problem details for %s', async (_what, method, path, body, token, status, code) => {
    const answer = await send(method, path, body, token && http[token]);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect([answer.status, await answer.json()]).toMatchObject([
      status,
      { status, code, error: { code }, errors: [{ code }] },
    ]);
  });

  it('is described as such on every route', async () => {
    const api = (await (await send('GET', '/openapi.json')).json()) as {
      readonly paths: Record<string, Record<string, { readonly responses: Record<string, unknown> }>>;
    };
    for (const { path, method } of adminRoutes)
      expect(api.paths[path]?.[method]?.responses['404']).toMatchObject({
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      });
  });
});

describe('every other refusal', () => {
  it.each([
    ['a task', '/v1/tasks/no_such_task'],
    ['the list of tasks', '/v1/tasks'],
    ['the relay', '/relay/acme/mcp'],
    ['an address with nothing at it', '/planets'],
  ])('keeps its format: %s', async (_what, path) => {
    const answer = await send('POST', path, '{}', http.token);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await answer.json()).not.toHaveProperty('type');
  });
});
