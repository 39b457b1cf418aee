import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { InboxEvent, RefusedWebhook, WebhookEvidence } from '@switchyard/events';
import type { Connection } from '@switchyard/sellers';
import { createConnection, createOrganization, createScope, openTestStore } from '@switchyard/testing';
import { openStore } from '../core/open-store.js';
import { eventLog } from './event-log.js';
import { inboxStore } from './inbox-store.js';
import { inboxWork, type InboxPlace } from './inbox-work.js';
import { webhookRegistrations } from './webhook-registrations.js';

const at = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
let connection: Connection;
let registration: { id: string; legId: string; operationId: string };
let scope: { organizationId: string };

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

beforeEach(async () => {
  scope = await createScope(store);
  connection = await createConnection(store, scope.organizationId, { dialect: 'adcp' });
  registration = { id: randomUUID(), legId: randomUUID(), operationId: randomUUID() };
  await store.inTenantModels(scope, ({ webhook_registration }) =>
    webhook_registration.create({
      data: {
        id: registration.id,
        organization_id: scope.organizationId,
        connection_id: connection.id,
        leg_id: registration.legId,
        operation_id: registration.operationId,
        kind: 'report',
        mode: 'signed',
        seller_operation_id: 'op_1',
        created_at: new Date(at),
      },
    }),
  );
});

function evidence(text: string): WebhookEvidence & { id: string } {
  const body = Buffer.from(text);
  return {
    id: randomUUID(),
    registrationId: registration.id,
    organizationId: scope.organizationId,
    connectionId: connection.id,
    headers: [['Content-Type', 'application/json']],
    body,
    bodyHash: createHash('sha256').update(body).digest('hex'),
    verdict: { method: 'POST', url: 'https://us.example/webhooks/x', steps: [] },
    receivedAt: at,
  };
}

function event(key: string, more: Partial<InboxEvent> = {}): InboxEvent {
  return {
    ...evidence(`{"key":"${key}"}`),
    sender: connection.agentUrl,
    keyid: 'k1',
    idempotencyKey: key,
    kind: 'delivery_report',
    state: 'received',
    ...more,
  };
}

describe('claiming and storing a webhook', () => {
  it('stores bytes, headers and verdict exactly, with the registration', async () => {
    const one = event('key-1');
    expect(await inboxStore(store).claimAndStore(one)).toBe('stored');
    expect(await inboxWork(store).find(scope, one.id)).toEqual({
      ...one,
      legId: registration.legId,
      operationId: registration.operationId,
      registrationKind: 'report',
      registrationMode: 'signed',
      sellerOperationId: 'op_1',
    });
  });

  it('separates the keys of shared secrets of different connections to one seller', async () => {
    const inbox = inboxStore(store);
    const owner = connection.agentUrl;
    const key = randomUUID();
    const hmac = (text: string, more: Partial<InboxEvent>): InboxEvent =>
      event(key, { ...evidence(text), keyspace: { owner, isWeaker: true }, ...more });
    const stranger = (await createOrganization(store)).id;
    const theirs = { organizationId: stranger, sender: 'connection:theirs' };
    const ours = { sender: 'connection:ours' };
    expect(await inbox.claimAndStore(hmac('{"theirs":1}', theirs))).toBe('stored');
    expect(await inbox.claimAndStore(hmac('{"ours":1}', ours))).toBe('stored');
    expect(await inbox.claimAndStore(hmac('{"ours":1}', ours))).toBe('duplicate');
    expect(await inbox.claimAndStore(hmac('{"theirs":2}', theirs))).toBe('changed');
  });

  it('stores one of many simultaneous copies, even if their bodies differ', async () => {
    const inbox = inboxStore(store);
    const copies = Array.from({ length: 20 }, (_, index) => ({
      ...event('key-2'),
      ...evidence(`{"copy":${index % 2}}`),
    }));
    const results = await Promise.all(copies.map((copy) => inbox.claimAndStore(copy)));
    expect(results.filter((one) => one === 'stored')).toHaveLength(1);
    const stored = await inboxWork(store).waiting(scope, 100);
    expect(stored.map(({ id }) => id)).toEqual([copies[results.indexOf('stored')]!.id]);
  });

  it('covers all registrations and organizations: a sender uses a key once', async () => {
    const one = event('key-3');
    const other = await createOrganization(store);
    const elsewhere = { ...event('key-3'), organizationId: other.id, registrationId: randomUUID() };
    expect(await inboxStore(store).claimAndStore(one)).toBe('stored');
    expect(await inboxStore(store).claimAndStore(elsewhere)).toBe('duplicate');
    expect(await inboxStore(store).claimAndStore({ ...event('key-3'), sender: 'https://b.example' })).toBe(
      'stored',
    );
  });

  it('leaves no claim behind when the event cannot be stored', async () => {
    const one = event('key-4');
    await expect(inboxStore(store).claimAndStore({ ...one, connectionId: 'no uuid' })).rejects.toThrow();
    expect(await inboxStore(store).claimAndStore(one)).toBe('stored');
  });

  it('stores a refused message once per address and body', async () => {
    const refused = (text: string): RefusedWebhook => ({
      ...evidence(text),
      code: 'missing_envelope_fields',
      state: 'refused',
      kind: 'other',
    });
    const inbox = inboxStore(store);
    expect(await inbox.storeRefused(refused('{"flat":1}'))).toBe('stored');
    expect(await inbox.storeRefused(refused('{"flat":1}'))).toBe('duplicate');
    expect(await inbox.storeRefused(refused('{"flat":2}'))).toBe('stored');
    expect(await inboxWork(store).count(scope)).toMatchObject({ refused: 2, received: 0 });
    const [kept] = await eventLog(store).list(scope, { state: 'refused', limit: 10 });
    expect(kept).toMatchObject({ state: 'refused', reason: 'missing_envelope_fields', sender: '' });
  });
});

