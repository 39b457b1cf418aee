import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import {
  createConnection,
  createOrganization,
  createPrincipal,
  createToken,
  openTestStore,
} from '@switchyard/testing';
import { organizationRemovals } from '../tenancy/organization-removals.js';
import { openStore } from './open-store.js';

let tenantTables: string[];

const { store, database, stop } = await openTestStore(openStore);
const owner = new pg.Client({ connectionString: database.ownerUrl });
afterAll(() => owner.end());
afterAll(stop);

beforeAll(async () => {
  await owner.connect();
  const { rows } = await owner.query<{ table_name: string }>(
    `select table_name from information_schema.columns
     where table_schema = 'public' and column_name = 'organization_id' order by 1`,
  );
  tenantTables = rows.map((row) => row.table_name);
});

/** One row with generated values, so that each table has a row to hide. Columns with strict checks are left out. */
async function insertAsOwner(table: string, organizationId: string): Promise<void> {
  const { rows } = await owner.query<{ column_name: string; data_type: string }>(
    `select column_name, data_type from information_schema.columns
     where table_schema = 'public' and table_name = $1 and not (is_nullable = 'YES' and exists (
       select from pg_constraint join pg_attribute on attrelid = conrelid and attnum = any(conkey)
       where contype = 'c' and conrelid = to_regclass(table_name) and attname = column_name))`,
    [table],
  );
  const made: Record<string, () => unknown> = {
    uuid: randomUUID,
    text: () => randomUUID(),
    'timestamp with time zone': () => new Date(),
    date: () => new Date(),
    jsonb: () => '{}',
    bytea: () => Buffer.from(randomUUID()),
    boolean: () => false,
    integer: () => 1,
    bigint: () => Math.floor(Math.random() * 1e9),
    ARRAY: () => [],
  };
  const values = rows.map(({ column_name, data_type }) =>
    column_name === 'organization_id' ? organizationId : made[data_type]!(),
  );
  // The row names others that are not there.
  await owner.query('set session_replication_role = replica');
  await owner.query(
    `insert into "${table}" (${rows.map((row) => `"${row.column_name}"`).join()})
     values (${rows.map((_, index) => `$${index + 1}`).join()})`,
    values,
  );
  await owner.query('reset session_replication_role');
}

