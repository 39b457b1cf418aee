import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { createEntry } from '@switchyard/ledger';
import { ledgerStore, openStore } from '@switchyard/store';
import { createOrganization, makePastMonths, openTestStore } from '@switchyard/testing';
import { must } from '@switchyard/values';
import { run } from '../../testkit/run-command.js';

const { store, database, stop } = await openTestStore(openStore);
const owner = new pg.Client({ connectionString: database.ownerUrl });
await owner.connect();
afterAll(() => owner.end());
afterAll(stop);
const folder = mkdtempSync(join(tmpdir(), 'switchyard-archive-'));
afterAll(() => rmSync(folder, { recursive: true }));
const env = { DATABASE_URL: database.appUrl, DATABASE_OWNER_URL: database.ownerUrl };
const ledger = (...args: readonly string[]) => run(['ledger', ...args, '--data', folder], { env });

it('archives the ledger of each organization, and verifies files and tables together, without an instance', async () => {
  const to = join(folder, 'archive');
  const none = await ledger('verify', '--archive', to);
  expect([none.code, none.stderr]).toEqual([1, 'No ledger of this database is archived.\n']);

  const scope = { organizationId: (await createOrganization(store)).id };
  await makePastMonths(owner, ['2024-01', '2024-02']);
  for (const at of [Date.UTC(2024, 0, 5), Date.UTC(2024, 1, 5)]) {
    const id = randomUUID();
    const entry = must(
      createEntry({
        id: `${at
          .toString(16)
          .padStart(12, '0')
          .replace(/^(.{8})/, '$1-')}-7${id.slice(15)}`,
        kind: 'period',
        operationId: id,
        seller: '',
        occurredAt: at,
        postings: [],
        facts: {},
      }),
    );
    await store.inTenant(scope, (tx) => ledgerStore(store).append(tx, [entry], at));
  }
  const early = await ledger('archive', '--before', '2023-12', '--to', to);
  expect([early.code, early.stderr]).toEqual([1, expect.stringContaining('all months before 2024-01')]);
  const done = await ledger('archive', '--before', '2024-02', '--to', to, '--json');
  expect(JSON.parse(done.stdout)).toEqual({
    before: '2024-02',
    archived: [
      {
        organization: scope.organizationId,
        entries: 1,
        block: '1',
        hash: expect.any(String),
        folder: join(to, '2024-02', scope.organizationId),
      },
    ],
  });
  const { hash } = await ledgerStore(store).head(scope);
  const read = await ledger('verify', '--archive', to, '--json');
  expect([read.code, JSON.parse(read.stdout)]).toEqual([
    0,
    {
      ok: true,
      ledgers: [
        {
          ...{ organization: scope.organizationId, ok: true, entries: 2, head: hash },
          messages: { named: 0, proven: 0 },
        },
      ],
    },
  ]);
  rmSync(to, { recursive: true });
  const gone = await ledger('verify', '--archive', to);
  expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining('cannot be read')]);
  const both = await ledger('verify', 'export.json', '--archive', to);
  expect(both.stderr).toContain('leave out the export');
}, 300_000);
