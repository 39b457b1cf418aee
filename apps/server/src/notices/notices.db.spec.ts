import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { createEgress } from '@switchyard/egress';
import { openMail } from '@switchyard/mail';
import type { NoticeConnector, ToldNotice } from '@switchyard/events';
import {
  addressDirectory,
  alarmRepository,
  credentialStore,
  endpointRepository,
  grantDirectory,
  listReader,
  noticeRepository,
  openStore,
  type TenantClient,
} from '@switchyard/store';
import {
  createBookedBuy,
  createOrganization,
  createPrincipal,
  memoryKeyManagement,
  openTestStore,
  readBody,
  startMailServer,
  startServer,
  testClock,
} from '@switchyard/testing';
import { allPermissions, type Principal } from '@switchyard/tenancy';
import { must, type JsonObject } from '@switchyard/values';
import { createVault } from '@switchyard/vault';
import { Webhook } from 'standardwebhooks';
import { principalCaller } from '../platform/caller/principal-caller.js';
import { callRoutes } from '../platform/routes/testkit/call-route.js';
import { endpointRoutes } from './endpoints.routes.js';
import { noticeRoutes } from './notices.routes.js';
import { handOutNotices } from './notices-worker.module.js';
import { sendNotices, type SendNoticesDeps } from './send-notices.js';

const { store, stop } = await openTestStore(openStore);
const clock = testClock(Date.UTC(2026, 10, 20));
const mailServer = await startMailServer();
const mail = openMail({
  host: '127.0.0.1',
  port: mailServer.port,
  security: 'none',
  from: 'Switchyard <noreply@agency.example>',
});
const egress = createEgress({ allowLoopback: true });

