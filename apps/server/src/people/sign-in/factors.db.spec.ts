import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { generate } from 'otplib';
import pg from 'pg';
import { createAuthenticator, createBrowser, type SpecBrowser } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import type { Switchyard } from '../../main/open-switchyard.js';
import { placeOf } from './passkeys.js';
import { startRunning, type Running } from './testkit/running.js';

let running: Running;
let server: Switchyard;
let admin: Running['admin'];

beforeAll(async () => {
  running = await startRunning();
  ({ server, admin } = running);
  // A code is good for a minute, and a slow machine takes longer.
  const now = Date.now();
  jest.spyOn(Date, 'now').mockImplementation(() => now);
});
afterAll(async () => {
  jest.restoreAllMocks();
  await running.stop();
});

const password = 'correct horse battery';
let people = 0;

/** A new person with a password, signed in. */
async function somebody(): Promise<{ browser: SpecBrowser; email: string; name: string }> {
  people += 1;
  const name = `person-${people}`;
  const email = `${name}@agency.example`;
  const anyone = createBrowser(server.url);
  await anyone.send('POST', '/v1/principals', { name, kind: 'person', scheme: 'none' }, admin);
  const made = await anyone.send('POST', `/v1/principals/${name}/sign-in-links`, {}, admin);
  const link = new URL(made.body['link'] as string).hash.slice('#link='.length);
  const browser = createBrowser(server.url);
  await browser.send('POST', '/v1/session', { link });
  await browser.send('POST', '/v1/me/password', { email, password });
  expect((await browser.send('POST', '/v1/session', { email, password })).status).toBe(200);
  return { browser, email, name };
}

const codeAt = (secret: string, steps = 0): Promise<string> =>
  generate({ secret, epoch: Math.floor(Date.now() / 1000) + 30 * steps });

/** The same with codes of an app. The code of the step before is used up. */
async function withCodes() {
  const person = await somebody();
  const begun = await person.browser.send('POST', '/v1/me/totp');
  const secret = begun.body['secret'] as string;
  const confirmed = await person.browser.send('POST', '/v1/me/totp/confirm', {
    code: await codeAt(secret, -1),
  });
  expect(confirmed.status).toBe(200);
  return { ...person, secret, recovery: confirmed.body['recovery_codes'] as string[] };
}

async function secondStep(email: string, factors = ['code']) {
  const browser = createBrowser(server.url);
  const { status, body } = await browser.send('POST', '/v1/session', { email, password });
  expect([status, body['factors']]).toEqual([202, factors]);
  return { browser, step: body['second_step'] as string };
}

const enter = async (email: string, code: string): Promise<number> => {
  const { browser, step } = await secondStep(email);
  return (await browser.send('POST', '/v1/session', { second_step: step, code })).status;
};

