import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';

/** Deletes sealed secrets of buyers' callbacks once nothing more is sent with them. */
export interface CallbackSecretsPurge {
  /**
   * Deletes secrets that were sealed before an instant and whose address ended before it, or never applied: its
   * operation has ended, no event is owed to it, and it is not the address of a running media buy. Returns how many.
   */
  forget(scope: TenantScope, before: Instant): Promise<number>;
}

/** Small steps, so that no other transaction waits long for the locks of one. */
const atOnce = 500;

export function callbackSecretsPurge(store: Store): CallbackSecretsPurge {
  return {
    forget: (scope, before) =>
      store.inTenant(scope, async (client) => {
        const { rowCount } = await client.query(forget, [new Date(before), atOnce]);
        return rowCount;
      }),
  };
}

/** An address that is gone with its operation needs no secret; neither does one that was never stored. */
const forget = `
  delete from credential where (credential_id, version) in (
    select c.credential_id, c.version from credential c
    where c.kind = 'callback' and c.created_at < $1
      and not exists (
        select from buyer_registration r
        join operation o on o.id = r.operation_id
        left join media_buy m on m.id = r.media_buy_id
        where r.credential_id = c.credential_id
          and (o.settled_at is null or o.settled_at >= $1
            or exists (select from outbox_event e where e.registration_id = r.id and e.state = 'waiting')
            or exists (select from report_stream s where s.registration_id = r.id and s.due_at is not null)
            or (r.active_from is not null and r.replaced_at is null
              and (m.status not in ('completed', 'rejected', 'canceled') or m.updated_at >= $1))))
    order by c.created_at limit $2)`;