describe('row-level security', () => {
  it('covers every table with organization_id, and organization itself', async () => {
    const { rows } = await owner.query<{ relname: string }>(
      `select relname from pg_class c where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relrowsecurity
         and exists (select 1 from pg_policy p where p.polrelid = c.oid and polcmd = '*' and polpermissive
                     and polqual is not null and polwithcheck is not null)`,
    );
    const covered = rows.map((row) => row.relname);
    expect(tenantTables.length).toBeGreaterThan(20);
    expect(covered.sort()).toEqual([...tenantTables, 'organization'].sort());
  });

  it("is forced on every tenant's table and partition, also on later ones, and no partition is granted", async () => {
    await owner.query('begin');
    try {
      await owner.query(
        `create table monthly (organization_id uuid not null, at timestamptz not null) partition by range (at);
         select stand_under_tenancy('monthly');
         create table monthly_1 partition of monthly for values from ('2026-01-01') to ('2026-02-01');
         grant select on monthly_1 to ${new URL(database.appUrl).username};
         select grant_to_application('${new URL(database.appUrl).username}')`,
      );
      const { rows: open } = await owner.query(
        `select c.relname from pg_class c
         where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
           and not (c.relrowsecurity and c.relforcerowsecurity)
           and (c.relispartition or c.relname = 'organization' or exists (
             select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id'))`,
      );
      expect(open).toEqual([]);
      const { rows: granted } = await owner.query(
        `select c.relname from pg_class c, aclexplode(c.relacl) g
         where c.relnamespace = 'public'::regnamespace and c.relispartition and g.grantee <> c.relowner`,
      );
      expect(granted).toEqual([]);
    } finally {
      await owner.query('rollback');
    }
  });

  it('lets lookups before the tenant is known read only their tables, and change nothing', async () => {
    const { rows: roles } = await owner.query<{ name: string; attributes: boolean }>(
      `select o.rolname as name, o.rolcanlogin or o.rolsuper or o.rolbypassrls or o.rolcreaterole as attributes
       from pg_proc p join pg_roles o on o.oid = p.proowner
       where p.pronamespace = 'public'::regnamespace and p.prosecdef group by o.oid, 1, 2`,
    );
    expect(roles).toEqual([{ name: 'switchyard_lookup', attributes: false }]);
    const { rows: read } = await owner.query<{ relname: string }>(
      `select c.relname from pg_policy p join pg_class c on c.oid = p.polrelid
       where p.polname = 'before_tenant' order by 1`,
    );
    expect(read.map(({ relname }) => relname)).toEqual([
      'access_grant',
      'admin_answer',
      'approval',
      'audit_event',
      'buy_change',
      'buyer_registration',
      'change_event',
      'connection',
      'creative',
      'creative_placement',
      'credential',
      'credential_use',
      'governance_case',
      'governed_thing',
      'inbox_event',
      'internal_approval',
      'invitation',
      'job',
      'job_file',
      'leg',
      'limit_check',
      'notice',
      'notice_delivery',
      'onboarding_run',
      'operation',
      'organization',
      'organization_deletion',
      'outbox_event',
      'person_passkey',
      'person_password',
      'principal',
      'principal_identity',
      'principal_signer',
      'principal_token',
      'proved_address',
      'reconciliation_break',
      'refused_signature',
      'relay_request',
      'report_stream',
      'report_watch',
      'role',
      'seller_authorization',
      'seller_buy',
      'sign_in_policy',
      'signal_activation',
      'signing_key',
      'team_member',
      'webhook_registration',
    ]);
    const { rows: granted } = await owner.query<{ relname: string; kinds: string[] }>(
      `select c.relname, array_agg(g.privilege_type::text order by g.privilege_type) as kinds from pg_class c, aclexplode(c.relacl) g
       where c.relnamespace = 'public'::regnamespace and g.grantee = 'switchyard_lookup'::regrole group by 1 order by 1`,
    );
    // Rows of an organization that is being removed, and those after their retention.
    const removed = [...tenantTables, 'organization', 'oauth_artifact'].map((relname) => [
      relname,
      ['DELETE', 'SELECT'],
    ]);
    expect(Object.fromEntries(granted.map(({ relname, kinds }) => [relname, kinds]))).toEqual({
      ...Object.fromEntries(removed),
      removed_organization: ['INSERT', 'SELECT', 'UPDATE'],
    });
  });

  it('shows no row of any tenant table to raw SQL without a scope, and under a scope no row of another', async () => {
    const [a, b] = [await createOrganization(store), await createOrganization(store)];
    for (const table of tenantTables) {
      await insertAsOwner(table, a.id);
      await insertAsOwner(table, b.id);
      const bare = await store.pool.query(`select 1 from "${table}"`);
      expect([table, bare.rowCount]).toEqual([table, 0]);
      const seen = await store.inTenant({ organizationId: a.id }, (client) =>
        client.query<{ organization_id: string }>(`select organization_id from "${table}"`),
      );
      expect([table, new Set(seen.rows.map((row) => row.organization_id))]).toEqual([table, new Set([a.id])]);
    }
    expect((await store.pool.query('select 1 from organization')).rowCount).toBe(0);
    const own = await store.inTenant({ organizationId: a.id }, (client) =>
      client.query<{ id: string }>('select id from organization'),
    );
    expect(own.rows).toEqual([{ id: a.id }]);
  });

  it("refuses to write another tenant's row, and to change or remove one", async () => {
    const [a, b] = [await createOrganization(store), await createOrganization(store)];
    const theirs = await createConnection(store, b.id);
    const scope = { organizationId: a.id };
    await expect(
      store.inTenant(scope, (client) =>
        client.query(
          `insert into connection_health (connection_id, organization_id, breaker, failures, updated_at)
           values ($1, $2, 'closed', 0, now())`,
          [theirs.id, b.id],
        ),
      ),
    ).rejects.toThrow(/row-level security/);
    const changed = await store.inTenant(scope, async (client) => [
      (await client.query(`update connection set name = 'stolen' where id = $1`, [theirs.id])).rowCount,
      (await client.query('delete from connection where id = $1', [theirs.id])).rowCount,
    ]);
    expect(changed).toEqual([0, 0]);
  });

  it('applies after a scope has ended: a reused connection starts without one', async () => {
    const a = await createOrganization(store);
    await createConnection(store, a.id);
    const single = openStore(database.appUrl, { connections: 1 });
    const scope = { organizationId: a.id };
    const count = async () => (await single.pool.query('select 1 from connection')).rowCount;
    await single.inTenant(scope, (client) => client.query('select 1'));
    expect(await count()).toBe(0);
    await single.inTenantModels(scope, (models) => models.connection.count());
    expect(await count()).toBe(0);
    await expect(single.inTenant(scope, () => Promise.reject(new Error('undone')))).rejects.toThrow('undone');
    expect(await count()).toBe(0);
    await single.close();
  });

  it('accepts a scope only as a UUID, so that no other text reaches the statement', async () => {
    const work = () => Promise.resolve(1);
    for (const organizationId of ['', "x'; select 1; --", randomUUID().toUpperCase(), `${randomUUID()} `])
      await expect(store.inTenant({ organizationId }, work)).rejects.toThrow(TypeError);
  });
});

