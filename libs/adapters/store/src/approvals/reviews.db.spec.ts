import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createBookedBuy, createOrganization, openTestStore } from '@switchyard/testing';
import { openStore } from '../core/open-store.js';
import { approvalStore } from './approval-store.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

async function legOf(organizationId: string, status: string, message?: string): Promise<string> {
  const { connectionId, operationId, seller } = await createBookedBuy(store, organizationId);
  const id = randomUUID();
  await store.inTenant({ organizationId }, (client) =>
    client.query(
      `insert into leg (id, organization_id, operation_id, connection_id, seller, task, dialect, form, outbound, status,
                        attempts, answer, created_at, updated_at)
       values ($1, $2, $3, $4, $5, 'create_media_buy', 'ads', 'service', '{}', $6, 1, $7, now(), now())`,
      [
        id,
        organizationId,
        operationId,
        connectionId,
        seller,
        status,
        message === undefined ? null : JSON.stringify({ message }),
      ],
    ),
  );
  return id;
}

async function creativeUnder(organizationId: string, legId: string): Promise<void> {
  await store.inTenant({ organizationId }, (client) =>
    client.query(
      `insert into creative_placement (id, organization_id, creative_id, connection_id, seller, leg_id, operation_id,
                                       status, reason, observed_at, created_at, updated_at)
       select gen_random_uuid(), organization_id, 'cr_1', connection_id, seller, id, operation_id,
              'pending_review', 'Somebody looks at it.', now(), now(), now() from leg where id = $1`,
      [legId],
    ),
  );
}

describe('what waits for people, beside approvals', () => {
  it('is a review at a seller, one of a creative, and a leg with an unknown outcome; nothing that has ended', async () => {
    const [{ id: mine }, { id: theirs }] = [await createOrganization(store), await createOrganization(store)];
    const submitted = await legOf(mine, 'submitted', 'Our sales team looks at it.');
    const parked = await legOf(mine, 'parked');
    const synced = await legOf(mine, 'completed');
    await creativeUnder(mine, synced);
    for (const over of ['completed', 'failed', 'canceled', 'pending', 'sent']) await legOf(mine, over);
    await legOf(theirs, 'parked');
    const rows = await approvalStore(store).reviews({ organizationId: mine }, { limit: 50 });
    const shown = new Map(rows.map((row) => [row.kind, [row.legId, row.reason, row.creativeId]]));
    expect(rows).toHaveLength(3);
    const newest = await approvalStore(store).reviews(
      { organizationId: mine },
      { limit: 50, sort: 'newest' },
    );
    expect(newest).toEqual(rows.toReversed());
    expect(shown).toEqual(
      new Map([
        ['in_review', [submitted, 'Our sales team looks at it.', undefined]],
        ['needs_look', [parked, 'The outcome is not known.', undefined]],
        ['creative_review', [synced, 'Somebody looks at it.', 'cr_1']],
      ]),
    );
  });

  it('lists a creative once: not beside the review of its whole request', async () => {
    const { id: mine } = await createOrganization(store);
    await creativeUnder(mine, await legOf(mine, 'submitted'));
    const rows = await approvalStore(store).reviews({ organizationId: mine }, { limit: 50 });
    expect(rows.map(({ kind }) => kind)).toEqual(['in_review']);
  });
});