describe('a code of an authenticator app', () => {
  it('is required after the password, and signs in once, even if two browsers send it at once', async () => {
    const { email, secret } = await withCodes();
    const { browser, step } = await secondStep(email);
    expect((await browser.send('GET', '/v1/session')).status).toBe(401);
    expect((await browser.send('POST', '/v1/session', { second_step: step, code: '000000' })).status).toBe(
      401,
    );
    const code = await codeAt(secret);
    const both = await Promise.all([enter(email, code), enter(email, code)]);
    expect(both.toSorted()).toEqual([200, 401]);
    expect(await enter(email, code)).toBe(401);
  });

  it('is required only once it was confirmed, and its secret is stored sealed and never shown again', async () => {
    const { browser, email } = await somebody();
    const { body } = await browser.send('POST', '/v1/me/totp');
    const secret = body['secret'] as string;
    expect(body['uri'] as string).toContain(`secret=${secret}`);
    expect((await browser.send('POST', '/v1/session', { email, password })).status).toBe(200);
    const wrong = await browser.send('POST', '/v1/me/totp/confirm', { code: '000000' });
    expect(wrong.status).toBe(400);
    await browser.send('POST', '/v1/me/totp/confirm', { code: await codeAt(secret) });
    const shown = await browser.send('GET', '/v1/me/sign-in');
    expect(shown.body).toMatchObject({ email, recovery_codes_left: 10 });
    expect(JSON.stringify(shown.body)).not.toContain(secret);
  });

  it('can be guessed only a few times before its source is locked out', async () => {
    const { email, secret } = await withCodes();
    const { browser, step } = await secondStep(email);
    for (let attempt = 0; attempt < 10; attempt += 1)
      await browser.send('POST', '/v1/session', { second_step: step, code: '000000' });
    const right = { second_step: step, code: await codeAt(secret) };
    expect((await browser.send('POST', '/v1/session', right)).status).toBe(401);
    expect((await browser.send('POST', '/v1/session', { email, password })).status).toBe(401);
  });

  it('is required at the page without a script too, and leads to another page once it is right', async () => {
    const { email, secret } = await withCodes();
    const browser = createBrowser(server.url);
    const first = await browser.form('/sign-in', { email, secret: password, return_to: '/docs' });
    const page = await first.text();
    const step = /name="second_step" value="([^"]+)"/.exec(page)?.[1] ?? '';
    expect(page).not.toContain(password);
    const wrong = await browser.form('/sign-in', { second_step: step, code: '000000', return_to: '/docs' });
    expect(wrong.status).toBe(401);
    const code = await codeAt(secret);
    const done = await browser.form('/sign-in', { second_step: step, code, return_to: '/docs' });
    expect([done.status, done.headers.get('location')]).toEqual([303, '/docs']);
    expect((await browser.send('GET', '/v1/session')).status).toBe(200);
  });

  it('is not required after its removal with a code or the password', async () => {
    const { browser, email } = await withCodes();
    const remove = async (body: object) => (await browser.send('POST', '/v1/me/totp/remove', body)).status;
    expect(await remove({})).toBe(422);
    expect(await remove({ password: 'not this one' })).toBe(400);
    expect(await remove({ password })).toBe(200);
    expect((await browser.send('POST', '/v1/session', { email, password })).status).toBe(200);
  });
});

describe('a setup of codes', () => {
  it('leaves no secret behind if another one, or none, follows it', async () => {
    const { browser, name } = await somebody();
    const owner = new pg.Client({ connectionString: running.database.ownerUrl });
    await owner.connect();
    const secrets = async () =>
      (await owner.query<{ id: string }>("select credential_id as id from credential where kind = 'factor'"))
        .rows;
    const before = await secrets();
    for (let time = 0; time < 3; time += 1) await browser.send('POST', '/v1/me/totp');
    await browser.send('POST', `/v1/principals/${name}/reset-factors`, undefined, admin);
    expect(await secrets()).toEqual(before);
    await owner.end();
  });
});

describe('a recovery code', () => {
  it('signs in once, as it is typed, for one person only', async () => {
    const { email, recovery } = await withCodes();
    const other = await withCodes();
    const [code = ''] = recovery;
    expect(new Set(recovery).size).toBe(10);
    expect(await enter(other.email, code)).toBe(401);
    const typed = code.replaceAll('-', ' ').toLowerCase();
    const both = await Promise.all([enter(email, typed), enter(email, code)]);
    expect(both.toSorted()).toEqual([200, 401]);
  });

  it('is invalid once there are new ones', async () => {
    const { browser, email, recovery } = await withCodes();
    const renewed = await browser.send('POST', '/v1/me/recovery-codes', { password });
    const [fresh = ''] = renewed.body['recovery_codes'] as string[];
    expect(await enter(email, recovery[1] ?? '')).toBe(401);
    expect(await enter(email, fresh)).toBe(200);
  });
});

describe('an admin', () => {
  it('removes the lost factors of a person, on record', async () => {
    const { browser, email, name } = await withCodes();
    const reset = await browser.send('POST', `/v1/principals/${name}/reset-factors`, undefined, admin);
    expect(reset.status).toBe(200);
    expect((await browser.send('POST', '/v1/session', { email, password })).status).toBe(200);
    const audit = await browser.send('GET', `/v1/audit?action=reset_factors`, undefined, admin);
    expect(JSON.stringify(audit.body)).toContain(name);
  });
});

