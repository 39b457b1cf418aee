import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { credentialStore, inboxPurge } from '@switchyard/store';
import { Secret, type JsonObject } from '@switchyard/values';
import { applyInbox } from './apply-inbox.js';
import { report, signed, specInbox, taskUpdate, type SpecSeller } from '../testkit/inbox.js';

/** Webhooks of sellers that cannot sign: posted over HTTP to the real endpoints, verified, stored and applied. */
const secret = 'pZ4w0Qm8tYc2Lr6Vx9Kb1Nj5Hd7Sg3Fa';

let hmac: SpecSeller;
let bearer: SpecSeller;
let signing: SpecSeller;

const inbox = await specInbox();
afterAll(() => inbox.close());
beforeEach(async () => {
  hmac = await inbox.seller({ mode: 'hmac-sha256', secret });
  bearer = await inbox.seller({ mode: 'bearer', secret });
  signing = await inbox.seller();
});

type Lines = Readonly<Record<string, string>>;

function proofOf(body: string, { at = 0, by = secret }: { at?: number; by?: string } = {}): Lines {
  const timestamp = String(Math.floor(inbox.clock.now() / 1000) + at);
  return stamped(body, timestamp, by);
}

function stamped(body: string, timestamp: string, by = secret): Lines {
  const digest = createHmac('sha256', by).update(`${timestamp}.${body}`).digest('hex');
  return { 'x-ads-timestamp': timestamp, 'x-ads-signature': `sha256=${digest}` };
}

async function post(to: SpecSeller, body: string, lines: Lines, address = to.reportAddress) {
  const headers = { 'content-type': 'application/json', ...lines };
  const answer = await inbox.post(to, Buffer.from(body), { address, headers });
  const challenge = answer.headers.get('www-authenticate') ?? '';
  return { status: answer.status, challenge };
}

const newest = async (seller: SpecSeller) => {
  const [event] = await inbox.admin.list(inbox.caller, { seller: seller.connection.slug });
  return event;
};
const received = (body: JsonObject): string => JSON.stringify(body);

