import type { BuyerRegistration, TaskCallbacks } from '@switchyard/events';
import type { Store } from '../core/open-store.js';
import type { TenantClient } from '../core/tenant-client.js';
import { insertRegistrations, registrationsOf } from './registration-row.js';

/** Addresses that a task's owner registers natively over A2A after the task has begun. */
export function taskCallbacks(store: Store): TaskCallbacks {
  return {
    list: (scope, operationId) =>
      store.inTenant(scope, async (client) => (await registrationsOf(client, operationId)).filter(isNative)),
    add: (scope, registration, replaces) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query('select 1 from operation where id = $1 for update', [
          registration.operationId,
        ]);
        if (rows.length === 0) return 'over';
        if (replaces !== undefined) await remove(client, replaces, new Date(registration.createdAt));
        await insertRegistrations(client, [registration]);
        return 'added';
      }),
    remove: (scope, registrationId, at) =>
      store.inTenant(scope, async (client) => {
        await client.query(lockTask, [registrationId]);
        await remove(client, registrationId, new Date(at));
      }),
  };
}

function isNative({ channel, envelope }: BuyerRegistration): boolean {
  return channel === 'task' && envelope !== 'mcp';
}

/** Events of a task are written under its lock, after its addresses were read, so that none is missed. */
const lockTask = `
  select 1 from operation where id = (select operation_id from buyer_registration where id = $1) for update`;

/** Events are deleted first: without their address, their target would be unknown. */
async function remove(client: TenantClient, id: string, at: Date): Promise<void> {
  await client.query(
    `update outbox_event set state = 'expired', reason = 'its address was taken back', ended_at = $2, lease_until = null
     where registration_id = $1 and state = 'waiting'`,
    [id, at],
  );
  await client.query(`delete from buyer_registration where id = $1 and channel = 'task'`, [id]);
}