describe('a passkey', () => {
  const origin = (): string => server.url.replace('127.0.0.1', 'localhost');

  /** A person with a passkey. */
  async function withPasskey(verifies = true) {
    const person = await somebody();
    const authenticator = createAuthenticator();
    const made = await person.browser.send('POST', '/v1/me/passkeys/challenge');
    const passkey = authenticator.create(made.body['options'] as JsonObject, { origin: origin(), verifies });
    const body = { name: 'My phone', challenge_id: made.body['challenge_id'], passkey };
    const added = await person.browser.send('POST', '/v1/me/passkeys', body);
    return { ...person, authenticator, added, body };
  }

  /** A new browser with a challenge. */
  async function challenged(step?: string) {
    const browser = createBrowser(server.url);
    const { body } = await browser.send('POST', '/v1/session/passkey', step ? { second_step: step } : {});
    return { browser, id: body['challenge_id'], options: body['options'] as JsonObject };
  }

  it('signs in without a password, and once for each challenge', async () => {
    const { authenticator, added, name } = await withPasskey();
    expect([added.status, (added.body['recovery_codes'] as string[]).length]).toEqual([200, 10]);
    const { browser, id, options } = await challenged();
    const proof = { challenge_id: id, passkey: authenticator.get(options, { origin: origin() }) };
    const opened = await browser.send('POST', '/v1/session', proof);
    expect(opened).toMatchObject({ status: 200, body: { principal: name } });
    expect((await browser.send('POST', '/v1/session', proof)).status).toBe(401);
  });

  it.each([
    ['another site', { origin: 'https://evil.example' }],
    ['another name', { rpId: 'evil.example' }],
    ['another challenge', { challenge: 'AAAA' }],
    ['nobody verified', { verifies: false }],
  ])('signs nobody in with %s', async (_what, wrong) => {
    const { authenticator } = await withPasskey();
    const { browser, id, options } = await challenged();
    const passkey = authenticator.get(options, { origin: origin(), ...wrong });
    expect((await browser.send('POST', '/v1/session', { challenge_id: id, passkey })).status).toBe(401);
  });

  it('is registered only for the challenge of its person, and only once', async () => {
    const { browser, authenticator, body } = await withPasskey();
    const other = await somebody();
    expect((await other.browser.send('POST', '/v1/me/passkeys', body)).status).toBe(400);
    const made = await browser.send('POST', '/v1/me/passkeys/challenge');
    const passkey = authenticator.create(made.body['options'] as JsonObject, { origin: origin() });
    const again = { name: 'The same', challenge_id: made.body['challenge_id'], passkey };
    expect((await other.browser.send('POST', '/v1/me/passkeys', again)).status).toBe(400);
    const third = await other.browser.send('POST', '/v1/me/passkeys/challenge');
    const stolen = authenticator.create(third.body['options'] as JsonObject, { origin: origin() });
    const taken = { name: 'Taken', challenge_id: third.body['challenge_id'], passkey: stolen };
    expect((await other.browser.send('POST', '/v1/me/passkeys', taken)).status).toBe(409);
  });

  it('is requested after the password of its person without user verification, and of nobody else', async () => {
    const { email, authenticator } = await withPasskey(false);
    const { authenticator: others } = await withPasskey();
    const enter = async (by: ReturnType<typeof createAuthenticator>): Promise<number> => {
      const requested = createBrowser(server.url);
      const first = await requested.send('POST', '/v1/session', { email, password });
      expect([first.status, first.body['factors']]).toEqual([202, ['code', 'passkey']]);
      const step = first.body['second_step'] as string;
      const { browser, id, options } = await challenged(step);
      const passkey = by.get(options, { origin: origin(), verifies: false });
      const proof = { challenge_id: id, passkey, second_step: step };
      return (await browser.send('POST', '/v1/session', proof)).status;
    };
    expect(await enter(others)).toBe(401);
    expect(await enter(authenticator)).toBe(200);
  });

  it('is limited to twenty per person', async () => {
    const { browser } = await withPasskey();
    const add = async (): Promise<number> => {
      const made = await browser.send('POST', '/v1/me/passkeys/challenge');
      if (made.status !== 200) return made.status;
      const passkey = createAuthenticator().create(made.body['options'] as JsonObject, { origin: origin() });
      const body = { name: 'One more', challenge_id: made.body['challenge_id'], passkey };
      return (await browser.send('POST', '/v1/me/passkeys', body)).status;
    };
    for (let more = 1; more < 20; more += 1) expect(await add()).toBe(200);
    expect(await add()).toBe(409);
  });

  it('cannot sign in after its removal', async () => {
    const { browser, added, authenticator } = await withPasskey();
    const id = added.body['passkey_id'] as string;
    const other = await somebody();
    expect((await other.browser.send('DELETE', `/v1/me/passkeys/${id}`)).status).toBe(404);
    expect((await browser.send('DELETE', `/v1/me/passkeys/${id}`)).status).toBe(200);
    const challenge = await challenged();
    const passkey = authenticator.get(challenge.options, { origin: origin() });
    const proof = { challenge_id: challenge.id, passkey };
    expect((await challenge.browser.send('POST', '/v1/session', proof)).status).toBe(401);
  });

  it.each([
    ['http://127.0.0.1:7420', { id: 'localhost', origin: 'http://localhost:7420' }],
    ['https://desk.agency.example', { id: 'desk.agency.example', origin: 'https://desk.agency.example' }],
    ['https://10.1.2.3:8443', undefined],
  ])('belongs to the name in %s', (url, place) => {
    expect(placeOf(url)).toEqual(place);
  });
});

