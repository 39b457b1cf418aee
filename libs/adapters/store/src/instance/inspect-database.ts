import type { Result } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { withClient } from '../migrate/database-client.js';
import type { DatabaseFailure } from '../migrate/database-failure.js';
import { judgeMigrations } from '../migrate/judge-migrations.js';
import { readMigrations } from '../migrate/read-migrations.js';
import { tenantsOf } from '../core/tenants-of.js';

/** What a database says of itself. */
export interface DatabaseFacts {
  /** For example 180004. */
  readonly version: number;
  readonly maxConnections: number;
  readonly usedConnections: number;
  /** Of the oldest open transaction of any session, in seconds. */
  readonly oldestTransactionSeconds: number;
  /** How far our clock is ahead of the database's, in milliseconds; below zero: behind. */
  readonly clockAheadMs: number;
  /** Tables of over 100,000 rows of which more than a fifth are dead. */
  readonly bloatedTables: readonly string[];
  readonly pendingMigrations: readonly string[];
  readonly newerMigrations: readonly string[];
  /** Why the migrations cannot be used at all. */
  readonly migrationFault?: string;
}

export async function inspectDatabase(url: string): Promise<Result<DatabaseFacts, DatabaseFailure>> {
  return withClient(url, async (client) => {
    const before = Date.now();
    const { rows } = await client.query<{
      version: number;
      max: number;
      used: number;
      oldest: number;
      at: Date;
    }>(
      `select current_setting('server_version_num')::int as version, current_setting('max_connections')::int as max,
         (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used,
         (select coalesce(max(extract(epoch from now() - xact_start)), 0)::int from pg_stat_activity
          where backend_type = 'client backend' and pid <> pg_backend_pid()) as oldest,
         clock_timestamp() as at`,
    );
    const after = Date.now();
    const bloated = await client.query<{ name: string }>(
      `select relname as name from pg_stat_user_tables
       where n_live_tup > 100000 and n_dead_tup > n_live_tup / 5 order by n_dead_tup desc limit 10`,
    );
    const judged = await judgeMigrations(client, readMigrations());
    const [row] = rows;
    const at = row?.at.getTime() ?? before;
    return {
      version: row?.version ?? 0,
      maxConnections: row?.max ?? 0,
      usedConnections: row?.used ?? 0,
      oldestTransactionSeconds: row?.oldest ?? 0,
      clockAheadMs: at < before ? before - at : Math.min(0, after - at),
      bloatedTables: bloated.rows.map(({ name }) => name),
      pendingMigrations: judged.ok ? judged.value.pending.map(({ name }) => name) : [],
      newerMigrations: judged.ok ? judged.value.newer : [],
      ...(!judged.ok && { migrationFault: judged.error.message }),
    };
  });
}

/** Sums over all organizations. */
export interface TenantFacts {
  readonly organizations: number;
  /** Ids of the master keys under which secrets are sealed. */
  readonly keyIds: readonly string[];
  readonly failingSellers: number;
  readonly refusedCredentials: number;
  /** Ledgers with entries that no verification has read within a week. */
  readonly unverifiedLedgers: number;
  readonly quarantinedEvents: number;
  /** Sign-ins at sellers that end within two weeks and that nothing renews, or that wait for a person. */
  readonly endingSignIns: number;
  /** Jobs that run and have not moved for half an hour. */
  readonly stuckJobs: number;
}

const weekMs = 7 * 24 * 3_600_000;
const stuckMs = 30 * 60_000;

/** Reads what the organizations have, one after the other, within their own scope. */
export async function inspectTenants(store: Store, now: number): Promise<TenantFacts> {
  const organizations = await tenantsOf(store, 'organization_ids');
  const keyIds = new Set<string>();
  const sums = {
    failingSellers: 0,
    refusedCredentials: 0,
    unverifiedLedgers: 0,
    quarantinedEvents: 0,
    endingSignIns: 0,
    stuckJobs: 0,
  };
  for (const organizationId of organizations) {
    const { rows } = await store.onceInTenant<{
      keys: readonly string[] | null;
      failing: string;
      refused: string;
      unverified: string;
      quarantined: string;
      ending: string;
      stuck: string;
    }>(
      { organizationId },
      {
        text: `select
          (select array_agg(key_id) from (
             select kms_key_id as key_id from credential where organization_id = scope.organization_id
             union select key_id from journal_checkpoint where organization_id = scope.organization_id) sealed) as keys,
          (select count(*) from connection_health h join connection c on c.id = h.connection_id
             and c.organization_id = h.organization_id
           where h.organization_id = scope.organization_id and h.breaker <> 'closed' and c.state = 'live') as failing,
          (select count(*) from credential where organization_id = scope.organization_id
             and last_error_at is not null and retired_at is null) as refused,
          (select count(*) from journal_head h left join journal_checkpoint c
             on c.organization_id = h.organization_id and c.stream = h.stream
           where h.organization_id = scope.organization_id and h.stream = 'ledger' and h.entry_total > 0
             and coalesce(c.verified_at, h.sealed_at) < $1) as unverified,
          (select count(*) from inbox_event
           where organization_id = scope.organization_id and state = 'quarantined') as quarantined,
          (select count(*) from seller_authorization
           where organization_id = scope.organization_id and state not in ('pending', 'revoked')
             and (state in ('refused', 'needs_person') or (due_at is null and expires_at < $2))) as ending,
          (select count(*) from job where organization_id = scope.organization_id
             and (state = 'running' and coalesce(progress_at, started_at, created_at) < $3
               or state = 'waiting' and due_at < $3)) as stuck`,
        values: [new Date(now - weekMs), new Date(now + 2 * weekMs), new Date(now - stuckMs)],
      },
    );
    const [row] = rows;
    for (const key of row?.keys ?? []) keyIds.add(key);
    sums.failingSellers += Number(row?.failing ?? 0);
    sums.refusedCredentials += Number(row?.refused ?? 0);
    sums.unverifiedLedgers += Number(row?.unverified ?? 0);
    sums.quarantinedEvents += Number(row?.quarantined ?? 0);
    sums.endingSignIns += Number(row?.ending ?? 0);
    sums.stuckJobs += Number(row?.stuck ?? 0);
  }
  return { organizations: organizations.length, keyIds: [...keyIds].sort(), ...sums };
}
