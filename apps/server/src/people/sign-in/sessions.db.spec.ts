import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Switchyard } from '../../main/open-switchyard.js';
import { personOf, setCookie } from './sessions.js';
import { returnTo } from './sign-in-page.js';
import { startRunning, type Running } from './testkit/running.js';

let running: Running;
let server: Switchyard;
let token: string;

beforeAll(async () => {
  running = await startRunning();
  ({ server, token } = running);
});
afterAll(() => running.stop());

function send(method: string, path: string, headers: Record<string, string> = {}, body?: object) {
  return fetch(server.url + path, {
    method,
    redirect: 'manual',
    headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
}

const cookieOf = (answer: Response): string => (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';

const signIn = async (): Promise<string> =>
  cookieOf(await send('POST', '/v1/session', {}, { token: await server.issueToken() }));

const fromConsole = { 'x-switchyard-console': '1' };

describe('the cookie of a session at https', () => {
  it('has a name that no other host of the domain can set, and one under the usual name is ignored', async () => {
    const ports = { clock: { now: () => 0 }, url: () => 'https://switchyard.agency.example' };
    type Ports = Parameters<typeof personOf>[1];
    const cookie = setCookie('sy_x', 1_000, ports as Ports);
    expect(cookie).toBe('__Host-switchyard_session=sy_x; Path=/; HttpOnly; SameSite=Lax; Max-Age=1; Secure');
    const planted = { raw: { rawHeaders: ['Cookie', 'switchyard_session=sy_planted'] } };
    // Without `principals`: a cookie that is read would be looked up there.
    expect(await personOf(planted as Parameters<typeof personOf>[0], ports as Ports)).toBeUndefined();
  });
});

describe('a session', () => {
  it('is opened by a token, acts as its principal at REST, and ends on request', async () => {
    const opened = await send('POST', '/v1/session', {}, { token });
    expect(opened.status).toBe(200);
    expect(opened.headers.get('set-cookie')).toMatch(/; HttpOnly; SameSite=Lax; Max-Age=\d+$/);
    const cookie = cookieOf(opened);
    expect(await (await send('GET', '/v1/me', { cookie })).json()).toMatchObject({ name: 'operator' });
    expect((await send('DELETE', '/v1/session', { cookie, ...fromConsole })).status).toBe(200);
    expect((await send('GET', '/v1/me', { cookie })).status).toBe(401);
  });

  it('ends when its browser signs in again, and no other does; a sign-in that fails ends none', async () => {
    const [before, elsewhere] = [await signIn(), await signIn()];
    const statusOf = async (cookie: string) => (await send('GET', '/v1/me', { cookie })).status;
    const wrong = { email: 'nobody@agency.example', password: 'correct horse battery' };
    expect((await send('POST', '/v1/session', { cookie: before }, wrong)).status).toBe(401);
    expect(await statusOf(before)).toBe(200);
    const after = cookieOf(await send('POST', '/v1/session', { cookie: before }, { token }));
    expect([await statusOf(before), await statusOf(after), await statusOf(elsewhere)]).toEqual([
      401, 200, 200,
    ]);
  });

  it('changes nothing for a request without the header of the console', async () => {
    const cookie = await signIn();
    const client = { name: 'Nova' };
    expect((await send('POST', '/v1/clients', { cookie }, client)).status).toBe(400);
    expect((await send('DELETE', '/v1/session', { cookie })).status).toBe(400);
    expect((await send('POST', '/v1/clients', { cookie, ...fromConsole }, client)).status).toBe(201);
  });

  it('is no credential at MCP and A2A, and its cookie is no bearer token', async () => {
    const cookie = await signIn();
    const listing = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'get_media_buys', arguments: {} },
    };
    const accept = { accept: 'application/json, text/event-stream' };
    const called = await send('POST', '/mcp', { cookie, ...fromConsole, ...accept }, listing);
    expect(await called.text()).not.toContain('"media_buys"');
    const bearer = { authorization: `Bearer ${cookie.split('=')[1] ?? ''}` };
    expect((await send('GET', '/v1/me', bearer)).status).toBe(401);
  });

  it('ends with the token that opened it', async () => {
    const made = await send(
      'POST',
      '/v1/principals/operator/tokens',
      { authorization: `Bearer ${token}` },
      {},
    );
    const { token: own, token_id: id } = (await made.json()) as { token: string; token_id: string };
    const cookie = cookieOf(await send('POST', '/v1/session', {}, { token: own }));
    expect((await send('GET', '/v1/session', { cookie })).status).toBe(200);
    await send('DELETE', `/v1/tokens/${id}`, { authorization: `Bearer ${token}` });
    expect((await send('GET', '/v1/session', { cookie })).status).toBe(401);
  });
});

describe('the sessions of a person', () => {
  it('are listed with browser and address, and each ends alone or with all others', async () => {
    const headers = { cookie: await signIn(), ...fromConsole, 'user-agent': 'a browser' };
    await signIn();
    const listed = async () =>
      ((await (await send('GET', '/v1/me/sessions', headers)).json()) as { sessions: Listed[] }).sessions;
    interface Listed {
      readonly session_id: string;
      readonly current: boolean;
    }
    const before = await listed();
    expect(before[0]).toMatchObject({ current: false, address: expect.any(String) });
    expect(before.filter(({ current }) => current)).toHaveLength(1);
    const gone = before[0]?.session_id ?? '';
    expect((await send('DELETE', `/v1/me/sessions/${gone}`, headers)).status).toBe(200);
    expect((await send('DELETE', `/v1/me/sessions/${gone}`, headers)).status).toBe(404);
    const other = await signIn();
    expect((await send('POST', '/v1/me/sessions/end-others', headers)).status).toBe(200);
    expect((await send('GET', '/v1/session', { cookie: other })).status).toBe(401);
    expect(await listed()).toMatchObject([{ current: true, last_used_at: expect.any(String) }]);
  });

  it('are visible to an admin, and ended like a token', async () => {
    const cookie = await signIn();
    const auth = { authorization: `Bearer ${token}` };
    const seen = (await (await send('GET', '/v1/principals', auth)).json()) as {
      principals: { tokens: { token_id: string; scheme: string; address?: string }[] }[];
    };
    const sessions = seen.principals
      .flatMap(({ tokens }) => tokens)
      .filter((item) => item.scheme === 'session');
    expect(sessions.every(({ address }) => address !== undefined)).toBe(true);
    const newest = sessions.at(-1)?.token_id ?? '';
    expect((await send('DELETE', `/v1/tokens/${newest}`, auth)).status).toBe(200);
    expect((await send('GET', '/v1/session', { cookie })).status).toBe(401);
  });
});

describe('a sign-in link', () => {
  it('opens one session, even if two browsers use it at once', async () => {
    const link = new URL(await server.makeSignInLink()).hash.slice('#link='.length);
    const both = await Promise.all([0, 1].map(() => send('POST', '/v1/session', {}, { link })));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  it('is created only for a person', async () => {
    const auth = { authorization: `Bearer ${token}` };
    await send('POST', '/v1/principals', auth, { name: 'an agent', kind: 'buyer' });
    const refused = await send('POST', '/v1/principals/an%20agent/sign-in-links', auth, {});
    expect(refused.status).toBe(400);
    await send('POST', '/v1/principals', auth, { name: 'Ada', kind: 'person' });
    const made = await send('POST', '/v1/principals/Ada/sign-in-links', auth, {});
    const { link } = (await made.json()) as { link: string };
    const opened = await send('POST', '/v1/session', {}, { link: new URL(link).hash.slice('#link='.length) });
    expect(await opened.json()).toMatchObject({ principal: 'Ada', kind: 'person' });
  });
});

describe('a password', () => {
  const email = 'ada@agency.example';
  const password = 'correct horse battery';

  it('signs its person in, is changed with the current one, and ends the existing sessions', async () => {
    const auth = { cookie: await signIn(), ...fromConsole };
    expect((await send('POST', '/v1/me/password', auth, { email, password: 'too short' })).status).toBe(422);
    expect((await send('POST', '/v1/me/password', auth, { email, password })).status).toBe(200);
    expect((await send('GET', '/v1/session', auth)).status).toBe(401);
    const again = { cookie: await signIn(), ...fromConsole };
    const wrongly = await send('POST', '/v1/me/password', again, { email, password: `${password} 2` });
    expect(wrongly.status).toBe(400);
    const opened = await send('POST', '/v1/session', {}, { email: 'Ada@Agency.example', password });
    expect(await opened.json()).toMatchObject({ principal: 'operator' });
    const me = await (await send('GET', '/v1/me', { cookie: cookieOf(opened) })).text();
    expect(me).not.toContain(password);
  });

  it('gets the same answer if wrong as an unknown address does; several wrong ones lock their source out, also simultaneous ones', async () => {
    const attempt = async (given: object) => {
      const answer = await send('POST', '/v1/session', {}, given);
      return [answer.status, await answer.text()];
    };
    const wrong = { email, password: 'not this one' };
    const [nobody, somebody] = [
      await attempt({ ...wrong, email: 'no@agency.example' }),
      await attempt(wrong),
    ];
    expect(somebody).toEqual(nobody);
    await Promise.all(Array.from({ length: 12 }, () => attempt(wrong)));
    expect((await attempt({ email, password }))[0]).toBe(401);
  });
});

describe('a password', () => {
  it('cannot be set with a token, or by a session with fewer permissions than its person', async () => {
    const auth = { authorization: `Bearer ${token}` };
    const body = { email: 'thief@agency.example', password: 'correct horse battery' };
    expect((await send('POST', '/v1/me/password', auth, body)).status).toBe(403);
    const made = await send('POST', '/v1/principals/operator/tokens', auth, {
      permissions: { products: ['read'] },
    });
    const { token: lesser } = (await made.json()) as { token: string };
    const cookie = cookieOf(await send('POST', '/v1/session', {}, { token: lesser }));
    expect((await send('POST', '/v1/me/password', { cookie, ...fromConsole }, body)).status).toBe(403);
  });
});

describe('an invitation', () => {
  const auth = (): Record<string, string> => ({ authorization: `Bearer ${token}` });
  const password = 'correct horse battery';
  const invite = async (email: string, more: object = {}) => {
    const made = await send('POST', '/v1/invitations', auth(), {
      email,
      role: 'viewer',
      scope: 'organization',
      ...more,
    });
    const body = (await made.json()) as { invitation_id: string; link: string; ended?: string[] };
    const secret = made.ok ? new URL(body.link).hash.slice('#invitation='.length) : '';
    return { status: made.status, id: body.invitation_id, secret, ended: body.ended };
  };
  const accept = (invitation: string, chosen = password) =>
    send('POST', '/v1/session', {}, { invitation, password: chosen });

  it('lets one person in once, with its role and a password of their own, even if two use it at once', async () => {
    const { secret } = await invite('Grace@agency.example');
    expect((await accept(secret, 'too short')).status).toBe(422);
    const both = await Promise.all([accept(secret), accept(secret)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 401]);
    const cookie = cookieOf(both.find(({ ok }) => ok) ?? both[0]);
    expect(await (await send('GET', '/v1/me', { cookie })).json()).toMatchObject({
      name: 'grace@agency.example',
      roles: ['viewer'],
    });
    const again = await send('POST', '/v1/session', {}, { email: 'grace@agency.example', password });
    expect(again.status).toBe(200);
    const listed = await (await send('GET', '/v1/invitations?open=false', auth())).text();
    expect(listed).toContain('"accepted"');
    expect(listed).not.toContain(secret);
  });

  it('lets an existing person in again under another name, and gives no role that its sender does not hold', async () => {
    const { secret } = await invite('grace@agency.example');
    const again = await accept(secret, 'another horse battery');
    expect(await again.json()).toMatchObject({
      principal: expect.stringMatching(/^grace@agency\.example-\w{6}$/),
    });
    expect((await invite('x@agency.example', { role: 'no such role' })).status).toBe(422);
  });

  it('takes no password that is common or has a word of the address, says why, and stays open', async () => {
    const { secret } = await invite('Lovelace@agency.example');
    const reason = async (chosen: string) => {
      const answer = await accept(secret, chosen);
      return [answer.status, await answer.text()];
    };
    expect(await reason('Password1234')).toEqual([400, expect.stringContaining('common')]);
    expect(await reason('all about lovelace')).toEqual([
      400,
      expect.stringContaining('a word of your address'),
    ]);
    const opened = await accept(secret);
    expect(opened.status).toBe(200);
    const auth = { cookie: cookieOf(opened), ...fromConsole };
    const wanted = { email: 'x@agency.example', password: 'switchyard forever', current_password: password };
    expect((await send('POST', '/v1/me/password', auth, wanted)).status).toBe(400);
  });

  it('is invalid after its withdrawal', async () => {
    const { id, secret } = await invite('late@agency.example');
    expect((await send('DELETE', `/v1/invitations/${id}`, auth())).status).toBe(200);
    expect((await send('DELETE', `/v1/invitations/${id}`, auth())).status).toBe(404);
    expect((await accept(secret)).status).toBe(401);
  });

  it('is replaced by a second one to the same address, whose answer names it, and by none to another', async () => {
    const other = await invite('ida@agency.example');
    const first = await invite('Twice@agency.example', { role: 'trader' });
    expect(first.ended).toBeUndefined();
    const second = await invite('twice@agency.example');
    expect(second.ended).toEqual([first.id]);
    expect((await accept(first.secret)).status).toBe(401);
    const listed = await send('GET', '/v1/invitations?open=true', auth());
    const { invitations } = (await listed.json()) as {
      invitations: { invitation_id: string; email: string }[];
    };
    const open = invitations.map((invitation) => invitation.invitation_id);
    expect(open).toEqual(expect.arrayContaining([second.id, other.id]));
    expect(open).not.toContain(first.id);
    expect((await accept(second.secret)).status).toBe(200);
    const both = await Promise.all([invite('at-once@agency.example'), invite('at-once@agency.example')]);
    expect(both.flatMap(({ ended = [] }) => ended)).toHaveLength(1);
  });
});

describe('an invitation from a sender who has lost the role', () => {
  const admin = (): Record<string, string> => ({ authorization: `Bearer ${token}` });

  it.each([
    ['who was switched off', (name: string) => send('DELETE', `/v1/principals/${name}`, admin())],
    [
      'whose grant was removed',
      async (name: string) => {
        const listed = await send('GET', `/v1/grants?principal=${name}`, admin());
        const { grants } = (await listed.json()) as { grants: { grant_id: string }[] };
        return send('DELETE', `/v1/grants/${grants[0]?.grant_id}`, admin());
      },
    ],
  ])('lets nobody in: one %s', async (how, end) => {
    const name = `boss ${how}`.replaceAll(' ', '-');
    const made = await send('POST', '/v1/principals', admin(), {
      name,
      kind: 'person',
      grants: [{ role: 'admin', scope: 'organization' }],
    });
    const boss = { authorization: `Bearer ${((await made.json()) as { token: string }).token}` };
    const body = { email: `${name}@agency.example`, role: 'trader', scope: 'organization' };
    const invited = await send('POST', '/v1/invitations', boss, body);
    const { link } = (await invited.json()) as { link: string };
    expect((await end(name)).status).toBe(200);
    const accepted = await send(
      'POST',
      '/v1/session',
      {},
      {
        invitation: new URL(link).hash.slice('#invitation='.length),
        password: 'correct horse battery',
      },
    );
    expect(accepted.status).toBe(401);
  });
});

describe('an address whose budget of failures is used up', () => {
  it('cannot sign in, even with the right password, until the budget refills', async () => {
    const slow = await startRunning({ SWITCHYARD_RATE_FAILURES: '0.001/3' });
    try {
      const attempt = async (given: string): Promise<number> => {
        const body = JSON.stringify({ token: given });
        const headers = { 'content-type': 'application/json' };
        return (await fetch(`${slow.server.url}/v1/session`, { method: 'POST', headers, body })).status;
      };
      for (let time = 0; time < 5; time += 1) expect(await attempt(slow.token)).toBe(200);
      for (let time = 0; time < 3; time += 1) expect(await attempt('not a token')).toBe(401);
      expect(await attempt(slow.token)).toBe(429);
      const page = await fetch(`${slow.server.url}/sign-in`, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ secret: slow.token }).toString(),
      });
      expect(page.status).toBe(429);
    } finally {
      await slow.stop();
    }
  });
});

describe('the sign-in page', () => {
  it('signs in by a form and redirects to a path of ours', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams({
      secret: await server.issueToken(),
      return_to: '/docs?a=1',
    }).toString();
    const sent = await fetch(`${server.url}/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      headers: form,
      body,
    });
    expect([sent.status, sent.headers.get('location')]).toEqual([303, '/docs?a=1']);
    expect((await send('GET', '/v1/session', { cookie: cookieOf(sent) })).status).toBe(200);
  });

  it.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/.//evil.example',
    '/..//evil.example/x',
    '/%2e%2e//evil.example',
    '/console/..//evil.example',
    'javascript:alert(1)',
    '',
    undefined,
  ])('does not redirect to another site: %s', (wanted) => {
    expect(returnTo(wanted)).toBe('/console/');
  });
});
