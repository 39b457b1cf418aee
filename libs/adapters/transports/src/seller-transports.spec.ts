import { Buffer } from 'node:buffer';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { SellerTarget, SellerTransport } from '@switchyard/sellers';
import { Secret, type JsonObject } from '@switchyard/values';
import { startA2aSeller } from './testkit/a2a-seller.js';
import { backwards } from './testkit/faults.js';
import { startMcpSeller } from './testkit/mcp-seller.js';
import { plainEgress } from './testkit/plain-egress.js';
import type { SellerDouble } from './testkit/seller-double.js';
import { createSellerTransport } from './seller-transports.js';

const contenders = [
  {
    name: 'MCP without sessions, JSON',
    protocol: 'mcp' as const,
    start: () => startMcpSeller({ sessions: false, streams: false }),
  },
  {
    name: 'MCP with sessions, event streams',
    protocol: 'mcp' as const,
    start: () => startMcpSeller({ sessions: true, streams: true }),
  },
  { name: 'A2A 1.0', protocol: 'a2a' as const, start: () => startA2aSeller({ version: '1.0' }) },
  { name: 'A2A 0.3', protocol: 'a2a' as const, start: () => startA2aSeller({ version: '0.3' }) },
];

const never = new AbortController().signal;
const complaints: unknown[] = [];
const echoed: (readonly [organization: string, connection: string])[] = [];
const complain = (problem: unknown): void => void complaints.push(problem);

