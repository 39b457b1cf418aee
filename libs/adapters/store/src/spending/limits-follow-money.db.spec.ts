import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { SpendingLimit } from '@switchyard/buys';
import { isBelowBooked } from '@switchyard/ledger';
import type { TenantScope } from '@switchyard/tenancy';
import { createScope, openTestStore } from '@switchyard/testing';
import { must } from '@switchyard/values';
import { openStore } from '../core/open-store.js';
import { withClient } from '../migrate/database-client.js';
import { commitmentEnds } from './end-commitment.js';
import { limitChecks } from './limit-sums.js';
import { spendingLimits } from './spending-limits.js';
import { committedBuys } from './testkit/committed-buys.js';

const { store, database, stop } = await openTestStore(openStore);
afterAll(stop);

const limits = spendingLimits(store);
const checks = limitChecks(store);
const unit = 1_000_000n;
const at = Date.UTC(2026, 10, 10, 12);
const hourMs = 3_600_000;
const flight = [Date.UTC(2026, 10, 1), Date.UTC(2026, 11, 31)] as const;
const december = [Date.UTC(2026, 11, 1), Date.UTC(2026, 11, 31)] as const;
const november = [Date.UTC(2026, 10, 1), Date.UTC(2026, 10, 30)] as const;

async function limited(more: Partial<SpendingLimit> = {}) {
  const scope = await createScope(store);
  const limit: SpendingLimit = {
    ...{
      id: randomUUID(),
      kind: 'organization',
      key: '',
      amount: 1_000n * unit,
      currency: 'USD',
      above: 'refuse',
    },
    createdAt: at,
    ...more,
  };
  await limits.set(scope, limit, randomUUID());
  const buys = await committedBuys(store, scope);
  return { scope, limit, ...buys };
}

/** What counts against the only limit, in whole units. */
async function used(scope: TenantScope, when = at): Promise<string> {
  const [use] = await limits.list(scope, { reach: { kind: 'everything' }, at: when, limit: 10 });
  return (use?.sums ?? []).map((sum) => `${sum.pending / unit} + ${sum.committed / unit}`).join();
}

const stateOf = async (scope: TenantScope, sellerBuyId: string): Promise<unknown> =>
  store.inTenant(scope, async (client) => {
    const { rows } = await client.query<{ state: string }>(
      'select state from spend_part where seller_buy_id = $1',
      [sellerBuyId],
    );
    return rows[0]?.state;
  });

it('is not below what is booked of a buy from before commitments were spread over months, once migrated', async () => {
  const { scope, bought, report } = await limited({ per: 'month' });
  const buys = [
    await bought({ amount: 500n * unit, flight, createdAt: at }),
    await bought({ amount: 300n * unit, flight, createdAt: at }),
  ];
  await report(buys[0]!, { day: december[0], spend: '200' });
  await report(buys[1]!, { day: at, spend: '250' });
  await store.inTenant(scope, async (client) => {
    await client.query(
      `update spend_commitment set months = null, month_micros = null,
         state = case when media_buy_id = $1 then 'released' else state end`,
      [buys[1]!.draft.buy.id],
    );
  });
  expect((await checks.sums(scope)).filter(isBelowBooked).map(({ month }) => month)).toEqual(['2026-12']);
  const migration =
    '../../../../../prisma/migrations/20261206090000_old_commitments_follow_the_money/migration.sql';
  const sql = readFileSync(new URL(migration, import.meta.url), 'utf8');
  must(await withClient(database.ownerUrl, (client) => client.query(sql)));
  expect((await checks.sums(scope)).filter(isBelowBooked)).toEqual([]);
  expect([await used(scope), await used(scope, december[0])]).toEqual(['0 + 550', '0 + 200']);
});

