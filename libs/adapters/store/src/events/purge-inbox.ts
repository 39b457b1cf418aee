import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import { inSteps, rowsPerStep } from '../core/in-steps.js';
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
    keys: (at) => inSteps(() => run(store.pool, forgetKeys, [new Date(at)])),
    bodies: (scope, before, at) =>
      inSteps(() =>
        store.inTenant(scope, (client) => client.query(giveUpBodies, [new Date(before), new Date(at)])),
      ),
  };
}

const forgetKeys = `
  delete from webhook_claim where ctid = any(array(
    select ctid from webhook_claim where keep_until < $1 limit ${rowsPerStep}))`;

/** What was sealed goes with the bytes it was sealed for. */
const giveUpBodies = `
  with chosen as materialized (
    select id from inbox_event
    where received_at < $1 and state in ('applied', 'stale', 'refused') and body_purged_at is null
    order by received_at limit ${rowsPerStep} for update
  ), purged as (
    update inbox_event e set body = ''::bytea, body_purged_at = $2 from chosen where e.id = chosen.id
    returning e.id, e.sealed_id
  ), unsealed as (
    delete from credential where credential_id in (select sealed_id from purged where sealed_id is not null)
  )
  select id from purged`;
