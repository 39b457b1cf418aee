import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { eventLog } from '@switchyard/store';
import { err, ok, type JsonObject } from '@switchyard/values';
import { breaksIn, openFinance, textIn } from './testkit/finance.js';

const { store, clock, sellerAccount, finance } = await openFinance();

describe('figures of a third party', () => {
  it('are shown beside the others in a break; a later file replaces them and is not added to them', async () => {
    const { buy, run, bring, reconcile } = await finance();
    const rows = (spend: string) => `Placement,Buy,Day,Cost\np1,${buy.mediaBuyId},2026-09-03,${spend}\n`;
    const add = (text: string, more: JsonObject = {}) =>
      run('import_figures', {
        body: {
          source: 'adserver',
          file: { name: 'f.csv', text: text.replaceAll('p1', buy.packages[0] ?? '') },
          mapping: { package_id: 'Placement', media_buy_id: 'Buy', day: 'Day', spend: 'Cost' },
          defaults: { currency: 'EUR' },
          ...more,
        },
      });
    expect(await add(rows('400'), { dry_run: true })).toMatchObject(ok({ import_id: null, lines: 1 }));
    expect(await add(rows('400'))).toMatchObject(ok({ version: 1, lines: 1 }));
    expect(await add(`${rows('340')}p1,${buy.mediaBuyId},2026-09-04,5.5\n`)).toMatchObject(
      ok({ version: 2, lines: 2 }),
    );
    await bring('INV-1', '350');
    const kindOf = ({ kind }: JsonObject) => JSON.stringify(kind);
    const found = breaksIn(await reconcile());
    expect(found.toSorted((one, other) => kindOf(other).localeCompare(kindOf(one)))).toMatchObject([
      {
        kind: 'unknown',
        reported: '300',
        invoiced: '350',
        third_party: '345.5',
        third_party_source: 'adserver',
      },
      // By more than the usual tenth, which is a difference of its own.
      { kind: 'third_party', reported: '300', third_party: '345.5', difference: '45.5' },
    ]);
  });

  it.each([
    ['another currency', '{buy},2026-09-03,1,USD\n', /currency is USD, and the buy is in EUR/],
    ['swapped day and month', '{buy},2026-30-09,1,EUR\n', /not a day as YYYY-MM-DD/],
    ['a negative spend', '{buy},2026-09-03,-1,EUR\n', /negative/],
    ['1e400', '{buy},2026-09-03,1e400,EUR\n', /larger than the ledger/],
    ['a buy that nobody knows', 'x,2026-09-03,1,EUR\n', /No buy of yours/],
  ])('with %s are refused with the row, and nothing is stored', async (_, row, reason) => {
    const { buy, run } = await finance(0);
    const text = `media_buy_id,day,spend,currency\n{buy},2026-09-02,1,EUR\n${row}`.replaceAll(
      '{buy}',
      buy.mediaBuyId,
    );
    const done = await run('import_figures', { body: { source: 'a', file: { name: 'f.csv', text } } });
    expect(done).toMatchObject(
      ok({ import_id: null, refused: [{ row: 2, reason: expect.stringMatching(reason) }] }),
    );
  });

  it('far above what their package may cost are asked about, and refused above a hundred times', async () => {
    const { buy, run } = await finance(0);
    const add = (spend: string, answers: Readonly<Record<string, string>> = {}) =>
      run('import_figures', {
        body: {
          source: 'a',
          file: {
            name: 'f.csv',
            text: `media_buy_id,day,spend,currency\n${buy.mediaBuyId},2026-09-02,${spend},EUR\n${buy.mediaBuyId},2026-09-03,1,EUR\n`,
          },
          answers,
        },
      });
    expect(await add('1499')).toMatchObject(ok({ version: 1 }));
    expect(await add('1499.01')).toMatchObject(
      ok({
        import_id: null,
        questions: [{ id: 'plausible', options: [{ option: 'as_written' }, { option: 'refuse' }] }],
      }),
    );
    expect(await add('1499.01', { plausible: 'refuse' })).toMatchObject(ok({ import_id: null }));
    expect(await add('1499.01', { plausible: 'as_written' })).toMatchObject(ok({ version: 2 }));
    expect(await add('100001', { plausible: 'as_written' })).toMatchObject(
      ok({ import_id: null, refused: [{ row: 1, reason: expect.stringContaining('100 times') }] }),
    );
  });

  it('that name a package and day twice are refused completely, without using a version', async () => {
    const { buy, run } = await finance(0);
    const add = (rows: string) =>
      run('import_figures', {
        body: { source: 'a', file: { name: 'f.csv', text: `media_buy_id,day,spend,currency\n${rows}` } },
      });
    const row = `${buy.mediaBuyId},2026-09-02,1,EUR\n`;
    expect(await add(row + row)).toMatchObject(
      ok({ import_id: null, refused: [{ row: 2, reason: expect.stringMatching(/row 1/) }] }),
    );
    expect(await add(row)).toMatchObject(ok({ version: 1 }));
  });
});

