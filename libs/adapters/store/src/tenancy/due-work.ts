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
  | 'seller_looks'
  | 'rights_ending'
  | 'governed_things'
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
  | 'jobs_with_files'
  | 'old_job_files'
  | 'old_jobs'
  | 'notices'
  | 'notice_deliveries'
  | 'old_notices'
  | 'subscribers';

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
  /** Counts over all tenants, for metrics. */
  open(): Promise<OpenWork>;
}

/** What is open, in all organizations together. */
export interface OpenWork {
  readonly jobs: readonly { readonly kind: string; readonly state: string; readonly amount: number }[];
  /** Differences of reconciliation. */
  readonly breaks: number;
  /** When the internal approval was requested that has waited longest; absent if none waits. */
  readonly approvalSince?: Instant;
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
    open: async () => {
      const { rows } = await run<{
        figure: 'jobs' | 'breaks' | 'approvals';
        kind: string | null;
        state: string | null;
        amount: string;
        since: Date | null;
      }>(store.pool, 'select figure, kind, state, amount, since from open_work()');
      const since = rows.find(({ figure }) => figure === 'approvals')?.since ?? undefined;
      return {
        jobs: rows.flatMap(({ figure, kind, state, amount }) =>
          figure === 'jobs' ? [{ kind: kind ?? '', state: state ?? '', amount: Number(amount) }] : [],
        ),
        breaks: Number(rows.find(({ figure }) => figure === 'breaks')?.amount ?? 0),
        ...(since !== undefined && { approvalSince: since.getTime() }),
      };
    },
  };
}
