import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { Operation } from '@switchyard/buys';
import type { BuyerRegistration } from '@switchyard/events';
import { createScope, draftedAt, makeOperation, openTestStore, untilWaitedFor } from '@switchyard/testing';
import { operationStore } from '../buys/operation-store.js';
import { openStore } from '../core/open-store.js';
import { impairments } from '../events/impairments.js';
import { ledgerStore } from '../ledger/ledger-store.js';
import { rotateRegistration } from './registration-row.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

function addressOf({ id, organizationId, principalId }: Operation, mediaBuyId: string): BuyerRegistration {
  return {
    id: randomUUID(),
    organizationId,
    principalId,
    operationId: id,
    mediaBuyId,
    channel: 'task',
    envelope: 'mcp',
    mode: 'signed',
    url: `https://buyer.example/${id}`,
    profile: { dialect: 'adcp', form: '3.1' },
    createdAt: draftedAt,
  };
}

describe('an impairment', () => {
  it('is sent to the current address of its buy if the address changes meanwhile', async () => {
    const scope = await createScope(store);
    const operations = operationStore(store);
    const draft = makeOperation(scope, { sellers: ['acme'] });
    const before = addressOf(draft.operation, draft.buy.id);
    await operations.begin(scope, { ...draft, callbacks: [before] });
    const update: Operation = {
      ...draft.operation,
      id: randomUUID(),
      taskId: `task_${randomUUID()}`,
      task: 'update_media_buy',
      mediaBuyId: draft.buy.id,
      status: 'completed',
    };
    const after = addressOf(update, draft.buy.id);
    const nothing = { legs: [], sellerBuys: [], packages: [], registrations: [] };
    await operations.begin(scope, { operation: update, ...nothing, callbacks: [after] });
    const [sellerBuy] = draft.sellerBuys;
    const detail = { impairment_id: 'i1', resource_id: 'a', transition: { to: 'suspended' } };
    let received: Promise<unknown> | undefined;
    await store.inTenant(scope, async (client) => {
      await client.query('select 1 from media_buy where id = $1 for no key update', [draft.buy.id]);
      received = impairments(store, ledgerStore(store)).recordNotified(
        scope,
        {
          sellerBuy: sellerBuy!,
          impairmentId: 'i1',
          detail,
          isResolved: false,
          eventId: randomUUID(),
          message: { sha256: 'ab', sender: 'https://seller.example', proof: 'signed' },
        },
        draftedAt + 2,
      );
      await untilWaitedFor(client);
      await rotateRegistration(client, update.id, draftedAt + 1);
    });
    await received;
    const { rows } = await store.inTenant(scope, (client) =>
      client.query('select registration_id from outbox_event'),
    );
    expect(rows).toEqual([{ registration_id: after.id }]);
  });
});