describe('a report of a platform', () => {
  const report = async (name: string, more: JsonObject = {}) => {
    const opened = await finance(0);
    const { buy, run, upload, select } = opened;
    const file = new URL(`../../../../libs/domain/ledger/src/reading/testkit/files/${name}`, import.meta.url);
    const text = readFileSync(file, 'utf8')
      .replaceAll('{{media_buy_id}}', buy.mediaBuyId)
      .replaceAll('{{package_id}}', buy.packages[0] ?? '')
      .replaceAll(/6400998877|6400998878/g, buy.packages[0] ?? '')
      .replaceAll('USD', 'EUR');
    const file_id = await upload(name, Buffer.from(text));
    const done = await run('import_figures', { body: { source: 'platform', file_id, ...more } });
    const stored = await select<{ day: string; spend: string; impressions: string }>(
      'select day, spend_micros::text as spend, impressions::text as impressions from third_party_figure',
    );
    return { done, stored };
  };

  it.each([
    ['42-dv360-offline.csv', '123456789'],
    ['44-ttd-decimal-comma.tsv', '123456789'],
    ['45-amazon-dsp.csv', '123456789'],
    ['43-cm360-report.csv', '123450000'],
  ])('%s is stored as it was read, without a mapping', async (name, spend) => {
    const { done, stored } = await report(name, { defaults: { currency: 'EUR' } });
    expect(done).toMatchObject(ok({ version: 1, lines: 1, refused: [] }));
    expect(stored).toEqual([{ day: '2026-11-01', spend, impressions: '12345' }]);
  });

  it('that fits two orders of its days is stored with an answer, and finds its buy by a word of a name', async () => {
    const defaults = { currency: 'EUR' };
    const asked = await report('40-gam-ui.csv', { defaults });
    expect(asked).toMatchObject({
      done: ok({ import_id: null, questions: [{ id: 'dates' }] }),
      stored: [],
    });
    const { done, stored } = await report('40-gam-ui.csv', { defaults, answers: { dates: 'month_first' } });
    expect(done).toMatchObject(ok({ version: 1 }));
    expect(stored).toEqual([{ day: '2026-11-01', spend: '123450000', impressions: '12345' }]);
  });
});

