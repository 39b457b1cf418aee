import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';

/** What a process that was killed in the middle of its work still holds. */
export interface AbandonedWork {
  /**
   * Gives back every leg and every outbound event that somebody is at, so that nobody waits for the dead. Only for a
   * process that has the database to itself: anybody else's work would be done twice. Answers how many there were.
   */
  giveBack(scope: TenantScope, at: Instant): Promise<number>;
  /**
   * Operations that were stored before `before`, whose buyer gave an address for news of them and was never answered:
   * whoever should have answered is dead. What has failed is not among them: its errors were told and not kept.
   */
  unanswered(scope: TenantScope, before: Instant): Promise<readonly string[]>;
}

export function abandonedWork(store: Store): AbandonedWork {
  return {
    giveBack: (scope, at) =>
      store.inTenant(scope, async (client) => {
        const now = [new Date(at)];
        const legs = await client.query(giveBackLegs, now);
        const events = await client.query(giveBackEvents, now);
        return legs.rowCount + events.rowCount;
      }),
    unanswered: (scope, before) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<{ id: string }>(unanswered, [new Date(before)]);
        return rows.map(({ id }) => id);
      }),
  };
}

const giveBackLegs = 'update leg set lease_until = null, next_poll_at = $1 where lease_until > lease_now($1)';
const giveBackEvents = 'update outbox_event set lease_until = null where lease_until > lease_now($1)';

const unanswered = `
  select o.id from operation o
  where o.answer is null and o.created_at < $1 and o.status not in ('failed', 'rejected', 'canceled')
    and exists (select from buyer_registration r where r.operation_id = o.id and r.channel = 'task')
  order by o.created_at limit 200`;