describe('a limit of 1,000', () => {
  it('refuses a second buy while a canceled one may have spent the limit, and is never exceeded', async () => {
    const { scope, request, answer, becomes, report } = await limited();
    const kinds: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      const { kind, ...buy } = await request({ amount: 1_000n * unit, flight, createdAt: at });
      kinds.push(kind);
      if (kind !== 'stored') continue;
      await answer(buy, 'completed', at);
      await becomes(buy, 'active', at);
      await becomes(buy, 'canceled', at + hourMs);
      expect(await stateOf(scope, buy.sellerBuyId)).toBe('winding_down');
      // The seller has spent 900 by now, and nobody knows before its report.
      expect(await used(scope)).toBe('0 + 1000');
      kinds.push((await request({ amount: unit, flight, createdAt: at + hourMs })).kind);
      await report(buy, { day: at, spend: '900', isLast: true });
      expect(await stateOf(scope, buy.sellerBuyId)).toBe('final');
      expect(await used(scope)).toBe('0 + 900');
    }
    expect(kinds).toEqual(['stored', 'over', 'over', 'over']);
  });

  it.each(['rejected', 'canceled'] as const)(
    'is free at once of a part that is %s before it began',
    async (end) => {
      const { scope, bought, becomes, report } = await limited();
      const buy = await bought({ amount: 1_000n * unit, flight: december, createdAt: at });
      await becomes(buy, 'active', at);
      await becomes(buy, end, december[0] - 1);
      expect([await stateOf(scope, buy.sellerBuyId), await used(scope)]).toEqual(['final', '0 + 0']);
      // A seller that bills it all the same is counted.
      await report(buy, { day: december[0], spend: '40' });
      expect((await checks.sums(scope)).filter(isBelowBooked)).toEqual([]);
      expect([await stateOf(scope, buy.sellerBuyId), await used(scope)]).toEqual([
        'winding_down',
        '0 + 1000',
      ]);
    },
  );

  it.each(['rejected', 'canceled'] as const)(
    'keeps a part that is %s when it began or later',
    async (end) => {
      const { scope, bought, becomes } = await limited();
      const buy = await bought({ amount: 1_000n * unit, flight: december, createdAt: at });
      await becomes(buy, end, december[0]);
      expect([await stateOf(scope, buy.sellerBuyId), await used(scope)]).toEqual([
        'winding_down',
        '0 + 1000',
      ]);
    },
  );

  it('takes a part whose start is "asap" as begun with the confirmation of its seller', async () => {
    const { scope, bought, becomes } = await limited();
    const asap = { amount: 400n * unit, flight, createdAt: at, startsAsap: true };
    const [begun, early] = [await bought(asap), await bought(asap)];
    await becomes(begun, 'canceled', at);
    await becomes(early, 'canceled', at - 1);
    expect([await stateOf(scope, begun.sellerBuyId), await stateOf(scope, early.sellerBuyId)]).toEqual([
      'winding_down',
      'final',
    ]);
    expect(await used(scope)).toBe('0 + 400');
  });

  it('keeps a part that its seller completed until the final figures, whenever it says that it began', async () => {
    const { scope, bought, becomes, request, report } = await limited();
    const wanted = { amount: 1_000n * unit, flight, createdAt: at, startsAsap: true };
    const buy = await bought(wanted);
    // The clocks of two machines: it is completed before it was confirmed.
    await becomes(buy, 'completed', at - 1);
    expect([await stateOf(scope, buy.sellerBuyId), await used(scope)]).toEqual(['winding_down', '0 + 1000']);
    expect((await request({ ...wanted, amount: unit })).kind).toBe('over');
    await report(buy, { day: at, spend: '900', isLast: true });
    expect([await stateOf(scope, buy.sellerBuyId), await used(scope)]).toEqual(['final', '0 + 900']);
  });

  it('is free of what a seller refuses', async () => {
    const { scope, request, answer } = await limited();
    const { kind, ...refused } = await request({ amount: 1_000n * unit, flight, createdAt: at });
    await answer(refused, 'rejected', at);
    expect([kind, await used(scope)]).toEqual(['stored', '0 + 0']);
  });

  it('has no room left, and less than none, where a seller delivers or invoices more than was bought', async () => {
    const { scope, bought, report, invoice, request } = await limited();
    const buy = await bought({ amount: 1_000n * unit, flight, createdAt: at });
    await report(buy, { day: at, spend: '1080' });
    expect(await used(scope)).toBe('0 + 1080');
    await invoice(buy, 1_100n * unit, at);
    expect(await used(scope)).toBe('0 + 1100');
    const found = await limits.standings(scope, {
      ...{ principalId: randomUUID(), belonging: {}, at },
      parts: [{ legId: randomUUID(), seller: 'acme', amount: 1n, currency: 'USD' }],
    });
    expect(found).toMatchObject({ standings: [{ left: -100n * unit, isExceeded: true }] });
    expect((await request({ amount: 1n, flight, createdAt: at })).kind).toBe('over');
  });

  it('follows a restatement of a buy that is over', async () => {
    const { scope, bought, becomes, report } = await limited();
    const buy = await bought({ amount: 1_000n * unit, flight, createdAt: at });
    await becomes(buy, 'completed', at);
    await report(buy, { day: at, spend: '400', isLast: true });
    expect(await used(scope)).toBe('0 + 400');
    await report(buy, { day: at, spend: '450', isLast: true, source: 'pull' });
    expect(await used(scope)).toBe('0 + 450');
  });

  it('frees what a lower budget leaves once a report made after it says what was spent', async () => {
    const { scope, bought, budgeted, report, request } = await limited();
    const buy = await bought({ amount: 1_000n * unit, flight, createdAt: at - 48 * hourMs });
    await report(buy, { day: at - 24 * hourMs, spend: '100' });
    await budgeted(buy, 700n * unit, at);
    // The seller has spent 900 by now, and nobody knows before its report.
    expect(await used(scope)).toBe('0 + 1000');
    expect((await request({ amount: unit, flight, createdAt: at })).kind).toBe('over');
    await report(buy, { day: at - 24 * hourMs, spend: '110' });
    expect(await used(scope)).toBe('0 + 1000');
    await report(buy, { day: at, spend: '790' });
    expect(await used(scope)).toBe('0 + 900');
    await budgeted(buy, 50n * unit, at + 30 * 24 * hourMs);
    expect(await used(scope)).toBe('0 + 900');
  });

  it('keeps the greatest of several budgets that were lowered since the last report, and frees it with the last one', async () => {
    const { scope, bought, budgeted, becomes, report } = await limited();
    const buy = await bought({ amount: 1_000n * unit, flight, createdAt: at });
    await budgeted(buy, 500n * unit, at);
    await budgeted(buy, 300n * unit, at + hourMs);
    await becomes(buy, 'completed', at + 2 * hourMs);
    expect(await used(scope)).toBe('0 + 1000');
    await report(buy, { day: at, spend: '450', isLast: true });
    expect([await stateOf(scope, buy.sellerBuyId), await used(scope)]).toEqual(['final', '0 + 450']);
  });

  it('frees what a lower budget leaves at once before the flight begins', async () => {
    const { scope, bought, budgeted } = await limited();
    const buy = await bought({ amount: 1_000n * unit, flight: december, createdAt: at });
    await budgeted(buy, 100n * unit, december[0] - 1);
    expect(await used(scope)).toBe('0 + 100');
  });

  it('counts the fee of a cancellation by the terms that were quoted', async () => {
    const { scope, bought, becomes, report } = await limited();
    const quoted = { cancellation_policy: { cancellation_fee: { type: 'percent_remaining', rate: 0.2 } } };
    const buy = await bought({ amount: 1_000n * unit, flight, createdAt: at, quoted });
    await becomes(buy, 'canceled', at);
    await report(buy, { day: at, spend: '500', isLast: true });
    expect(await used(scope)).toBe('0 + 600');
    const early = await bought({ amount: 400n * unit, flight: december, createdAt: at, quoted });
    await becomes(early, 'canceled', at);
    expect([await stateOf(scope, early.sellerBuyId), await used(scope)]).toEqual(['final', '0 + 680']);
  });

  it('waits for the figures of the last day, whatever the earlier days say', async () => {
    const { scope, bought, becomes, report } = await limited();
    const buy = await bought({ amount: 1_000n * unit, flight: november, createdAt: at });
    await report(buy, { day: at, spend: '300' });
    await becomes(buy, 'completed', november[1]);
    expect([await stateOf(scope, buy.sellerBuyId), await used(scope)]).toEqual(['winding_down', '0 + 1000']);
  });
});

