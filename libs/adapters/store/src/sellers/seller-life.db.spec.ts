import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createBookedBuy, createOrganization, openTestStore, type BookedBuyRows } from '@switchyard/testing';
import { openStore } from '../core/open-store.js';
import { sellerLife, type SellerFigures } from './seller-life.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

const life = sellerLife(store);
const dayMs = 86_400_000;
const hourMs = 3_600_000;
const now = Date.UTC(2026, 11, 20);
const since = now - 30 * dayMs;

interface Reported {
  /** Days before now that the day ended. */
  readonly day: number;
  /** Hours after its end that the report came. */
  readonly hours: number;
  readonly spend: bigint;
  readonly version?: number;
  readonly isCurrent?: boolean;
  readonly granularity?: string;
  readonly currency?: string;
}

const report = (buy: BookedBuyRows, of: Reported) =>
  store.inTenant(buy, async (client) => {
    const end = now - of.day * dayMs;
    await client.query(
      `insert into report_version (id, organization_id, connection_id, seller, media_buy_id, seller_buy_id, package_ref,
         period_start, period_end, granularity, version, is_current, notification_type, stream, reported_at, received_at,
         source, operation_id, currency, spend_micros, spend_text)
       values ($1, $2, $3, $4, $5, $6, 'p1', $7, $8, $9, $10, $11, 'scheduled', 's', $12, $12, 'webhook', $13, $14, $15, '')`,
      [
        ...[randomUUID(), buy.organizationId, buy.connectionId, buy.seller, buy.mediaBuyId, buy.sellerBuyId],
        ...[new Date(end - dayMs), new Date(end), of.granularity ?? 'daily', of.version ?? 1],
        ...[of.isCurrent ?? true, new Date(end + of.hours * hourMs), buy.operationId],
        ...[of.currency ?? 'EUR', of.spend.toString()],
      ],
    );
  });

const bought = async (): Promise<BookedBuyRows> =>
  createBookedBuy(store, (await createOrganization(store)).id);

async function figures(buy: BookedBuyRows): Promise<SellerFigures> {
  const found = (await life.figures(buy, [buy.connectionId], since)).get(buy.connectionId);
  if (found === undefined) throw new Error('The seller has no figures.');
  return found;
}

