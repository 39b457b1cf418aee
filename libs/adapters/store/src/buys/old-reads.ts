import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';

/** Stored reads of sellers that answered later. */
export interface OldReads {
  /**
   * Deletes reads of these tasks whose last answer came before an instant, with the sellers' answers and the webhook
   * addresses made for them. Returns how many.
   */
  forget(scope: TenantScope, tasks: readonly string[], before: Instant): Promise<number>;
}

/** Small steps, so that no other transaction waits long for the locks of one. */
const atOnce = 200;

export function oldReads(store: Store): OldReads {
  return {
    forget: (scope, tasks, before) =>
      store.inTenant(scope, async (client) => {
        const { rowCount } = await client.query(forget, [[...tasks], new Date(before), atOnce]);
        return rowCount;
      }),
  };
}

const forget = `
  with old as (
    select o.id from unnest($1::text[]) t(task) cross join lateral (
      select id from operation where task = t.task and settled_at < $2 order by settled_at limit $3) o limit $3
  ), legs as (
    delete from leg where operation_id in (select id from old)
  ), given as (
    delete from webhook_registration where operation_id in (select id from old)
  ), taken as (
    delete from buyer_registration where operation_id in (select id from old)
  )
  delete from operation where id in (select id from old)`;