interface Received {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
const received: Received[] = [];
let answer = 200;
const receiver = await startServer(async (request, response) => {
  const body = String(await readBody(request));
  received.push({ headers: request.headers as Record<string, string>, body });
  response.writeHead(answer).end();
});
afterAll(async () => {
  mail.close();
  await mailServer.close();
  await receiver.close();
  await egress.close();
  await stop();
});
afterEach(() => {
  answer = 200;
  received.length = 0;
});

const notices = noticeRepository(store);
const endpoints = endpointRepository(store);
const vault = createVault({
  kms: memoryKeyManagement(),
  store: credentialStore(store),
  clock,
  newId: randomUUID,
  randomBytes,
});
const unexpected: unknown[] = [];
const noticeConnectors: NoticeConnector[] = [];
const deps: SendNoticesDeps = {
  notices,
  mailOfSignIn: () => Promise.resolve(undefined),
  endpoints,
  mail,
  egress,
  vault,
  isStopped: () => Promise.resolve(false),
  noticeConnectors,
  baseUrl: () => 'https://hub.example',
  clock,
  random: () => 0.5,
  onUnexpected: (error) => unexpected.push(error),
};
const call = callRoutes([...noticeRoutes, ...endpointRoutes] as never, {
  ...deps,
  hasMail: true,
  lists: listReader(store),
  newId: randomUUID,
});
type Called = (caller: unknown, id: string, request?: object) => ReturnType<typeof call>;
const ask = call as Called;

async function organization() {
  const { id: organizationId } = await createOrganization(store);
  return { organizationId };
}
type Scope = Awaited<ReturnType<typeof organization>>;

/** Somebody with all permissions, and an address that they have proved. */
async function person(scope: Scope, more: Partial<Principal> = {}) {
  const { organizationId } = scope;
  const wanted = { kind: 'person' as const, name: `p ${randomUUID()}`, permissions: allPermissions, ...more };
  const principal = await createPrincipal(store, organizationId, wanted);
  const email = `${principal.id}@agency.example`;
  await addressDirectory(store).prove(scope, { principalId: principal.id, email, by: 'invitation', at: 1 });
  return { principal, email, caller: principalCaller(principal) };
}

const raise = (scope: Scope, subject: string = randomUUID()) =>
  alarmRepository(store, clock).raise(scope, { kind: 'emergency_stop', subject, detail: {} });

/** A request over a limit. */
function requested(client: TenantClient, principalId: string, brand: string): Promise<unknown> {
  return client.query(
    `insert into internal_approval (id, organization_id, operation_id, task, principal_id, brand_domain, sellers,
       amount_micros, currency, reason, quotes, state, requested_at, expires_at)
     values ($1, $2, $3, 'create_media_buy', $4, $5, '{}', 10000000000, 'USD', 'Over the limit.', '{}', 'open', $6, $6)`,
    [randomUUID(), client.organizationId, randomUUID(), principalId, brand, new Date(clock.now())],
  );
}

async function work(scope: Scope): Promise<void> {
  while ((await handOutNotices(deps, scope)) > 0);
  while (await sendNotices(deps, scope));
}

const bell = async (caller: unknown, query = {}) => {
  const { notices: rows, unread } = must(await ask(caller, 'list_notices', { query }));
  return { rows: rows as readonly JsonObject[], unread };
};
const mailsTo = (email: string) => mailServer.received.filter(({ to }) => to.includes(email));

describe('a notice', () => {
  it('is there if and only if its fact is, and once however often the fact is counted', async () => {
    const scope = await organization();
    const ann = await person(scope);
    const lost = store.inTenant(scope, async (client) => {
      await requested(client, randomUUID(), 'acme.example');
      throw new Error('rolled back');
    });
    await expect(lost).rejects.toThrow('rolled back');
    await raise(scope, 'same');
    await raise(scope, 'same');
    await work(scope);
    await handOutNotices(deps, scope);
    const { rows, unread } = await bell(ann.caller);
    expect(rows.map(({ title }) => title)).toEqual(['Alarm emergency stop: same']);
    expect(unread).toBe(1);
    expect(unexpected).toEqual([]);
  });

  it('is handed out to each recipient once, by workers that run at the same time and again after a crash', async () => {
    const scope = await organization();
    const ann = await person(scope);
    await Promise.all(Array.from({ length: 20 }, () => raise(scope)));
    const crashing = notices.handOut(scope, clock.now(), () => {
      throw new Error('killed');
    });
    await expect(crashing).rejects.toThrow('killed');
    await Promise.all([1, 2, 3].map(() => handOutNotices(deps, scope)));
    await handOutNotices(deps, scope);
    expect((await bell(ann.caller)).rows).toHaveLength(20);
  });

  it('is read and unread by each reader alone', async () => {
    const scope = await organization();
    const [ann, bob] = [await person(scope), await person(scope)];
    await raise(scope);
    await raise(scope);
    await work(scope);
    const [first] = (await bell(ann.caller)).rows;
    const ids = [first!['notice_id']];
    expect(await ask(ann.caller, 'read_notices', { body: { notice_ids: ids } })).toMatchObject({
      value: { changed: 1 },
    });
    expect(await bell(ann.caller, { state: 'unread' })).toMatchObject({ rows: [{}], unread: 1 });
    expect(await bell(bob.caller)).toMatchObject({ unread: 2 });
    await ask(ann.caller, 'read_notices', { body: {} });
    expect(await bell(ann.caller)).toMatchObject({ unread: 0 });
    await ask(ann.caller, 'unread_notices', { body: { notice_ids: ids } });
    expect(await bell(ann.caller)).toMatchObject({ unread: 1 });
  });

  it('is on one page of its list, and a cursor is valid for its reader alone', async () => {
    const scope = await organization();
    const [ann, bob] = [await person(scope), await person(scope)];
    for (let number = 0; number < 7; number += 1) await raise(scope);
    await work(scope);
    const seen: unknown[] = [];
    let cursor: string | undefined;
    do {
      const query: Record<string, string> = { limit: '3', ...(cursor !== undefined && { cursor }) };
      if (cursor !== undefined) expect((await ask(bob.caller, 'list_notices', { query })).ok).toBe(false);
      const page = must(await ask(ann.caller, 'list_notices', { query }));
      seen.push(...(page['notices'] as readonly JsonObject[]).map(({ notice_id: id }) => id));
      cursor = page['next_cursor'] as string | undefined;
    } while (cursor !== undefined);
    expect([seen.length, new Set(seen).size]).toEqual([7, 7]);
  });

  it('is shown and mailed only as long as its reader reaches the object', async () => {
    const scope = await organization();
    const requester = await person(scope);
    const grant = {
      id: randomUUID(),
      role: 'approver-of-acme',
      scope: { kind: 'brand', id: 'acme.example' } as const,
      createdAt: clock.now(),
    };
    const eve = await person(scope, { permissions: {} });
    const grants = grantDirectory(store);
    const permissions = { media_buys: ['read', 'approve'] } as const;
    await grants.saveRole(scope, { name: grant.role, permissions, updatedAt: clock.now() });
    await grants.add(scope, { ...grant, principalId: eve.principal.id });
    await store.inTenant(scope, async (client) => {
      await requested(client, requester.principal.id, 'acme.example');
      await requested(client, requester.principal.id, 'other.example');
    });
    await handOutNotices(deps, scope);
    const reach = { permissions, scope: grant.scope };
    const reader = { ...eve.caller, permissions, grants: [reach] };
    expect((await bell(reader)).rows).toHaveLength(1);
    expect((await bell(requester.caller)).rows).toEqual([]);
    await grants.remove(scope, grant.id, clock.now());
    await work(scope);
    expect(await bell({ ...eve.caller, permissions: {}, grants: [] })).toMatchObject({ rows: [], unread: 0 });
    expect(mailsTo(eve.email)).toEqual([]);
  });

  it('of a decision reaches its requester', async () => {
    const scope = await organization();
    const [ann, bob] = [await person(scope), await person(scope)];
    await store.inTenant(scope, async (client) => {
      await requested(client, ann.principal.id, 'acme.example');
      await client.query(
        `update internal_approval set state = 'approved', decided_at = now(), decided_by = $1`,
        [bob.principal.id],
      );
    });
    await work(scope);
    expect((await bell(ann.caller)).rows.map(({ title }) => title)).toEqual([
      'Your request of 10000 USD was approved',
    ]);
    const [mailed] = mailsTo(ann.email);
    expect(mailed?.header('Subject')).toBe('Your request of 10000 USD was approved');
    expect(mailed?.text).toContain('https://hub.example/console/inbox/approvals?operation_id=');
  });
});

describe('a mail', () => {
  it('is sent again under its first Message-ID if the worker dies between sending and noting it', async () => {
    const scope = await organization();
    const ann = await person(scope);
    await raise(scope);
    await handOutNotices(deps, scope);
    // The message is out, and the end of the attempt is never stored.
    const dying = { ...notices, settle: () => Promise.reject(new Error('killed')) };
    await sendNotices({ ...deps, notices: dying, onUnexpected: () => undefined }, scope);
    expect(mailsTo(ann.email)).toHaveLength(1);
    expect(await sendNotices(deps, scope)).toBe(false);
    clock.advance(91_000);
    await work(scope);
    const ids = mailsTo(ann.email).map((each) => each.header('Message-ID'));
    expect(ids).toEqual([expect.stringMatching(/^<[0-9a-f-]{36}@agency.example>$/), ids[0]]);
    clock.advance(24 * 3_600_000);
    await work(scope);
    expect(mailsTo(ann.email)).toHaveLength(2);
  });

  it('is tried again after 451, and not after 550', async () => {
    const scope = await organization();
    const ann = await person(scope);
    await raise(scope);
    mailServer.refuseWith(451);
    await work(scope);
    mailServer.refuseWith(undefined);
    clock.advance(5_000);
    await work(scope);
    expect(mailsTo(ann.email)).toHaveLength(1);
    await raise(scope);
    mailServer.refuseWith(550);
    await work(scope);
    mailServer.refuseWith(undefined);
    clock.advance(3_600_000);
    await work(scope);
    expect(mailsTo(ann.email)).toHaveLength(1);
  });

  it('of the day holds all that came, once, also if it is sent twice', async () => {
    const scope = await organization();
    const ann = await person(scope);
    await ask(ann.caller, 'set_notice_settings', { body: { mail: { '*': 'daily' }, digest_hour: 9 } });
    for (const subject of ['one', 'two & <three>']) {
      await raise(scope, subject);
      await work(scope);
    }
    expect(mailsTo(ann.email)).toEqual([]);
    clock.advance(25 * 3_600_000);
    const dying = { ...notices, settle: () => Promise.reject(new Error('killed')) };
    await sendNotices({ ...deps, notices: dying, onUnexpected: () => undefined }, scope);
    clock.advance(91_000);
    await work(scope);
    const [mailed, again] = mailsTo(ann.email);
    expect(mailed?.header('Subject')).toBe('2 notices of Switchyard');
    expect(mailed?.text).toContain('two &#38; &#60;three&#62;');
    expect(again?.header('Message-ID')).toBe(mailed?.header('Message-ID'));
    expect(mailsTo(ann.email)).toHaveLength(2);
  });
});

async function added(scope: Scope, body: object) {
  const admin = await person(scope);
  await ask(admin.caller, 'set_notice_settings', { body: { mail: { '*': 'off' } } });
  const name = `e ${randomUUID()}`;
  const made = must(
    await ask(admin.caller, 'add_endpoint', { body: { name, url: `${receiver.url}/hooks/s3cret`, ...body } }),
  );
  return { admin, made, params: { id: made['endpoint_id'] as string } };
}

/** As a receiver with our clock reads it. */
function verified(key: unknown, { headers, body }: Received): JsonObject {
  const { now } = Date;
  Date.now = () => clock.now();
  try {
    return new Webhook(String(key)).verify(body, headers) as JsonObject;
  } finally {
    Date.now = now;
  }
}

describe('a webhook of an organization', () => {
  it('is an event of CloudEvents under a signature of Standard Webhooks, with one id at each attempt', async () => {
    const scope = await organization();
    const { made } = await added(scope, { channel: 'webhook' });
    await raise(scope, 'a stop');
    answer = 503;
    await work(scope);
    answer = 200;
    clock.advance(2_000);
    await work(scope);
    expect(received).toHaveLength(2);
    const events = received.map((each) => verified(made['signing_key'], each));
    expect(events[0]).toEqual(events[1]);
    expect(events[0]).toMatchObject({
      specversion: '1.0',
      id: received[0]?.headers['webhook-id'],
      source: `/organizations/${scope.organizationId}`,
      type: 'com.switchyard.alarm.raised.v1',
      data: { severity: 'critical', title: 'Alarm emergency stop: a stop' },
    });
    expect(received[1]?.headers['webhook-id']).toBe(received[0]?.headers['webhook-id']);
    expect(received[0]?.headers['content-type']).toBe('application/cloudevents+json');
  });

  it('is told at a place of a connector, which has neither the address nor a channel that nobody has loaded', async () => {
    const scope = await organization();
    const told: ToldNotice[] = [];
    const chat: NoticeConnector = {
      ...{ kind: 'notices', channel: 'chat', title: 'Chat' },
      body: (notice) => {
        told.push(notice);
        if (told.length === 1) throw new Error('It breaks.');
        return { text: `${notice.title} ${notice.link}` };
      },
    };
    const refused = ask((await person(scope)).caller, 'add_endpoint', {
      body: { name: 'x', channel: 'fax', url: receiver.url },
    });
    expect(await refused).toMatchObject({ error: { code: 'INVALID_REQUEST', field: 'channel' } });
    noticeConnectors.push(chat);
    await added(scope, { channel: 'chat' });
    await raise(scope, 'a stop');
    await work(scope);
    expect(received).toEqual([]);
    clock.advance(60_000);
    await work(scope);
    expect(received.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      { text: `${told[1]?.title ?? ''} ${told[1]?.link ?? ''}` },
    ]);
    expect(told[1]).toMatchObject({ kind: 'alarm.raised', severity: 'critical', id: told[0]?.id });
    expect(JSON.stringify(told)).not.toContain('s3cret');
    noticeConnectors.pop();
  });

  it('is sent under the same id after a crash between sending and noting it, and none is lost', async () => {
    const scope = await organization();
    await added(scope, { channel: 'webhook' });
    await Promise.all(Array.from({ length: 30 }, () => raise(scope)));
    await handOutNotices(deps, scope);
    const random = (() => {
      let turn = 0;
      return () => (turn += 1) % 3 === 0;
    })();
    const settle: typeof notices.settle = (...given) =>
      random() ? Promise.reject(new Error('killed')) : notices.settle(...given);
    const dying = { ...deps, notices: { ...notices, settle }, onUnexpected: () => undefined };
    for (let round = 0; round < 12; round += 1) {
      await Promise.all([sendNotices(dying, scope), sendNotices(dying, scope)]);
      clock.advance(91_000);
    }
    await work(scope);
    const ids = received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(30);
    expect(ids.length).toBeGreaterThan(30);
    expect(new Set(received.map(({ body }) => body)).size).toBe(30);
  });

  it('shows its address and its keys never again, and is signed with both after a rotation', async () => {
    const scope = await organization();
    const { admin, made, params } = await added(scope, { channel: 'webhook' });
    const rotated = must(await ask(admin.caller, 'rotate_endpoint', { params }));
    const { sent } = must(await ask(admin.caller, 'test_endpoint', { params }));
    expect(sent).toBe(true);
    const [first] = received as [Received];
    for (const key of [made['signing_key'], rotated['signing_key']])
      expect(verified(key, first)).toMatchObject({ type: 'com.switchyard.test.v1' });
    clock.advance(25 * 3_600_000);
    const listed = JSON.stringify(must(await ask(admin.caller, 'list_endpoints')));
    expect(listed).toContain(receiver.url);
    expect(listed).not.toContain('s3cret');
    expect(listed).not.toContain('whsec_');
    const { rows } = await store.inTenant(scope, (client) =>
      client.query('select to_jsonb(e)::text as text from notice_endpoint e'),
    );
    expect(JSON.stringify(rows)).not.toContain('s3cret');
  });

  it('that is paused keeps what it is owed, and is sent that when it is resumed', async () => {
    const scope = await organization();
    const { admin, params } = await added(scope, { channel: 'webhook' });
    await ask(admin.caller, 'pause_endpoint', { params });
    await raise(scope);
    await work(scope);
    expect(received).toEqual([]);
    await ask(admin.caller, 'resume_endpoint', { params });
    await work(scope);
    expect(received).toHaveLength(1);
    const { deliveries } = must(await ask(admin.caller, 'list_endpoint_deliveries', { params }));
    const [first] = deliveries as readonly JsonObject[];
    expect(first).toMatchObject({ state: 'sent', attempts: 1 });
    const again = { ...params, delivery: first?.['delivery_id'] as string };
    expect(await ask(admin.caller, 'resend_delivery', { params: again })).toMatchObject({ ok: true });
    await work(scope);
    expect(received.map(({ headers }) => headers['webhook-id'])).toEqual([again.delivery, again.delivery]);
  });

  it('is turned off after five days without a success, which people are told, and removed with its secrets', async () => {
    const scope = await organization();
    const { admin, params } = await added(scope, { channel: 'webhook' });
    answer = 500;
    for (let day = 0; day < 7; day += 1) {
      await raise(scope);
      await work(scope);
      clock.advance(24 * 3_600_000);
    }
    const { endpoints: listed } = must(await ask(admin.caller, 'list_endpoints'));
    expect(listed).toMatchObject([{ state: 'off' }]);
    await work(scope);
    const titles = (await bell(admin.caller)).rows.map(({ title }) => title as string);
    expect(titles.filter((title) => title.includes('was turned off'))).toHaveLength(1);
    await ask(admin.caller, 'remove_endpoint', { params });
    const { rows } = await store.inTenant(scope, (client) =>
      client.query(`select 1 from credential where kind = 'notice' union all select 1 from notice_delivery d
        where d.channel = 'webhook'`),
    );
    expect(rows).toEqual([]);
  });

  it('at an address inside is refused', async () => {
    const { admin } = await added(await organization(), { channel: 'webhook' });
    for (const url of ['http://10.0.0.1/x', 'https://169.254.169.254/x', 'https://user:pass@hooks.example/x'])
      expect(
        await ask(admin.caller, 'add_endpoint', { body: { name: 'inside', channel: 'webhook', url } }),
      ).toMatchObject({ error: { code: 'INVALID_REQUEST', field: 'url' } });
  });
});

