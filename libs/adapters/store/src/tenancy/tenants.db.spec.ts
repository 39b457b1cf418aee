import { createHash, randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { hashToken, type TenantScope } from '@switchyard/tenancy';
import {
  createConnection,
  createOrganization,
  createScope,
  createPrincipal,
  createToken,
  openTestStore,
} from '@switchyard/testing';
import { auditLog } from '../audit/audit-log.js';
import { openStore } from '../core/open-store.js';
import { instanceNotes } from '../instance/instance-notes.js';
import { exportOrganization, secretColumns, secretTables } from './organization-export.js';
import { organizations } from './organizations.js';
import { personErasures } from './person-erasures.js';
import { principalDirectory } from './principal-directory.js';
import { quotaStore } from './quotas.js';

const at = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

const practice = {
  name: 'Practice Agency',
  domain: 'agency.example',
  isPublic: false,
  timeZone: 'UTC',
  currency: 'USD',
  reportingCurrency: 'USD',
};

describe('organizations', () => {
  it('are created once per slug, even by two starts at the same moment', async () => {
    const wanted = { ...practice, slug: 'local', isPublic: true };
    const made = await Promise.all([1, 2, 3].map(() => organizations(store).ensure(wanted, at)));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(await organizations(store).ensure({ ...wanted, name: 'Renamed' }, at)).toEqual(made[0]);
    expect(await organizations(store).bySlug('local')).toEqual(made[0]);
    expect(await organizations(store).ids()).toContain(made[0]!.id);
  });

  it('are created with their admin, or not at all if the slug is taken', async () => {
    const repository = organizations(store);
    const wanted = { ...practice, id: randomUUID(), slug: 'once', domainChallenge: 'c-1' };
    const adminOf = (organizationId: string) => ({
      principal: {
        id: randomUUID(),
        organizationId,
        name: 'admin',
        kind: 'person' as const,
        permissions: {},
        transitional: true,
        legacy: true,
      },
    });
    const made = await repository.add(wanted, adminOf(wanted.id), at);
    expect(made).toEqual({ ...wanted, createdAt: at });
    expect(await repository.byId(wanted.id)).toEqual(made);
    const scope = { organizationId: wanted.id };
    expect(await principalDirectory(store).list(scope)).toMatchObject([{ name: 'admin' }]);
    const again = { ...wanted, id: randomUUID() };
    expect(await repository.add(again, adminOf(again.id), at)).toBeUndefined();
    expect(await repository.byId(again.id)).toBeUndefined();
  });

  it('lose the proof with the proved domain, and accept none for a former domain', async () => {
    const repository = organizations(store);
    const { id } = await createOrganization(store, { domain: 'one.example', domainChallenge: 'c-1' });
    const before = { id, domain: 'one.example', domainChallenge: 'c-1' };
    expect(await repository.saveProof(before, 'dns', at)).toBe(true);
    expect(await repository.change(id, { name: 'Renamed', domain: 'one.example' })).toMatchObject({
      name: 'Renamed',
      domainProof: 'dns',
      domainProvedAt: at,
    });
    const changed = await repository.change(id, { domain: 'two.example', domainChallenge: 'c-2' });
    expect(changed).toMatchObject({ domain: 'two.example', domainChallenge: 'c-2' });
    expect(changed).not.toHaveProperty('domainProof');
    expect(await repository.saveProof(before, 'dns', at)).toBe(false);
    expect(await repository.byId(id)).not.toHaveProperty('domainProvedAt');
    expect(await repository.change(randomUUID(), { name: 'Nobody' })).toBeUndefined();
  });

  it('are listed in pages over all tenants, oldest first, each once', async () => {
    const repository = organizations(store);
    for (let one = 0; one < 3; one += 1) await createOrganization(store);
    const all = await repository.after(undefined, 1_000);
    const paged = [];
    for (let last = all[0]; last !== undefined; last = (await repository.after(keyOf(last), 1))[0])
      paged.push(last);
    expect(paged).toEqual(all);
    expect(all.map(({ id }) => id)).toEqual(await repository.ids());
  });
});

const keyOf = ({ id, createdAt }: { readonly id: string; readonly createdAt: number }) => ({
  at: createdAt,
  id,
});

describe('principals', () => {
  it('are found by the hash of a token, with everything that decides on access', async () => {
    const { id } = await createOrganization(store);
    const principal = await createPrincipal(store, id, { permissions: { products: ['read'] } });
    const text = await createToken(store, principal);
    const directory = principalDirectory(store);
    const match = await directory.findByTokenHash(hashToken(text));
    expect(match?.principal).toEqual(principal);
    expect(match?.disabledAt).toBeUndefined();
    expect(match?.token).toMatchObject({ principalId: principal.id, label: 'test' });
    expect(match?.token.hash).toEqual(hashToken(text));
    const scope = { organizationId: id };
    expect(await directory.revokeToken(scope, match!.token.id, at)).toBe(true);
    expect(await directory.revokeToken(scope, match!.token.id, at)).toBe(false);
    expect((await directory.findByTokenHash(hashToken(text)))?.token.revokedAt).toBe(at);
    expect(await directory.findByTokenHash(hashToken('sy_another'))).toBeUndefined();
  });

  it('have no successor of a token that was revoked before its replacement', async () => {
    const scope = await createScope(store);
    await createToken(store, await createPrincipal(store, scope.organizationId));
    const directory = principalDirectory(store);
    const [token] = await directory.tokens(scope);
    const next = { ...token!, id: randomUUID(), hash: hashToken('sy_next') };
    expect(await directory.revokeToken(scope, token!.id, at)).toBe(true);
    expect(await directory.replaceToken(scope, next, { id: token!.id, until: at })).toBe(false);
    expect(await directory.tokens(scope)).toEqual([]);
  });

  it("cannot be revoked, found or listed under another organization's scope", async () => {
    const principal = await createPrincipal(store, (await createOrganization(store)).id);
    const text = await createToken(store, principal);
    const directory = principalDirectory(store);
    const other = await createScope(store);
    const match = await directory.findByTokenHash(hashToken(text));
    expect(await directory.revokeToken(other, match!.token.id, at)).toBe(false);
    expect(await directory.find(other, principal.id)).toBeUndefined();
    expect(await directory.findByName(other, principal.name)).toBeUndefined();
    expect(await directory.list(other)).toEqual([]);
  });

  it('have names that are unique within their organization', async () => {
    const { id } = await createOrganization(store);
    const principal = await createPrincipal(store, id);
    const directory = principalDirectory(store);
    const scope = { organizationId: id };
    expect(await directory.create(scope, { ...principal, id: randomUUID() }, at)).toBe(false);
    expect(await directory.findByName(scope, principal.name)).toEqual(principal);
    expect(await directory.find(scope, principal.id)).toEqual(principal);
    expect(await directory.list(scope)).toEqual([principal]);
  });

  it('declare an account once: a second declaration returns the first', async () => {
    const { id } = await createOrganization(store);
    const principal = await createPrincipal(store, id);
    const scope = { organizationId: id };
    const directory = principalDirectory(store);
    const account = { brandDomain: 'brand.example', brandId: '', operator: 'agency.example' };
    const received = await Promise.all(
      [1, 2, 3].map(() =>
        directory.declareAccount(scope, principal.id, { id: randomUUID(), ...account }, at),
      ),
    );
    expect(new Set(received.map((current) => current.id)).size).toBe(1);
    expect(await directory.accountsOf(scope, principal.id)).toEqual([received[0]]);
  });
});

describe('instance notes', () => {
  it('keep the last value of each key', async () => {
    const notes = instanceNotes(store);
    expect(await notes.get('campaign')).toBeUndefined();
    await notes.set('campaign', { played: false }, at);
    await notes.set('campaign', { played: true, at: '2026' }, at + 1);
    await notes.set('other', 'text', at);
    expect(await notes.get('campaign')).toEqual({ played: true, at: '2026' });
    expect(await notes.get('other')).toBe('text');
  });
});

describe('the export of an organization', () => {
  it('has every row of it, none of another organization and no secret, and digests of what was written', async () => {
    const [own, other] = [await createScope(store), await createScope(store)];
    const principal = await createPrincipal(store, own.organizationId, { name: 'the own person' });
    await createToken(store, principal);
    await createPrincipal(store, other.organizationId, { name: 'somebody of the rival' });
    const written = new Map<string, string[]>();
    const tables = await exportOrganization(store, own, (table, rows) => {
      written.set(table, [...(written.get(table) ?? []), ...rows]);
      return Promise.resolve();
    });
    const all = [...written.values()].flat().join('\n');
    expect(all).toContain('the own person');
    expect(all).not.toContain('rival');
    expect(all).not.toContain(other.organizationId);
    for (const { table, rows, sha256 } of tables) {
      const lines = written.get(table) ?? [];
      expect(lines).toHaveLength(rows);
      const digest = createHash('sha256').update(lines.map((line) => `${line}\n`).join(''));
      expect(digest.digest('hex')).toBe(sha256);
    }
    expect(tables.map(({ table }) => table)).toEqual(
      expect.arrayContaining(['organization', 'principal', 'ledger_entry']),
    );
    for (const table of secretTables) expect(written.has(table)).toBe(false);
  });

  it('leaves out every column whose name says that it opens something; a new one is decided on here', async () => {
    const { rows } = await store.pool.query<{ column: string }>(
      `select a.attrelid::regclass || '.' || a.attname as column from pg_attribute a join pg_class c on c.oid = a.attrelid
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
         and a.attname ~ 'secret|password|token_hash|private|cipher|wrapped|nonce|recovery'
         and exists (select from pg_attribute o where o.attrelid = c.oid and o.attname = 'organization_id')`,
    );
    const kept = rows
      .map(({ column }) => column)
      .filter((column) => {
        const [table = '', name = ''] = column.split('.');
        return !secretTables.includes(table) && !secretColumns.includes(name);
      });
    expect(kept).toEqual([]);
  });
});

describe('the erasure of a person', () => {
  it('reaches decisions and acts that are written once, of its own tenant alone, and nothing else of them changes', async () => {
    const [own, other] = [await createScope(store), await createScope(store)];
    const name = 'ann@agency.example';
    const people = [
      await createPrincipal(store, own.organizationId, { name, kind: 'person' }),
      await createPrincipal(store, other.organizationId, { name, kind: 'person' }),
    ];
    const decided = (scope: TenantScope, principalId: string) =>
      store.inTenant(scope, (client) =>
        client.query(
          `insert into event_decision (id, organization_id, event_id, decision, reason, principal_id, principal_name, decided_at)
           values (gen_random_uuid(), $1, gen_random_uuid(), 'release', 'because', $2, $3, now())`,
          [client.organizationId, principalId, name],
        ),
      );
    const namesIn = (scope: TenantScope) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<{ name: string }>(
          `select principal_name as name from event_decision where organization_id = $1
           union all select actor_name from audit_event where organization_id = $1`,
          [client.organizationId],
        );
        return rows.map((row) => row.name);
      });
    for (const [index, scope] of [own, other].entries()) {
      await decided(scope, people[index]!.id);
      const act = { at, actorId: people[index]!.id, actorName: name, action: 'x', detail: { to: name } };
      const id = await auditLog(store).begin(scope, act);
      await auditLog(store).end(scope, id, { outcome: 'ok', endedAt: at });
    }
    const erasures = personErasures(store);
    const { id } = people[0]!;
    const next = await erasures.fromAudit(own, id, { at: at + 1, id: 0 });
    expect(await erasures.fromAudit(own, id, next ?? { at: 0, id: 0 })).toBeUndefined();
    await erasures.everywhereElse(own, id, at);
    expect(await namesIn(own)).toEqual([`erased-${id}`, `erased-${id}`]);
    expect(await namesIn(other)).toEqual([name, name]);
    const changed = store.inTenant(own, (client) =>
      client.query(`update event_decision set principal_name = 'me' where organization_id = $1`, [
        own.organizationId,
      ]),
    );
    await expect(changed).rejects.toThrow('written once');
  });
});

