import { randomUUID } from 'node:crypto';
import {
  writeAccountChange,
  writeCapabilitiesChange,
  type AccountStatusChange,
  type BuyerRegistration,
  type SubscriberStore,
} from '@switchyard/events';
import type { Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import type { TenantSession } from '../core/tenant-client.js';
import type { buyer_registrationModel } from '../generated/models.js';
import { appendEvents } from './append-events.js';
import { insertRegistrations, registrationOf } from './registration-row.js';

/** Addresses that are told of changes of an account or of this agent. */
export function subscriberStore(store: Store): SubscriberStore {
  return {
    of: (scope, principalId) =>
      store.inTenantModels(scope, async ({ buyer_registration }) => {
        const rows = await buyer_registration.findMany({
          where: { principal_id: principalId, subscriber_id: { not: null }, replaced_at: null },
          orderBy: [{ subscriber_id: 'asc' }, { id: 'asc' }],
        });
        return rows.map(registrationOf);
      }),
    replace: (scope, principalId, sets, at) =>
      store.inTenant(scope, async (client) => {
        // Two replacements of one caller follow one another: the later one ends what the earlier one added.
        await client.query('select 1 from principal where id = $1 for no key update', [principalId]);
        for (const { accountId, kept, added } of sets) {
          await client.query(end, [principalId, accountId ?? null, [...kept], new Date(at)]);
          await insertRegistrations(client, added);
        }
      }),
    tell: (scope, change, at) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<buyer_registrationModel>(take, [change.version]);
        const notificationId = randomUUID();
        await appendEvents(
          client,
          rows.map((row) => writeCapabilitiesChange(registrationOf(row), change, newIds(notificationId), at)),
        );
        return rows.length;
      }),
  };
}

/** Ends all but the kept addresses of a set, and what was not sent to them. */
const end = `
  with ended as (
    update buyer_registration set replaced_at = $4
    where principal_id = $1 and account_id is not distinct from $2::uuid and subscriber_id is not null
      and replaced_at is null and id <> all ($3::uuid[])
    returning id)
  update outbox_event e set state = 'expired', reason = 'its address was taken back', ended_at = $4, lease_until = null
  from ended where e.stream in (ended.id || ' capabilities', ended.id || ' account ' || $2) and e.state = 'waiting'`;

/** The update locks each address, so that no version is told twice. */
const take = `
  update buyer_registration set told_version = $1
  where channel = 'agent' and active_from is not null and replaced_at is null and told_version is distinct from $1
  returning *`;

/**
 * Tells the subscribers of an account that its status has changed, in the transaction of the change. A closed account has
 * nothing more to tell, and its addresses end.
 */
export async function tellOfAccount(
  client: TenantSession,
  principalId: string,
  change: AccountStatusChange,
  at: Instant,
): Promise<void> {
  const { rows } = await client.query<buyer_registrationModel>(
    `select * from buyer_registration
     where principal_id = $1 and account_id = $2 and subscriber_id is not null and replaced_at is null
       and active_from is not null and event_types ? 'account.status_changed' order by subscriber_id`,
    [principalId, change.accountId],
  );
  const notificationId = randomUUID();
  const told: readonly BuyerRegistration[] = rows.map(registrationOf);
  await appendEvents(
    client,
    told.map((registration) => writeAccountChange(registration, change, newIds(notificationId), at)),
  );
  if (change.to === 'closed')
    await client.models.buyer_registration.updateMany({
      where: {
        ...{ principal_id: principalId, account_id: change.accountId },
        ...{ subscriber_id: { not: null }, replaced_at: null },
      },
      data: { replaced_at: new Date(at) },
    });
}

function newIds(notificationId: string) {
  return { id: randomUUID(), idempotencyKey: randomUUID(), notificationId };
}
