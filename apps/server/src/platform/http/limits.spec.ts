import { afterEach, describe, expect, it } from '@jest/globals';
import type { HandlerDeps } from '../tasks/call/handler.js';
import { taskService } from '../../main/testkit/task-service.js';
import { createRateLimits } from '../caller/rate-limits.js';
import { readRateSettings } from '../../main/settings/rate-settings.js';
import { readSettings } from '../../main/settings/settings.js';
import type { FastifyRequest } from 'fastify';
import { readJson } from './read-json.js';
import { faultOf, now, openHttpHarness, type HttpHarness } from '../../main/testkit/http-harness.js';

const usualRates = readRateSettings(readSettings({}).settings);

let http: HttpHarness | undefined;
afterEach(() => http?.close());

const rooms = [
  {
    name: 'MCP',
    path: '/mcp',
    wrap: (args: string) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_products","arguments":${args}}}`,
  },
  {
    name: 'A2A',
    path: '/a2a',
    wrap: (args: string) =>
      `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"messageId":"m","role":"user",` +
      `"parts":[{"kind":"data","data":{"skill":"get_products","parameters":${args}}}]}}}`,
  },
  { name: 'REST', path: '/v1/tasks/get_products', wrap: (args: string) => args },
] as const;

describe.each(rooms)('over $name', ({ name, path, wrap }) => {
  const post = (text: string) => {
    if (http === undefined) throw new Error('The server is not open.');
    return http.post(path, text, { authorization: `Bearer ${http.token}` });
  };

  /** A2A answers a fault of JSON-RPC with HTTP 200. */
  const statusAt = (status: number): number => (name === 'A2A' && status === 400 ? 200 : status);

  it.each([
    ['too deep', `{"ext":${'['.repeat(70)}${']'.repeat(70)}}`, 400, 'INVALID_REQUEST', 'too_deep'],
    ['of too many members', `{"ext":[${'1,'.repeat(20_000)}1]}`, 400, 'INVALID_REQUEST', '20000 members'],
    ['too large', `{"brief":"${'x'.repeat(1024 * 1024)}"}`, 413, 'PAYLOAD_TOO_LARGE', '1048576 bytes'],
    [
      'far too large',
      `{"brief":"${'x'.repeat(3 * 1024 * 1024)}"}`,
      413,
      'PAYLOAD_TOO_LARGE',
      '1048576 bytes',
    ],
  ])('a body that is %s is refused with the reason', async (_what, args, status, code, reported) => {
    http = await openHttpHarness();
    const answer = await post(wrap(args));
    expect(answer.status).toBe(statusAt(status));
    const fault = await faultOf(answer);
    expect(fault['code']).toBe(code);
    expect(fault['message']).toContain(reported);
    expect(http.calls).toEqual([]);
  });

  const anonymous = {
    members: `{"ext":[${'1,'.repeat(2_000)}1]}`,
    bytes: `{"brief":"${'x'.repeat(65_536)}"}`,
  };

  it.each([
    ['of more than 2000 members', anonymous.members, 400, 'INVALID_REQUEST', '2000 members'],
    ['of more than 65536 bytes', anonymous.bytes, 413, 'PAYLOAD_TOO_LARGE', '65536 bytes'],
  ])(
    'a body %s is refused without a credential and accepted with one',
    async (_what, args, status, code, reported) => {
      http = await openHttpHarness();
      const answer = await http.post(path, wrap(args));
      expect(answer.status).toBe(statusAt(status));
      const fault = await faultOf(answer);
      expect([fault['code'], fault['message']]).toEqual([code, expect.stringContaining(reported)]);
      expect(http.calls).toEqual([]);
      expect((await post(wrap(args))).status).toBe(200);
      expect(http.calls).toHaveLength(1);
    },
  );

  it('a body of unknown length has the same limit while it arrives', async () => {
    http = await openHttpHarness();
    const text = Buffer.from(wrap(anonymous.bytes));
    const sent = (headers: Record<string, string>) =>
      fetch(`${http!.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: new Blob([text]).stream(),
        duplex: 'half',
      });
    const answer = await sent({});
    expect([answer.status, (await faultOf(answer))['message']]).toEqual([
      413,
      expect.stringContaining('65536 bytes'),
    ]);
    expect(http.calls).toEqual([]);
    expect((await sent({ authorization: `Bearer ${http.token}` })).status).toBe(200);
  });

  it('a used up budget is RATE_LIMITED with the time to wait, in the format of each form', async () => {
    const clock = { now: () => now, after: () => () => undefined };
    const rates = createRateLimits({ ...usualRates, reads: { perSecond: 0.1, burst: 3 } }, clock);
    // No request of this test gets past its schema, so that nothing else has to stand behind the endpoints.
    const tasks = taskService({ rates } as unknown as HandlerDeps);
    http = await openHttpHarness({}, { clock, rates, tasks });
    const forms = ['{"brief":5}', '{"adcp_version":"3.0","brief":5}', '{"adcp_version":"3.1","brief":5}'];
    for (const args of forms) expect(await (await post(wrap(args))).text()).not.toContain('RATE_LIMITED');
    for (const args of forms) {
      const answer = await post(wrap(args));
      const text = await answer.text();
      expect(text).toContain('RATE_LIMITED');
      expect(text).toContain('"retry_after":10');
      if (name === 'REST') {
        expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '10']);
      } else {
        expect(answer.status).toBe(200);
      }
      if (name === 'MCP') expect(JSON.parse(text)).toMatchObject({ result: { isError: true } });
      if (name === 'A2A') expect(text).toMatch(/"state":"failed"/);
    }
  });

  it('callers without credentials share the small budget of their address, and use none of others', async () => {
    const clock = { now: () => now, after: () => () => undefined };
    const rates = createRateLimits({ ...usualRates, public: { perSecond: 1, burst: 2 } }, clock);
    const tasks = taskService({ rates } as unknown as HandlerDeps);
    http = await openHttpHarness({}, { clock, rates, tasks });
    const bare = async () => (await http!.post(path, wrap('{"brief":5}'))).text();
    expect([await bare(), await bare()].filter((text) => text.includes('RATE_LIMITED'))).toEqual([]);
    expect(await bare()).toContain('"retry_after":1');
    expect(await (await post(wrap('{"brief":5}'))).text()).not.toContain('RATE_LIMITED');
  });
});

it('a large body gives others a turn between its reading and its use', async () => {
  const request = {
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ brief: 'x'.repeat(100_000) })),
  } as unknown as FastifyRequest;
  const turns: string[] = [];
  setImmediate(() => turns.push('others'));
  const read = await readJson(request);
  turns.push('the body');
  expect([read.ok, turns]).toEqual([true, ['others', 'the body']]);
});
