import { describe, expect, it } from '@jest/globals';
import { must, type PageRead, type SortKey } from '@switchyard/values';
import type { PrincipalCaller } from '../tasks/call/task-call.js';
import { listPage } from './list-page.js';

const caller: PrincipalCaller = {
  kind: 'principal',
  organizationId: 'o1',
  principalId: 'p1',
  name: 'ann',
  principalKind: 'person',
  permissions: {},
  transitional: false,
  legacy: false,
};

/** Newest first, and by id where two are of one instant: what a repository does in SQL. */
const rows = Array.from({ length: 25 }, (_one, at) => ({ at: 100 - Math.floor(at / 3), id: `r${at}` }));
const keyOf = ({ at, id }: (typeof rows)[number]): SortKey => [at, id];
const read = ({ after, limit }: PageRead) => {
  const from = after === undefined ? 0 : rows.findIndex((row) => row.id === after[1]) + 1;
  return Promise.resolve(rows.slice(from, from + limit));
};

type Query = Readonly<Record<string, string | number>>;
const page = (query: Query, more: { id?: string; caller?: PrincipalCaller } = {}) =>
  listPage({ id: 'list_things', caller, query, ...more }, read, keyOf);

async function cursorOf(query: Query): Promise<string> {
  const first = await page(query);
  return first.ok ? (first.value.next.next_cursor ?? '') : '';
}

describe('a list in pages', () => {
  it.each([1, 7, 24, 25, 26])(
    'shows each row once, in order, by pages of %i, and then ends',
    async (limit) => {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const found = must(await page({ limit, ...(cursor !== undefined && { cursor }) }));
        seen.push(...found.rows.map(({ id }) => id));
        cursor = found.next.next_cursor;
      } while (cursor !== undefined);
      expect(seen).toEqual(rows.map(({ id }) => id));
    },
  );

  it('accepts another limit between two pages', async () => {
    const cursor = await cursorOf({ limit: 3 });
    const found = await page({ limit: 5, cursor });
    expect(found.ok && found.value.rows.map(({ id }) => id)).toEqual(['r3', 'r4', 'r5', 'r6', 'r7']);
  });

  it('refuses a cursor of other filters, of another list, of another caller, and an invalid one', async () => {
    const cursor = await cursorOf({ limit: 3, state: 'open' });
    const refused = { ok: false, error: { code: 'INVALID_REQUEST', field: 'cursor' } };
    const changed = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as { k: unknown[] };
    const forged = Buffer.from(JSON.stringify({ ...changed, k: [1, 'r9'] })).toString('base64url');
    expect(await page({ state: 'open', cursor })).toMatchObject({ ok: true });
    expect(await page({ state: 'closed', cursor })).toMatchObject(refused);
    expect(await page({ cursor })).toMatchObject(refused);
    expect(await page({ state: 'open', cursor }, { id: 'list_others' })).toMatchObject(refused);
    expect(await page({ state: 'open', cursor }, { caller: { ...caller, principalId: 'p2' } })).toMatchObject(
      refused,
    );
    const endless = Buffer.from('{"k":[1e400,"r9"],"h":"x"}').toString('base64url');
    for (const wrong of ['', 'x', 'bnVsbA', forged, endless, cursor.slice(0, -2)])
      expect(await page({ state: 'open', cursor: wrong })).toMatchObject(refused);
  });
});
