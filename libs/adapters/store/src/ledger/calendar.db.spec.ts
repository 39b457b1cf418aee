import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { Observation } from '@switchyard/ledger';
import { createBookedBuy, createOrganization, openTestStore, type BookedBuyRows } from '@switchyard/testing';
import { openStore } from '../core/open-store.js';
import { readFigures } from '../finance/read-figures.js';
import { spendBy, type SpendQuestion } from '../finance/spend-by.js';
import { ledgerStore } from './ledger-store.js';

const now = Date.UTC(2026, 11, 20);

const { store, database, stop } = await openTestStore(openStore);
const owner = new pg.Pool({ connectionString: database.ownerUrl, max: 2 });
afterAll(() => owner.end());
afterAll(stop);

const ledger = ledgerStore(store);

const bookedBuy = async (calendar: { declared?: string; long?: string } = {}): Promise<BookedBuyRows> => {
  const { id } = await createOrganization(store);
  const buy = await createBookedBuy(store, id, { packages: ['p1'] });
  await store.inTenant(buy, (client) =>
    client.query(
      `insert into seller_calendar (organization_id, seller, declared_zone, long_periods) values ($1, $2, $3, $4)`,
      [id, buy.seller, calendar.declared ?? null, calendar.long ?? null],
    ),
  );
  return buy;
};

let sequence = 0;
function reported(buy: BookedBuyRows, start: string, end: string, spend: string, at = now): Observation {
  sequence += 1;
  return {
    connectionId: buy.connectionId,
    source: 'webhook',
    stream: `address of ${buy.legId}`,
    report: {
      notificationType: 'scheduled',
      sequenceNumber: sequence,
      period: { start, end },
      currency: 'EUR',
      partialData: false,
      deliveries: [
        {
          mediaBuyId: buy.sellerMediaBuyId ?? '',
          status: 'active',
          isAdjusted: false,
          totals: { spend, original: {} },
          byPackage: [{ packageId: 'p1', spend, impressions: 2_800, original: {} }],
        },
      ],
    },
    reportedAt: at + sequence,
    receivedAt: at + sequence,
    eventId: randomUUID(),
    legId: buy.legId,
  };
}

const apply = (buy: BookedBuyRows, ...observations: readonly Observation[]) =>
  ledger.applyReports(buy, observations, { now });

const spent = async (
  buy: BookedBuyRows,
  question: Partial<SpendQuestion>,
): Promise<Readonly<Record<string, number>>> => {
  const rows = await spendBy(store, buy, { by: ['month'], reach: { kind: 'everything' }, ...question });
  return Object.fromEntries(
    rows
      .filter(({ amount }) => amount !== '0')
      .map((row) => [row['month'] ?? row['day'] ?? '', Number(row.amount) / 1_000_000]),
  );
};

const figuresOf = async (buy: BookedBuyRows, period: string) =>
  (await readFigures(store, buy, { period, invoices: [] })).packages.map(({ countedMicros, units }) => [
    Number(countedMicros) / 1_000_000,
    Number(units),
  ]);

/** Verifies, builds the sums of packages again, and verifies that. */
async function verified(buy: BookedBuyRows): Promise<readonly unknown[]> {
  const first = await ledger.verify(buy);
  const sums = async (): Promise<readonly { readonly amount_micros: string }[]> => {
    const { rows } = await owner.query<{ amount_micros: string }>(
      'select * from package_spend where organization_id = $1 order by month',
      [buy.organizationId],
    );
    return rows;
  };
  const before = await sums();
  await owner.query('select build_package_spend($1)', [buy.organizationId]);
  // A sum that came to zero has no row any more.
  expect(await sums()).toEqual(before.filter((row) => row.amount_micros !== '0'));
  const second = await ledger.verify(buy);
  return [...first.problems, ...second.problems];
}