describe('an organization that is deleted', () => {
  const removals = organizationRemovals(store);

  async function rowsOf(organizationId: string): Promise<Readonly<Record<string, number>>> {
    const counts: Record<string, number> = {};
    for (const table of tenantTables) {
      const text = `select count(*)::int as n from "${table}" where organization_id = $1`;
      counts[table] = (await owner.query<{ n: number }>(text, [organizationId])).rows[0]!.n;
    }
    return counts;
  }

  /** As a process does that is killed after so many parts. */
  async function removeParts(organizationId: string, parts: number): Promise<void> {
    let from: string | undefined = '';
    for (let part = 0; part < parts && from !== undefined; part += 1)
      from = await removals.removePart(organizationId, from, 20);
  }

  it('loses its rows in every table of the schema, also after a kill and by two processes, and no other loses one', async () => {
    const [gone, other] = [await createOrganization(store), await createOrganization(store)];
    for (const table of tenantTables) {
      // The end of its waiting time is now.
      await insertAsOwner(table, gone.id);
      if (table !== 'organization_deletion') await insertAsOwner(table, other.id);
    }
    const head = `insert into journal_head (organization_id, stream, number, hash, entry_total, sealed_at) values ($1, 'ledger', 7, 'h', 9, now())`;
    await owner.query(head, [gone.id]);
    await owner.query(`insert into bi.reader (role_name, organization_id) values ('bi_gone', $1)`, [gone.id]);
    const before = await rowsOf(other.id);
    expect(Object.values(before).filter((count) => count === 0)).toEqual([0]);
    expect(await removals.due()).toContain(gone.id);
    await removeParts(gone.id, 3);
    expect(await removals.find(gone.id)).toMatchObject({ removal: { heads: expect.anything() } });
    expect(await removals.keep({ organizationId: gone.id })).toBe(false);
    await Promise.all([removeParts(gone.id, 100), removeParts(gone.id, 100)]);
    expect(Object.values(await rowsOf(gone.id)).filter((count) => count > 0)).toEqual([]);
    expect(await rowsOf(other.id)).toEqual(before);
    const { rows } = await owner.query(
      `select id::text from organization where id = any($1) union all select role_name::text from bi.reader`,
      [[gone.id, other.id]],
    );
    expect(rows).toEqual([{ id: other.id }]);
    const kept = await removals.find(gone.id);
    expect(kept?.removal?.endedAt).toEqual(expect.any(Number));
    expect(kept?.removal?.heads).toContainEqual(expect.objectContaining({ stream: 'ledger', number: 7 }));
    expect(Object.keys(kept?.removal?.removed ?? {}).toSorted()).toEqual(
      tenantTables.filter((table) => table !== 'organization_deletion').toSorted(),
    );
    expect(await removals.due()).not.toContain(gone.id);
  });

  it('waits for 30 days that no statement of the application shortens, and is opened again in them', async () => {
    const { id: organizationId } = await createOrganization(store);
    const scope = { organizationId };
    const close = (due: string) =>
      store.inTenant(scope, (client) =>
        client.query(
          `insert into organization_deletion (organization_id, requested_by, closed_at, due_at)
           values ($1, gen_random_uuid(), now(), now() + $2::interval)`,
          [organizationId, due],
        ),
      );
    await expect(close('1 day')).rejects.toThrow('row-level security');
    await close('30 days');
    const sooner = await store.inTenant(scope, (client) =>
      client.query('update organization_deletion set due_at = now() where organization_id = $1', [
        organizationId,
      ]),
    );
    expect(sooner.rowCount).toBe(0);
    expect(await removals.due()).not.toContain(organizationId);
    expect(await removals.removePart(organizationId, '', 10)).toBeUndefined();
    await expect(
      store.pool.query(
        `insert into removed_organization (id, requested_by, closed_at, begun_at, heads, removed)
         values ($1, $1, now(), now(), '[]', '{}')`,
        [organizationId],
      ),
    ).rejects.toThrow('never changed');
    expect(await removals.find(organizationId)).toMatchObject({ dueAt: expect.any(Number) });
    expect(await removals.keep(scope)).toBe(true);
    expect(await removals.keep(scope)).toBe(false);
    expect(await removals.find(organizationId)).toBeUndefined();
  });
});

