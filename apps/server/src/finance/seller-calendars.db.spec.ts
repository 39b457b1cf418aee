import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import { observation, openFinance } from './testkit/finance.js';

const { finance, ledger, clock, call } = await openFinance();

/** A finance department whose seller reports months of New York, and says no zone. */
async function reported(days: readonly (readonly [start: string, end: string, spend: string])[]) {
  const opened = await finance(0);
  const { buy, read } = opened;
  const seller = { params: { slug: buy.seller } };
  for (const [at, [start, end, spend]] of days.entries()) {
    const made = observation(
      buy,
      clock.now() + at,
      { from: at, to: at + 1 },
      [{ packageId: 'p1', spend }],
      'webhook',
    );
    await ledger.applyReports(buy, [{ ...made, report: { ...made.report, period: { start, end } } }], {
      now: clock.now(),
    });
  }
  const spend = async (): Promise<unknown> => {
    const { spend: rows } = await read('ledger_spend', { query: { by: 'month' } });
    return Object.fromEntries(
      (rows as readonly JsonObject[]).map(({ month, spend: amount }) => [month, amount]),
    );
  };
  return { ...opened, seller, spend };
}

// Midnights of +13:00 fit two offsets: they are not guessed.
const auckland = [
  ['2026-09-29T11:00:00.000Z', '2026-09-30T11:00:00.000Z', '100'],
  ['2026-09-30T11:00:00.000Z', '2026-10-01T11:00:00.000Z', '40'],
] as const;

describe('a seller whose time zone nobody said', () => {
  it('is proposed a zone that explains all its periods, and what would move once it is confirmed', async () => {
    const { read, seller, spend } = await reported(auckland);
    expect(await spend()).toEqual({ '2026-09': '140' });
    const before = await read('show_seller_calendar', seller);
    expect(before).toMatchObject({ zones: [], proposal: { time_zone: 'Pacific/Auckland', bounds: 3 } });
    expect(before['moves']).toBeUndefined();
    const confirmed = await read('set_seller_calendar', {
      ...seller,
      body: { time_zone: 'Pacific/Auckland', reason: 'The contract says so.' },
    });
    expect(confirmed).toMatchObject({
      zones: [{ time_zone: 'Pacific/Auckland', by: 'person' }],
      moves: {
        buys: 1,
        figures: 2,
        months: [
          { month: '2026-09', currency: 'EUR', amount: '-40' },
          { month: '2026-10', currency: 'EUR', amount: '40' },
        ],
      },
    });
    expect(confirmed['proposal']).toBeUndefined();
    // Nothing moved yet.
    expect(await spend()).toEqual({ '2026-09': '140' });
  });

  it('has its figures moved by one entry of each buy, with the reason and the person, and moved back', async () => {
    const { read, seller, spend, verify, anna, buy } = await reported(auckland);
    await read('set_seller_calendar', { ...seller, body: { time_zone: 'Pacific/Auckland' } });
    const done = await read('restate_seller_days', {
      ...seller,
      body: { reason: 'Confirmed by the seller.' },
    });
    expect(done).toMatchObject({ buys: 1, figures: 2, entry_ids: [expect.any(String)] });
    expect(await spend()).toEqual({ '2026-09': '100', '2026-10': '40' });
    expect(await verify()).toMatchObject({ problems: [] });
    const [entry] = await ledger.entriesOf(buy, buy.mediaBuyId, { sort: 'newest' });
    expect(entry).toMatchObject({
      kind: 'restatement',
      facts: {
        placed_anew: {
          by: anna.principalId,
          reason: 'Confirmed by the seller.',
          zones: ['Pacific/Auckland'],
        },
      },
    });
    expect(entry?.postings).toEqual([
      { account: 'media_spend', day: '2026-09-29', currency: 'EUR', amountMicros: -100_000_000n },
      { account: 'seller_payable', day: '2026-09-29', currency: 'EUR', amountMicros: 100_000_000n },
      { account: 'media_spend', day: '2026-09-30', currency: 'EUR', amountMicros: 60_000_000n },
      { account: 'seller_payable', day: '2026-09-30', currency: 'EUR', amountMicros: -60_000_000n },
      { account: 'media_spend', day: '2026-10-01', currency: 'EUR', amountMicros: 40_000_000n },
      { account: 'seller_payable', day: '2026-10-01', currency: 'EUR', amountMicros: -40_000_000n },
    ]);
    // The same again moves nothing.
    const again = await read('restate_seller_days', { ...seller, body: { reason: 'Again.' } });
    expect(again).toMatchObject({ buys: 0, entry_ids: [] });
    await read('remove_seller_calendar', seller);
    await read('restate_seller_days', { ...seller, body: { reason: 'It was wrong.' } });
    expect(await spend()).toEqual({ '2026-09': '140', '2026-10': '0' });
    expect(await verify()).toMatchObject({ problems: [] });
  });

  it('has what moves out of a closed month booked on the first open day', async () => {
    const { read, seller, spend, select, verify, organizationId } = await reported(auckland);
    await select(
      `insert into accounting_period (organization_id, period, state, updated_at) values ($1, '2026-09', 'closed', now())`,
      [organizationId],
    );
    await read('set_seller_calendar', { ...seller, body: { time_zone: 'Pacific/Auckland' } });
    await read('restate_seller_days', { ...seller, body: { reason: 'Late.' } });
    expect(await spend()).toEqual({ '2026-09': '140' });
    expect(await verify()).toMatchObject({ problems: [] });
  });

  it('has the next report placed in its zone', async () => {
    const { read, seller, spend, report: _, buy } = await reported([]);
    await read('set_seller_calendar', { ...seller, body: { time_zone: 'Pacific/Auckland' } });
    const made = observation(
      buy,
      clock.now(),
      { from: 0, to: 1 },
      [{ packageId: 'p1', spend: '7' }],
      'webhook',
    );
    const period = { start: '2026-09-30T11:00:00.000Z', end: '2026-10-01T11:00:00.000Z' };
    await ledger.applyReports(buy, [{ ...made, report: { ...made.report, period } }], { now: clock.now() });
    expect(await spend()).toEqual({ '2026-10': '7' });
  });

  it('takes the zone that the seller names for our account before that of a person, unless it overrides', async () => {
    const { read, seller, select, organizationId, buy } = await reported([]);
    await select(
      `insert into seller_calendar (organization_id, seller, declared_zone, declared_at) values ($1, $2, 'Europe/Madrid', now())`,
      [organizationId, buy.seller],
    );
    const zones = async (body: JsonObject) =>
      ((await read('set_seller_calendar', { ...seller, body }))['zones'] as readonly JsonObject[]).map(
        ({ time_zone: zone }) => zone,
      );
    expect(await zones({ time_zone: 'Europe/Lisbon' })).toEqual(['Europe/Madrid', 'Europe/Lisbon']);
    expect(await zones({ time_zone: 'Europe/Lisbon', overrides: true })).toEqual([
      'Europe/Lisbon',
      'Europe/Madrid',
    ]);
    expect(await read('remove_seller_calendar', seller)).toMatchObject({
      zones: [{ time_zone: 'Europe/Madrid', by: 'account' }],
    });
  });

  it.each([
    ['a zone that does not exist', { time_zone: 'Mars/Olympus' }],
    ['an offset instead of a zone', { time_zone: '+02:00' }],
    ['an override without a zone', { overrides: true }],
    ['a day of issue without its calendar', { issue_day: 15 }],
    ['nothing', { reason: 'None.' }],
  ])('refuses %s', async (_what, body) => {
    const { anna, seller } = await reported([]);
    await expect(call(anna, 'set_seller_calendar', { ...seller, body })).rejects.toThrow(/must|needs|goes/);
  });
});

