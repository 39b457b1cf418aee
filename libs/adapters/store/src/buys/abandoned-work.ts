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
  };
}

const giveBackLegs = 'update leg set lease_until = null, next_poll_at = $1 where lease_until > $1';
const giveBackEvents = 'update outbox_event set lease_until = null where lease_until > $1';
