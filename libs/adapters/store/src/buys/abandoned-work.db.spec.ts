import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createBookedBuy, createOrganization, createPrincipal, openTestStore } from '@switchyard/testing';
import { openStore } from '../core/open-store.js';
import { abandonedWork } from './abandoned-work.js';

const now = Date.UTC(2026, 0, 1, 12);

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

/** A leg that is leased until then. */
async function takenLeg(organizationId: string, leaseUntil: number): Promise<string> {
  const { connectionId, operationId, seller } = await createBookedBuy(store, organizationId);
  const id = randomUUID();
  await store.inTenant({ organizationId }, (client) =>
    client.query(
      `insert into leg (id, organization_id, operation_id, connection_id, seller, task, dialect, form, outbound, status,
                        attempts, lease_until, next_poll_at, created_at, updated_at)
       values ($1, $2, $3, $4, $5, 'create_media_buy', 'ads', 'service', '{}', 'sent', 1, $6, $6, now(), now())`,
      [id, organizationId, operationId, connectionId, seller, new Date(leaseUntil)],
    ),
  );
  return id;
}

const dueAt = async (organizationId: string, id: string): Promise<unknown> =>
  (
    await store.inTenant({ organizationId }, (client) =>
      client.query('select lease_until, next_poll_at from leg where id = $1', [id]),
    )
  ).rows[0];

describe('work that a dead process holds', () => {
  it('is released and due at once, only in the given tenant', async () => {
    const [mine, theirs] = [await createOrganization(store), await createOrganization(store)];
    const [held, others] = [await takenLeg(mine.id, now + 45_000), await takenLeg(theirs.id, now + 45_000)];
    expect(await abandonedWork(store).releaseClaims({ organizationId: mine.id }, now)).toBe(1);
    expect(await dueAt(mine.id, held)).toEqual({ lease_until: null, next_poll_at: new Date(now) });
    expect(await dueAt(theirs.id, others)).toMatchObject({ lease_until: new Date(now + 45_000) });
  });

  it('is unchanged if no process holds it', async () => {
    const { id } = await createOrganization(store);
    const leg = await takenLeg(id, now - 1);
    expect(await abandonedWork(store).releaseClaims({ organizationId: id }, now)).toBe(0);
    expect(await dueAt(id, leg)).toMatchObject({ lease_until: new Date(now - 1) });
  });
});

describe('operations without an answer', () => {
  async function operation(
    organizationId: string,
    {
      answer,
      status = 'submitted',
      channel = 'task',
      createdAt = now - 60_000,
    }: { answer?: string; status?: string; channel?: string; createdAt?: number } = {},
  ): Promise<string> {
    const id = randomUUID();
    const principal = await createPrincipal(store, organizationId);
    await store.inTenant({ organizationId }, async (client) => {
      await client.query(
        `insert into operation (id, organization_id, principal_id, task, task_id, request_hash, dialect, form, request,
                                status, answer, created_at, updated_at)
         values ($1, $2, $3, 'create_media_buy', $4, 'h', 'ads', 'service', '{}', $5, $6, $7, $7)`,
        [id, organizationId, principal.id, `task_${id}`, status, answer ?? null, new Date(createdAt)],
      );
      await client.query(
        `insert into buyer_registration (id, organization_id, principal_id, operation_id, channel, envelope, mode, url,
                                         dialect, form, created_at)
         values ($1, $2, $3, $4, $5, 'task', 'signed', 'https://buyer.example/hooks', 'ads', 'service', now())`,
        [randomUUID(), organizationId, principal.id, id, channel],
      );
    });
    return id;
  }

  it('are those with a task callback, older than the limit, without a stored answer', async () => {
    const { id: mine } = await createOrganization(store);
    const { id: theirs } = await createOrganization(store);
    const forgotten = await operation(mine);
    const done = await operation(mine, { status: 'completed' });
    await operation(mine, { answer: '{"status":"submitted"}' });
    await operation(mine, { status: 'failed' });
    await operation(mine, { channel: 'report' });
    await operation(mine, { createdAt: now });
    await operation(theirs);
    const found = await abandonedWork(store).unanswered({ organizationId: mine }, now - 30_000);
    expect(found.map(({ id }) => id).sort()).toEqual([forgotten, done].sort());
  });
});
