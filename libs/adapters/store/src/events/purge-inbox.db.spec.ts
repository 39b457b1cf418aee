import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { keyMemoryMs, type InboxEvent } from '@switchyard/events';
import { createConnection, createScope, openTestStore } from '@switchyard/testing';
import { openStore } from '../core/open-store.js';
import { eventLog } from './event-log.js';
import { inboxStore } from './inbox-store.js';
import { inboxPurge } from './purge-inbox.js';

const at = Date.UTC(2026, 0, 2);
let scope: { organizationId: string };
let connectionId: string;

const { store, stop } = await openTestStore(openStore);
afterAll(stop);
beforeEach(async () => {
  scope = await createScope(store);
  connectionId = (await createConnection(store, scope.organizationId)).id;
});

function event(key: string, kind: InboxEvent['kind']): InboxEvent {
  const body = Buffer.from(key);
  return {
    id: randomUUID(),
    registrationId: 'whr',
    organizationId: scope.organizationId,
    connectionId,
    headers: [],
    body,
    bodyHash: createHash('sha256').update(body).digest('hex'),
    verdict: { method: 'POST', url: 'https://us.example/webhooks/x', steps: [] },
    receivedAt: at,
    sender: `https://${connectionId}.example`,
    keyid: 'k',
    idempotencyKey: key,
    kind,
    state: 'received',
  };
}

describe('purging the inbox', () => {
  it('retains keys of money, and deletes others after more than a day', async () => {
    const inbox = inboxStore(store);
    for (const kind of ['delivery_report', 'task_status', 'creative_status'] as const)
      await inbox.claimAndStore(event(kind, kind));
    const again = async () =>
      Promise.all(
        (['delivery_report', 'task_status', 'creative_status'] as const).map((kind) =>
          inbox.claimAndStore(event(kind, kind)),
        ),
      );
    await inboxPurge(store).keys(at + 24 * 3_600_000);
    expect(await again()).toEqual(['duplicate', 'duplicate', 'duplicate']);
    await inboxPurge(store).keys(at + keyMemoryMs + 1);
    expect(await again()).toEqual(['duplicate', 'duplicate', 'stored']);
  });

  it('deletes the bytes of ended events only', async () => {
    const events = [event('a', 'delivery_report'), event('b', 'delivery_report'), event('c', 'other')];
    for (const one of events) await inboxStore(store).claimAndStore(one);
    await store.inTenant(scope, (client) =>
      client.query(
        `update inbox_event set state = case idempotency_key when 'a' then 'applied' else 'quarantined' end
         where idempotency_key in ('a', 'b')`,
      ),
    );
    const purge = inboxPurge(store);
    expect(await purge.bodies(scope, at, at + 5)).toBe(0);
    expect(await purge.bodies(scope, at + 1, at + 5)).toBe(1);
    expect(await purge.bodies(scope, at + 1, at + 6)).toBe(0);
    const shown = await Promise.all(events.map(({ id }) => eventLog(store).show(scope, id)));
    expect(shown.map((one) => [one?.body?.length, one?.bodyPurgedAt])).toEqual([
      [0, at + 5],
      [1, undefined],
      [1, undefined],
    ]);
    expect(shown[0]?.bodyHash).toBe(events[0]?.bodyHash);
  });
});
