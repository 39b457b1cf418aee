import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@switchyard/testing';
import pg from 'pg';
import { openQueue } from './open-queue.js';
import { prepareQueueSchema } from './prepare-queue-schema.js';
import { queueContract, type QueueSubject } from './testkit/queue-contract.js';
import { openTestQueue } from './testkit/test-queue.js';
import { severableProxy, type SeverableProxy } from './testkit/severable-proxy.js';

describe('the queue on PostgreSQL, with a role that owns nothing', () => {
  let database: TestDatabase;
  let proxy: SeverableProxy;
  let subject: QueueSubject;
  beforeAll(async () => {
    database = await createTestDatabase();
    const url = new URL(database.appUrl);
    const prepared = await prepareQueueSchema({ ownerUrl: database.ownerUrl, applicationRole: url.username });
    if (!prepared.ok) throw new Error(prepared.error.message);
    // The proxy stands before the port, so the way by the socket is left out.
    proxy = await severableProxy({ host: url.hostname, port: Number(url.port) });
    url.searchParams.delete('host');
    url.port = String(proxy.port);
    subject = {
      open: (options) => openTestQueue({ databaseUrl: url.href, ...options }),
      flush: () => asOwner(truncateQueue),
      sever: () => Promise.resolve(proxy.sever()),
      mend: () => Promise.resolve(proxy.mend()),
    };
  });
  afterAll(async () => {
    await proxy.close();
    await database.stop();
  });

  async function asOwner(statement: string): Promise<void> {
    const client = new pg.Client({ connectionString: database.ownerUrl });
    await client.connect();
    await client.query(statement);
    await client.end();
  }

  it.each(queueContract)('$guarantee', async ({ check }) => {
    await expect(check(subject)).resolves.toBeUndefined();
  });

  it('prepares its schema again without harm, also twice at once', async () => {
    const applicationRole = new URL(database.appUrl).username;
    const again = [1, 2].map(() => prepareQueueSchema({ ownerUrl: database.ownerUrl, applicationRole }));
    expect(await Promise.all(again)).toEqual([
      { ok: true, value: undefined },
      { ok: true, value: undefined },
    ]);
  });

  it('is refused by name when the role may not prepare the schema, or the database does not exist', async () => {
    const applicationRole = new URL(database.appUrl).username;
    const asPlain = await prepareQueueSchema({ ownerUrl: database.appUrl, applicationRole });
    expect(asPlain).toMatchObject({ ok: false, error: { code: 'queue_unavailable' } });
    const nowhere = new URL(database.appUrl);
    nowhere.pathname = '/nowhere';
    const opened = await openQueue({ databaseUrl: nowhere.href });
    expect(opened).toMatchObject({ ok: false, error: { code: 'queue_unavailable' } });
    expect(JSON.stringify([asPlain, opened])).not.toContain(nowhere.password);
  });
});

/** Every table of the queue but the record of its migrations. */
const truncateQueue = `
  do $$ declare one record; begin
    for one in select tablename from pg_tables where schemaname = 'bullmq' and tablename not like '%migration%' loop
      execute format('truncate table bullmq.%I cascade', one.tablename);
    end loop;
  end $$`;
