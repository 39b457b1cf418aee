import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';

/** Claims of a process that was killed during its work. */
export interface AbandonedWork {
  /**
   * Releases every claimed leg and outbound event. Only for a process that is the only user of the database: work of
   * any other process would be done twice. Returns how many were released.
   */
  releaseClaims(scope: TenantScope, at: Instant): Promise<number>;
  /**
   * Operations stored before `before` that have a callback address and no first answer: the process that should have
   * answered is gone. Failed operations are left out: their errors were returned and not stored.
   */
  unanswered(
    scope: TenantScope,
    before: Instant,
  ): Promise<readonly { readonly id: string; readonly traceParent?: string }[]>;
}

export function abandonedWork(store: Store): AbandonedWork {
  return {
    releaseClaims: (scope, at) =>
      store.inTenant(scope, async (client) => {
        const now = [new Date(at)];
        const legs = await client.query(giveBackLegs, now);
        const events = await client.query(giveBackEvents, now);
        return legs.rowCount + events.rowCount;
      }),
    unanswered: (scope, before) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<{ id: string; trace_parent: string | null }>(unanswered, [
          new Date(before),
        ]);
        return rows.map(({ id, trace_parent: traceParent }) => ({
          id,
          ...(traceParent !== null && { traceParent }),
        }));
      }),
  };
}

const giveBackLegs = 'update leg set lease_until = null, next_poll_at = $1 where lease_until > lease_now($1)';
const giveBackEvents = 'update outbox_event set lease_until = null where lease_until > lease_now($1)';

const unanswered = `
  select o.id, o.trace_parent from operation o
  where o.answer is null and o.created_at < $1 and o.status not in ('failed', 'rejected', 'canceled')
    and exists (select from buyer_registration r where r.operation_id = o.id and r.channel = 'task')
  order by o.created_at limit 200`;
