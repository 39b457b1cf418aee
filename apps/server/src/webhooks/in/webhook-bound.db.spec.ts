import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openHttpHarness, type HttpHarness } from '../../main/testkit/http-harness.js';
import { senderBound } from './sender-bound.js';
import type { createWebhookIntake } from './webhook-intake.js';
import { report, signed, specInbox, type SpecSeller } from '../testkit/inbox.js';

/** The rate limit of one verified sender, over HTTP at the real endpoints, for accepted and refused webhooks. */
let http: HttpHarness;
let seller: SpecSeller;

const inbox = await specInbox();
afterAll(() => inbox.close());
beforeEach(async () => {
  seller = await inbox.seller();
  inbox.clock.advance(60_000);
});

afterEach(() => http.close());

async function opened(perMinute: number): Promise<void> {
  let url = '';
  const intake: ReturnType<typeof createWebhookIntake> = inbox.intake({
    baseUrl: () => url,
    bound: senderBound(inbox.clock, perMinute),
  });
  http = await openHttpHarness({}, { webhooks: intake, clock: inbox.clock });
  ({ url } = http);
}

async function received(body: unknown, of: SpecSeller = seller): Promise<readonly [number, string | null]> {
  const { url, bytes, headers } = signed(http.url, inbox.clock.now(), of, body);
  const answer = await fetch(url, { method: 'POST', headers, body: bytes as unknown as string });
  return [answer.status, answer.headers.get('retry-after')];
}

async function rows(of: SpecSeller = seller): Promise<number> {
  const { rows: found } = await inbox.store.inTenant(inbox.scope, (client) =>
    client.query('select 1 from inbox_event where connection_id = $1', [of.connection.id]),
  );
  return found.length;
}

describe('a sender at its rate limit', () => {
  it('gets 429 with Retry-After, and nothing is stored', async () => {
    await opened(1);
    expect(await received(report(seller))).toEqual([200, null]);
    const [status, retryAfter] = await received(report(seller));
    expect([status, Number(retryAfter) > 0]).toEqual([429, true]);
    expect(await rows()).toBe(1);
  });

  it('cannot fill the disk with different broken envelopes or ambiguous bodies', async () => {
    await opened(2);
    const broken = (turn: number) => ({ media_buy_deliveries: [], turn });
    expect((await received(broken(1)))[0]).toBe(400);
    expect((await received(Buffer.from('{"a":1,"a":2}')))[0]).toBe(401);
    expect((await received(broken(2)))[0]).toBe(429);
    expect((await received(Buffer.from('{"b":1,"b":2}')))[0]).toBe(429);
    expect(await rows()).toBe(2);
  });

  it('is not used up by whoever repeats its messages', async () => {
    await opened(2);
    const { url, bytes, headers } = signed(http.url, inbox.clock.now(), seller, report(seller));
    const repeat = () => fetch(url, { method: 'POST', headers, body: bytes as unknown as string });
    for (const status of [200, 401, 401, 401]) expect((await repeat()).status).toBe(status);
    expect((await received(report(seller)))[0]).toBe(200);
    expect((await received(report(seller)))[0]).toBe(429);
  });

  it("does not use another sender's limit, nor does an unknown sender use its limit", async () => {
    await opened(1);
    const other = await inbox.seller();
    const { url } = signed(http.url, inbox.clock.now(), seller, report(seller));
    const headers = { 'content-type': 'application/json' };
    for (let turn = 0; turn < 3; turn += 1)
      expect((await fetch(url, { method: 'POST', headers, body: '{}' })).status).toBe(401);
    expect((await received(report(seller)))[0]).toBe(200);
    expect((await received(report(other), other))[0]).toBe(200);
  });
});
