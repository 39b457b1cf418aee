import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startMailServer, type MailServer, type ReceivedMail } from '@switchyard/testing';
import { withClient } from '@switchyard/store';
import { must } from '@switchyard/values';
import { startRunning, type Running } from './testkit/running.js';

let mails: MailServer;
let running: Running;

beforeAll(async () => {
  mails = await startMailServer();
  running = await startRunning({
    SWITCHYARD_SMTP_HOST: '127.0.0.1',
    SWITCHYARD_SMTP_PORT: String(mails.port),
    SWITCHYARD_SMTP_SECURITY: 'none',
    SWITCHYARD_MAIL_FROM: 'Switchyard <noreply@agency.example>',
  });
});
afterAll(async () => {
  await running.stop();
  await mails.close();
});

async function send(method: string, path: string, headers: Record<string, string> = {}, body?: object) {
  const answer = await fetch(running.server.url + path, {
    method,
    headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  return { status: answer.status, cookie, body: (await answer.json()) as Record<string, unknown> };
}

const linkIn = (mail: ReceivedMail, name: string): string =>
  new RegExp(`#${name}=([\\w-]+)`).exec(mail.text)?.[1] ?? '';
const mailTo = (address: string, subject: string) =>
  mails.arrived((mail) => mail.to.includes(address) && mail.header('Subject')?.includes(subject) === true);

const password = 'a heron over the weir';

/** Somebody who has come in by the mail of an invitation. */
async function invited(email: string) {
  const invitation = { email, role: 'viewer', scope: 'organization' };
  const made = await send('POST', '/v1/invitations', running.admin, invitation);
  const mail = await mailTo(email, 'You are invited');
  const secret = linkIn(mail, 'invitation');
  const opened = await send('POST', '/v1/session', {}, { invitation: secret, password });
  return { made, mail, secret, opened };
}

describe('an invitation', () => {
  it('is mailed with the link that its inviter sees, which lets in once and proves the address', async () => {
    const { made, mail, secret, opened } = await invited('ann@agency.example');
    expect(made).toMatchObject({ status: 201, body: { mailed: true } });
    expect(made.body['link']).toBe(`${running.server.url}/console/#invitation=${secret}`);
    expect(mail.text).toContain('operator invites you');
    expect(opened.status).toBe(200);
    const again = await send('POST', '/v1/session', {}, { invitation: secret, password });
    expect(again.status).toBe(401);
    const settings = await send('GET', '/v1/notices/settings', { cookie: opened.cookie });
    expect(settings.body).toMatchObject({ email: 'ann@agency.example', mail_server: true });
  });

  it('leaves no secret in the rows of notices', async () => {
    const { secret } = await invited('ben@agency.example');
    const all =
      'select to_jsonb(n)::text as text from notice n union all select to_jsonb(d)::text from notice_delivery d';
    const found = must(await withClient(running.database.ownerUrl, (client) => client.query(all)));
    expect(found.rows.length).toBeGreaterThan(1);
    expect(JSON.stringify(found.rows)).not.toContain(secret);
  });
});

describe('a new password', () => {
  it('is chosen by a mailed link, once, and ends the old one', async () => {
    const email = 'cleo@agency.example';
    const { opened } = await invited(email);
    const asked = await send('POST', '/v1/session/reset', {}, { email: 'Cleo@agency.example ' });
    expect(asked).toMatchObject({ status: 202, body: { requested: true } });
    const reset = linkIn(await mailTo(email, 'A new password'), 'reset');
    const changed = 'two otters in the reeds';
    expect((await send('POST', '/v1/session', {}, { reset, password: 'password1234' })).status).toBe(400);
    expect((await send('POST', '/v1/session', {}, { reset, password: changed })).status).toBe(200);
    expect((await send('POST', '/v1/session', {}, { reset, password: changed })).status).toBe(401);
    expect((await send('GET', '/v1/me', { cookie: opened.cookie })).status).toBe(401);
    expect((await send('POST', '/v1/session', {}, { email, password })).status).toBe(401);
    expect((await send('POST', '/v1/session', {}, { email, password: changed })).status).toBe(200);
  });

  it('is answered alike for an unknown address, and one person gets one mail in five minutes', async () => {
    const email = 'dora@agency.example';
    await invited(email);
    const unknown = await send('POST', '/v1/session/reset', {}, { email: 'nobody@agency.example' });
    const known = await send('POST', '/v1/session/reset', {}, { email });
    await send('POST', '/v1/session/reset', {}, { email });
    expect([unknown.status, unknown.body]).toEqual([known.status, known.body]);
    await mailTo(email, 'A new password');
    // What came before it has been handed out as well.
    await invited('last@agency.example');
    const found = mails.received.filter(
      (mail) => mail.header('Subject')?.includes('A new password') === true,
    );
    expect(found.filter(({ to }) => to.includes(email)).length).toBeLessThanOrEqual(2);
    expect(found.filter(({ to }) => to.includes('nobody@agency.example'))).toEqual([]);
  });
});