describe('a chat and an alerting service', () => {
  it('get the same words with a link, in their own form', async () => {
    const scope = await organization();
    await added(scope, { channel: 'slack' });
    await added(scope, { channel: 'teams' });
    await added(scope, { channel: 'pagerduty', key: 'routing-key-1' });
    await raise(scope, '<a & b>');
    await work(scope);
    const bodies = received.map(({ body }) => JSON.parse(body) as JsonObject);
    const [slack] = bodies.filter((body) => 'blocks' in body);
    expect(JSON.stringify(slack)).toContain('*Alarm emergency stop: &lt;a &amp; b&gt;*');
    const [teams] = bodies.filter((body) => 'attachments' in body);
    expect(JSON.stringify(teams)).toContain('"text":"Alarm emergency stop: <a & b>"');
    const [pagerDuty] = bodies.filter((body) => 'routing_key' in body);
    expect(pagerDuty).toMatchObject({
      routing_key: 'routing-key-1',
      event_action: 'trigger',
      payload: { severity: 'critical', summary: 'Alarm emergency stop: <a & b>' },
      links: [{ href: 'https://hub.example/console/system' }],
    });
    expect(bodies).toHaveLength(3);
  });

  it('get only the kinds that the endpoint names', async () => {
    const scope = await organization();
    await added(scope, { channel: 'slack', kinds: ['month.due'] });
    await raise(scope);
    await work(scope);
    expect(received).toEqual([]);
  });
});

