import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';

/** Milliseconds; 0 where nothing waits. */
export interface Lag {
  /** Age of the oldest webhook that is stored and not applied. */
  readonly inboxMs: number;
  /** For how long the webhook to a buyer that is due longest has been due. */
  readonly outboxMs: number;
}

export interface WorkLag {
  of(scope: TenantScope, at: Instant): Promise<Lag>;
}

export function workLag(store: Store): WorkLag {
  return {
    of: (scope, at) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<{ received: Date | null; due: Date | null }>(
          `select (select min(received_at) from inbox_event where state = 'received') as received,
                  (select min(due_at) from outbox_event where state = 'waiting') as due`,
        );
        const ageOf = (since: Date | null | undefined): number =>
          since === null || since === undefined ? 0 : Math.max(0, at - since.getTime());
        return { inboxMs: ageOf(rows[0]?.received), outboxMs: ageOf(rows[0]?.due) };
      }),
  };
}