describe('a seller that authenticates with HMAC', () => {
  it('has a report posted to the ledger, once, as its connection', async () => {
    const body = received(report(hmac, { spend: 25 }));
    expect(await post(hmac, body, proofOf(body))).toEqual({ status: 200, challenge: '' });
    expect(await post(hmac, body, proofOf(body, { at: 1 }))).toEqual({ status: 200, challenge: '' });
    await applyInbox(inbox.deps, inbox.scope);
    const events = await inbox.admin.list(inbox.caller, { seller: hmac.connection.slug });
    expect(events.map(({ state, kind }) => [state, kind])).toEqual(
      expect.arrayContaining([
        ['applied', 'delivery_report'],
        ['duplicate', 'delivery_report'],
      ]),
    );
    expect(events).toHaveLength(2);
    expect(events[0]?.sender).toBe(`connection:${hmac.connection.id}`);
    const delivered = await inbox.deps.ledger.deliveredBy(inbox.scope, hmac.mediaBuyId);
    expect(delivered).toMatchObject([{ spendMicros: 25_000_000n }]);
  });

  it('completes its leg by a task event', async () => {
    const body = received(taskUpdate(hmac, 'completed'));
    expect(await post(hmac, body, proofOf(body), hmac.taskAddress)).toMatchObject({ status: 200 });
    await applyInbox(inbox.deps, inbox.scope);
    expect(await inbox.deps.ports.store.leg(inbox.scope, hmac.legId)).toMatchObject({
      status: 'completed',
      observedBy: 'webhook',
    });
  });

  it('claims no key of another seller', async () => {
    const key = `shared-${randomUUID()}`;
    const body = received(report(hmac, { key }));
    await post(hmac, body, proofOf(body));
    await inbox.post(signing, report(signing, { key }));
    expect((await newest(signing))?.state).toBe('received');
    expect((await newest(hmac))?.state).toBe('received');
  });

  it.each<[string, (body: string) => readonly [body: string, lines: Lines]]>([
    ['a re-serialised body', (body) => [JSON.stringify(JSON.parse(body), null, 2), proofOf(body)]],
    ['spaces that Python writes', (body) => [body.replaceAll('":', '": '), proofOf(body)]],
    ['a wrong secret', (body) => [body, proofOf(body, { by: 'q'.repeat(16) + 'another-one-of-32' })]],
    ['a secret that is too short', (body) => [body, proofOf(body, { by: 'short' })]],
    ['a timestamp that is not digits', (body) => [body, stamped(body, '1795262400abc')]],
    ['a proof 301 s old', (body) => [body, proofOf(body, { at: -301 })]],
    ['a proof 301 s ahead', (body) => [body, proofOf(body, { at: 301 })]],
    [
      'a timestamp off by one second',
      (body) => [body, { ...proofOf(body), 'x-ads-timestamp': proofOf('', { at: 1 })['x-ads-timestamp']! }],
    ],
    ['no timestamp', (body) => [body, { 'x-ads-signature': proofOf(body)['x-ads-signature']! }]],
    ['no signature', (body) => [body, { 'x-ads-timestamp': proofOf(body)['x-ads-timestamp']! }]],
    [
      'upper-case hex',
      (body) => [
        body,
        { ...proofOf(body), 'x-ads-signature': proofOf(body)['x-ads-signature']!.toUpperCase() },
      ],
    ],
    [
      'sha256= twice',
      (body) => [
        body,
        { ...proofOf(body), 'x-ads-signature': `sha256=${proofOf(body)['x-ads-signature']!}` },
      ],
    ],
  ])('is refused, without a code that would end the event: %s', async (_what, fault) => {
    const [body, lines] = fault(received(report(hmac)));
    expect(await post(hmac, body, lines)).toEqual({ status: 401, challenge: 'HMAC-SHA256' });
    expect(await newest(hmac)).toBeUndefined();
  });

  it('is refused as another mode if it uses the other proof, in both directions', async () => {
    const mismatch = { status: 401, challenge: 'Signature error="webhook_mode_mismatch"' };
    const body = received(report(hmac));
    const made = signed(inbox.url, inbox.clock.now(), hmac, JSON.parse(body));
    expect(await post(hmac, body, made.headers)).toEqual(mismatch);
    expect(await post(hmac, body, { ...made.headers, ...proofOf(body) })).toEqual(mismatch);
    expect(await post(hmac, body, { authorization: `Bearer ${secret}` })).toEqual(mismatch);
    expect(await post(signing, body, proofOf(body))).toEqual(mismatch);
    expect(await post(signing, body, { authorization: `Bearer ${secret}` })).toEqual(mismatch);
    expect(await newest(hmac)).toBeUndefined();
  });

  it('costs one audit row of the vault per minute, for any number of webhooks', async () => {
    for (let turn = 0; turn < 12; turn += 1) {
      const body = received(report(hmac, { sequence: turn + 1 }));
      await post(hmac, body, proofOf(body));
    }
    const uses = await inbox.store.inTenant(inbox.scope, (client) =>
      client.query(
        `select 1 from credential_use u join credential c using (credential_id)
         where c.connection_id = $1 and u.purpose = 'webhook_in'`,
        [hmac.connection.id],
      ),
    );
    expect(uses.rowCount).toBe(1);
  });

  const ownSecret = async (): Promise<string> => {
    const listed = await inbox.vault.list(inbox.scope);
    const own = listed.ok
      ? listed.value.find(({ connectionId }) => connectionId === hmac.connection.id)
      : undefined;
    return own?.credentialId ?? '';
  };

  it('is refused from the moment its secret is revoked, even if it was opened before', async () => {
    const before = received(report(hmac));
    expect(await post(hmac, before, proofOf(before))).toMatchObject({ status: 200 });
    // Directly in the database, as another process would.
    await credentialStore(inbox.store).retire(
      inbox.scope,
      { credentialId: await ownSecret(), version: 1 },
      inbox.clock.now(),
    );
    const after = received(report(hmac, { day: '2026-11-02', sequence: 2 }));
    expect(await post(hmac, after, proofOf(after))).toMatchObject({ status: 503 });
    await applyInbox(inbox.deps, inbox.scope);
    const events = await inbox.admin.list(inbox.caller, { seller: hmac.connection.slug });
    expect(events.map(({ state }) => state)).toEqual(['applied']);
  });

  it('is verified with the new version from the moment its secret is rotated', async () => {
    const before = received(report(hmac));
    await post(hmac, before, proofOf(before));
    const next = 'kT9wX2eR5uB8nM1cV4zL7qJ0hG3fD6sA';
    await inbox.vault.rotate(inbox.scope, await ownSecret(), new Secret(Buffer.from(next)));
    const after = received(report(hmac, { day: '2026-11-02', sequence: 2 }));
    expect(await post(hmac, after, proofOf(after))).toEqual({ status: 401, challenge: 'HMAC-SHA256' });
    expect(await post(hmac, after, proofOf(after, { by: next }))).toMatchObject({ status: 200 });
  });

  it('is answered with a retryable status while the vault is unavailable', async () => {
    const intake = inbox.intake({ secrets: () => Promise.resolve(undefined) });
    const body = received(report(hmac));
    const answer = await intake.accept({
      registration: hmac.reportAddress,
      method: 'POST',
      rawUrl: `/webhooks/${hmac.reportAddress}`,
      headers: Object.entries({ 'content-type': 'application/json', ...proofOf(body) }),
      body: Buffer.from(body),
    });
    expect(answer.status).toBe(503);
    expect(await newest(hmac)).toBeUndefined();
  });
});

