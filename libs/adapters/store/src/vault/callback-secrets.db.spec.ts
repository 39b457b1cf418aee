import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { BuyerRegistration } from '@switchyard/events';
import { createScope, draftedAt, makeOperation, openTestStore } from '@switchyard/testing';
import { operationStore } from '../buys/operation-store.js';
import { oldReads } from '../buys/old-reads.js';
import { openStore } from '../core/open-store.js';
import { callbackSecretsPurge } from './callback-secrets.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

type Scope = { readonly organizationId: string };

const day = 86_400_000;
const long = draftedAt + 30 * day;
const newScope = async (): Promise<Scope> => await createScope(store);

async function sealed(scope: Scope, kind = 'callback', at = draftedAt): Promise<string> {
  const id = randomUUID();
  await change(
    scope,
    `insert into credential (credential_id, version, organization_id, kind, scheme, kms_key_id, wrapped_key, nonce,
       ciphertext, tag, commitment, created_at)
     values ('${id}', 1, '${scope.organizationId}', '${kind}', 's', 'k', '', '', '', '', '', '${iso(at)}')`,
  );
  return id;
}

const iso = (at: number): string => new Date(at).toISOString();
const change = (scope: Scope, text: string): Promise<unknown> =>
  store.inTenant(scope, (client) => client.query(text));

async function isKept(scope: Scope, id: string): Promise<boolean> {
  const { rowCount } = await store.inTenant(scope, (client) =>
    client.query('select 1 from credential where credential_id = $1', [id]),
  );
  return rowCount > 0;
}

/** An operation with an address whose secret is sealed, optionally of a media buy. */
async function addressed(
  scope: Scope,
  task: string,
  settledAt?: number,
  channel: 'task' | 'report' = 'task',
) {
  const credentialId = await sealed(scope);
  const made = makeOperation(scope, { idempotencyKey: randomUUID() });
  const isBuy = task === 'create_media_buy';
  const registration: BuyerRegistration = {
    id: randomUUID(),
    organizationId: scope.organizationId,
    principalId: made.operation.principalId,
    operationId: made.operation.id,
    channel,
    envelope: 'mcp',
    mode: 'hmac-sha256',
    url: 'https://buyer.example/news',
    profile: made.operation.profile,
    createdAt: draftedAt,
    credentialId,
    ...(isBuy ? { mediaBuyId: made.buy.id } : {}),
  };
  const operation = { ...made.operation, task, ...(settledAt === undefined ? {} : { settledAt }) };
  await operationStore(store).begin(scope, { ...made, operation, callbacks: [registration] });
  return { credentialId, registrationId: registration.id, operation, buyId: made.buy.id };
}

const forget = (scope: Scope, before = long): Promise<number> =>
  callbackSecretsPurge(store).forget(scope, before);

describe('the sealed secret of a callback', () => {
  it('is deleted a while after its task has ended, and not before', async () => {
    const scope = await newScope();
    const over = await addressed(scope, 'sync_creatives', draftedAt + 1);
    const fresh = await addressed(scope, 'sync_creatives', long);
    const open = await addressed(scope, 'sync_creatives');
    expect(await forget(scope)).toBe(1);
    const all = [over, fresh, open].map(({ credentialId }) => isKept(scope, credentialId));
    expect(await Promise.all(all)).toEqual([false, true, true]);
    expect(await forget(scope)).toBe(0);
  });

  it('is deleted after its read was, and if its request was never accepted', async () => {
    const scope = await newScope();
    const question = await addressed(scope, 'get_products', draftedAt + 1);
    const never = await sealed(scope);
    const justNow = await sealed(scope, 'callback', long);
    await oldReads(store).forget(scope, ['get_products'], long);
    expect(await forget(scope)).toBe(2);
    const all = [question.credentialId, never, justNow].map((id) => isKept(scope, id));
    expect(await Promise.all(all)).toEqual([false, false, true]);
  });

  it('is retained while events to its address are unsent', async () => {
    const scope = await newScope();
    const { credentialId, registrationId, operation } = await addressed(
      scope,
      'sync_creatives',
      draftedAt + 1,
    );
    await change(
      scope,
      `insert into outbox_event (id, organization_id, registration_id, principal_id, operation_id, stream, kind,
         idempotency_key, body, state, due_at, created_at)
       values ('${randomUUID()}', '${scope.organizationId}', '${registrationId}', '${operation.principalId}',
         '${operation.id}', 's', 'task', '${randomUUID()}', '', 'waiting', now(), now())`,
    );
    await forget(scope);
    expect(await isKept(scope, credentialId)).toBe(true);
    await change(scope, `update outbox_event set state = 'delivered', ended_at = now()`);
    expect(await forget(scope)).toBe(1);
    expect(await isKept(scope, credentialId)).toBe(false);
  });

  it.each(['task', 'report'] as const)(
    'is retained until its media buy has ended, for a %s address',
    async (channel) => {
      const scope = await newScope();
      const { credentialId, buyId } = await addressed(scope, 'create_media_buy', draftedAt + 1, channel);
      expect([await forget(scope), await isKept(scope, credentialId)]).toEqual([0, true]);
      await change(scope, `update media_buy set status = 'completed' where id = '${buyId}'`);
      if (channel === 'report') {
        // Its last report is not sent yet.
        expect(await forget(scope)).toBe(0);
        await change(scope, `update report_stream set due_at = null where media_buy_id = '${buyId}'`);
      }
      expect([await forget(scope), await isKept(scope, credentialId)]).toEqual([1, false]);
    },
  );

  it('is deleted once another address has replaced its own', async () => {
    const scope = await newScope();
    const { credentialId, registrationId } = await addressed(scope, 'create_media_buy', draftedAt + 1);
    await change(
      scope,
      `update buyer_registration set replaced_at = '${iso(draftedAt + day)}' where id = '${registrationId}'`,
    );
    expect([await forget(scope), await isKept(scope, credentialId)]).toEqual([1, false]);
  });

  it('is the only kind of secret that is deleted, per tenant', async () => {
    const [scope, other] = [await newScope(), await newScope()];
    const kinds = ['bearer', 'basic', 'idempotency', 'signing', 'webhook', 'evidence'];
    const ids = await Promise.all(kinds.map((kind) => sealed(scope, kind)));
    const theirs = await sealed(other);
    expect(await forget(scope)).toBe(0);
    expect(await Promise.all(ids.map((id) => isKept(scope, id)))).toEqual(kinds.map(() => true));
    expect(await isKept(other, theirs)).toBe(true);
  });
});
