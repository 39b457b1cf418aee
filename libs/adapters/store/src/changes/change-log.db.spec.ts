import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createBookedBuy, createScope, openTestStore, seededRandom } from '@switchyard/testing';
import { openStore } from '../core/open-store.js';
import { changeLog, type Change, type ChangeFilter } from './change-log.js';
import { comparePlaces, placeText, readPlace, type ChangePlace } from './change-place.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

const log = changeLog(store);
const everything: readonly ChangeFilter[] = [
  { kinds: ['alarm', 'media_buy', 'delivery', 'client', 'operation'], reach: { kind: 'everything' } },
];

type Scope = Awaited<ReturnType<typeof createScope>>;

/** Everything after a place, in pages, as a reader does it. */
async function readAll(
  scope: Scope,
  place: ChangePlace,
  filters = everything,
): Promise<{ readonly changes: readonly Change[]; readonly end: ChangePlace }> {
  const changes: Change[] = [];
  for (let at = place; ;) {
    const page = await log.after(scope, at, filters);
    if (page === 'gone') throw new Error('The place is gone.');
    changes.push(...page.changes);
    at = page.end;
    if (!page.hasMore) return { changes, end: at };
  }
}

const insertClient = `insert into client (id, organization_id, name, sellers, created_at, updated_at)
  select $1::uuid, organization_id, $1::text, '{}', now(), now()
  from (select current_setting('switchyard.organization_id')::uuid as organization_id) as tenant`;

async function addClient(scope: Scope): Promise<string> {
  const id = randomUUID();
  await store.inTenant(scope, (client) => client.query(insertClient, [id]));
  return id;
}

describe('the log of changes', () => {
  it('loses and repeats none while eight writers keep transactions open for random times', async () => {
    const scope = await createScope(store);
    const random = seededRandom(Number(process.env['E2E_SEED'] ?? 20_261_123));
    const [start, written, seen] = [await log.now(), new Set<string>(), new Array<Change>()];
    const writers = Array.from({ length: 8 }, async () => {
      for (let round = 0; round < 25; round += 1) {
        const [id, pauseMs, isKept] = [randomUUID(), random.between(0, 12), random.between(0, 4) > 0];
        await store
          .inTenant(scope, async (client) => {
            await client.query(insertClient, [id]);
            await client.query('select pg_sleep($1)', [pauseMs / 1_000]);
            if (!isKept) throw new Error('rolled back');
          })
          .then(() => written.add(id))
          .catch(() => undefined);
      }
    });
    const state = { isDone: false };
    const all = Promise.all(writers).then(() => (state.isDone = true));
    let place = start;
    // Every read resumes a broken stream from the text that its client stored.
    for (;;) {
      const { isDone } = state;
      const read = await readAll(scope, readPlace(placeText(place)) ?? start);
      seen.push(...read.changes);
      place = seen.at(-1)?.place ?? place;
      if (isDone) break;
    }
    await all;
    const ids = seen.filter(({ kind }) => kind === 'client').map(({ objectId }) => objectId);
    expect(new Set(ids)).toEqual(written);
    expect(ids.length).toBe(written.size);
    expect(written.size).toBeGreaterThan(100);
    expect(seen.map(({ place: at }) => at)).toEqual(seen.map(({ place: at }) => at).toSorted(comparePlaces));
  });

  it('separates several organizations in one statement', async () => {
    const [one, other, silent] = [
      await createScope(store),
      await createScope(store),
      await createScope(store),
    ];
    const start = await log.now();
    const [first, second] = [await addClient(one), await addClient(other)];
    const pages = await log.since(new Map([one, silent].map((scope) => [scope.organizationId, start])));
    const idsOf = (scope: Scope) => pages.get(scope.organizationId)?.changes.map(({ objectId }) => objectId);
    expect([idsOf(one), idsOf(silent), idsOf(other)]).toEqual([[first], [], undefined]);
    expect((await readAll(other, start)).changes.map(({ objectId }) => objectId)).toEqual([second]);
  });

  it('shows changes within a limited reach, and skips the others', async () => {
    const scope = await createScope(store);
    const start = await log.now();
    const [inside, outside] = [await addClient(scope), await addClient(scope)];
    const reach = { kind: 'limited', clientIds: [inside], brandDomains: [], campaignIds: [] } as const;
    const read = await readAll(scope, start, [{ kinds: ['client'], reach }]);
    expect(read.changes).toMatchObject([{ kind: 'client', objectId: inside, clientId: inside }]);
    expect((await readAll(scope, read.end)).changes).toEqual([]);
    const nothing = { ...reach, clientIds: [] };
    expect((await readAll(scope, start, [{ kinds: ['client'], reach: nothing }])).changes).toEqual([]);
    expect((await readAll(scope, start, [{ kinds: ['media_buy'], reach }])).changes).toEqual([]);
    expect((await readAll(scope, start)).changes.map(({ objectId }) => objectId)).toEqual([inside, outside]);
  });

  it('has an entry for the old and the new client of a moved buy, and none for a change without effect', async () => {
    const scope = await createScope(store);
    const { mediaBuyId } = await createBookedBuy(store, scope.organizationId, { packages: ['a'] });
    const start = await log.now();
    const [from, to] = [randomUUID(), randomUUID()];
    const put = (id: string) =>
      store.inTenant(scope, (client) =>
        client.query('update media_buy set client_id = $1 where id = $2', [id, mediaBuyId]),
      );
    for (const id of [from, to, to]) await put(id);
    const shown = async (id: string) => {
      const reach = { kind: 'limited', clientIds: [id], brandDomains: [], campaignIds: [] } as const;
      const { changes } = await readAll(scope, start, [{ kinds: ['media_buy'], reach }]);
      return changes.map(({ action, objectId }) => [action, objectId]);
    };
    expect(await shown(from)).toEqual([
      ['updated', mediaBuyId],
      ['moved', mediaBuyId],
    ]);
    expect(await shown(to)).toEqual([['updated', mediaBuyId]]);
  });

  it('tells only a reader older than the deleted entries that it missed some', async () => {
    const scope = await createScope(store);
    const start = await log.now();
    for (let many = 0; many < 3; many += 1) await addClient(scope);
    const { changes } = await readAll(scope, start);
    const [, second, third] = changes;
    await addClient(scope);
    expect(await log.forget(Date.now() - 3_600_000)).toBe(0);
    await store.inTenant(scope, (client) =>
      client.query(`update change_event set at = at - interval '8 days' where id <= $1`, [
        String(third?.place.id),
      ]),
    );
    expect(await log.forget(Date.now() - 7 * 86_400_000)).toBe(2);
    expect(await log.after(scope, start, everything)).toBe('gone');
    expect(await log.after(scope, second?.place ?? start, everything)).toBe('gone');
    expect((await readAll(scope, third?.place ?? start)).changes).toHaveLength(1);
    expect(await log.forget(Date.now() - 7 * 86_400_000)).toBe(0);
    expect(await log.after(scope, { tx: start.tx * 1_000n + 1_000_000n, id: 0n }, everything)).toBe('gone');
  });
});