describe.each(contenders)('a seller over $name', ({ protocol, start }) => {
  let seller: SellerDouble;
  let transport: SellerTransport;

  beforeEach(async () => {
    complaints.length = 0;
    echoed.length = 0;
    process.on('unhandledRejection', complain);
    process.on('warning', complain);
    seller = await start();
    transport = createSellerTransport({
      egress: plainEgress,
      maxAnswerBytes: 100_000,
      connectTimeoutMs: 2_000,
      onEcho: ({ organizationId, connectionId }) => echoed.push([organizationId, connectionId]),
    });
  });

  afterEach(async () => {
    await transport.close();
    await seller.stop();
    process.off('unhandledRejection', complain);
    process.off('warning', complain);
    expect(complaints).toEqual([]);
  });

  const as = (organizationId: string, token: string, version = 1): SellerTarget => ({
    organizationId,
    connectionId: `${organizationId}-connection`,
    agentUrl: seller.url,
    protocol,
    dialect: 'ads',
    credential: { id: 'credential', version, scheme: 'bearer', secret: new Secret(Buffer.from(token)) },
  });
  const call = (tool: string, target = as('acme', 'token-acme'), args: JsonObject = {}, signal = never) =>
    transport.call(target, { tool, args }, signal);
  const failureOf = async (tool: string, target = as('acme', 'token-acme')) => {
    const outcome = await call(tool, target);
    if (outcome.ok) throw new Error(`answered: ${JSON.stringify(outcome.value)}`);
    return outcome.error;
  };

  it('returns the answer unchanged', async () => {
    const args = { brief: 'shoes', nested: { list: [1, 'two', null] } };
    expect(await call('echo', undefined, args)).toMatchObject({
      ok: true,
      value: { payload: { args, backwards: backwards('Bearer token-acme') }, isError: false },
    });
  });

  it('removes our own credential from a seller’s answer, and reports the seller', async () => {
    expect(await call('blab')).toMatchObject({
      ok: true,
      value: { payload: { notes: [{ 'seen Bearer [secret]': 'You are Bearer [secret].' }] }, isError: false },
    });
    expect(echoed).toEqual([['acme', 'acme-connection']]);
    await call('echo');
    expect(echoed).toHaveLength(1);
  });

  it('returns the text of an answer on request, without our credential', async () => {
    expect(await call('echo')).not.toHaveProperty('value.text');
    const wanted = { tool: 'blab', args: {}, wantsText: true as const };
    const reported = await transport.call(as('acme', 'token-acme'), wanted, never);
    const text = reported.ok ? (reported.value.text ?? '') : '';
    expect(JSON.parse(text)).toHaveProperty('result');
    expect(text).toContain('You are Bearer [secret].');
    const escaped = { tool: 'echo', args: { note: 'token-acm\\u0065' }, wantsText: true as const };
    const hidden = await transport.call(as('acme', 'token-acme'), escaped, never);
    expect(hidden).toMatchObject({ ok: true });
    expect(hidden).not.toHaveProperty('value.text');
  });

  it('searches a text of many backslashes for hidden credentials as fast as others', async () => {
    const args = { note: '\\'.repeat(100_000) };
    const wanted = { tool: 'echo', args, wantsText: true as const, maxAnswerBytes: 8_000_000 };
    const startedAt = performance.now();
    expect(await transport.call(as('acme', 'token-acme'), wanted, never)).toHaveProperty('value.text');
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it('treats a task’s own error as an answer, not as a failure', async () => {
    expect(await call('refuse')).toMatchObject({
      ok: true,
      value: { isError: true, payload: { adcp_error: { code: 'PRODUCT_NOT_FOUND' } } },
    });
  });

  it('reports a refused credential as not delivered', async () => {
    expect(await failureOf('echo', as('acme', 'wrong'))).toMatchObject({
      code: 'unauthorized',
      delivered: 'no',
      httpStatus: 401,
    });
  });

  it('reports a closed port as not delivered', async () => {
    await seller.stop();
    expect(await failureOf('echo')).toMatchObject({ code: 'unreachable', delivered: 'no' });
    await seller.restart().catch(() => undefined);
  });

  it('reads no more of one answer than its call allows, and the usual size of the next one', async () => {
    const args = { text: 'x'.repeat(2_000) };
    const bounded = await transport.call(
      as('acme', 'token-acme'),
      { tool: 'echo', args, maxAnswerBytes: 1_000 },
      never,
    );
    expect(!bounded.ok && bounded.error).toMatchObject({ code: 'too_large', delivered: 'maybe' });
    expect(await call('echo', undefined, args)).toMatchObject({ ok: true, value: { payload: { args } } });
    const enough = { tool: 'echo', args, maxAnswerBytes: 50_000 };
    expect(await transport.call(as('acme', 'token-acme'), enough, never)).toMatchObject({ ok: true });
  });

  it('asks its caller before it parses a long answer, and never for a short one', async () => {
    const requested: number[] = [];
    const mayRead = (members: number): boolean => {
      requested.push(members);
      return false;
    };
    const query = (length: number) =>
      transport.call(
        as('acme', 'token-acme'),
        { tool: 'echo', args: { text: 'x'.repeat(length) }, mayRead },
        never,
      );
    expect(await query(10)).toMatchObject({ ok: true });
    expect(requested).toEqual([]);
    // An agent over A2A returns the arguments more than once.
    const refused = await query(protocol === 'a2a' ? 40_000 : 70_000);
    expect(!refused.ok && refused.error).toMatchObject({ code: 'too_large', delivered: 'maybe' });
    expect(requested).toHaveLength(1);
  });

  it.each([
    ['http_500', 'http_error'],
    ['garbage', 'malformed'],
    ['wrong_id', 'malformed'],
    ['html', 'malformed'],
    ['huge', 'too_large'],
    ['deep', 'too_large'],
    ['reset', 'unreachable'],
    ['redirect_after', 'protocol_error'],
  ])('reports %s as %s, delivered or not unknown, and serves the next call', async (tool, code) => {
    expect(await failureOf(tool)).toMatchObject({ code, delivered: 'maybe' });
    expect(await call('echo')).toMatchObject({ ok: true });
  });

  it('reports the retry time of a seller with too many requests: it did nothing', async () => {
    const busy = { code: 'http_error', httpStatus: 429, delivered: 'no', retryAfter: 7 };
    expect(await failureOf('http_429')).toMatchObject(busy);
  });

  it('reports a redirect of the request itself as not delivered: the seller did nothing and nobody else was called', async () => {
    expect(await failureOf('redirect')).toMatchObject({ code: 'protocol_error', delivered: 'no' });
    expect(await call('echo')).toMatchObject({ ok: true });
  });

  it('aborts a hanging call when its own signal fires, and no other call', async () => {
    const controller = new AbortController();
    const hanging = call('hang', undefined, {}, controller.signal);
    const other = call('echo');
    await seller.arrived('hang');
    controller.abort();
    expect(await hanging).toMatchObject({ ok: false, error: { code: 'aborted', delivered: 'maybe' } });
    expect(await other).toMatchObject({ ok: true });
  });

  it('reconnects to a seller that was restarted between two calls', async () => {
    await call('echo');
    await seller.restart();
    await call('echo');
    expect(await call('echo')).toMatchObject({ ok: true });
  });

  it('opens one session for simultaneous calls, and keeps it', async () => {
    await Promise.all(Array.from({ length: 20 }, () => call('echo')));
    const before = seller.seen.length;
    await call('echo');
    expect(seller.seen.length).toBe(before + 1);
    // A handshake is at most three requests beside the twenty calls.
    expect(before).toBeLessThanOrEqual(23);
  });

  it('never lets two tenants share a session or a credential', async () => {
    const answers = await Promise.all(
      ['acme', 'rival', 'acme', 'rival'].map((who) => call('echo', as(who, `token-${who}`))),
    );
    expect(answers.map((answer) => answer.ok && answer.value.payload['backwards'])).toEqual(
      ['acme', 'rival', 'acme', 'rival'].map((who) => backwards(`Bearer token-${who}`)),
    );
    const tenantsOf = new Map<string, Set<string | undefined>>();
    for (const { session, authorization } of seller.seen) {
      if (session === undefined) continue;
      tenantsOf.set(session, (tenantsOf.get(session) ?? new Set()).add(authorization));
    }
    for (const tenants of tenantsOf.values()) expect(tenants.size).toBe(1);
  });

  it('opens a new session for the next version of a credential', async () => {
    await call('echo', as('acme', 'token-old', 1));
    expect(await call('echo', as('acme', 'token-new', 2))).toMatchObject({
      value: { payload: { backwards: backwards('Bearer token-new') } },
    });
  });

  it('opens a new session after the connection was removed', async () => {
    await call('echo');
    await transport.forget('acme-connection');
    const before = seller.seen.length;
    expect(await call('echo')).toMatchObject({ ok: true });
    expect(seller.seen.length).toBeGreaterThan(before + 1);
  });

  it('sends Basic credentials as Basic', async () => {
    const target = as('acme', 'user:pass');
    const basic = { ...target, credential: { ...target.credential!, scheme: 'basic' as const } };
    await call('echo', basic);
    expect(seller.seen.at(-1)?.authorization).toBe('Basic dXNlcjpwYXNz');
  });

  it('shows no credential when it is printed, nor in any failure', async () => {
    await call('echo');
    const shown = [inspect(transport, { depth: 20, showHidden: true })];
    for (const tool of ['http_500', 'garbage', 'reset']) shown.push(JSON.stringify(await failureOf(tool)));
    expect(shown.join()).not.toContain('token-acme');
  });

  it('adds no listeners to a signal that outlives many calls', async () => {
    const controller = new AbortController();
    for (let round = 0; round < 30; round += 1) await call('echo', undefined, {}, controller.signal);
    // `afterEach` fails on the warning that eleven listeners would bring.
  });
});

describe('an MCP seller', () => {
  let seller: SellerDouble;
  let transport: SellerTransport;
  beforeEach(async () => {
    seller = await startMcpSeller({ sessions: false, streams: false });
    transport = createSellerTransport({ egress: plainEgress, connectTimeoutMs: 2_000 });
  });
  afterEach(async () => {
    await transport.close();
    await seller.stop();
  });
  const target = (): SellerTarget => ({
    organizationId: 'acme',
    connectionId: 'one',
    agentUrl: seller.url,
    protocol: 'mcp',
    dialect: 'ads',
    credential: { id: 'c', version: 1, scheme: 'bearer', secret: new Secret(Buffer.from('token-acme')) },
  });
  const call = (tool: string) => transport.call(target(), { tool, args: {} }, never);

  it.each([
    ['in_text', { said: 'in text' }, false],
    ['in_fence', { said: 'in a fence' }, false],
    ['odd_part', { said: 'beside an odd part' }, false],
    ['more_members', { said: 'with more members' }, false],
    ['prose_error', { message: 'I would rather not.' }, true],
    ['rpc_error', { adcp_error: { code: 'RATE_LIMITED' } }, true],
    ['blab_data', { error: 'As Bearer [secret]?' }, true],
    // Cut where the credential would be in two: no piece of it is left.
    ['blab_error', { message: `${'x'.repeat(490)} Bearer [s` }, true],
  ])('is understood when it answers like %s', async (tool, payload, isError) => {
    expect(await call(tool)).toEqual({ ok: true, value: { payload, isError } });
  });

  it.each([
    ['prose', 'malformed', 'has no JSON object in it'],
    ['garbage', 'malformed', 'is not JSON'],
    ['wrong_id', 'malformed', 'not to this request'],
    ['both', 'malformed', 'not to this request'],
    ['odd_code', 'protocol_error', 'does not speak the protocol'],
  ])('fails at once with the correct reason when it answers like %s', async (tool, code, reason) => {
    const answer = await call(tool);
    expect(answer).toMatchObject({ ok: false, error: { code, delivered: 'maybe' } });
    expect(answer.ok ? '' : answer.error.message).toContain(reason);
  });

  it('that does not know the method has not executed it', async () => {
    expect(await call('rpc_unknown')).toMatchObject({
      ok: false,
      error: { code: 'protocol_error', delivered: 'no' },
    });
  });

  it('lists its tools with their arguments, and its schemas are never compiled', async () => {
    expect(await transport.listTools(target(), never)).toEqual({
      ok: true,
      value: { echo: ['brief'], refuse: [] },
    });
    expect(await call('echo')).toMatchObject({ ok: true });
  });

  it('is called with one request per call, without an open stream', async () => {
    await call('echo');
    await call('echo');
    expect(seller.seen.filter((one) => one.method === 'GET')).toEqual([]);
    expect(seller.seen.map((one) => one.tool)).toEqual([undefined, undefined, 'echo', 'echo']);
  });
});

describe.each(['1.0', '0.3'] as const)('an A2A seller of protocol %s', (version) => {
  let seller: SellerDouble;
  let transport: SellerTransport;
  beforeEach(async () => {
    seller = await startA2aSeller({ version });
    transport = createSellerTransport({ egress: plainEgress, connectTimeoutMs: 2_000 });
  });
  afterEach(async () => {
    await transport.close();
    await seller.stop();
  });
  const target = (): SellerTarget => ({
    organizationId: 'acme',
    connectionId: 'one',
    agentUrl: seller.url,
    protocol: 'a2a',
    dialect: 'ads',
    credential: { id: 'c', version: 1, scheme: 'bearer', secret: new Secret(Buffer.from('token-a')) },
  });

  it('answers with the last data part of its first artifact', async () => {
    const answer = await transport.call(target(), { tool: 'echo', args: {} }, never);
    expect(answer).toMatchObject({
      value: { payload: { backwards: backwards('Bearer token-a') }, a2a: { state: 'completed' } },
    });
  });

  it('may answer with a message instead of a task', async () => {
    const answer = await transport.call(target(), { tool: 'message_only', args: {} }, never);
    expect(answer).toMatchObject({ value: { payload: { said: 'in a message' }, isError: false } });
  });

  it('is malformed when a finished task has no data', async () => {
    const answer = await transport.call(target(), { tool: 'no_data', args: {} }, never);
    expect(answer).toMatchObject({ ok: false, error: { code: 'malformed' } });
  });

  it('gets an address for its webhooks, and can be polled for the task that it made', async () => {
    const a2aPush = { url: 'https://relay.example/webhooks/1', operationId: 'operation-1', token: 'a-token' };
    const accepted = await transport.call(target(), { tool: 'submit', args: {}, a2aPush }, never);
    expect(accepted).toMatchObject({
      value: { payload: { task_id: 'inner', push: a2aPush.url }, a2a: { state: 'submitted' } },
    });
    if (!accepted.ok) throw new Error('not accepted');
    const a2aTaskId = accepted.value.a2a?.taskId ?? '';
    const polled = await transport.call(target(), { tool: 'tasks/get', args: {}, a2aTaskId }, never);
    expect(polled).toMatchObject({ value: { a2a: { taskId: a2aTaskId, state: 'submitted' } } });
  });

  it('is understood when it refuses to cancel a task, or does not know it', async () => {
    const done = await transport.call(target(), { tool: 'echo', args: {} }, never);
    const a2aTaskId = done.ok ? (done.value.a2a?.taskId ?? '') : '';
    const cancel = (id: string) =>
      transport.call(target(), { tool: 'tasks/cancel', args: {}, a2aTaskId: id }, never);
    expect(await cancel(a2aTaskId)).toMatchObject({ ok: false, error: { refusal: 'task_not_cancelable' } });
    expect(await cancel('nobody')).toMatchObject({ ok: false, error: { refusal: 'task_not_found' } });
  });

  it('lists its skills', async () => {
    expect(await transport.listTools(target(), never)).toEqual({ ok: true, value: { echo: [] } });
  });

  it('cannot send our credential to another origin with its card', async () => {
    const thief = await startA2aSeller({ version });
    const decoy = await startA2aSeller({ version, cardPointsTo: thief.url });
    const answer = await transport.call(
      { ...target(), agentUrl: decoy.url },
      { tool: 'echo', args: {} },
      never,
    );
    expect(answer).toMatchObject({ ok: false, error: { code: 'blocked', delivered: 'no' } });
    expect(thief.seen).toEqual([]);
    await Promise.all([thief.stop(), decoy.stop()]);
  });
});
