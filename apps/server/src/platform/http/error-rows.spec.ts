import { afterAll, describe, expect, it } from '@jest/globals';
import {
  errorRows,
  errorRule,
  httpStatusOf,
  projectErrors,
  shownAs,
  taskError,
  type Dialect,
} from '@switchyard/protocol';
import { openHttpHarness, taskReply } from '../../main/testkit/http-harness.js';

const http = await openHttpHarness();
afterAll(() => http.close());

interface Shown {
  readonly status: number;
  readonly body: { readonly errors?: readonly { readonly code: string }[] } & Record<string, unknown>;
  readonly challenge: string | null;
  readonly failed: boolean;
}

const calls = {
  mcp: [
    '/mcp',
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_products', arguments: {} } },
  ],
  a2a: [
    '/a2a',
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'message/send',
      params: {
        message: {
          kind: 'message',
          messageId: 'm',
          role: 'user',
          parts: [{ kind: 'data', data: { skill: 'get_products' } }],
        },
      },
    },
  ],
  rest: ['/v1/tasks/get_products', {}],
} as const;

interface Rpc {
  readonly result?: {
    readonly structuredContent?: Shown['body'];
    readonly isError?: boolean;
    readonly status?: { readonly state: string };
    readonly artifacts?: readonly { readonly parts: readonly { readonly data: Shown['body'] }[] }[];
  };
}

async function shownBy(endpoint: keyof typeof calls): Promise<Shown> {
  const [path, body] = calls[endpoint];
  const answer = await http.post(path, body, { authorization: `Bearer ${http.token}` });
  const reported = (await answer.json()) as Rpc & Shown['body'];
  const challenge = answer.headers.get('www-authenticate');
  const { result } = reported;
  const shown = result?.structuredContent ?? result?.artifacts?.[0]?.parts.at(-1)?.data ?? reported;
  const failed = result?.isError === true || result?.status?.state === 'failed' || answer.status >= 400;
  return { status: answer.status, body: shown, challenge, failed };
}

function failWith(code: string, dialect: Dialect): string {
  const error = taskError(code, 'Words.', { field: 'a', retryAfter: 9, details: { seller: 'acme' } });
  const profile = { dialect, form: dialect === 'ads' ? ('service' as const) : ('3.1' as const) };
  const body = projectErrors([error], profile.dialect, profile.form);
  const httpStatus = httpStatusOf(code);
  http.answerWith(() =>
    taskReply(body, { profile, status: 'failed', isError: true, errors: [error], httpStatus }),
  );
  const [item] = body['errors'] as unknown as readonly { code: string }[];
  return item?.code ?? '';
}

const codes = errorRows.flatMap(([, , ...listed]) => listed).filter((code) => shownAs(code) !== 'advisory');

describe.each(['ads', 'adcp'] as const)('an error to a caller of the dialect %s', (dialect) => {
  it.each(codes)(
    '%s is shown on every endpoint under its name, with its status, recovery, field, details and wait',
    async (code) => {
      const named = failWith(code, dialect);
      for (const endpoint of ['mcp', 'a2a', 'rest'] as const) {
        const shown = await shownBy(endpoint);
        const isChallenge = shownAs(code) === 'challenge';
        const status = isChallenge || endpoint === 'rest' ? httpStatusOf(code) : 200;
        expect({ endpoint, status: shown.status, failed: shown.failed }).toEqual({
          endpoint,
          status,
          failed: true,
        });
        expect(shown.challenge === null).toBe(!isChallenge);
        expect(shown.body.errors).toEqual([
          expect.objectContaining({
            code: named,
            field: 'a',
            retry_after: 9,
            details: { seller: 'acme' },
            recovery: errorRule(code).recovery,
          }),
        ]);
        expect('adcp_error' in shown.body).toBe(dialect === 'adcp');
        // An authentication failure is one object as well, and goes by the same name there (errors, shape 1).
        if (isChallenge) expect(shown.body['error']).toMatchObject({ code: named, message: 'Words.' });
      }
    },
  );
});

describe('an invalid request without a task', () => {
  it.each([
    ['a batch', '/mcp', [], {}],
    ['a text', '/a2a', 'hello', {}],
    [
      'a version of MCP to come',
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { 'mcp-protocol-version': '2099-01-01' },
    ],
    [
      'a version of A2A to come',
      '/a2a',
      { jsonrpc: '2.0', id: 1, method: 'tasks/get', params: {} },
      { 'a2a-version': '9.0' },
    ],
  ])('%s is refused with a code and recovery, too', async (_, path, body, headers) => {
    const answer = await http.post(path, body, {
      authorization: `Bearer ${http.token}`,
      ...headers,
    });
    const { error } = (await answer.json()) as { error: { data: { errors: readonly unknown[] } } };
    const item = { code: 'INVALID_REQUEST', message: expect.any(String), recovery: 'correctable' };
    expect(error.data.errors).toEqual([expect.objectContaining(item)]);
  });

  const rpc = (method: string, params: unknown) => ({ jsonrpc: '2.0', id: 1, method, params });
  const adcp = { adcp_version: '3.1', context: { trace: 'x' } };
  const skill = (data: unknown) => ({
    message: { messageId: 'm', role: 'user', parts: [{ kind: 'data', data }] },
  });

  it.each([
    ['an unknown tool', '/mcp', rpc('tools/call', { name: 'get_product', arguments: adcp }), true],
    ['a tool without a name', '/mcp', rpc('tools/call', { arguments: adcp }), true],
    ['an unknown method of MCP', '/mcp', rpc('prompts/list', {}), false],
    [
      'an unknown skill',
      '/a2a',
      rpc('message/send', skill({ skill: 'get_product', parameters: adcp })),
      true,
    ],
    ['a message without parts', '/a2a', rpc('message/send', {}), false],
    ['an unknown method of A2A', '/a2a', rpc('message/forget', {}), false],
    ['a task read without an id', '/a2a', rpc('tasks/get', {}), false],
    ['a message of another JSON-RPC', '/mcp', { jsonrpc: '1.0', id: 1, method: 'ping' }, false],
    ['a message without a method', '/a2a', { jsonrpc: '2.0', id: 1 }, false],
    ['an id that is no id', '/mcp', { jsonrpc: '2.0', id: {}, method: 'ping' }, false],
    [
      'parameters that are a list',
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: [] },
      false,
    ],
    ['a method that streams', '/a2a', rpc('message/stream', {}), false],
    ['a card that is not there', '/a2a', rpc('GetExtendedAgentCard', {}), false],
  ])(
    '%s is refused with code, field and recovery beside the words of JSON-RPC',
    async (_, path, body, isAdcp) => {
      const answer = await http.post(path, body, { authorization: `Bearer ${http.token}` });
      const { error } = (await answer.json()) as {
        error: {
          code: number;
          data: { errors: readonly unknown[]; adcp_error?: unknown; context?: unknown };
        };
      };
      expect(error.code).toBeLessThan(-32000);
      const item = {
        code: expect.any(String),
        message: expect.any(String),
        recovery: 'correctable',
        field: expect.any(String),
      };
      expect(error.data.errors).toEqual([expect.objectContaining(item)]);
      expect(error.data.adcp_error !== undefined).toBe(isAdcp);
      expect(error.data.context).toEqual(isAdcp ? { trace: 'x' } : undefined);
    },
  );
});
