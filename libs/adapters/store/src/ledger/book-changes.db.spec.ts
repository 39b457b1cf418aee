import { afterAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { applyObservation, type BuyChange } from '@switchyard/buys';
import { createScope, makeOperation, openTestStore, testClock } from '@switchyard/testing';
import { operationStore } from '../buys/operation-store.js';
import { openStore } from '../core/open-store.js';
import { alarmRepository } from '../signing/alarm-repository.js';
import { bookChanges } from './book-changes.js';
import { ledgerStore } from './ledger-store.js';

const at = Date.UTC(2026, 10, 21, 12);

const { store, database, stop } = await openTestStore(openStore);
const owner = new pg.Pool({ connectionString: database.ownerUrl, max: 2 });
afterAll(() => owner.end());
afterAll(stop);

const operations = operationStore(store);
const ledger = ledgerStore(store);

interface Bought {
  readonly scope: { readonly organizationId: string };
  readonly mediaBuyId: string;
  readonly legId: string;
  readonly sellerBuyId: string;
}

/** A buy at two sellers that have both accepted, in an organization of its own. */
async function bought(): Promise<Bought> {
  const scope = await createScope(store);
  const draft = makeOperation(scope, { sellers: ['acme', 'bravo'], packagesPerLeg: 2 });
  await operations.begin(scope, draft);
  for (const { id } of draft.legs) {
    const payload = {
      media_buy_id: `their-${id}`,
      confirmed_at: null,
      packages: [{ package_id: 'p1' }, { package_id: 'p2' }],
    };
    const reply = { status: 'completed' as const, payload, errors: [], replayed: false };
    await operations.change(scope, id, (state) =>
      applyObservation(state, id, { source: 'inline', at, reply }),
    );
  }
  const [leg] = draft.legs;
  const [sellerBuy] = draft.sellerBuys;
  return { scope, mediaBuyId: draft.buy.id, legId: leg!.id, sellerBuyId: sellerBuy!.id };
}

/** Writes changes of the first seller's part, as a change of a buy does. */
async function changed(
  { scope, legId, mediaBuyId, sellerBuyId }: Bought,
  ...changes: Partial<BuyChange>[]
): Promise<void> {
  await operations.change(scope, legId, (state) => ({
    ...state,
    operation: { ...state.operation, updatedAt: at + 1 },
    changes: changes.map((more, index) => ({
      mediaBuyId,
      sellerBuyId,
      legId,
      operationId: state.operation.id,
      seller: 'acme',
      revision: 2,
      actor: 'buyer',
      action: 'update_packages',
      detail: {},
      at: at + 1 + index,
      ...more,
    })),
  }));
}

const repository = ({ scope }: Bought, limit = 256) => ledger.bookChanges(scope, at + 60_000, limit);
const kindsOf = async ({ scope, mediaBuyId }: Bought) =>
  (await ledger.entriesOf(scope, mediaBuyId)).map(({ kind }) => kind);

describe('changes of commitments', () => {
  it('are in the chain without postings, each once, with their object', async () => {
    const buy = await bought();
    await changed(
      buy,
      { action: 'update_packages', packageId: 'p1', detail: { budget: '2500.5' } },
      { action: 'update_dates', detail: { end_time: '2026-12-31T00:00:00Z' } },
      { action: 'cancel', detail: { fees: [{ package_id: 'p1', terms: 'A fixed fee is due: 100 EUR.' }] } },
    );
    expect(await repository(buy)).toBe(5);
    expect(await repository(buy)).toBe(0);
    const entries = await ledger.entriesOf(buy.scope, buy.mediaBuyId);
    expect(entries.map(({ kind }) => kind)).toEqual(['bought', 'bought', 'changed', 'changed', 'canceled']);
    expect(entries.flatMap(({ postings }) => postings)).toEqual([]);
    expect(new Set(entries.slice(0, 2).map(({ seller }) => seller))).toEqual(new Set(['acme', 'bravo']));
    expect(entries[0]).toMatchObject({
      occurredAt: at,
      facts: {
        action: 'create',
        detail: {
          confirmed_at: null,
          packages: [{ package_id: 'p1', currency: 'USD' }, { package_id: 'p2' }],
        },
      },
    });
    expect(entries[2]?.facts).toMatchObject({ package_id: 'p1', revision: 2, detail: { budget: '2500.5' } });
    expect(entries[4]?.facts['detail']).toEqual({
      fees: [{ package_id: 'p1', terms: 'A fixed fee is due: 100 EUR.' }],
    });
    expect(await ledger.verify(buy.scope)).toMatchObject({ ok: true, entries: 5n, head: { number: 1n } });
  });

  it('are booked by one of several workers, in as many blocks as needed', async () => {
    const buy = await bought();
    await changed(buy, ...Array.from({ length: 20 }, (_, index) => ({ detail: { budget: String(index) } })));
    const booked = await Promise.all(Array.from({ length: 8 }, () => repository(buy, 4)));
    expect(booked.reduce((sum, count) => sum + count, 0)).toBe(22);
    expect(await kindsOf(buy)).toHaveLength(22);
    const budgets = (await ledger.entriesOf(buy.scope, buy.mediaBuyId))
      .slice(2)
      .map(({ facts }) => facts['detail']);
    expect(budgets).toEqual(Array.from({ length: 20 }, (_, index) => ({ budget: String(index) })));
    expect(await ledger.verify(buy.scope)).toMatchObject({ ok: true, entries: 22n });
  });

  it('wait for the next run if the worker dies, and are booked once', async () => {
    const buy = await bought();
    const dying = store.inTenant(buy.scope, async (client) => {
      await bookChanges(client, at, 256);
      throw new Error('The process died.');
    });
    await expect(dying).rejects.toThrow('The process died.');
    expect(await ledger.head(buy.scope)).toMatchObject({ number: 0n });
    expect(await repository(buy)).toBe(2);
    expect(await ledger.verify(buy.scope)).toMatchObject({ ok: true, entries: 2n });
  });

  it('that were refused are in the chain as evidence, and raise one alarm', async () => {
    const buy = await bought();
    await changed(buy, {
      actor: 'seller',
      action: 'refused_transition',
      detail: { from: 'canceled', to: 'active' },
    });
    expect(await repository(buy)).toBe(3);
    expect(await repository(buy)).toBe(0);
    expect(await kindsOf(buy)).toEqual(['bought', 'bought', 'observation']);
    const alarms = await alarmRepository(store, testClock(at)).list(buy.scope, {});
    expect(alarms).toMatchObject([
      {
        kind: 'illegal_transition',
        subject: `media_buy ${buy.mediaBuyId} acme`,
        detail: { seller: 'acme', from: 'canceled', to: 'active' },
        count: 1,
      },
    ]);
  });

  it('R40: of a purchase are refused a second time, after any replay', async () => {
    const buy = await bought();
    await expect(changed(buy, { action: 'create' })).rejects.toThrow(/buy_change_one_purchase/);
  });

  it('are not visible to another organization', async () => {
    const [mine, theirs] = [await bought(), await bought()];
    expect(await repository(mine)).toBe(2);
    expect(await kindsOf({ ...theirs, scope: mine.scope })).toEqual([]);
    expect(await repository(theirs)).toBe(2);
  });

  it.each([
    [
      'edited',
      `update buy_change set detail = '{"budget":"1"}' where organization_id = $1 and action = 'cancel'`,
    ],
    ['moved to another time', `update buy_change set at = at + interval '1 day' where organization_id = $1`],
    ['moved to another seller', `update buy_change set seller = 'other' where organization_id = $1`],
    ['removed', `delete from buy_change where organization_id = $1 and action = 'cancel'`],
    ['released to be booked again', `update buy_change set entry_id = null where organization_id = $1`],
  ])('that were %s afterwards are detected', async (_, statement) => {
    const buy = await bought();
    await changed(buy, { action: 'cancel' });
    expect(await repository(buy)).toBe(3);
    expect((await ledger.verify(buy.scope)).ok).toBe(true);
    await owner.query(statement, [buy.scope.organizationId]);
    const verdict = await ledger.verify(buy.scope);
    expect(new Set(verdict.problems.map(({ code }) => code))).toEqual(new Set(['change_differs']));
  });
});
