import { afterEach, describe, expect, it } from '@jest/globals';
import { createAdmission, type AdmissionSettings } from './admission.js';
import { systemClock } from '../clock.js';
import type { Gate } from './admit.js';
import { faultOf, openHttpHarness, taskReply, type HttpHarness } from '../../main/testkit/http-harness.js';

let http: HttpHarness;

afterEach(() => http.close());

const narrow: AdmissionSettings = { most: 1, first: 1, perCaller: 1, waiting: 0, waitMs: 0 };

function gateOf(settings: AdmissionSettings, isAvailable = (): boolean => true): Gate {
  const lane = () => createAdmission(settings, { clock: systemClock, busyShare: () => 0 });
  return { calls: lane(), webhooks: lane(), isAvailable };
}

/** A call of a task over each endpoint. */
const calls: Readonly<Record<'REST' | 'MCP' | 'A2A', readonly [path: string, body: object]>> = {
  REST: ['/v1/tasks/get_products', {}],
  MCP: [
    '/mcp',
    { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'get_products', arguments: {} } },
  ],
  A2A: [
    '/a2a',
    {
      jsonrpc: '2.0',
      id: 7,
      method: 'message/send',
      params: {
        message: {
          kind: 'message',
          messageId: 'm',
          role: 'user',
          parts: [{ kind: 'data', data: { skill: 'get_products', parameters: {} } }],
        },
      },
    },
  ],
};

const names = ['REST', 'MCP', 'A2A'] as const;

/** A request that is at work until it is released. */
async function atWork(
  headers: Record<string, string> = {},
): Promise<{ readonly answer: Promise<Response>; readonly release: () => void }> {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  http.answerWith(async () => {
    await held;
    return taskReply({ products: [] });
  });
  const answer = http.post(...calls.REST, headers);
  await called(1);
  return { answer, release };
}

/** Until so many calls have come through; fails where they never do. */
async function called(count: number): Promise<void> {
  for (let turn = 0; http.calls.length < count; turn += 1) {
    if (turn > 20_000) throw new Error(`${String(http.calls.length)} calls came through.`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

describe.each(names)('over %s', (name) => {
  it('a caller at its limit of work is refused at once, with a retry time', async () => {
    http = await openHttpHarness({ gate: gateOf(narrow) });
    const { answer, release } = await atWork();
    const refused = await http.post(...calls[name]);
    expect([503, 429]).toContain(refused.status);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    const body = (await refused.clone().json()) as { id?: number };
    expect(body.id).toBe(name === 'REST' ? undefined : 7);
    expect(await faultOf(refused)).toMatchObject({ recovery: 'transient', retry_after: expect.any(Number) });
    expect(http.calls).toHaveLength(1);
    release();
    expect((await answer).status).toBe(200);
    expect((await http.post(...calls[name])).status).toBe(200);
  });

  it('while the database does not answer everybody gets 503, before a query', async () => {
    http = await openHttpHarness({ gate: gateOf({ ...narrow, waiting: 4 }, () => false) });
    const refused = await http.post(...calls[name]);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await faultOf(refused)).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(http.calls).toEqual([]);
  });

  it('a database that fails during a request is reported as 503, and any other failure as an internal error', async () => {
    http = await openHttpHarness();
    http.answerWith(() => Promise.reject(Object.assign(new Error('no'), { code: 'ECONNREFUSED' })));
    const gone = await http.post(...calls[name]);
    expect([gone.status, gone.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await faultOf(gone)).toMatchObject({ code: 'SERVICE_UNAVAILABLE', recovery: 'transient' });
    http.answerWith(() => Promise.reject(new Error('a bug')));
    expect(await faultOf(await http.post(...calls[name]))).toMatchObject({ code: 'INTERNAL_ERROR' });
  });
});

describe('health', () => {
  it('answers at full load and without a database', async () => {
    http = await openHttpHarness({ gate: gateOf(narrow, () => false) });
    expect((await fetch(`${http.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${http.url}/readyz`)).status).toBe(503);
    expect((await fetch(`${http.url}/metrics`)).status).toBe(200);
  });
});

describe('a turn', () => {
  it('belongs to the principal once it is known, so that one caller’s load leaves turns for another at its address', async () => {
    http = await openHttpHarness({
      gate: gateOf({ most: 4, first: 4, perCaller: 1, waiting: 0, waitMs: 0 }),
    });
    const credential = { authorization: `Bearer ${http.token}` };
    const { answer, release } = await atWork(credential);
    const again = await http.post(...calls.REST, credential);
    expect([again.status, (await faultOf(again))['code']]).toEqual([429, 'RATE_LIMITED']);
    http.answerWith(() => Promise.resolve(taskReply({ products: [] })));
    expect((await http.post(...calls.REST)).status).toBe(200);
    release();
    expect((await answer).status).toBe(200);
  });
});
