import type { BuyerRegistration, TaskCallbacks } from '@switchyard/events';
import type { Store } from '../core/open-store.js';
import type { TenantSession } from '../core/tenant-client.js';
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
async function remove({ models }: TenantSession, id: string, at: Date): Promise<void> {
  const { buyer_registration, outbox_event } = models;
  await outbox_event.updateMany({
    where: { registration_id: id, state: 'waiting' },
    data: { state: 'expired', reason: 'its address was taken back', ended_at: at, lease_until: null },
  });
  await buyer_registration.deleteMany({ where: { id, channel: 'task' } });
}