describe('the figures of a seller', () => {
  it("include the median and the maximum delay of a day's first report", async () => {
    const buy = await bought();
    for (const [day, hours] of [
      [1, 2],
      [2, 4],
      [3, 30],
      // Before the end of the day, and before the requested time: neither counts.
      [4, -3],
      [31, 500],
    ] as const)
      await report(buy, { day, hours, spend: 1n });
    await report(buy, { day: 1, hours: 90, spend: 1n, version: 2, isCurrent: false });
    const { reportedAfter } = await figures(buy);
    expect(reportedAfter).toEqual({ medianMs: 4 * hourMs, worstMs: 30 * hourMs });
  });

  it('count the restated days, with the changed amount by currency', async () => {
    const buy = await bought();
    await report(buy, { day: 1, hours: 2, spend: 100n, isCurrent: false });
    await report(buy, { day: 1, hours: 9, spend: 70n, version: 2, isCurrent: false });
    await report(buy, { day: 1, hours: 12, spend: 80n, version: 3 });
    await report(buy, { day: 2, hours: 2, spend: 5n, isCurrent: false, currency: 'USD' });
    await report(buy, { day: 2, hours: 3, spend: 9n, version: 2, currency: 'USD' });
    // A repeated figure, and a figure of an unfinished day.
    await report(buy, { day: 3, hours: 2, spend: 7n, isCurrent: false });
    await report(buy, { day: 3, hours: 3, spend: 7n, version: 2 });
    await report(buy, { day: 4, hours: -5, spend: 1n, isCurrent: false });
    await report(buy, { day: 4, hours: 1, spend: 3n, version: 2 });
    const { restatedDays, restated } = await figures(buy);
    expect([restatedDays, restated]).toEqual([
      2,
      [
        { currency: 'EUR', amount: -20n },
        { currency: 'USD', amount: 4n },
      ],
    ]);
  });

  it('are absent without reports', async () => {
    const buy = await bought();
    const found = await figures(buy);
    expect(found).toMatchObject({ restatedDays: 0, restated: [] });
    expect(found).not.toHaveProperty('reportedAfter');
  });

  it('have the changes of each day in UTC, with those that failed and their answer times', async () => {
    const buy = await bought();
    await store.inTenant(buy, (client) =>
      client.query(
        `insert into leg (id, organization_id, operation_id, connection_id, seller, task, dialect, form, outbound, status,
           attempts, elapsed_ms, created_at, updated_at)
         values ($1, $2, $3, $4, 'acme', 'create_media_buy', 'ads', 'service', '{}', 'failed', 1, 120, $5, $5)`,
        [randomUUID(), buy.organizationId, buy.operationId, buy.connectionId, new Date(now - 2 * dayMs)],
      ),
    );
    const { days, calls } = await figures(buy);
    expect(calls).toBe(1);
    expect(days).toEqual([{ day: '2026-12-18', calls: 1, failed: 1, medianMs: 120, slowestMs: 120 }]);
  });

  it('have its buys that are not over, and what is booked of its days by currency', async () => {
    const [buy, other] = [await bought(), await bought()];
    const book = (
      of: BookedBuyRows,
      day: string,
      currency: string,
      micros: number,
      account = 'media_spend',
    ) =>
      store.inTenant(of, (client) =>
        client.query(
          `insert into ledger_balance (organization_id, account, seller, day, currency, amount_micros)
           values ($1, $2, $3, $4, $5, $6)`,
          [of.organizationId, account, of.seller, day, currency, micros],
        ),
      );
    await book(buy, '2026-12-01', 'USD', 7);
    await book(buy, '2026-12-02', 'USD', 5);
    await book(buy, '2026-12-02', 'EUR', 3);
    // Before the requested days, of another account, and of another organization.
    await book(buy, '2026-11-19', 'USD', 100);
    await book(buy, '2026-12-02', 'USD', 100, 'media_payable');
    await book(other, '2026-12-02', 'USD', 100);
    const delivered = [
      { currency: 'EUR', amount: 3n },
      { currency: 'USD', amount: 12n },
    ];
    expect(await figures(buy)).toMatchObject({ running: 1, delivered });
    await store.inTenant(buy, (client) =>
      client.query(`update seller_buy set status = 'completed' where id = $1`, [buy.sellerBuyId]),
    );
    expect(await figures(buy)).toMatchObject({ running: 0, delivered });
  });

  it('exclude reports of other sellers', async () => {
    const [buy, other] = [await bought(), await bought()];
    await report(other, { day: 1, hours: 2, spend: 1n });
    expect(await figures(buy)).not.toHaveProperty('reportedAfter');
  });

  it('are read for many sellers at once, and for none of another organization', async () => {
    const scope = { organizationId: (await createOrganization(store)).id };
    const [one, two] = [
      await createBookedBuy(store, scope.organizationId),
      await createBookedBuy(store, scope.organizationId),
    ];
    const foreign = await bought();
    await report(one, { day: 1, hours: 2, spend: 1n });
    await report(two, { day: 1, hours: 5, spend: 1n });
    const ids = [one, two, foreign].map(({ connectionId }) => connectionId);
    const found = await life.figures(scope, ids, since);
    expect([...found].map(([id, { reportedAfter }]) => [id, reportedAfter?.worstMs]).sort()).toEqual(
      [
        [one.connectionId, 2 * hourMs],
        [two.connectionId, 5 * hourMs],
      ].sort(),
    );
    expect(found.get(one.connectionId)).toEqual(await figures(one));
  });
});