describe('the end of a commitment by a person', () => {
  const dayMs = 24 * hourMs;
  const everything = { kind: 'everything' } as const;
  const ends = commitmentEnds(store);

  it('is possible ten days after the times of the seller, and leaves what was delivered', async () => {
    const { scope, bought, becomes, report } = await limited();
    const measurement_terms = { billing_measurement: { finalization_deadline_hours: 48 } };
    const buy = await bought({ amount: 1_000n * unit, flight, createdAt: at, quoted: { measurement_terms } });
    const end = {
      ...{ mediaBuyId: buy.draft.buy.id, seller: 'acme', reach: everything },
      ...{ by: randomUUID(), reason: 'It sends nothing more.' },
    };
    expect(await ends.end(scope, end, at)).toEqual({ kind: 'not_winding_down', state: 'live' });
    await becomes(buy, 'completed', at);
    await report(buy, { day: at, spend: '300' });
    const from = at + 12 * dayMs;
    expect(await ends.end(scope, end, from - 1)).toEqual({ kind: 'too_early', from });
    const none = { kind: 'limited', clientIds: [], brandDomains: [], campaignIds: [] } as const;
    expect(await ends.end(scope, { ...end, reach: none }, from)).toEqual({ kind: 'not_found' });
    expect(await ends.end(await createScope(store), end, from)).toEqual({ kind: 'not_found' });
    expect(await used(scope)).toBe('0 + 1000');
    const ended = await ends.end(scope, end, from);
    expect(ended).toEqual({ kind: 'ended', committedMicros: 300n * unit, currency: 'USD' });
    expect([await stateOf(scope, buy.sellerBuyId), await used(scope)]).toEqual(['final', '0 + 300']);
    // A report that comes all the same is counted.
    await report(buy, { day: at + dayMs, spend: '400' });
    expect(await used(scope)).toBe('0 + 700');
  });
});

