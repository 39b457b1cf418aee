import type { TenantScope } from '@switchyard/tenancy';
import { isoOf, type Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { rowReader, type Row } from '../core/row-mapper.js';

/** A leg that its seller accepted and that has no outcome. */
interface EndlessLeg {
  readonly legId: string;
  readonly operationId: string;
  readonly seller: string;
  readonly task: string;
  readonly status: string;
  readonly since: Instant;
}

export interface EndlessLegs {
  /** Legs without an outcome that began before an instant, which may differ for some tasks; oldest first. */
  before(
    scope: TenantScope,
    instant: Instant,
    byTask: Readonly<Record<string, Instant>>,
    limit: number,
  ): Promise<readonly EndlessLeg[]>;
}

const legOf = rowReader<EndlessLeg>()('leg_id, operation_id, seller, task, status, since');

export function endlessLegs(store: Store): EndlessLegs {
  return {
    before: (scope, instant, byTask, limit) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<Row>(
          `select id as leg_id, operation_id, seller, task, status, created_at as since from leg
           where status in ('sent', 'submitted', 'working', 'input-required', 'auth-required')
             and created_at < coalesce(($2::jsonb ->> task)::timestamptz, $1)
           order by created_at, id limit $3`,
          [
            new Date(instant),
            JSON.stringify(Object.fromEntries(Object.entries(byTask).map(([task, at]) => [task, isoOf(at)]))),
            limit,
          ],
        );
        return rows.map(legOf);
      }),
  };
}