describe('figures that a seller reports for an account', () => {
  const account = {
    account: { account_id: 'acc-1' },
    currency: 'EUR',
    period: { start: '2026-09-01', end: '2026-09-30' },
    timezone: 'UTC',
  };
  const listed = (invoice_id: string, amount: number, status: string) => ({
    invoice_id,
    amount,
    status,
    period: account.period,
  });
  const wanted = (seller: string) => ({ body: { seller, period: '2026-09', account_id: 'acc-1' } });

  it('R33: are compared with all delivered and invoiced amounts, and stored as received', async () => {
    const { organizationId, buy, run, read, bring, reconcile } = await finance();
    await bring('INV-1', '300');
    expect(await reconcile()).toEqual({ matched: 1, breaks: [] });
    const invoices = [
      listed('INV-1', 300, 'issued'),
      listed('INV-2', 20.5, 'past_due'),
      listed('INV-3', 1, 'draft'),
    ];
    sellerAccount.financials = { ...account, spend: { total_spend: 290.25 }, invoices };
    const pulled = await read('pull_figures', wanted(buy.seller));
    expect(pulled).toMatchObject({ currency: 'EUR', total_spend: '290.25' });
    expect(sellerAccount.request).toMatchObject({ account: { account_id: 'acc-1' }, period: account.period });
    const hash = textIn(pulled, 'answer_sha256');
    const stored = await eventLog(store).show({ organizationId }, textIn(pulled, 'event_id'));
    const body = stored?.body ?? Buffer.of();
    expect(JSON.parse(body.toString())).toEqual(sellerAccount.financials);
    expect([stored?.kind, stored?.bodyHash]).toEqual(['pulled_financials', hash]);
    expect(createHash('sha256').update(body).digest('hex')).toBe(hash);

    const found = (await reconcile()) as { matched: number; breaks: JsonObject[] };
    expect(found.matched).toBe(2);
    expect(found.breaks.map(({ kind, polled, difference }) => [kind, polled, difference]).sort()).toEqual([
      ['missing_invoice', '20.5', '20.5'],
      ['unknown', '290.25', '-9.75'],
    ]);
    sellerAccount.financials = { ...account, spend: { total_spend: 300 }, invoices: invoices.slice(0, 1) };
    clock.advance(1);
    await run('pull_figures', wanted(buy.seller));
    expect(await reconcile()).toEqual({ matched: 3, breaks: [] });
  });

  it('are stored as they are above 1.5 times what was ordered only if asked to, and never above 100 times', async () => {
    const { buy, run } = await finance(0);
    const pull = (total: number, more: JsonObject = {}) => {
      sellerAccount.financials = { ...account, spend: { total_spend: total }, invoices: [] };
      return run('pull_figures', { body: { ...wanted(buy.seller).body, ...more } });
    };
    expect(await pull(1_500)).toMatchObject(ok({ total_spend: '1500' }));
    expect(await pull(1_500.01)).toMatchObject(err({ code: 'CONFLICT', field: 'as_written' }));
    expect(await pull(1_500.01, { as_written: true })).toMatchObject(ok({ total_spend: '1500.01' }));
    expect(await pull(100_001, { as_written: true })).toMatchObject(
      err({ code: 'CONFLICT', field: 'seller' }),
    );
  });

  it('name the zone of their days, and none is assumed where the seller names none', async () => {
    const { buy, run, read } = await finance(0);
    const { timezone: _none, ...unnamed } = account;
    sellerAccount.financials = { ...unnamed, invoices: [] };
    const answer = await read('pull_figures', wanted(buy.seller));
    expect(answer['timezone']).toBeUndefined();
    sellerAccount.financials = { ...account, timezone: 'Europe/Madrid', invoices: [] };
    expect(await run('pull_figures', wanted(buy.seller))).toMatchObject(ok({ timezone: 'Europe/Madrid' }));
    expect(await read('show_seller_calendar', { params: { slug: buy.seller } })).toMatchObject({
      zones: [{ time_zone: 'Europe/Madrid', by: 'account' }],
    });
  });

  it('are not stored if the seller does not answer, or answers something else', async () => {
    const { buy, run } = await finance(0);
    delete sellerAccount.financials;
    expect(await run('pull_figures', wanted(buy.seller))).toMatchObject(err({ code: 'UNAVAILABLE' }));
    sellerAccount.financials = { ...account, currency: 'euro' };
    expect(await run('pull_figures', wanted(buy.seller))).toMatchObject(err({ code: 'UNAVAILABLE' }));
    expect(await run('pull_figures', wanted('nobody'))).toMatchObject(err({ code: 'NOT_FOUND' }));
    const { account_id: _none, ...unnamed } = wanted(buy.seller).body;
    expect(await run('pull_figures', { body: unnamed })).toMatchObject(
      err({ code: 'INVALID_REQUEST', field: 'account_id' }),
    );
  });
});
