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

describe('a report of a measurement vendor that has counts and no amounts', () => {
  /** A buy with a price for each package, and what imports its reports. */
  const bought = async (prices: readonly JsonObject[], packages = ['p1'], days = 0) => {
    const opened = await finance(days, packages);
    const { buy, run, select, organizationId } = opened;
    for (const [at, price] of prices.entries()) {
      const options = [{ pricingOptionId: 'cpm', currency: 'EUR', auction: false, ...price }];
      await select(
        `insert into offered_product (connection_id, product_id, organization_id, seller, offer, offered_at)
         values ($1, $2, $3, $4, $5, now())`,
        [
          buy.connectionId,
          `product-${at}`,
          organizationId,
          buy.seller,
          JSON.stringify({ pricingOptions: options }),
        ],
      );
      await select('update buy_package set product_id = $1 where leg_id = $2 and position = $3', [
        `product-${at}`,
        buy.legId,
        at,
      ]);
    }
    const add = (text: string, more: JsonObject = {}) =>
      run('import_figures', { body: { source: 'ias', file: { name: 'f.csv', text }, ...more } });
    const stored = () =>
      select(
        `select package_ref, day, last_day, spend_micros::text as spend, impressions::text as impressions, basis
         from third_party_figure order by import_id, row`,
      );
    const fileOf = (name: string) => {
      const file = new URL(
        `../../../../libs/domain/ledger/src/reading/testkit/files/${name}`,
        import.meta.url,
      );
      return readFileSync(file, 'utf8')
        .replaceAll('{{media_buy_id}}', buy.mediaBuyId)
        .replaceAll('{{package_id}}', packages[0] ?? '');
    };
    return { ...opened, add, stored, fileOf };
  };

  it('costs what its units cost at the price of each package, for a month too, and says from what', async () => {
    const { add, stored, fileOf } = await bought([{ model: 'vcpm', fixedPrice: '11.18' }]);
    const text = fileOf('48-ias-counts.csv');
    expect(await add(text)).toMatchObject(
      ok({
        import_id: null,
        questions: [
          {
            id: 'counted_impressions',
            options: [{ option: 'Total Ads', example: '26,834' }, { option: 'Eligible Ads' }],
          },
        ],
      }),
    );
    const answers = { counted_impressions: 'Total Ads' };
    const computed = [
      {
        ...{ row: 1, package_id: 'p1', day: '2026-09-01', amount: '205.84616', currency: 'EUR' },
        basis: '18,412 viewable impressions x 11.18 vCPM',
      },
    ];
    expect(await add(text, { answers, dry_run: true })).toMatchObject(
      ok({
        ...{ import_id: null, lines: 1, refused: [], computed },
        preview: {
          rows: [
            {
              day: '2026-09-01',
              last_day: '2026-09-30',
              impressions: '26834',
              viewable_impressions: '18412',
            },
          ],
        },
      }),
    );
    expect(await add(text, { answers })).toMatchObject(ok({ version: 1, lines: 1, computed }));
    expect(await stored()).toEqual([
      {
        ...{
          package_ref: 'p1',
          day: '2026-09-01',
          last_day: '2026-09-30',
          spend: '205846160',
          impressions: '26834',
        },
        basis: { unit: 'viewable_impressions', count: '18412', model: 'vcpm', price: '11.18' },
      },
    ]);
    // Days beside the month of the same source would be added to it.
    const daily = `media_buy_id,day,viewable_impressions\n{{buy}},2026-09-05,10\n`;
    const { buy } = { buy: text.split('\n').at(5)?.split(',')[0] ?? '' };
    expect(await add(daily.replace('{{buy}}', buy))).toMatchObject(
      ok({ import_id: null, refused: [{ row: 1, reason: expect.stringContaining('cut in another way') }] }),
    );
    expect(await add(daily.replace('{{buy}}', buy), { source: 'dv' })).toMatchObject(ok({ version: 1 }));
    expect(await add(text, { answers })).toMatchObject(ok({ version: 2 }));
  });

  it.each([
    ['cpm', '3.333333', ['39.999996', '48.333328']],
    ['cpcv', '0.02', ['162', '184']],
    ['cpc', '0.5', ['60', '65.5']],
  ])(
    'is computed day by day for %s, rounded half to even to a millionth',
    async (model, fixedPrice, amounts) => {
      const { add, fileOf } = await bought([{ model, fixedPrice }]);
      const done = await add(fileOf('49-dv-counts.csv'));
      const expected = amounts.map((amount) => ({ amount }));
      expect(done).toMatchObject(ok({ version: 1, lines: 2, refused: [], computed: expected }));
    },
  );

  it.each<[string, JsonObject | undefined, RegExp]>([
    [
      'a flat rate',
      { model: 'flat_rate', fixedPrice: '900' },
      /bought by flat_rate, which is no price of a counted unit/,
    ],
    [
      'an auction',
      { model: 'cpm', auction: true, floorPrice: '2' },
      /in an auction, and the price that was paid in it is not known/,
    ],
    [
      'a unit that is not counted',
      { model: 'vcpm', fixedPrice: '2' },
      /paid by viewable impressions, and the file counts impressions, clicks, completed views/,
    ],
    [
      'a price in another currency',
      { model: 'cpm', fixedPrice: '2', currency: 'USD' },
      /price of the package is in USD, and the buy in EUR/,
    ],
    ['no known price', undefined, /price for which the package was bought is not known/],
  ])('has no amount for a package with %s, which a person leaves out or not', async (_, price, reason) => {
    const { add, stored, fileOf } = await bought(price === undefined ? [] : [price]);
    const text = fileOf('49-dv-counts.csv');
    expect(await add(text)).toMatchObject(
      ok({ import_id: null, questions: [{ id: 'uncomputed', why: expect.stringMatching(reason) }] }),
    );
    expect(await add(text, { answers: { uncomputed: 'refuse' } })).toMatchObject(
      ok({ import_id: null, refused: [{ row: 1, reason: expect.stringMatching(reason) }, { row: 2 }] }),
    );
    expect(await add(text, { answers: { uncomputed: 'leave_out' } })).toMatchObject(
      ok({ import_id: null, refused: [{ row: 0, reason: expect.stringContaining('No row') }] }),
    );
    expect(await stored()).toEqual([]);
  });

  it('stores the rows that cost something beside those that are left out', async () => {
    const prices = [
      { model: 'cpm', fixedPrice: '10' },
      { model: 'flat_rate', fixedPrice: '9' },
    ];
    const { add, stored, buy } = await bought(prices, ['p1', 'p2']);
    const text = `media_buy_id,package_id,day,impressions\n${buy.mediaBuyId},p1,2026-09-01,1000\n${buy.mediaBuyId},p2,2026-09-01,1000\n`;
    const asked = {
      questions: [
        { id: 'uncomputed', options: [{ example: '1 of 2 rows are stored' }, { option: 'refuse' }] },
      ],
    };
    expect(await add(text)).toMatchObject(ok({ import_id: null, ...asked }));
    expect(await add(text, { answers: { uncomputed: 'leave_out' } })).toMatchObject(
      ok({ version: 1, lines: 1, left_out: [{ row: 2 }], computed: [{ row: 1, amount: '10' }] }),
    );
    expect(await stored()).toMatchObject([{ package_ref: 'p1', spend: '10000000' }]);
  });

  it('takes the price of the insertion order before a later quote', async () => {
    const { add, buy, run, select } = await bought([{ model: 'cpm', fixedPrice: '10' }]);
    await run('make_orders', { body: { media_buy_id: buy.mediaBuyId } });
    const raised = [
      { pricingOptionId: 'cpm', model: 'cpm', currency: 'EUR', auction: false, fixedPrice: '15' },
    ];
    await select('update offered_product set offer = $1', [JSON.stringify({ pricingOptions: raised })]);
    const text = `media_buy_id,package_id,day,impressions\n${buy.mediaBuyId},p1,2026-09-01,1000\n`;
    expect(await add(text)).toMatchObject(ok({ version: 1, computed: [{ amount: '10' }] }));
  });

  it('is what is owed where the terms name a third party, and its difference says from what it came', async () => {
    const { add, buy, bring, reconcile, select, read } = await bought(
      [{ model: 'cpm', fixedPrice: '10' }],
      ['p1'],
      30,
    );
    const terms = {
      sent: {
        measurement_terms: {
          billing_measurement: { vendor: { domain: 'ias.example' }, max_variance_percent: 5 },
        },
      },
    };
    await select('update buy_package set terms = $1 where leg_id = $2', [JSON.stringify(terms), buy.legId]);
    const rows = [1, 2].map((day) => `${buy.mediaBuyId},p1,2026-09-0${day},12000\n`).join('');
    expect(await add(`media_buy_id,package_id,day,impressions\n${rows}`)).toMatchObject(
      ok({ version: 1, lines: 2 }),
    );
    await bring('INV-1', '240');
    const found = breaksIn(await reconcile());
    expect(found).toMatchObject([
      {
        ...{ kind: 'third_party', third_party: '240', third_party_source: 'ias', difference: '-60' },
        cause:
          'ias and the seller count differently, by more than the agreed 5 %. The third party counted 24,000 impressions x 10 CPM.',
      },
    ]);
    const all = breaksIn(await read('list_breaks', { query: {} }));
    expect(all.filter(({ state }) => state === 'resolved')).toMatchObject([
      { kind: 'third_party', cause: expect.stringContaining('24,000 impressions x 10 CPM') },
    ]);
  });

  it('is read by a mapping, which leaves no column out that may be an amount', async () => {
    const { add, buy } = await bought([{ model: 'cpc', fixedPrice: '0.5' }]);
    const mapping = { media_buy_id: 'Buy', day: 'Day', clicks: 'Hits' };
    const text = `Buy,Day,Hits\n${buy.mediaBuyId},2026-09-01,30\n`;
    expect(await add(text, { mapping })).toMatchObject(ok({ version: 1, computed: [{ amount: '15' }] }));
    expect(await add(text)).toMatchObject(ok({ version: 2, computed: [{ amount: '15' }] }));
    const beside = text.replace('Hits', 'Hits,Cost').replace(',30', ',30,12');
    expect(await add(beside, { mapping })).toMatchObject(ok({ import_id: null, refused: [{ row: 1 }] }));
  });

  it('is refused over the end of a month, and as an invoice', async () => {
    const { add, run, buy } = await bought([{ model: 'cpm', fixedPrice: '10' }]);
    const text = `Media Buy ID,Period Start,Period End,Impressions\n${buy.mediaBuyId},2026-09-20,2026-10-10,1000\n`;
    expect(await add(text)).toMatchObject(
      ok({ import_id: null, refused: [{ row: 1, reason: expect.stringContaining('more than one month') }] }),
    );
    const invoice = { seller: buy.seller, file: { name: 'f.csv', text } };
    expect(await run('preview_invoices', { body: invoice })).toMatchObject(
      err({
        code: 'INVALID_REQUEST',
        message: expect.stringContaining('No column of the file holds an amount'),
      }),
    );
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