describe('a limit per month', () => {
  const perMonth = { per: 'month' as const };

  it('counts a buy of two months in both, by the days of its flight', async () => {
    const { scope, bought, request } = await limited(perMonth);
    // 21 days of November are left, and 31 of December.
    await bought({ amount: 1_040n * unit, flight, createdAt: at });
    expect([await used(scope), await used(scope, Date.UTC(2026, 11, 1))]).toEqual(['0 + 420', '0 + 620']);
    const kinds = [
      (await request({ amount: 580n * unit, flight: november, createdAt: at })).kind,
      (await request({ amount: unit, flight: november, createdAt: at })).kind,
    ];
    expect(kinds).toEqual(['stored', 'over']);
  });

  it('names the month that has the least room', async () => {
    const { scope, bought, limit } = await limited(perMonth);
    await bought({ amount: 900n * unit, flight: december, createdAt: at });
    const question = {
      ...{ principalId: randomUUID(), belonging: {}, at },
      flight: { startTime: new Date(flight[0]).toISOString(), endTime: new Date(flight[1]).toISOString() },
      parts: [{ legId: randomUUID(), seller: 'acme', amount: 520n * unit, currency: 'USD' }],
    };
    expect(await limits.standings(scope, question)).toMatchObject({
      standings: [{ limit: { id: limit.id }, month: '2026-12', requested: 310n * unit, left: 100n * unit }],
    });
  });

  it('takes what a month books above its share from the next months', async () => {
    const { scope, bought, report } = await limited(perMonth);
    const buy = await bought({ amount: 1_040n * unit, flight, createdAt: at });
    await report(buy, { day: at, spend: '700' });
    expect([await used(scope), await used(scope, Date.UTC(2026, 11, 1))]).toEqual(['0 + 700', '0 + 340']);
  });
});

describe('the check of limits', () => {
  it('finds a limit that counts less than is booked, and none while commitments follow what is booked', async () => {
    const { scope, bought, report, limit, ledger } = await limited();
    await limits.set(scope, { ...limit, id: randomUUID(), per: 'month' }, randomUUID());
    const buy = await bought({ amount: 1_000n * unit, flight, createdAt: at });
    await report(buy, { day: at, spend: '700' });
    const sums = await checks.sums(scope);
    expect(
      sums.map(({ month, committedMicros, bookedMicros }) => [
        month,
        committedMicros / unit,
        bookedMicros / unit,
      ]),
    ).toEqual(
      expect.arrayContaining([
        [undefined, 1_000n, 700n],
        ['2026-11', 700n, 700n],
      ]),
    );
    expect(sums.filter(isBelowBooked)).toEqual([]);
    expect(await ledger.verify(scope)).toMatchObject({ ok: true });
    await store.inTenant(scope, (client) =>
      client.query(`update spend_commitment set amount_micros = 1, months = null, month_micros = null`),
    );
    expect(
      (await checks.sums(scope)).filter(isBelowBooked).map(({ limit: of, month }) => [of, month]),
    ).toEqual(
      expect.arrayContaining([
        ['organization', undefined],
        ['organization', '2026-11'],
      ]),
    );
    const { ok, problems } = await ledger.verify(scope);
    expect([ok, problems.map(({ code }) => code)]).toEqual([
      false,
      ['limit_below_booked', 'limit_below_booked'],
    ]);
  });

  it('is due for an organization whose commitments changed, once', async () => {
    const { scope, bought } = await limited();
    const other = await createScope(store);
    await bought({ amount: unit, flight, createdAt: at });
    const due = await checks.organizations();
    expect([due.includes(scope.organizationId), due.includes(other.organizationId)]).toEqual([true, false]);
    expect([await checks.take(scope), await checks.take(scope)]).toEqual([true, false]);
    expect(await checks.organizations()).not.toContain(scope.organizationId);
  });
});