describe('a seller that migrates from HMAC to signatures', () => {
  let both: SpecSeller;
  let key: string;

  beforeEach(async () => {
    both = await inbox.seller({ mode: 'hmac-sha256', secret, signsReports: true });
    key = `shared-${randomUUID()}`;
  });

  const byHmac = (body: JsonObject) => post(both, received(body), proofOf(received(body)), both.taskAddress);
  const bySignature = (body: JsonObject) => inbox.post(both, body);
  const standing = async () => {
    await applyInbox(inbox.deps, inbox.scope);
    const events = await inbox.admin.list(inbox.caller, { seller: both.connection.slug });
    const delivered = await inbox.deps.ledger.deliveredBy(inbox.scope, both.mediaBuyId);
    return [
      events.map(({ state, reason }) => (reason === undefined ? state : `${state}:${reason}`)).sort(),
      delivered.map(({ spendMicros }) => spendMicros),
    ];
  };

  it.each([
    ['HMAC first', byHmac, bySignature],
    ['the signature first', bySignature, byHmac],
  ])('has the two copies of one event applied once: %s', async (_order, first, second) => {
    const body = report(both, { key, spend: 25 });
    expect((await first(body)).status).toBe(200);
    expect((await second(body)).status).toBe(200);
    expect(await standing()).toEqual([['applied', 'duplicate'], [25_000_000n]]);
  });

  it('has two copies applied once even if they arrive at the same moment', async () => {
    const body = report(both, { key, spend: 25 });
    await Promise.all([byHmac(body), bySignature(body), byHmac(body), bySignature(body)]);
    const [states, delivered] = await standing();
    expect((states as string[]).filter((state) => state === 'applied')).toHaveLength(1);
    expect(delivered).toEqual([25_000_000n]);
  });

  it('has its signed event applied despite an HMAC copy with another body, and the mismatch recorded', async () => {
    await byHmac(report(both, { key, spend: 1, day: '2026-11-01' }));
    await bySignature(report(both, { key, spend: 25, day: '2026-11-02', sequence: 2 }));
    await bySignature(report(both, { key, spend: 25, day: '2026-11-02', sequence: 2 }));
    const [states, delivered] = await standing();
    expect(states).toEqual(['applied', 'applied', 'duplicate:payload_changed']);
    expect((delivered as bigint[]).reduce((sum, figure) => sum + figure, 0n)).toBe(26_000_000n);
  });

  it('changes nothing by HMAC under a signed key', async () => {
    await bySignature(report(both, { key, spend: 25 }));
    await byHmac(report(both, { key, spend: 1, day: '2026-11-02', sequence: 2 }));
    expect(await standing()).toEqual([['applied', 'duplicate:payload_changed'], [25_000_000n]]);
  });
});

