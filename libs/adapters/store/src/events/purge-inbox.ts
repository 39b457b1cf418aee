import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import { run } from '../core/in-tenant.js';
import type { Store } from '../core/open-store.js';

export interface InboxPurge {
  /** Forgets the keys that may be forgotten by now; those behind which there is money never may. How many. */
  keys(at: Instant): Promise<number>;
  /**
   * Gives up the raw bytes of events that came before an instant and have ended. What waits, or stands in quarantine,
   * keeps them: somebody still has to read it. Hash, headers and verdict stay. How many.
   */
  bodies(scope: TenantScope, before: Instant, at: Instant): Promise<number>;
}

export function inboxPurge(store: Store): InboxPurge {
  return {
    keys: async (at) => {
      const { rowCount } = await run(store.pool, 'delete from webhook_claim where keep_until < $1', [
        new Date(at),
      ]);
      return rowCount;
    },
    bodies: (scope, before, at) =>
      store.inTenant(scope, async (client) => {
        const { rowCount } = await client.query(
          // What was sealed goes with the bytes it was sealed for.
          `with purged as (
             update inbox_event set body = ''::bytea, body_purged_at = $2
             where received_at < $1 and state in ('applied', 'stale', 'refused') and body_purged_at is null
             returning id, sealed_id
           ), unsealed as (
             delete from credential where credential_id in (select sealed_id from purged where sealed_id is not null)
           )
           select id from purged`,
          [new Date(before), new Date(at)],
        );
        return rowCount;
      }),
  };
}