describe('a seller in Berlin', () => {
  const october = ['2026-09-30T22:00:00.000Z', '2026-10-31T23:00:00.000Z'] as const;

  it('has a month that begins at 22:00 UTC in that month, in every question', async () => {
    const buy = await bookedBuy({ declared: 'Europe/Berlin' });
    await apply(buy, reported(buy, ...october, '310'));
    expect(await spent(buy, {})).toEqual({ '2026-10': 310 });
    expect(await spent(buy, { by: ['day', 'package'] })).toEqual({ '2026-10-01': 310 });
    expect(await spent(buy, { by: ['month', 'package'], asOf: now - 1_000 })).toEqual({});
    expect(await figuresOf(buy, '2026-10')).toEqual([[310, 2_800]]);
    expect(await figuresOf(buy, '2026-09')).toEqual([[0, 0]]);
    expect(await verified(buy)).toEqual([]);
  });

  it('stands in the same month where it declares no zone, because one offset alone fits', async () => {
    const buy = await bookedBuy();
    await apply(buy, reported(buy, ...october, '310'));
    expect(await spent(buy, {})).toEqual({ '2026-10': 310 });
    expect(await verified(buy)).toEqual([]);
  });

  it('is corrected on its own days, late figures of a closed month go to the first open day', async () => {
    const buy = await bookedBuy({ declared: 'Europe/Berlin' });
    const day = ['2026-10-04T22:00:00.000Z', '2026-10-05T22:00:00.000Z'] as const;
    await apply(buy, reported(buy, ...day, '10'));
    await store.inTenant(buy, (client) =>
      client.query(
        `insert into accounting_period (organization_id, period, state, updated_at) values ($1, '2026-10', 'closed', now())`,
        [buy.organizationId],
      ),
    );
    await apply(buy, reported(buy, ...day, '12'));
    expect(await spent(buy, { by: ['day', 'package'] })).toEqual({ '2026-10-05': 10, '2026-11-01': 2 });
    expect(await verified(buy)).toEqual([]);
  });
});

describe('a figure over the end of a month', () => {
  const long = ['2026-10-12T00:00:00.000Z', '2026-11-09T00:00:00.000Z'] as const;

  it('is split by its days, and known days take their part of it in whatever order they come', async () => {
    const buy = await bookedBuy();
    await apply(buy, reported(buy, ...long, '560'));
    expect(await spent(buy, {})).toEqual({ '2026-10': 400, '2026-11': 160 });
    expect(await figuresOf(buy, '2026-10')).toEqual([[400, 2_000]]);
    expect(await figuresOf(buy, '2026-11')).toEqual([[160, 800]]);
    const days = Array.from({ length: 20 }, (_, at) => Date.UTC(2026, 9, 12 + at));
    const iso = (at: number) => new Date(at).toISOString();
    await apply(buy, ...days.slice(0, 5).map((day) => reported(buy, iso(day), iso(day + 86_400_000), '18')));
    for (const day of days.slice(5)) await apply(buy, reported(buy, iso(day), iso(day + 86_400_000), '18'));
    expect(await spent(buy, {})).toEqual({ '2026-10': 360, '2026-11': 200 });
    expect((await figuresOf(buy, '2026-10')).map(([micros]) => micros)).toEqual([360]);
    expect((await figuresOf(buy, '2026-11')).map(([micros]) => micros)).toEqual([200]);
    expect(await verified(buy)).toEqual([]);
  });

  it('waits in quarantine where the seller or the organization is set so', async () => {
    const buy = await bookedBuy({ long: 'hold' });
    const [outcome] = await apply(buy, reported(buy, ...long, '560'));
    expect(outcome).toMatchObject({ kind: 'quarantined', reasons: [{ code: 'crosses_month' }] });
    expect(await spent(buy, {})).toEqual({});
  });

  it.each([
    [
      'a day of its version',
      `update report_version set first_day = '2026-10-13' where organization_id = $1`,
      'version_differs',
    ],
    [
      'a zone of its version',
      `update report_version set zone = 'Europe/Paris' where organization_id = $1`,
      'version_differs',
    ],
    [
      'a sum of a day',
      `update package_spend set days[12] = days[12] + 1, days[13] = -1 where organization_id = $1 and month = '2026-10'`,
      'spent_differs',
    ],
  ])('a verification finds %s that was edited', async (_what, statement, code) => {
    const buy = await bookedBuy();
    await apply(buy, reported(buy, ...long, '560'));
    await owner.query(statement, [buy.organizationId]);
    expect((await ledger.verify(buy)).problems.map((problem) => problem.code)).toContain(code);
  });
});
