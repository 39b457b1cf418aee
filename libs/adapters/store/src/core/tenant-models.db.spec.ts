import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createOrganization, openTestStore } from '@switchyard/testing';
import { openStore } from './open-store.js';
import { retryDeadlock } from './retry-deadlock.js';

const sent: string[] = [];
const { store, stop } = await openTestStore((url) =>
  openStore(url, { onModelStatement: (text) => void sent.push(text) }),
);
afterAll(stop);

const teamOf = (organizationId: string) => ({
  id: randomUUID(),
  organization_id: organizationId,
  name: `team ${randomUUID()}`,
  created_at: new Date('2026-11-01'),
});
const place = 'select pg_backend_pid() as pid, pg_current_xact_id()::text as tx';

describe("Prisma's client on the connection of a tenant", () => {
  it('stands in the transaction of the hand-written statements, which see its row before the commit', async () => {
    const { id: organizationId } = await createOrganization(store);
    const team = teamOf(organizationId);
    await store.inTenant({ organizationId }, async (client) => {
      const [ofModels] = await client.models.$queryRawUnsafe<{ pid: number; tx: string }[]>(place);
      await client.models.team.create({ data: team });
      const { rows } = await client.query<{ pid: number; tx: string }>(place);
      expect(rows[0]).toEqual(ofModels);
      expect((await client.query('select name from team')).rows).toEqual([{ name: team.name }]);
    });
    expect(await store.inTenantModels({ organizationId }, ({ team: teams }) => teams.count())).toBe(1);
  });

  it('is undone with the hand-written statements', async () => {
    const { id: organizationId } = await createOrganization(store);
    await expect(
      store.inTenant({ organizationId }, async (client) => {
        await client.models.team.create({ data: teamOf(organizationId) });
        await client.query('select 1 / 0');
      }),
    ).rejects.toThrow('division by zero');
    expect(await store.inTenantModels({ organizationId }, ({ team }) => team.count())).toBe(0);
  });

  it('fails the transaction with a statement of it that failed, even if nobody looks at it', async () => {
    const { id: organizationId } = await createOrganization(store);
    const team = teamOf(organizationId);
    await expect(
      store.inTenant({ organizationId }, async ({ models }) => {
        await models.team.create({ data: team });
        await models.team.create({ data: team }).catch(() => undefined);
      }),
    ).rejects.toThrow('rolled back');
  });

  it('shows each of many transactions at once the rows of its tenant alone', async () => {
    const tenants = await Promise.all(Array.from({ length: 6 }, () => createOrganization(store)));
    const teams = await Promise.all(
      tenants.map(async ({ id: organizationId }) => {
        const data = teamOf(organizationId);
        await store.inTenantModels({ organizationId }, ({ team }) => team.create({ data }));
        return data;
      }),
    );
    const rounds = Array.from({ length: 20 }, () => teams).flat();
    const found = await Promise.all(
      rounds.map(({ organization_id: organizationId, id }) =>
        store.inTenant({ organizationId }, async (client) => {
          const [one, all, counted] = await Promise.all([
            client.models.team.findFirst({ where: { id } }),
            client.models.team.findMany(),
            client.query<{ id: string }>('select id from team'),
          ]);
          return [one?.id, all.map((team) => team.id), counted.rows.map((team) => team.id)];
        }),
      ),
    );
    expect(found).toEqual(rounds.map(({ id }) => [id, [id], [id]]));
  });

  it('neither shows nor takes a row of another tenant', async () => {
    const [a, b] = [await createOrganization(store), await createOrganization(store)];
    const ofB = teamOf(b.id);
    await store.inTenantModels({ organizationId: b.id }, ({ team }) => team.create({ data: ofB }));
    const inA = { organizationId: a.id };
    expect(await store.inTenantModels(inA, ({ team }) => team.findFirst({ where: { id: ofB.id } }))).toBe(
      null,
    );
    await expect(
      store.inTenantModels(inA, ({ team }) => team.create({ data: teamOf(b.id) })),
    ).rejects.toThrow(/row-level security/);
  });

  it('belongs to the transaction that it was taken from, also inside one of another tenant', async () => {
    const [a, b] = [await createOrganization(store), await createOrganization(store)];
    const ofA = teamOf(a.id);
    await store.inTenant({ organizationId: a.id }, async (outer) => {
      await outer.models.team.create({ data: ofA });
      await store.inTenant({ organizationId: b.id }, async (inner) => {
        expect(await outer.models.team.count()).toBe(1);
        expect(await inner.models.team.count()).toBe(0);
      });
    });
  });

  it('makes what Prisma wants a transaction for a part of the one in progress', async () => {
    const { id: organizationId } = await createOrganization(store);
    const team = teamOf(organizationId);
    sent.length = 0;
    await store.inTenant({ organizationId }, async ({ models }) => {
      // The key that is looked for is not the one that is written: Prisma reads and writes in two statements.
      const where = { organization_id_id: { organization_id: organizationId, id: randomUUID() } };
      await models.team.upsert({ where, create: team, update: { name: 'other' } });
      expect(await models.team.count()).toBe(1);
    });
    expect(sent.filter((text) => /^(begin|commit|rollback)$/i.test(text))).toEqual([]);
    expect(await store.inTenantModels({ organizationId }, (models) => models.team.count())).toBe(1);
  });

  it('runs a transaction again that PostgreSQL ended for a deadlock', async () => {
    const { id: organizationId } = await createOrganization(store);
    const [one, two] = [teamOf(organizationId), teamOf(organizationId)];
    for (const data of [one, two])
      await store.inTenantModels({ organizationId }, ({ team }) => team.create({ data }));
    let [runs, holding] = [0, 0];
    let bothHold: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (bothHold = resolve));
    const renamed = (first: string, second: string) =>
      retryDeadlock(() =>
        store.inTenantModels({ organizationId }, async ({ team }) => {
          runs += 1;
          await team.updateMany({ where: { id: first }, data: { name: randomUUID() } });
          holding += 1;
          if (holding === 2) bothHold();
          await held;
          return team.updateMany({ where: { id: second }, data: { name: randomUUID() } });
        }),
      );
    const counts = await Promise.all([renamed(one.id, two.id), renamed(two.id, one.id)]);
    expect([counts, runs]).toEqual([[{ count: 1 }, { count: 1 }], 3]);
  });

  it('refuses findUnique, which Prisma would send together with those of other tenants', async () => {
    const { id: organizationId } = await createOrganization(store);
    await expect(
      store.inTenantModels({ organizationId }, async ({ team }) => {
        const name = 'findUnique';
        return team[name]({
          where: { organization_id_id: { organization_id: organizationId, id: organizationId } },
        });
      }),
    ).rejects.toThrow('Use findFirst');
  });
});
