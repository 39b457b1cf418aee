import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { repeatSteps, rowsPerStep } from '../core/repeat-steps.js';

export interface OutboxPurge {
  /**
   * Deletes events that ended before an instant, with their attempts, which buyers read as webhook_activity. Events
   * that are still owed stay. Returns how many.
   */
  events(scope: TenantScope, before: Instant): Promise<number>;
}

const forget = `
  with chosen as materialized (
    select id from outbox_event where ended_at < $1 and state <> 'waiting' order by ended_at limit ${rowsPerStep}
    for update skip locked
  ), gone as (
    delete from outbox_event e using chosen where e.id = chosen.id returning e.id
  ), attempts as (
    delete from webhook_attempt a using gone where a.event_id = gone.id
  )
  select count(*)::int as many from gone`;

export function outboxPurge(store: Store): OutboxPurge {
  return {
    events: (scope, before) =>
      repeatSteps(() =>
        store.inTenant(scope, async (client) => {
          const { rows } = await client.query<{ many: number }>(forget, [new Date(before)]);
          return { rowCount: rows[0]?.many ?? 0 };
        }),
      ),
  };
}