describe('working through the inbox', () => {
  it('lists waiting events oldest first, from any position', async () => {
    const inbox = inboxStore(store);
    const work = inboxWork(store);
    const events = [3, 1, 2, 0, 2].map((age) => event(randomUUID(), { receivedAt: at + age }));
    for (const one of events) await inbox.claimAndStore(one);
    const oldestFirst = [...events]
      .sort((a, b) => a.receivedAt - b.receivedAt || (a.id < b.id ? -1 : 1))
      .map(({ id }) => id);
    const seen: string[] = [];
    for (let place: InboxPlace | undefined; ;) {
      const [next] = await work.waiting(scope, 1, place);
      if (next === undefined) break;
      seen.push(next.id);
      place = next;
    }
    expect(seen).toEqual(oldestFirst);
    expect((await work.waiting(scope, 10)).map(({ id }) => id)).toEqual(oldestFirst);
  });

  it('marks events in the transaction of their effect', async () => {
    const [one, two] = [event(randomUUID()), event(randomUUID())];
    const work = inboxWork(store);
    for (const each of [one, two]) await inboxStore(store).claimAndStore(each);
    const failing = store.inTenant(scope, async (client) => {
      await work.mark(client, [{ id: one.id, state: 'applied' }], at);
      throw new Error('the ledger failed');
    });
    await expect(failing).rejects.toThrow('the ledger failed');
    expect(await work.waiting(scope, 10)).toHaveLength(2);
    await store.inTenant(scope, (client) =>
      work.mark(
        client,
        [
          { id: one.id, state: 'applied' },
          { id: two.id, state: 'quarantined', reason: 'unknown_media_buy' },
        ],
        at + 5,
      ),
    );
    expect(await work.waiting(scope, 10)).toEqual([]);
    expect(await work.find(scope, one.id)).toMatchObject({ state: 'applied', appliedAt: at + 5 });
    expect(await work.find(scope, two.id)).toMatchObject({
      state: 'quarantined',
      reason: 'unknown_media_buy',
    });
  });

  it('rejects a mark on an event that another worker has marked', async () => {
    const one = event(randomUUID());
    const work = inboxWork(store);
    await inboxStore(store).claimAndStore(one);
    const mark = () =>
      store.inTenant(scope, (client) => work.mark(client, [{ id: one.id, state: 'applied' }], at));
    await mark();
    await expect(mark()).rejects.toThrow('Another worker');
  });
});

describe('finding the registration of an address', () => {
  it('returns the registration with the dialect and address of its seller, before a tenant is known', async () => {
    expect(await webhookRegistrations(store).find(registration.id)).toEqual({
      ...registration,
      organizationId: scope.organizationId,
      connectionId: connection.id,
      kind: 'report',
      mode: 'signed',
      sellerOperationId: 'op_1',
      dialect: 'adcp',
      sellerAgentUrl: connection.agentUrl,
    });
    expect(await webhookRegistrations(store).find('never-given')).toBeUndefined();
  });
});