describe('a session that began more than 15 minutes ago', () => {
  it('cannot add or remove a factor before its person has signed in again', async () => {
    const { browser, email, secret } = await withCodes();
    const made = await browser.send('POST', '/v1/me/passkeys/challenge');
    const passkey = createAuthenticator().create(made.body['options'] as JsonObject, {
      origin: server.url.replace('127.0.0.1', 'localhost'),
    });
    const body = { name: 'My phone', challenge_id: made.body['challenge_id'], passkey };
    const { body: added } = await browser.send('POST', '/v1/me/passkeys', body);
    const acts = [
      ['POST', '/v1/me/totp'],
      ['POST', '/v1/me/passkeys/challenge'],
      ['DELETE', `/v1/me/passkeys/${added['passkey_id'] as string}`],
    ] as const;
    const statuses = async (by: SpecBrowser) => {
      const found: number[] = [];
      for (const [method, path] of acts) found.push((await by.send(method, path)).status);
      return found;
    };
    const now = Date.now();
    const spied = jest.spyOn(Date, 'now').mockImplementation(() => now + 15 * 60_000 + 1);
    try {
      expect(await statuses(browser)).toEqual([403, 403, 403]);
      const { browser: again, step } = await secondStep(email, ['code', 'passkey']);
      const code = await codeAt(secret);
      expect((await again.send('POST', '/v1/session', { second_step: step, code })).status).toBe(200);
      expect(await statuses(again)).toEqual([200, 200, 200]);
    } finally {
      spied.mockImplementation(() => now);
    }
  });

  it('sets no first password', async () => {
    const anyone = createBrowser(server.url);
    await anyone.send('POST', '/v1/principals', { name: 'by-link', kind: 'person', scheme: 'none' }, admin);
    const made = await anyone.send('POST', '/v1/principals/by-link/sign-in-links', {}, admin);
    const link = new URL(made.body['link'] as string).hash.slice('#link='.length);
    await anyone.send('POST', '/v1/session', { link });
    const set = () => anyone.send('POST', '/v1/me/password', { email: 'by-link@agency.example', password });
    const now = Date.now();
    const spied = jest.spyOn(Date, 'now').mockImplementation(() => now + 15 * 60_000 + 1);
    try {
      expect((await set()).status).toBe(403);
    } finally {
      spied.mockImplementation(() => now);
    }
    expect((await set()).status).toBe(200);
  });
});

describe('a person’s changes of their own sign-in', () => {
  it('are limited with the changes, and not with reads', async () => {
    const slow = await startRunning({ SWITCHYARD_RATE_WRITES: '0.001/5' });
    try {
      const browser = createBrowser(slow.server.url);
      await browser.send('POST', '/v1/session', { token: slow.token });
      const begun: number[] = [];
      for (let time = 0; time < 7; time += 1) begun.push((await browser.send('POST', '/v1/me/totp')).status);
      expect(begun).toEqual([409, 409, 409, 409, 409, 429, 429]);
      expect((await browser.send('GET', '/v1/me/sign-in')).status).toBe(200);
    } finally {
      await slow.stop();
    }
  });
});
