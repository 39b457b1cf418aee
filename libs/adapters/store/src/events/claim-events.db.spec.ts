import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { InboxEvent } from '@switchyard/events';
import { createConnection, createOrganization, openTestStore } from '@switchyard/testing';
import { openStore } from '../core/open-store.js';
import { inboxStore } from './inbox-store.js';

const { store, database, stop } = await openTestStore(openStore);
afterAll(stop);

async function sender(): Promise<(key: string, more?: Partial<InboxEvent>) => InboxEvent> {
  const { id: organizationId } = await createOrganization(store);
  const connection = await createConnection(store, organizationId);
  return (key, more = {}) => ({
    id: randomUUID(),
    registrationId: 'r1',
    organizationId,
    connectionId: connection.id,
    headers: [['Content-Type', 'application/json']],
    body: Buffer.from([0x7b, 0x7d, 0x00, 0xff]),
    bodyHash: 'aa',
    verdict: { method: 'POST', url: 'https://us.example/webhooks/r1', steps: [] },
    receivedAt: Date.UTC(2026, 0, 2),
    sender: connection.agentUrl,
    keyid: 'k1',
    idempotencyKey: key,
    kind: 'delivery_report',
    state: 'received',
    ...more,
  });
}

async function keysKept(organizationId: string): Promise<readonly string[]> {
  const { rows } = await store.inTenant({ organizationId }, (client) =>
    client.query<{ idempotency_key: string }>('select idempotency_key from inbox_event order by 1'),
  );
  return rows.map((row) => row.idempotency_key);
}

describe('claiming simultaneous events', () => {
  it('stores each event once and complete, for any number per statement', async () => {
    const event = await sender();
    const inbox = inboxStore(store);
    const events = Array.from({ length: 75 }, (_none, index) =>
      event(`key-${String(index).padStart(2, '0')}`),
    );
    const received = await Promise.all(events.map((one) => inbox.claimAndStore(one)));
    expect(new Set(received)).toEqual(new Set(['stored']));
    const [{ organizationId } = event('none')] = events;
    expect(await keysKept(organizationId)).toEqual(events.map(({ idempotencyKey }) => idempotencyKey));
    const { rows } = await store.inTenant({ organizationId }, (client) =>
      client.query<{ bodies: number }>(
        `select count(*)::int as bodies from inbox_event where body = '\\x7b7d00ff'`,
      ),
    );
    expect(rows[0]?.bodies).toBe(75);
  });

  it('keeps the trace in which each was accepted, although one statement stores them, and none without traces', async () => {
    const event = await sender();
    const events = ['1', '2', '3'].map((key) => event(key));
    const parentOf = (at: number): string =>
      `00-0af7651916cd43dd8448eb211c80319c-${String(at).padStart(16, '0')}-01`;
    let running = 0;
    const traced = openStore(database.appUrl, {
      connections: 2,
      traceParent: () => parentOf((running += 1)),
    });
    const inbox = inboxStore(traced);
    await Promise.all(events.map((one) => inbox.claimAndStore(one)));
    await traced.close();
    await inboxStore(store).claimAndStore(event('4'));
    const [{ organizationId } = event('none')] = events;
    const { rows } = await store.inTenant({ organizationId }, (client) =>
      client.query<{ idempotency_key: string; trace_parent: string | null }>(
        'select idempotency_key, trace_parent from inbox_event',
      ),
    );
    const kept = new Map(rows.map((row) => [row.idempotency_key, row.trace_parent]));
    expect(['1', '2', '3', '4'].map((key) => kept.get(key))).toEqual([...[1, 2, 3].map(parentOf), null]);
  });

  it('fails only the event that cannot be stored, and leaves no claim of it', async () => {
    const event = await sender();
    const inbox = inboxStore(store);
    const bad = event('bad', { connectionId: 'no uuid' });
    const events = [event('a'), event('b'), bad, event('c'), event('d')];
    const received = await Promise.allSettled(events.map((one) => inbox.claimAndStore(one)));
    expect(received.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect(await inbox.claimAndStore({ ...bad, connectionId: event('bad').connectionId })).toBe('stored');
    expect(await keysKept(bad.organizationId)).toEqual(['a', 'b', 'bad', 'c', 'd']);
  });

  it('claims the nonces of messages with their events, and stores nothing of a message whose nonce was used', async () => {
    const event = await sender();
    const expiresAt = Date.UTC(2026, 0, 3);
    const signed = (key: string, nonce: string, more?: Partial<InboxEvent>): InboxEvent =>
      event(key, { nonce: { key: 'k1', nonce, expiresAt }, ...more });
    const [one, other] = [randomUUID(), randomUUID()];
    const [here, there] = [inboxStore(store), inboxStore(store)];
    const claim = (of: InboxEvent) => here.claimAndStore(of);
    // Copies of one message in one statement, and in two processes.
    const copies = await Promise.all(
      [here, here, there, there].map((inbox) => inbox.claimAndStore(signed('a', one))),
    );
    expect(copies.toSorted()).toEqual(['replayed', 'replayed', 'replayed', 'stored']);
    expect(await claim(signed('b', one))).toBe('replayed');
    // A retry that was signed again is a copy of the event, and its own nonce is used then.
    expect(await claim(signed('a', other))).toBe('duplicate');
    expect(await claim(signed('a', other))).toBe('replayed');
    const bad = signed('c', randomUUID(), { connectionId: 'no uuid' });
    await expect(claim(bad)).rejects.toThrow();
    expect(await claim({ ...bad, connectionId: event('c').connectionId })).toBe('stored');
    expect(await keysKept(bad.organizationId)).toEqual(['a', 'c']);
  });

  it('returns stored for one copy of many, over two processes with the same keys', async () => {
    const event = await sender();
    const inboxes = [inboxStore(store), inboxStore(store)];
    const keys = Array.from({ length: 60 }, (_none, index) => `key-${index}`);
    const orders = [keys, [...keys].reverse()];
    const received = await Promise.all(
      orders.flatMap((order, at) =>
        order.map(async (key) => ({ key, outcome: await inboxes[at]?.claimAndStore(event(key)) })),
      ),
    );
    const stored = received.filter(({ outcome }) => outcome === 'stored').map(({ key }) => key);
    expect(stored.sort()).toEqual([...keys].sort());
    expect(received.filter(({ outcome }) => outcome === 'duplicate')).toHaveLength(60);
  });
});
