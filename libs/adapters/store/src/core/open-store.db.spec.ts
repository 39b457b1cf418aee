import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createScope, freePort, openTestStore, testClock } from '@switchyard/testing';
import pg from 'pg';
import { openStore } from './open-store.js';
import { DatabaseBusy, isDatabaseUnavailable } from './unavailable.js';
import { watchDatabase } from './watch-database.js';

const { store, database, stop } = await openTestStore(openStore);
afterAll(stop);

const { organizationId } = await createScope(store);

/** Ends a connection as a stopping server does, and resolves when both sides know. */
async function cut(pid: number): Promise<void> {
  const owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  await owner.query('select pg_terminate_backend($1, 5000)', [pid]);
  await owner.end();
}

const backendPid = 'select pg_backend_pid() as pid';

describe('a connection that breaks', () => {
  it('between two statements of a transaction fails the transaction, and the process continues', async () => {
    const work = store.inTenant({ organizationId }, async (client) => {
      const { rows } = await client.query<{ pid: number }>(backendPid);
      await cut(rows[0]?.pid ?? 0);
      // The end of the connection has been received by now, while no statement was running.
      await new Promise((resolve) => setImmediate(resolve));
      await client.query('select 1');
    });
    await expect(work).rejects.toThrow();
    const { rows } = await store.inTenant({ organizationId }, (client) =>
      client.query<{ one: number }>('select 1 as one'),
    );
    expect(rows).toEqual([{ one: 1 }]);
  });

  it('between two Prisma statements fails only those', async () => {
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

describe('a transaction', () => {
  it('sends the statements of one turn of the event loop in one write', async () => {
    const writes: number[] = [];
    const counted = openStore(database.appUrl, { connections: 1 });
    const connection = await counted.pool.connect();
    const { stream } = (connection as unknown as { readonly connection: { readonly stream: Socket } })
      .connection;
    const write = stream._writev?.bind(stream);
    stream._writev = (chunks, done) => {
      writes.push(chunks.length);
      write?.(chunks, done);
    };
    connection.release();
    await counted.inTenant({ organizationId }, async (client) => {
      await Promise.all([client.query('select $1::int', [1]), client.query('select $1::int', [2])]);
      await client.lastQuery({ text: 'select $1::int', values: [3] });
    });
    await counted.close();
    // BEGIN with two statements; the last statement with COMMIT; then the termination, which is one message.
    expect(writes.filter((chunks) => chunks > 1)).toHaveLength(2);
  });
});

describe('a pool without a free connection', () => {
  it('refuses a request at once if its queue is full, and after the longest wait', async () => {
    const narrow = openStore(database.appUrl, { connections: 1, waiting: 1, waitMs: 5_000 });
    const only = await narrow.pool.connect();
    const waiting = narrow.pool.query('select 1').catch((error: unknown) => error);
    const refused = await narrow.pool.query('select 1').catch((error: unknown) => error);
    expect([refused, isDatabaseUnavailable(refused)]).toEqual([new DatabaseBusy(), true]);
    expect(isDatabaseUnavailable(await waiting)).toBe(true);
    only.release();
    expect((await narrow.pool.query<{ one: number }>('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await narrow.close();
  });
});

describe('a statement that is not answered', () => {
  it('is canceled in time, together with its connection', async () => {
    const impatient = openStore(database.appUrl, { connections: 1, answerMs: 50 });
    const given = await impatient
      .inTenant({ organizationId }, (client) => client.query('select pg_sleep(20)'))
      .then(
        () => undefined,
        (error: unknown) => error,
      );
    expect(isDatabaseUnavailable(given)).toBe(true);
    expect((await impatient.pool.query<{ one: number }>('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await impatient.close();
  });

  it('is told from many that are answered in time, one after another or sent together', async () => {
    const patient = openStore(database.appUrl, { connections: 1, answerMs: 1_000 });
    const rest = () => patient.pool.query('select pg_sleep(0.4)');
    await rest();
    const held = await patient.pool.connect();
    const together = [1, 2, 3].map(() => held.query('select pg_sleep(0.4)'));
    await Promise.all(together);
    held.release();
    expect((await rest()).rowCount).toBe(1);
    await patient.close();
  });
});

describe('the watch of the database', () => {
  it('detects a lost connection, and that the database answers again', async () => {
    const clock = testClock();
    const watch = await watchDatabase(database.appUrl, clock);
    expect(watch.isAvailable()).toBe(true);
    const { rows } = await store.pool.query<{ pid: number }>(
      `select pid from pg_stat_activity where application_name = 'switchyard watch' and datname = current_database()`,
    );
    await cut(rows[0]?.pid ?? 0);
    while (!watch.isAvailable()) await new Promise((resolve) => setImmediate(resolve));
    await watch.stop();
  });

  it.each([
    ['ahead', 3_600_000],
    ['behind', -3_600_000],
    ['right', 5_000],
  ])("reports the difference between our clock and the database's: %s", async (_word, shiftMs) => {
    const reported: number[] = [];
    const clock = { ...testClock(), now: () => Date.now() + shiftMs };
    const onWrongClock = (aheadMs: number): void => void reported.push(aheadMs);
    const watch = await watchDatabase(database.appUrl, clock, { onWrongClock });
    const aheadMs = watch.clockAheadMs();
    await watch.stop();
    expect(reported).toEqual(shiftMs === 5_000 ? [] : [aheadMs]);
    // The time of the statement is not counted: it may have been any.
    expect(Math.sign(aheadMs)).toBe(shiftMs === 5_000 ? 0 : Math.sign(shiftMs));
    expect(Math.abs(aheadMs)).toBeLessThanOrEqual(Math.abs(shiftMs));
  });

  it('reports that nothing answers', async () => {
    const nowhere = new URL(database.appUrl);
    nowhere.port = String(await freePort());
    nowhere.search = '';
    const watch = await watchDatabase(nowhere.href, testClock());
    expect(watch.isAvailable()).toBe(false);
    await watch.stop();
  });
});

describe('a trace that runs', () => {
  it('is kept by rows of later work that its transaction writes, and by no others', async () => {
    const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    let running: string | undefined = parent;
    // One connection, so that the second transaction has the session of the first.
    const traced = openStore(database.appUrl, { connections: 1, traceParent: () => running });
    const scope = await createScope(store);
    const begin = (): Promise<string> =>
      traced.inTenant(scope, async (client) => {
        const { rows } = await client.query<{ kept: string }>(
          `insert into job (organization_id, id, kind, waits_for, state, input, principal_id, permissions, cursor, created_at, due_at)
           values ($1, $2, 'k', 'database', 'waiting', '{}', $2, '{}', '{}', now(), now())
           returning coalesce(trace_parent, '') as kept`,
          [client.organizationId, randomUUID()],
        );
        return rows[0]?.kept ?? 'none';
      });
    expect(await begin()).toBe(parent);
    running = undefined;
    expect(await begin()).toBe('');
    running = "'; drop table job; --";
    expect(await begin()).toBe('');
    await traced.close();
  });
});