describe('the application role', () => {
  it('owns nothing in the schema of the tables and bypasses nothing', async () => {
    const { rows } = await store.pool.query(
      `select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb,
              (select count(*)::int from pg_class where relowner = r.oid) as owned,
              has_schema_privilege('public', 'create') as creates,
              has_database_privilege(current_database(), 'create') as creates_schemas
       from pg_roles r where rolname = current_user`,
    );
    expect(rows).toEqual([
      {
        rolsuper: false,
        rolbypassrls: false,
        rolcreaterole: false,
        rolcreatedb: false,
        owned: 0,
        creates: false,
        creates_schemas: false,
      },
    ]);
  });

  it('cannot edit or remove what is append-only, except the mark of the current report version', async () => {
    const { id: organizationId } = await createOrganization(store);
    for (const table of [
      'ledger_entry',
      'ledger_posting',
      'journal_block',
      'report_version',
      'credential_use',
      'audit_event',
    ]) {
      await insertAsOwner(table, organizationId);
      const attempt = (statement: string) =>
        store.inTenant({ organizationId }, (client) => client.query(statement));
      await expect(attempt(`delete from ${table}`)).rejects.toThrow(/permission denied/);
      await expect(attempt(`truncate ${table}`)).rejects.toThrow(/permission denied/);
      await expect(attempt(`update ${table} set organization_id = organization_id`)).rejects.toThrow(
        /permission denied/,
      );
    }
    const marked = await store.inTenant({ organizationId }, (client) =>
      client.query('update report_version set is_current = false'),
    );
    expect(marked.rowCount).toBe(1);
    await expect(
      store.inTenant({ organizationId }, (client) =>
        client.query('update report_version set spend_micros = 0'),
      ),
    ).rejects.toThrow(/permission denied/);
  });

  it('may call only the lookup functions and those under row-level security, and none that change grants', async () => {
    const underTenancy = new Set([
      'instant_of',
      'is_being_removed',
      'lease_now',
      'relay_admit',
      'relay_mark',
    ]);
    const { rows } = await store.pool.query<{
      proname: string;
      prosecdef: boolean;
      proconfig: string[] | null;
    }>(
      `select proname, prosecdef, proconfig from pg_proc
       where pronamespace = 'public'::regnamespace and has_function_privilege(oid, 'execute') order by 1`,
    );
    expect(rows.map((row) => row.proname)).toEqual([
      'address_holders',
      'changes_since',
      'claim_creatives',
      'domain_owners',
      'erase_from_audit',
      'erase_from_decisions',
      'forget_audit',
      'identity_holders',
      'instant_of',
      'is_being_removed',
      'lease_now',
      'open_invitations',
      'open_work',
      'organization_by_slug',
      'organization_ids',
      'organizations_after',
      'organizations_before',
      'organizations_to_remove',
      'organizations_with_limit_checks',
      'organizations_with_old_answers',
      'organizations_with_old_changes',
      'passkey_holder',
      'password_holders',
      'principal_by_token_hash',
      'principals_by_identity',
      'public_organization',
      'published_signing_keys',
      'registered_signers',
      'relay_admit',
      'relay_mark',
      'relay_native_registration',
      'relay_report_registration',
      'remote_signing_keys',
      'remove_organization_part',
      'shares_account',
      'signals_elsewhere',
      'signer_holders',
      'stands_elsewhere',
      'tenants_with_draining_sellers',
      'tenants_with_due_cases',
      'tenants_with_slow_sellers',
      'token_holder',
      'webhook_registration_by_id',
      'work_due',
    ]);
    for (const row of rows.filter(({ proname }) => !underTenancy.has(proname))) {
      expect(row.prosecdef).toBe(true);
      expect(row.proconfig?.[0]).toBe('search_path=public, pg_temp');
    }
    // They run with the caller's rights, so row-level security applies to them.
    expect(rows.filter(({ proname }) => underTenancy.has(proname)).map(({ prosecdef }) => prosecdef)).toEqual(
      [...underTenancy].map(() => false),
    );
  });
});