describe('quotas', () => {
  it('count what is used by day and month of one tenant, and say what is used only where one is set', async () => {
    const [own, other] = [await createScope(store), await createScope(store)];
    const quotas = quotaStore(store);
    const [yesterday, today] = [Date.UTC(2026, 4, 30, 23), Date.UTC(2026, 4, 31, 1)];
    const used = (calls: number) => ({ calls, relays: 2 * calls, import_bytes: 1_000 * calls });
    expect(await quotas.addUsage(own, used(3), yesterday)).toBeUndefined();
    await quotas.set(own, { calls_per_day: 10, sellers: 2 }, today);
    await quotas.addUsage(own, used(4), today);
    await quotas.addUsage(other, used(100), today);
    const state = await quotas.addUsage(own, used(1), today);
    expect(state?.limits).toEqual({ calls_per_day: 10, sellers: 2 });
    expect(state?.used).toMatchObject({
      ...{ calls_per_day: 5, calls_per_month: 8, sellers: 0, file_bytes: 0 },
      ...{
        relays_per_day: 10,
        relays_per_month: 16,
        import_bytes_per_day: 5_000,
        import_bytes_per_month: 8_000,
      },
    });
    await createConnection(store, own.organizationId);
    await quotas.set(own, { sellers: null }, today);
    const after = await quotas.state(own, Date.UTC(2026, 5, 1));
    expect([after.limits, after.used.calls_per_month, after.used.sellers]).toEqual([
      { calls_per_day: 10 },
      0,
      1,
    ]);
  });
});