describe('a seller that sends a Bearer credential', () => {
  const right = { authorization: `Bearer ${secret}` };

  it('has its reports accepted, and its credential is not stored', async () => {
    expect(await post(bearer, received(report(bearer)), right)).toMatchObject({ status: 200 });
    await applyInbox(inbox.deps, inbox.scope);
    const event = await newest(bearer);
    expect(event?.state).toBe('applied');
    const shown = await inbox.admin.show(inbox.caller, event?.event_id ?? '', { raw: true });
    expect(JSON.stringify(shown)).not.toContain(secret);
    expect(JSON.stringify(shown)).toContain('[secret]');
  });

  it('is refused at the address of a mutation, even with the right credential', async () => {
    const given = await post(bearer, received(taskUpdate(bearer, 'completed')), right, bearer.taskAddress);
    expect(given).toEqual({ status: 401, challenge: 'Bearer' });
    await applyInbox(inbox.deps, inbox.scope);
    expect((await inbox.deps.ports.store.leg(inbox.scope, bearer.legId))?.status).toBe('working');
  });

  it.each<[string, Lines]>([
    ['another credential', { authorization: 'Bearer another-credential-of-32-characters' }],
    ['no credential', {}],
  ])('is refused with %s', async (_what, lines) => {
    expect(await post(bearer, received(report(bearer)), lines)).toEqual({ status: 401, challenge: 'Bearer' });
  });
});

describe('evidence that contains a shared secret', () => {
  const leak = () => received({ ...report(hmac), message: `the secret is ${secret}` });

  it('is sealed: the row does not contain it, and authorized readers see the original bytes', async () => {
    const body = leak();
    await post(hmac, body, proofOf(body));
    await applyInbox(inbox.deps, inbox.scope);
    const event = await newest(hmac);
    expect(event?.state).toBe('applied');
    const id = event?.event_id ?? '';
    const row = await inbox.store.inTenant(inbox.scope, (client) =>
      client.query<{ body: Buffer }>('select body from inbox_event where id = $1', [id]),
    );
    expect(row.rows[0]?.body.toString()).toContain('[secret]');
    expect(row.rows[0]?.body.toString()).not.toContain(secret);
    const shown = await inbox.admin.show(inbox.caller, id, { raw: true });
    expect(shown).toMatchObject({ ok: true, value: { raw: { body_text: body } } });
    const plain = await inbox.admin.show(inbox.caller, id, { raw: false });
    expect(JSON.stringify(plain)).not.toContain(secret);
  });

  it('is not stored if it cannot be sealed', async () => {
    const body = leak();
    const intake = inbox.intake({
      evidence: { seal: () => Promise.resolve(undefined), forget: () => Promise.resolve() },
    });
    const answer = await intake.accept({
      registration: hmac.reportAddress,
      method: 'POST',
      rawUrl: `/webhooks/${hmac.reportAddress}`,
      headers: Object.entries({ 'content-type': 'application/json', ...proofOf(body) }),
      body: Buffer.from(body),
    });
    expect(answer.status).toBe(503);
    expect(await newest(hmac)).toBeUndefined();
  });

  it('is deleted with the bytes after their retention', async () => {
    const body = leak();
    await post(hmac, body, proofOf(body));
    await applyInbox(inbox.deps, inbox.scope);
    const sealed = () =>
      inbox.store.inTenant(inbox.scope, async (client) => {
        const text = `select 1 from credential where kind = 'evidence' and connection_id = $1`;
        return (await client.query(text, [hmac.connection.id])).rowCount;
      });
    expect(await sealed()).toBe(1);
    const now = inbox.clock.now();
    await inboxPurge(inbox.store).bodies(inbox.scope, now + 1, now);
    expect(await sealed()).toBe(0);
  });
});
