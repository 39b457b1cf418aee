import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createBookedBuy, createScope, openTestStore } from '@switchyard/testing';
import pg from 'pg';
import { openStore } from '../core/open-store.js';
import { reportWatches } from '../events/report-watches.js';
import { refusedSignatures } from '../signing/refused-signatures.js';
import { dueWork, type DueKind } from './due-work.js';

const { store, database, stop } = await openTestStore(openStore);
afterAll(stop);

const due = dueWork(store);
const minuteMs = 60_000;
const at = Date.UTC(2026, 10, 20);

/** All kinds of work that the workers search. */
const kinds: Readonly<Record<DueKind, true>> = {
  legs: true,
  endless_legs: true,
  answers: true,
  creatives: true,
  signals: true,
  inbox: true,
  changes: true,
  outbox: true,
  report_streams: true,
  report_watches: true,
  unwatched_buys: true,
  open_relays: true,
  custody: true,
  capabilities: true,
  seller_looks: true,
  rights_ending: true,
  governed_things: true,
  seller_tokens: true,
  key_rotation: true,
  unanswered: true,
  old_reads: true,
  refused_signatures: true,
  callback_secrets: true,
  old_bytes: true,
  old_activity: true,
  internal_approvals: true,
  jobs: true,
  jobs_at_sellers: true,
  jobs_with_files: true,
  old_job_files: true,
  old_jobs: true,
  notices: true,
  notice_deliveries: true,
  old_notices: true,
  subscribers: true,
};

async function refuse(scope: { readonly organizationId: string }, refusedAt: number): Promise<void> {
  await refusedSignatures(store).store(scope, {
    isStranger: false,
    code: 'signature_invalid',
    method: 'POST',
    path: '/mcp',
    steps: [],
    refusedAt,
  });
}

describe('the search for due work', () => {
  it('covers every kind in one statement, and refuses an unknown one', async () => {
    const requested = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, at]));
    expect(await due.find(requested)).toEqual([]);
    await expect(due.find({ ['nothing' as DueKind]: at })).rejects.toThrow('nothing');
  });

  it('lists the tenants with due work and since when, and none with later work', async () => {
    const [early, late] = [await createScope(store), await createScope(store)];
    await refuse(early, at - minuteMs);
    await refuse(early, at);
    await refuse(late, at + 1);
    const kind = 'refused_signatures';
    expect(await due.find({ [kind]: at })).toEqual([{ kind, ...early, since: at - minuteMs }]);
    expect(await due.find({ [kind]: at + 1 })).toHaveLength(2);
  });

  it('skips leased work until the lease ends, and excludes watched buys', async () => {
    const scope = await createScope(store);
    await createBookedBuy(store, scope.organizationId);
    const watches = reportWatches(store);
    const now = Date.now() + minuteMs;
    const found = async (instant: number): Promise<readonly DueKind[]> => {
      const all = await due.find({ unwatched_buys: instant, report_watches: instant });
      return all.filter((one) => one.organizationId === scope.organizationId).map(({ kind }) => kind);
    };
    expect(await found(now)).toEqual(['unwatched_buys']);
    expect(await watches.open(scope, now, now)).toBe(1);
    expect(await watches.open(scope, now, now)).toBe(0);
    expect(await found(now)).toEqual(['report_watches']);
    await watches.take(scope, now, now + minuteMs, 8);
    expect(await found(now)).toEqual([]);
    expect(await found(now + minuteMs)).toEqual(['report_watches']);
  });

  it('reads one row per tenant, for any amount of work', async () => {
    const [large, small] = [await createScope(store), await createScope(store)];
    await refuse(small, at);
    const owner = new pg.Client({ connectionString: database.ownerUrl });
    await owner.connect();
    try {
      await owner.query(
        `insert into refused_signature (id, organization_id, is_stranger, code, method, path, steps, refused_at)
         select gen_random_uuid(), $1, false, 'signature_invalid', 'POST', '/mcp', '[]', $2::timestamptz
         from generate_series(1, 20000)`,
        [large.organizationId, new Date(at)],
      );
      await owner.query('begin');
      const { rows: found } = await owner.query<{ organization_id: string }>(
        `select organization_id from work_due(array['refused_signatures'], array[$1::timestamptz])`,
        [new Date(at)],
      );
      const { rows: read } = await owner.query<{ rows: number }>(
        `select (coalesce(idx_tup_fetch, 0) + coalesce(seq_tup_read, 0))::int as rows
         from pg_stat_xact_user_tables where relname = 'refused_signature'`,
      );
      await owner.query('rollback');
      expect(found.map((row) => row.organization_id)).toEqual(
        expect.arrayContaining([large.organizationId, small.organizationId]),
      );
      expect(read[0]?.rows).toBeLessThan(20);
    } finally {
      await owner.end();
    }
  });

  it('shows the application only ids: it may not read the tables across tenants', async () => {
    const scope = await createScope(store);
    await refuse(scope, at);
    const { rows } = await store.pool.query('select * from refused_signature where organization_id = $1', [
      randomUUID(),
    ]);
    expect(rows).toEqual([]);
    const { fields } = await store.pool.query(
      `select * from work_due(array['refused_signatures'], array[now()])`,
    );
    expect(fields.map(({ name }) => name)).toEqual(['kind', 'organization_id', 'since']);
  });
});

describe('the counts for metrics', () => {
  it('are of all organizations: jobs by kind and state, open differences, and since when an approval waits', async () => {
    const before = await due.open();
    const since = Date.UTC(2000, 0, 1);
    for (const scope of [await createScope(store), await createScope(store)])
      await store.inTenant(scope, async (client) => {
        const ids = [client.organizationId, randomUUID()];
        await client.query(
          `insert into job (organization_id, id, kind, waits_for, state, input, principal_id, permissions, cursor, created_at, due_at)
           values ($1, $2, 'a_kind', 'database', 'waiting', '{}', $2, '{}', '{}', now(), now())`,
          ids,
        );
        await client.query(
          `insert into reconciliation_break (organization_id, id, period, fingerprint, kind, seller, currency, difference_micros, cause,
             evidence, state, found_at, seen_at)
           values ($1, $2, '2026-10', 'f', 'not_invoiced', 'a', 'USD', 1, 'c', '{}', 'open', now(), now())`,
          ids,
        );
        await client.query(
          `insert into internal_approval (organization_id, id, operation_id, task, principal_id, sellers, amount_micros, currency,
             reason, quotes, state, requested_at, expires_at)
           values ($1, $2, $2, 'create_media_buy', $2, '{}', 1, 'USD', '', '{}', 'open', $3, now())`,
          [...ids, new Date(since)],
        );
      });
    const { jobs, breaks, approvalSince } = await due.open();
    expect(jobs.find(({ kind }) => kind === 'a_kind')).toEqual({
      kind: 'a_kind',
      state: 'waiting',
      amount: 2,
    });
    expect([breaks - before.breaks, approvalSince]).toEqual([2, since]);
  });
});