describe('what is due', () => {
  it('is told once: a credential that ends soon, and a month that has ended and is not closed', async () => {
    const scope = await organization();
    const ann = await person(scope);
    const days = (count: number): Date => new Date(clock.now() + count * 24 * 3_600_000);
    await store.inTenant(scope, async (client) => {
      const credential = (seller: string, ends: Date | null): Promise<unknown> =>
        client.query(
          `insert into credential (credential_id, version, organization_id, seller, kind, destination, scheme, kms_key_id,
             wrapped_key, nonce, ciphertext, tag, commitment, created_at, retired_at)
           values ($1, 1, $2, $3, 'bearer', '', '', '', '', '', '', '', '', $4, $5)`,
          [randomUUID(), scope.organizationId, seller, days(-90), ends],
        );
      await credential('ends-soon', days(13));
      await credential('ends-later', days(20));
      await credential('does-not-end', null);
      await client.query(
        `update credential set ends_at = $1 where organization_id = $2 and seller = 'ends-later'`,
        [days(19), scope.organizationId],
      );
    });
    await createBookedBuy(store, scope.organizationId);
    const toTenth = Date.UTC(2027, 1, 10);
    for (let time = 0; time < 2; time += 1) {
      await notices.addTimed(scope, clock.now());
      await notices.addTimed(scope, Math.max(toTenth, clock.now()));
    }
    await work(scope);
    const { rows } = await bell(ann.caller);
    const titles = rows.map(({ title }) => title as string);
    expect(titles.filter((title) => title.includes('ends-soon'))).toHaveLength(1);
    expect(titles.filter((title) => title.includes('ends-later'))).toHaveLength(1);
    const told = async (seller: string): Promise<number> => {
      await work(scope);
      return (await bell(ann.caller)).rows.filter(({ title }) => (title as string).includes(seller)).length;
    };
    for (const [before, times] of [
      [18, 1],
      [6, 2],
      [5, 2],
      [0.5, 3],
    ] as const) {
      await notices.addTimed(scope, days(19).getTime() - before * 24 * 3_600_000);
      expect([before, await told('ends-later')]).toEqual([before, times]);
    }
    expect(titles.filter((title) => title.includes('does-not-end'))).toEqual([]);
    expect(titles.filter((title) => title.includes('2027-01 has ended'))).toHaveLength(1);
  });
});