describe('a month', () => {
  it('is over when it is over in the westernmost zone that is in use', async () => {
    const { read, run, seller } = await reported([]);
    const close = () => run('close_period', { params: { period: '2026-10' }, body: {} });
    const before = clock.now();
    clock.advance(Date.parse('2026-11-01T03:00:00Z') - before);
    await read('set_seller_calendar', { ...seller, body: { time_zone: 'America/Los_Angeles' } });
    expect(await close()).toMatchObject({
      ok: false,
      error: { code: 'CONFLICT', message: 'This period is not over yet in America/Los_Angeles.' },
    });
    clock.advance(5 * 3_600_000);
    expect(await close()).toMatchObject({
      ok: false,
      error: { message: 'The figures of 2026-10 were not reconciled since they last changed.' },
    });
  });

  it('lists at its close what was split into it by days, by seller', async () => {
    const { read, buy, verify } = await reported([
      ['2026-10-12T00:00:00.000Z', '2026-11-09T00:00:00.000Z', '560'],
    ]);
    const checklist = async (period: string) =>
      (await read('show_checklist', { params: { period } }))['split_evenly'];
    const row = { seller: buy.seller, currency: 'EUR', figures: 1 };
    expect(await checklist('2026-10')).toEqual([{ ...row, amount: '400' }]);
    expect(await checklist('2026-11')).toEqual([{ ...row, amount: '160' }]);
    expect(await checklist('2026-12')).toEqual([]);
    expect(await verify()).toMatchObject({ problems: [] });
  });

  it('of a seller with a broadcast calendar is proposed as its weeks, and never taken without a person', async () => {
    const { read, run, seller, buy } = await reported([
      ['2026-10-01T00:00:00.000Z', '2026-10-02T00:00:00.000Z', '10'],
    ]);
    await read('set_seller_calendar', { ...seller, body: { billing_calendar: 'broadcast' } });
    const text = `Invoice number,Invoice date,Media buy,Net,Currency\nB-1,2026-11-02,${buy.sellerMediaBuyId ?? ''},10,EUR\n`;
    const file = { name: 'b.csv', text };
    const seen = await run('preview_invoices', { body: { seller: buy.seller, file } });
    expect(seen).toMatchObject({
      ok: true,
      value: {
        questions: [
          {
            id: 'service_days',
            options: expect.arrayContaining([
              { option: '2026-09-28..2026-10-25', example: '2026-09-28 to 2026-10-25' },
              { option: '2026-10-26..2026-11-29', example: '2026-10-26 to 2026-11-29' },
            ]),
          },
        ],
      },
    });
  });
});

describe('every seller', () => {
  it('can be set to wait where a figure crosses the end of a month, unless the seller is set otherwise', async () => {
    const { read, seller, buy } = await reported([]);
    const every = { params: { slug: '-' } };
    expect(await read('set_seller_calendar', { ...every, body: { long_periods: 'hold' } })).toMatchObject({
      seller: '-',
      long_periods: 'hold',
    });
    const apply = async () => {
      const made = observation(
        buy,
        clock.now(),
        { from: 0, to: 1 },
        [{ packageId: 'p1', spend: '56' }],
        'webhook',
      );
      const period = { start: '2026-08-12T00:00:00.000Z', end: '2026-09-09T00:00:00.000Z' };
      const [outcome] = await ledger.applyReports(buy, [{ ...made, report: { ...made.report, period } }], {
        now: clock.now(),
      });
      return outcome;
    };
    expect(await apply()).toMatchObject({ kind: 'quarantined', reasons: [{ code: 'crosses_month' }] });
    await read('set_seller_calendar', { ...seller, body: { long_periods: 'split' } });
    expect(await apply()).toMatchObject({ kind: 'applied' });
    await read('remove_seller_calendar', every);
  });
});
