import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { generate } from 'otplib';
import { adminRoutes } from '../../main/routes.js';
import { actsOfRecentSignIn } from '../../platform/routes/recent-sign-in.js';
import { createAuthenticator, createBrowser, type SpecBrowser } from '@switchyard/testing';
import { startRunning, type Running } from './testkit/running.js';

let running: Running;
/** The clock of the suite. */
let at = Date.now();

beforeAll(async () => {
  running = await startRunning();
  jest.spyOn(Date, 'now').mockImplementation(() => at);
});
afterEach(() => setPolicy({ second_factor: 'nobody', second_factor_roles: [], recent_minutes: 15 }));
afterAll(async () => {
  jest.restoreAllMocks();
  await running.stop();
});

const password = 'correct horse battery';
const minutes = (count: number): number => count * 60_000;
const newBrowser = (): SpecBrowser => createBrowser(running.server.url);

async function setPolicy(policy: object): Promise<unknown> {
  const set = await newBrowser().send('POST', '/v1/sign-in-policy', policy, {
    authorization: `Bearer ${await running.server.issueToken()}`,
  });
  expect(set.status).toBe(200);
  return set.body['looser'];
}

let people = 0;

/** A person with a role in the organization, and a password. */
async function invited(role: string): Promise<{ email: string; browser: SpecBrowser; status: number }> {
  people += 1;
  const email = `person-${people}@agency.example`;
  const admin = { authorization: `Bearer ${await running.server.issueToken()}` };
  const body = { email, role, scope: 'organization' };
  const made = await newBrowser().send('POST', '/v1/invitations', body, admin);
  const invitation = new URL(made.body['link'] as string).hash.slice('#invitation='.length);
  const browser = newBrowser();
  const { status } = await browser.send('POST', '/v1/session', { invitation, password });
  return { email, browser, status };
}

const read = async (browser: SpecBrowser) => {
  const { status, body } = await browser.send('GET', '/v1/buys');
  return status === 200 ? 'admitted' : body['code'];
};

describe('a second factor that the organization demands', () => {
  it('is set up before anything else by whoever may approve or manage people, and by nobody else', async () => {
    await setPolicy({ second_factor: 'approvers' });
    const viewer = await invited('viewer');
    expect(await read(viewer.browser)).toBe('admitted');
    const { browser, email } = await invited('finance');
    expect(await read(browser)).toBe('SECOND_FACTOR_REQUIRED');
    expect((await browser.send('GET', '/v1/me')).body).toMatchObject({ second_factor_due: true });
    expect((await browser.open('/sign-in')).status).toBe(200);
    const begun = await browser.send('POST', '/v1/me/totp');
    const code = await generate({ secret: begun.body['secret'] as string, epoch: Math.floor(at / 1000) });
    expect((await browser.send('POST', '/v1/me/totp/confirm', { code })).status).toBe(200);
    expect(await read(browser)).toBe('admitted');
    expect((await newBrowser().send('POST', '/v1/session', { email, password })).status).toBe(202);
  });

  it('may be a passkey, and is demanded at the next sign-in of whoever had none before', async () => {
    const { browser, email } = await invited('viewer');
    await setPolicy({ second_factor_roles: ['viewer'] });
    expect(await read(browser)).toBe('admitted');
    await browser.send('POST', '/v1/session', { email, password });
    expect(await read(browser)).toBe('SECOND_FACTOR_REQUIRED');
    const begun = await browser.send('POST', '/v1/me/passkeys/challenge');
    const origin = running.server.url.replace('127.0.0.1', 'localhost');
    const passkey = createAuthenticator().create(begun.body['options'] as never, { origin });
    const { challenge_id } = begun.body;
    const added = await browser.send('POST', '/v1/me/passkeys', { name: 'key', challenge_id, passkey });
    expect(added.status).toBe(200);
    expect(await read(browser)).toBe('admitted');
  });

  it('says when a change of the policy asks less of somebody', async () => {
    expect(await setPolicy({ second_factor: 'everybody', recent_minutes: 10 })).toBe(false);
    expect(await setPolicy({ idle_minutes: 480 })).toBe(false);
    expect(await setPolicy({ second_factor: 'approvers' })).toBe(true);
    expect(await setPolicy({ recent_minutes: 15 })).toBe(true);
  });
});

describe('an act on ways in, grants, limits or keys', () => {
  it('needs a recent sign-in of a session, which a password makes recent again; a token needs none', async () => {
    const { browser } = await invited('admin');
    const client = { name: 'Nova' };
    const grant = { role: 'viewer', scope: 'organization', principal: 'operator' };
    expect((await browser.send('POST', '/v1/grants', grant)).status).toBe(201);
    at += minutes(16);
    const refused = await browser.send('POST', '/v1/grants', { ...grant, role: 'trader' });
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      403,
      expect.stringContaining('RECENT_SIGN_IN_REQUIRED'),
    ]);
    expect((await browser.send('POST', '/v1/clients', client)).status).toBeLessThan(300);
    const wrong = await browser.send('POST', '/v1/me/show-again', { password: 'not this one at all' });
    expect(wrong.status).toBe(400);
    expect((await browser.send('POST', '/v1/me/show-again', { password })).status).toBe(200);
    expect((await browser.send('POST', '/v1/grants', { ...grant, role: 'trader' })).status).toBe(201);
    at += minutes(16);
    const token = { authorization: `Bearer ${await running.server.issueToken()}` };
    expect((await browser.send('POST', '/v1/grants', { ...grant, role: 'reviewer' }, token)).status).toBe(
      201,
    );
  });

  it('is listed by the id of a route', () => {
    const ids = new Set(adminRoutes.map(({ id }) => id));
    expect(actsOfRecentSignIn.filter((id) => !ids.has(id))).toEqual([]);
  });
});

describe('a session', () => {
  it('ends after the idle time without a request, and each request begins it again', async () => {
    await setPolicy({ idle_minutes: 30 });
    const { browser } = await invited('viewer');
    for (let time = 0; time < 3; time += 1) {
      at += minutes(25);
      expect((await browser.send('GET', '/v1/session')).status).toBe(200);
    }
    at += minutes(31);
    expect((await browser.send('GET', '/v1/session')).status).toBe(401);
  });
});