describe('a row that names another', () => {
  it('names none of another organization', async () => {
    const [ours, theirs] = [await createOrganization(store), await createOrganization(store)];
    const principal = await createPrincipal(store, theirs.id);
    await expect(createToken(store, { ...principal, organizationId: ours.id })).rejects.toThrow(
      /principal_token_organization_id_principal_id_fkey/,
    );
  });
});

describe('a transaction of a tenant', () => {
  it('is not reported as committed if a statement failed and its error was ignored', async () => {
    const { id: organizationId } = await createOrganization(store);
    await expect(
      store.inTenant({ organizationId }, async (client) => {
        await client.query('select 1 / 0').catch(() => undefined);
      }),
    ).rejects.toThrow('rolled back');
  });

  it.each([
    ['of the hand-written client', 'sql'],
    ["of Prisma's client", 'models'],
  ] as const)(
    'refuses a statement %s that is sent after its end, while the connection serves another tenant',
    async (_, way) => {
      const [a, b] = [await createOrganization(store), await createOrganization(store)];
      const [ofA, ofB] = [await createConnection(store, a.id), await createConnection(store, b.id)];
      const single = openStore(database.appUrl, { connections: 1 });
      let late: () => Promise<unknown> = () => Promise.resolve();
      if (way === 'sql')
        await single.inTenant({ organizationId: a.id }, async (client) => {
          late = () => client.query('select id from connection');
          expect((await client.query('select id from connection')).rows).toEqual([{ id: ofA.id }]);
        });
      else
        await single.inTenantModels({ organizationId: a.id }, async (models) => {
          late = async () => models.connection.findMany({ select: { id: true } });
          expect(await models.connection.findMany({ select: { id: true } })).toEqual([{ id: ofA.id }]);
        });
      await single.inTenant({ organizationId: b.id }, async (client) => {
        await client.query('select 1');
        await expect(late()).rejects.toThrow(/has ended|Transaction already closed/);
        expect((await client.query('select id from connection')).rows).toEqual([{ id: ofB.id }]);
      });
      await single.close();
    },
  );

  it('refuses a statement after its last one, with which the commit was sent', async () => {
    const { id: organizationId } = await createOrganization(store);
    await store.inTenant({ organizationId }, async (client) => {
      const last = client.lastQuery({ text: 'select 1' });
      await expect(client.query('select 2')).rejects.toThrow('has ended');
      await last;
    });
  });

  it('refuses statements after its rollback too', async () => {
    const { id: organizationId } = await createOrganization(store);
    let late: () => Promise<unknown> = () => Promise.resolve();
    await expect(
      store.inTenant({ organizationId }, (client) => {
        late = () => client.query('select 1');
        return Promise.reject(new Error('undone'));
      }),
    ).rejects.toThrow('undone');
    await expect(late()).rejects.toThrow('has ended');
  });
});
