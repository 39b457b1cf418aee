import type { Instant } from '@switchyard/values';
import { run } from '../core/tenant-transaction.js';
import type { Store } from '../core/open-store.js';

/** Kinds of work; each is a row of the function `work_due`, with its own index. */
export type DueKind =
  | 'legs'
  | 'endless_legs'
  | 'answers'
  | 'creatives'
  | 'signals'
  | 'inbox'
  | 'changes'
  | 'outbox'
  | 'report_streams'
  | 'report_watches'
  | 'unwatched_buys'
  | 'open_relays'
  | 'custody'
  | 'capabilities'
  | 'seller_tokens'
  | 'key_rotation'
  | 'unanswered'
  | 'old_reads'
  | 'refused_signatures'
  | 'callback_secrets'
  | 'old_bytes'
  | 'old_activity'
  | 'internal_approvals'
  | 'jobs'
  | 'jobs_at_sellers'
  | 'old_jobs'
  | 'notices'
  | 'notice_deliveries'
  | 'old_notices';

/** A tenant with work of one kind. */
interface Due {
  readonly kind: DueKind;
  readonly organizationId: string;
  /** When the oldest due work became due. */
  readonly since: Instant;
}

export interface DueWork {
  /**
   * Finds tenants with work of these kinds that was due at or before an instant: one statement over all tenants, which
   * returns ids only. Its cost grows with the tenants that have open work, not with all tenants.
   */
  find(before: Readonly<Partial<Record<DueKind, Instant>>>): Promise<readonly Due[]>;
}

export function dueWork(store: Pick<Store, 'pool'>): DueWork {
  return {
    find: async (before) => {
      const requested = Object.entries(before);
      if (requested.length === 0) return [];
      const { rows } = await run<{ kind: DueKind; organization_id: string; since: Date }>(store.pool, {
        name: 'due_work',
        text: 'select kind, organization_id, since from work_due($1::text[], $2::timestamptz[])',
        values: [requested.map(([kind]) => kind), requested.map(([, at]) => new Date(at))],
      });
      return rows.map((row) => ({
        kind: row.kind,
        organizationId: row.organization_id,
        since: row.since.getTime(),
      }));
    },
  };
}
