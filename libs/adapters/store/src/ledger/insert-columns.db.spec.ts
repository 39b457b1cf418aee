import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createOrganization, openTestStore } from '@switchyard/testing';
import { openStore } from '../core/open-store.js';
import type { Cell } from '../core/array-text.js';
import { insertColumns } from './insert-columns.js';

const { store, database, stop } = await openTestStore(openStore);
const owner = new pg.Client({ connectionString: database.ownerUrl });
afterAll(() => owner.end());
afterAll(stop);

beforeAll(async () => {
  await owner.connect();
  await owner.query(`create table column_probe (organization_id uuid, place int, word text)`);
  await owner.query(`do $$ begin execute format('grant select, insert on column_probe to %I',
    (select rolname from pg_roles where has_schema_privilege(oid, 'public', 'usage') and not rolsuper
       and rolcanlogin limit 1)); end $$`);
});

describe('inserting columns', () => {
  it('stores every text unchanged, also with array syntax', async () => {
    const words: Cell[] = [
      'plain',
      '',
      ' ',
      'NULL',
      'null',
      null,
      'a,b',
      '{}',
      '{a}',
      '"quoted"',
      'back\\slash',
      '\\"',
      '$&',
      "'; drop table column_probe; --",
      'new\nline\ttab',
      'new\nline\ttab',
      'controls \u0001 \u001f \u007f \u0085 "',
      'lines \u2028 "',
      'é 漢 😀',
      '{"json":"with \\"quotes\\" and \\\\"}',
    ];
    const { id } = await createOrganization(store);
    const rows = words.map((word, place) => ({ place, word }));
    await store.inTenant({ organizationId: id }, (client) =>
      insertColumns(client, 'column_probe', { place: 'int', word: 'text' }, rows),
    );
    const stored = await owner.query<{ word: Cell }>('select word from column_probe order by place');
    expect(stored.rows.map(({ word }) => word)).toEqual(words);
  });
});
