import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import { testControllerTool } from '../call/test-controller.js';
import { openHttpHarness, type HttpHarness } from '../../../main/testkit/http-harness.js';

const secret = 'sk-live-0123456789abcdef';
const performed: JsonObject[] = [];
let http: HttpHarness;
beforeAll(async () => {
  http = await openHttpHarness(
    {},
    {
      testController: {
        perform: (_caller, args) => {
          performed.push(args);
          return Promise.resolve({ success: true });
        },
        isReady: () => true,
        withLocalNames: (_caller, args) => args,
        withTestNames: (_caller, _task, reply) => reply,
      },
    },
  );
});
afterAll(() => http.close());
beforeEach(() => void performed.splice(0));

const over = {
  mcp: (args: JsonObject, beside: JsonObject = {}) => ({
    path: '/mcp',
    method: 'tools/call',
    params: { name: testControllerTool, arguments: args, ...beside },
  }),
  a2a: (args: JsonObject, beside: JsonObject = {}) => ({
    path: '/a2a',
    method: 'message/send',
    params: { message: { parts: [{ data: { skill: testControllerTool, parameters: args } }] }, ...beside },
  }),
};
const post = async ({
  path,
  method,
  params,
}: ReturnType<(typeof over)[keyof typeof over]>): Promise<string> => {
  const headers = { authorization: `Bearer ${http.token}` };
  return (await http.post(path, { jsonrpc: '2.0', id: 1, method, params }, headers)).text();
};

describe.each(['mcp', 'a2a'] as const)('comply_test_controller over %s', (endpoint) => {
  const context = { trace: 'trace-1' };

  it('runs the scenario, and returns the context', async () => {
    expect(await post(over[endpoint]({ scenario: 'list_scenarios', context }))).toContain('trace-1');
    expect(performed).toHaveLength(1);
  });

  it.each([
    ['context.api_key', { context: { ...context, api_key: secret } }, {}],
    ['params.fixture.jwks', { params: { fixture: { jwks: secret } }, context }, {}],
    ['metadata.authorization', { context }, { metadata: { authorization: secret } }],
  ])(
    'accepts no credential at %s: it names the place, does nothing and returns nothing',
    async (place, args, beside) => {
      const received = await post(over[endpoint]({ scenario: 'list_scenarios', ...args }, beside));
      expect(received).toContain('CREDENTIAL_IN_ARGS');
      expect(received).toContain(place);
      expect(received).not.toContain(secret);
      expect(received).not.toContain('trace-1');
      expect(performed).toHaveLength(0);
    },
  );
});
