import { afterAll, describe, expect, it } from '@jest/globals';
import { createScope, openTestStore } from '@switchyard/testing';
import pg from 'pg';
import { openStore } from './open-store.js';

const { store, database, stop } = await openTestStore(openStore);
afterAll(stop);

const { organizationId } = await createScope(store);

/** Ends a connection as a server that stops would, and resolves when it has told everybody. */
async function cut(pid: number): Promise<void> {
  const owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  await owner.query('select pg_terminate_backend($1, 5000)', [pid]);
  await owner.end();
}

const backendPid = 'select pg_backend_pid() as pid';

describe('a connection that breaks', () => {
  it('between two statements of a transaction fails the transaction, and the process lives on', async () => {
    const work = store.inTenant({ organizationId }, async (client) => {
      const { rows } = await client.query<{ pid: number }>(backendPid);
      await cut(rows[0]?.pid ?? 0);
      // The news of the end has arrived by now, with no statement waiting for it.
      await new Promise((resolve) => setImmediate(resolve));
      await client.query('select 1');
    });
    await expect(work).rejects.toThrow();
    const { rows } = await store.inTenant({ organizationId }, (client) =>
      client.query<{ one: number }>('select 1 as one'),
    );
    expect(rows).toEqual([{ one: 1 }]);
  });

  it('between two statements of Prisma fails them alone too', async () => {
    const work = store.inTenantModels({ organizationId }, async (models) => {
      const [row] = await models.$queryRawUnsafe<{ pid: number }[]>(backendPid);
      await cut(row?.pid ?? 0);
      await new Promise((resolve) => setImmediate(resolve));
      await models.organization.count();
    });
    await expect(work).rejects.toThrow();
    expect(await store.inTenantModels({ organizationId }, (models) => models.organization.count())).toBe(1);
  });
});
