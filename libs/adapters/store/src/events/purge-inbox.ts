import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import { repeatSteps, rowsPerStep } from '../core/repeat-steps.js';
import { run } from '../core/tenant-transaction.js';
import type { Store } from '../core/open-store.js';

export interface InboxPurge {
  /** Deletes keys after their retention; keys that protect money are never deleted. Returns how many. */
  keys(at: Instant): Promise<number>;
  /**
   * Deletes the raw bytes of events that arrived before an instant and have ended. Events that wait or are in quarantine
   * keep them for their reader. Hash, headers and verdict stay. Returns how many.
   */
  bodies(scope: TenantScope, before: Instant, at: Instant): Promise<number>;
}

export function inboxPurge(store: Store): InboxPurge {
  return {
    keys: (at) => repeatSteps(() => run(store.pool, forgetKeys, [new Date(at)])),
    bodies: (scope, before, at) =>
      repeatSteps(() =>
        store.inTenant(scope, (client) => client.query(giveUpBodies, [new Date(before), new Date(at)])),
      ),
  };
}

const forgetKeys = `
  delete from webhook_claim where ctid = any(array(
    select ctid from webhook_claim where keep_until < $1 limit ${rowsPerStep}))`;

/** Sealed originals are deleted with the bytes. */
const giveUpBodies = `
  with chosen as materialized (
    select id, received_at from inbox_event
    where received_at < $1 and state in ('applied', 'stale', 'refused') and body_purged_at is null
    order by received_at limit ${rowsPerStep} for update
  ), purged as (
    update inbox_event e set body = ''::bytea, body_purged_at = $2 from chosen
    where e.id = chosen.id and e.received_at = chosen.received_at
    returning e.id, e.sealed_id
  ), unsealed as (
    delete from credential where credential_id in (select sealed_id from purged where sealed_id is not null)
  )
  select id from purged`;
