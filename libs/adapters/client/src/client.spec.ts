import { describe, expect, it } from '@jest/globals';
import { ApiError, SwitchyardClient, type Fetch } from './index.js';

type Init = Parameters<Fetch>[1];

/** An instance that gives these answers, one after another: a status, a body, headers; or no answer at all. */
function instanceWith(
  ...answers: readonly (readonly [status: number, body: unknown, headers?: Record<string, string>] | Error)[]
) {
  const asked: { readonly url: string; readonly init: Init }[] = [];
  const waits: number[] = [];
  const client = new SwitchyardClient({
    url: 'http://127.0.0.1:7420/',
    token: () => 'sy_token',
    wait: (ms) => Promise.resolve(void waits.push(ms)),
    fetch: (url, init) => {
      const answer = answers[asked.push({ url, init }) - 1] ?? new Error('Nothing more was expected.');
      if (answer instanceof Error) return Promise.reject(answer);
      const [status, body, headers = {}] = answer;
      return Promise.resolve({
        status,
        headers: { get: (name: string) => headers[name] ?? null },
        text: () => Promise.resolve(typeof body === 'string' ? body : JSON.stringify(body)),
      });
    },
  });
  return { client, asked, waits };
}

const failure = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'no error',
    (error: unknown) => error,
  );

describe('the client', () => {
  it('puts names into the address so that they cannot change it, and leaves out what is undefined', async () => {
    const { client, asked } = instanceWith([200, {}]);
    await client.call('GET /v1/sellers/{slug}/checks', { params: { slug: '../keys?x=' } });
    expect(asked[0]?.url).toBe('http://127.0.0.1:7420/v1/sellers/..%2Fkeys%3Fx%3D/checks');
    expect(asked[0]?.init.headers).toEqual({ accept: 'application/json', authorization: 'Bearer sy_token' });
  });

  it('compiles with what routes take, and with nothing else', async () => {
    const { client } = instanceWith([200, { teams: [] }], [200, {}], [200, {}]);
    const page = await client.call('GET /v1/teams');
    expect(page.teams).toEqual([]);
    // @ts-expect-error There is no such member.
    expect(page.colours).toBeUndefined();
    // @ts-expect-error There is no such parameter.
    await client.call('GET /v1/teams', { query: { colour: 'red' } });
    // @ts-expect-error The name is missing.
    await client.call('POST /v1/teams', { body: {} });
  });

  it('reads every page of a list, and ends at one that names itself as the next', async () => {
    const { client, asked } = instanceWith(
      [200, { teams: [{ team_id: 'a' }], next_cursor: 'c1' }],
      [200, { teams: [{ team_id: 'b' }], next_cursor: 'c1' }],
    );
    const seen: string[] = [];
    for await (const team of client.each('GET /v1/teams', { query: { limit: '1' } })) seen.push(team.team_id);
    expect(seen).toEqual(['a', 'b']);
    expect(asked.map(({ url }) => url.split('/v1/')[1])).toEqual([
      'teams?limit=1',
      'teams?limit=1&cursor=c1',
    ]);
  });

  it('repeats a change under one key if the connection breaks, and says what was answered then', async () => {
    const { client, asked } = instanceWith(new Error('reset'), [201, { team_id: 'a', name: 'North' }]);
    const made = await client.call('POST /v1/teams', { body: { name: 'North' } });
    expect(made).toEqual({ team_id: 'a', name: 'North' });
    const keys = asked.map(({ init }) => init.headers['idempotency-key']);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(keys[1]).toBe(keys[0]);
  });

  it('waits as long as the server asks before it repeats, and at most a minute', async () => {
    const { client, waits } = instanceWith(
      [429, { error: { code: 'RATE_LIMITED', message: 'Later.' } }, { 'retry-after': '7' }],
      [503, { error: { code: 'UNAVAILABLE', message: 'Later.' } }, { 'retry-after': '9999' }],
      [200, { teams: [] }],
    );
    await client.call('GET /v1/teams');
    expect(waits).toEqual([7000, 60_000]);
  });

  it('sends a task once, whatever happens: its key is the caller’s', async () => {
    const { client, asked } = instanceWith(new Error('reset'));
    const error = await failure(client.send('POST', '/v1/tasks/create_media_buy', { body: {} }));
    expect([asked.length, (error as ApiError).code]).toEqual([1, 'UNREACHABLE']);
    expect(asked[0]?.init.headers['idempotency-key']).toBeUndefined();
  });

  it('does not repeat what would be refused again, and throws the reason as a code', async () => {
    const problem = {
      code: 'NOT_FOUND',
      errors: [
        { code: 'NOT_FOUND', message: 'There is no such team.', field: 'id', suggestion: 'List them.' },
      ],
    };
    const { client, asked } = instanceWith([404, problem, { 'x-request-id': 'r1' }]);
    const error = await failure(client.call('DELETE /v1/teams/{name}', { params: { name: 'x' } }));
    expect(asked).toHaveLength(1);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      status: 404,
      code: 'NOT_FOUND',
      message: 'There is no such team.',
      more: { field: 'id', suggestion: 'List them.', requestId: 'r1' },
    });
  });

  it('says that something else answers, also where it answers 200', async () => {
    const { client } = instanceWith([200, '<html>']);
    expect(await failure(client.call('GET /v1/teams'))).toMatchObject({
      code: 'NOT_SWITCHYARD',
      status: 200,
    });
  });
});
