import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { BuyerRegistration, OutboxDraft } from '@switchyard/events';
import { createScope, draftedAt, makeOperation, openTestStore, untilWaitedFor } from '@switchyard/testing';
import { operationStore } from '../buys/operation-store.js';
import { openStore } from '../core/open-store.js';
import { announceMove } from './announce.js';
import { outboxStore } from './outbox-store.js';
import { taskCallbacks } from './task-callbacks.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

const eventFor = ({ id, principalId, operationId }: BuyerRegistration): OutboxDraft => ({
  id: randomUUID(),
  registrationId: id,
  principalId,
  operationId,
  stream: id,
  kind: 'task',
  idempotencyKey: randomUUID(),
  body: Buffer.from('{}'),
  createdAt: draftedAt,
});

describe('a removed address', () => {
  it('is removed with events that are being written, so that none stays unsendable', async () => {
    const scope = await createScope(store);
    const draft = makeOperation(scope, { sellers: ['acme'] });
    const { operation } = draft;
    const address: BuyerRegistration = {
      id: randomUUID(),
      ...scope,
      principalId: operation.principalId,
      operationId: operation.id,
      channel: 'task',
      envelope: 'a2a-1.0',
      mode: 'signed',
      url: 'https://buyer.example/a',
      profile: { dialect: 'adcp', form: '3.1' },
      createdAt: draftedAt,
    };
    await operationStore(store).begin(scope, { ...draft, callbacks: [address] });
    const state = { ...draft, operation: { ...operation, status: 'completed' as const } };
    let removed: Promise<void> | undefined;
    // The lock order of a change of the task: its operation first, and its event last.
    await store.inTenant(scope, async (client) => {
      await client.query('select 1 from operation where id = $1 for update', [operation.id]);
      removed = taskCallbacks(store).remove(scope, address.id, draftedAt + 1);
      await untilWaitedFor(client);
      await announceMove(client, (_state, addresses) => addresses.map(eventFor), 'submitted', state);
    });
    await removed;
    const { rows } = await store.inTenant(scope, (client) => client.query('select state from outbox_event'));
    expect(rows).toEqual([{ state: 'expired' }]);
    expect(await outboxStore(store).claim(scope, draftedAt + 2, draftedAt + 3, 10)).toEqual([]);
    expect(await taskCallbacks(store).list(scope, operation.id)).toEqual([]);
  });
});
