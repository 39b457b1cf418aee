import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Observation } from '@switchyard/ledger';
import { controlRequests } from '@switchyard/store';
import { allPermissions } from '@switchyard/tenancy';
import { createBookedBuy, createOrganization, type BookedBuyRows } from '@switchyard/testing';
import type { JsonObject, JsonValue } from '@switchyard/values';
import { observation, openFinanceRoutes, textIn } from './testkit/finance.js';

/**
 * A quarter of an agency with a fault of every kind that finance names: in reports, in files, between figures and invoices, in
 * what a client is billed, and in what is paid. docs/planted-faults.md lists them.
 */
const { store, clock, ledger, call, callAs, createCaller } = await openFinanceRoutes(Date.UTC(2026, 9, 2, 6));
const { id: organizationId } = await createOrganization(store);
const [anna, berta] = [await createCaller(organizationId), await createCaller(organizationId)];
const [done, agreed] = [callAs(anna), callAs(berta)];
const rows = (value: JsonValue | undefined): readonly JsonObject[] => value as readonly JsonObject[];
const select = <Row extends object>(statement: string, values: readonly unknown[] = []) =>
  store.inTenant(
    { organizationId },
    async (client) => (await client.query<Row>(statement, [...values])).rows,
  );

const dayMs = 86_400_000;
const months = ['2026-07', '2026-08', '2026-09'] as const;
type Month = (typeof months)[number];
const lengths: Readonly<Record<Month, number>> = { '2026-07': 31, '2026-08': 31, '2026-09': 30 };
/** Days from the first of September, from which the test's observations count. */
const firstOf: Readonly<Record<Month, number>> = { '2026-07': -62, '2026-08': -31, '2026-09': 0 };
const ids = { client: '', campaign: '' };

/** A buy of 1,000 for each package, of the client, at a seller of its own. */
async function bought(
  seller: string,
  more: { currency?: string; packages?: string[]; budget?: bigint } = {},
) {
  const { currency = 'EUR', packages = ['p1'], budget = 1_000n } = more;
  const own = { seller, currency, packages, budgetMicros: budget * 1_000_000n };
  const buy = await createBookedBuy(store, organizationId, own);
  await select(
    `update media_buy set brand = '{"domain": "nova.example"}', brand_domain = 'nova.example' where id = $1`,
    [buy.mediaBuyId],
  );
  await done('assign_buy', { params: { id: ids.campaign }, body: { media_buy_id: buy.mediaBuyId } });
  await decide();
  return buy;
}

const address = { street: 'Hafenstr. 1', post_code: '20457', city: 'Hamburg', country: 'DE' };

/** An act that waits for the other person, and its approval. */
async function asked(what: string, request: Parameters<typeof done>[1]): Promise<void> {
  await done(what, request);
  await decide();
}

async function decide(): Promise<void> {
  for (const { id } of await select<{ id: string }>(
    `select id from control_request where state = 'open' order by requested_at`,
  )) {
    const decision = { state: 'approved', by: berta.principalId, at: clock.now() } as const;
    await controlRequests(store).decide({ organizationId }, id, decision);
  }
}

type Said = Partial<Parameters<typeof observation>[2]> & {
  readonly spend?: string;
  readonly currency?: string;
  readonly window?: string;
  readonly change?: (made: Observation) => Observation;
};

/** What a seller says of one day of a month: 10 of each package. */
function said(buy: BookedBuyRows, month: Month, day: number, more: Said = {}): Observation {
  const { spend = '10', currency = 'EUR', window, change = (made) => made, ...about } = more;
  const from = firstOf[month] + day;
  const delivered = buy.packages.map((packageId) => ({
    ...{ packageId, spend },
    ...(window !== undefined && { measurementWindow: window }),
  }));
  return change(
    observation(
      buy,
      clock.now(),
      { from, to: from + 1, currency, sequenceNumber: from + 100, ...about },
      delivered,
      'webhook',
    ),
  );
}

const report = (buy: BookedBuyRows, observations: readonly Observation[]) =>
  ledger.applyReports(buy, [...observations], { now: clock.now() });

const daysOf = (month: Month): readonly number[] => Array.from({ length: lengths[month] }, (_, day) => day);
const delivers = (buy: BookedBuyRows, month: Month, more: Said = {}) =>
  report(
    buy,
    daysOf(month).map((day) => said(buy, month, day, more)),
  );

/** An invoice with a line for each package that is named. */
async function bill(buy: BookedBuyRows, month: Month, lines: readonly string[], more: JsonObject = {}) {
  const number = textIn(more, 'invoice_number') || `INV-${buy.seller}`;
  const named = lines.map((line) => [buy.sellerMediaBuyId ?? '', ...line.split(';')].join(','));
  const answer = await done('import_invoice', {
    body: {
      seller: buy.seller,
      file: { name: `${number}.csv`, text: `Order,Item,Net,Units,PO\n${named.join('\n')}\n` },
      mapping: { media_buy_id: 'Order', package_id: 'Item', amount: 'Net', units: 'Units', po_number: 'PO' },
      defaults: { invoice_number: number, issued_on: '2026-10-02', period: month, currency: 'EUR', ...more },
    },
  });
  expect(answer).toMatchObject({ refused: [] });
}

interface Fault {
  readonly kind: string;
  /** Plants it, and answers the kinds that the product has named. */
  readonly found: () => Promise<readonly string[]>;
}

/** What a report is quarantined for; it changes no figure. */
function inReport(kind: string, more: Said | ((buy: BookedBuyRows) => Promise<Said>)): Fault {
  return {
    kind,
    found: async () => {
      const buy = await bought(`report-${kind.replaceAll('_', '-')}`);
      const own = typeof more === 'function' ? await more(buy) : more;
      const before = await spentAt(buy);
      const outcomes = await report(buy, [said(buy, '2026-07', 3, own)]);
      expect(await spentAt(buy)).toBe(before);
      return outcomes.flatMap((outcome) =>
        'reasons' in outcome ? (outcome.reasons as readonly { code: string }[]).map(({ code }) => code) : [],
      );
    },
  };
}

async function spentAt({ mediaBuyId }: BookedBuyRows): Promise<string> {
  const [sum] = await select<{ amount: string }>(
    'select coalesce(sum(amount_micros), 0)::text as amount from package_spend where media_buy_id = $1',
    [mediaBuyId],
  );
  return sum?.amount ?? '';
}

/** Changes one member of what the seller said of the buy. */
const delivery =
  (change: (one: Record<string, unknown>) => object) =>
  (made: Observation): Observation => ({
    ...made,
    report: {
      ...made.report,
      deliveries: made.report.deliveries.map((one) => ({
        ...one,
        ...change(one as unknown as Record<string, unknown>),
      })),
    },
  });
const packagesOf = (one: Record<string, unknown>) => one['byPackage'] as readonly Record<string, unknown>[];

const reportFaults: readonly Fault[] = [
  inReport('currency_mismatch', { currency: 'USD' }),
  inReport('negative_amount', { spend: '-3' }),
  inReport('bad_amount', {
    change: delivery((one) => ({ byPackage: packagesOf(one).map((row) => ({ ...row, spend: 'ten' })) })),
  }),
  inReport('absurd_amount', {
    change: delivery((one) => ({
      byPackage: packagesOf(one).map((row) => ({ ...row, spend: '9'.repeat(11) })),
    })),
  }),
  inReport('beyond_budget', { spend: '1600' }),
  inReport('unknown_package', {
    change: delivery((one) => ({ byPackage: packagesOf(one).map((row) => ({ ...row, packageId: 'p9' })) })),
  }),
  inReport('repeated_row', {
    change: delivery((one) => ({
      byPackage: [...packagesOf(one), ...packagesOf(one).map((row) => ({ ...row, spend: '11' }))],
    })),
  }),
  inReport('unknown_buy', { change: delivery(() => ({ mediaBuyId: 'of-nobody' })) }),
  inReport('bad_period', {
    change: (made) => ({
      ...made,
      report: { ...made.report, period: { start: '2026-07-05T00:00:00Z', end: '2026-07-04T00:00:00Z' } },
    }),
  }),
  inReport('after_final', async (buy) => {
    await delivers(buy, '2026-07');
    await report(buy, [
      said(buy, '2026-07', 30, { notificationType: 'final' as 'scheduled', sequenceNumber: 500 }),
    ]);
    return { spend: '12', sequenceNumber: 501 };
  }),
];

/** A file that is read with one question; with its answer it says what its seller has delivered, and is booked. */
interface AskedFile {
  readonly kind: string;
  readonly text: (order: string) => string;
  readonly answers: JsonObject;
  readonly currency?: string;
  /** What it bills without tax; absent: it is refused by the answer. */
  readonly net?: string;
  readonly daily?: string;
}

const head = 'Invoice,Issued,Currency,Month,Seller buy,Amount';
const plain = (order: string, amount: string, more = ''): string =>
  `A-1,2026-08-02,EUR,2026-07,${order},${amount}${more}`;

const askedFiles: readonly AskedFile[] = [
  {
    kind: 'numbers',
    text: (order) =>
      `Rechnung;Datum;Währung;Leistungsmonat;Auftrag;Betrag\nA-1;2026-08-02;EUR;2026-07;${order};1.550\n`,
    answers: { numbers: 'point' },
    net: '1.55',
    daily: '0.05',
  },
  {
    kind: 'dates',
    text: (order) => `${head}\nA-1,03/08/2026,EUR,2026-07,${order},310.00\n`,
    answers: { dates: 'day_first' },
    net: '310',
  },
  {
    kind: 'factor',
    text: (order) => `${head}\n${plain(order, '310000000')}\n`,
    answers: { factor: 'micros' },
    net: '310',
  },
  {
    kind: 'amount',
    text: (order) =>
      `Invoice,Issued,Currency,Month,Seller buy,Media cost,Total cost\n${plain(order, '310.00,341.00')}\n`,
    answers: { amount: 'Media cost' },
    net: '310',
  },
  {
    kind: 'amount_is',
    text: (order) => `${head},VAT\n${plain(order, '310.00,58.90')}\n`,
    answers: { amount_is: 'net' },
    net: '310',
  },
  {
    kind: 'total',
    text: (order) => `${head}\n${plain(order, '310.00')}\nTotal,,,,,999.00\n`,
    answers: { total: 'lines' },
    net: '310',
  },
  {
    kind: 'last_row',
    text: (order) =>
      `${head}\n${plain(order, '155.00')}\n${plain(order, '155.00')}\n${plain(order, '310.00')}\n`,
    answers: { last_row: 'refuse' },
  },
  {
    kind: 'issued',
    text: (order) => `Invoice,Currency,Month,Seller buy,Amount\nA-1,EUR,2026-07,${order},310.00\n`,
    answers: { issued: '2026-08-02' },
    net: '310',
  },
  {
    kind: 'number',
    text: (order) => `Issued,Currency,Month,Seller buy,Amount\n2026-08-02,EUR,2026-07,${order},310.00\n`,
    answers: { number: 'A-1' },
    net: '310',
  },
  {
    kind: 'currency',
    text: () => 'Invoice,Issued,Month,Amount\nA-1,2026-08-02,2026-07,310.00\n',
    answers: { currency: 'EUR' },
    net: '310',
  },
  {
    kind: 'decimals',
    currency: 'JPY',
    text: (order) => `${head}\nA-1,2026-08-02,JPY,2026-07,${order},310.55\n`,
    answers: { decimals: 'refuse' },
  },
  {
    kind: 'service_days',
    text: () => 'Invoice,Issued,Currency,Amount\nA-1,2026-08-02,EUR,310.00\n',
    answers: { service_days: '2026-07' },
    net: '310',
  },
  {
    kind: 'plausible',
    text: (order) => `${head}\n${plain(order, '1900.00')}\n`,
    answers: { plausible: 'refuse' },
  },
];

const fileFaults: readonly Fault[] = askedFiles.map(({ kind, text, answers, currency, net, daily }) => ({
  kind,
  found: async () => {
    const buy = await bought(`file-${kind.replaceAll('_', '-')}`, currency === undefined ? {} : { currency });
    await delivers(buy, '2026-07', { spend: daily ?? '10', ...(currency !== undefined && { currency }) });
    // A seller with one currency would be taken to bill in it.
    if (kind === 'currency') {
      const connection = { id: buy.connectionId, slug: buy.seller };
      await createBookedBuy(store, organizationId, { connection, currency: 'USD', packages: ['p1'] });
    }
    const file = { name: 'file.csv', text: text(buy.sellerMediaBuyId ?? '') };
    const body = { seller: buy.seller, file };
    const asked = await done('import_invoice', { body });
    expect(asked).toMatchObject({ invoices: [] });
    const booked = await done('import_invoice', { body: { ...body, answers } });
    expect([kind, rows(booked['invoices']).map((one) => one['net'])]).toEqual([
      kind,
      net === undefined ? [] : [net],
    ]);
    return rows(asked['questions']).map((one) => textIn(one, 'id'));
  },
}));

/** A difference between figures and invoices. */
interface Difference {
  readonly kind: string;
  readonly month: Month;
  readonly plant: (buy: BookedBuyRows, month: Month) => Promise<void>;
  readonly packages?: string[];
  readonly budget?: bigint;
  readonly differences: readonly string[];
  /** What it causes in another month. */
  readonly also?: { readonly month: Month; readonly kind: string; readonly difference: string };
}

/** An invoice as its seller wrote it: rows of text and amounts, the first of which names the buy. */
async function brought(buy: BookedBuyRows, month: Month, columns: string, lines: readonly string[]) {
  const number = `INV-${buy.seller}`;
  const named = lines.map((line, at) => {
    const order = at === 0 ? (buy.sellerMediaBuyId ?? '') : '';
    return `${number},2026-10-02,EUR,${month},${order},${line}\n`;
  });
  const text = `Invoice,Issued,Currency,Month,Seller buy,${columns}\n${named.join('')}`;
  const answer = await done('import_invoice', {
    body: { seller: buy.seller, file: { name: 'i.csv', text } },
  });
  expect(answer).toMatchObject({ refused: [], invoices: [{ number }] });
}

const differences: readonly Difference[] = [
  {
    ...{ kind: 'price', month: '2026-07', differences: ['62'] },
    plant: (buy, month) => bill(buy, month, ['p1;372.00;31000;']),
  },
  {
    ...{ kind: 'duplicate_invoice', month: '2026-07', differences: ['310'] },
    plant: async (buy, month) => {
      await bill(buy, month, ['p1;310.00;;']);
      await bill(buy, month, ['p1;310.00;;'], { invoice_number: 'INV-again' });
    },
  },
  {
    ...{ kind: 'missing_package', month: '2026-07', packages: ['p1', 'p2'], differences: ['-310'] },
    plant: (buy, month) => bill(buy, month, ['p1;310.00;;']),
  },
  {
    ...{ kind: 'unknown', month: '2026-07', differences: ['101.13'] },
    plant: (buy, month) => bill(buy, month, ['p1;411.13;;']),
  },
  {
    ...{ kind: 'gross_net', month: '2026-07', differences: ['-46.5'] },
    plant: (buy, month) => bill(buy, month, ['p1;263.50;;']),
  },
  {
    ...{ kind: 'tax_inside', month: '2026-07', differences: ['58.9'] },
    plant: (buy, month) => brought(buy, month, 'Net,VAT', ['368.90,70.09']),
  },
  {
    ...{ kind: 'third_party', month: '2026-07', differences: ['-43.4'] },
    plant: async (buy, month) => {
      await bill(buy, month, ['p1;310.00;;']);
      const text = `Buy,Placement,Day,Cost\n${buy.sellerMediaBuyId ?? ''},p1,2026-07-15,266.60\n`;
      const mapping = { package_id: 'Placement', media_buy_id: 'Buy', day: 'Day', spend: 'Cost' };
      const body = {
        source: 'adserver',
        file: { name: 'third.csv', text },
        mapping,
        defaults: { currency: 'EUR' },
      };
      expect(await done('import_figures', { body })).toMatchObject({ refused: [] });
    },
  },
  {
    ...{ kind: 'other_months', month: '2026-08', differences: ['300'] },
    also: { month: '2026-09', kind: 'missing_invoice', difference: '-300' },
    plant: async (buy, month) => {
      await delivers(buy, '2026-09');
      await bill(buy, month, ['p1;610.00;;']);
    },
  },
  {
    ...{ kind: 'billed_to_order', month: '2026-08', budget: 290n, differences: ['-20'] },
    plant: (buy, month) => bill(buy, month, ['p1;290.00;;']),
  },
  {
    ...{ kind: 'unordered_fee', month: '2026-08', differences: ['31'] },
    plant: (buy, month) =>
      brought(buy, month, 'Description,Amount', ['Display,310.00', 'Ad serving fee,31.00']),
  },
  {
    ...{ kind: 'unassigned_line', month: '2026-08', differences: ['50'] },
    plant: (buy, month) =>
      brought(buy, month, 'Description,Amount', ['Display,310.00', 'Sponsored evening,50.00']),
  },
  {
    ...{ kind: 'exchanged', month: '2026-09', packages: ['p1', 'p2'], differences: ['-50', '50'] },
    plant: async (buy, month) => {
      const from = firstOf[month] + 29;
      const days = { from, to: from + 1, notificationType: 'adjusted' as const, sequenceNumber: 800 };
      const delivered = buy.packages.map((packageId, at) => ({ packageId, spend: at === 0 ? '10' : '60' }));
      await report(buy, [observation(buy, clock.now(), days, delivered, 'webhook')]);
      await bill(buy, month, ['p1;350.00;;', 'p2;300.00;;']);
    },
  },
  {
    ...{ kind: 'units', month: '2026-09', differences: ['60'] },
    plant: (buy, month) => bill(buy, month, ['p1;360.00;36000;']),
  },
  {
    ...{ kind: 'currency', month: '2026-08', differences: ['310'] },
    plant: (buy, month) => bill(buy, month, ['p1;310.00;;'], { currency: 'CHF' }),
  },
  {
    ...{ kind: 'missing_invoice', month: '2026-08', differences: ['-310'] },
    plant: () => Promise.resolve(),
  },
  {
    ...{ kind: 'over_delivery', month: '2026-08', budget: 290n, differences: ['20'] },
    plant: (buy, month) => bill(buy, month, ['p1;310.00;;']),
  },
  {
    ...{ kind: 'wrong_po', month: '2026-08', differences: ['0'] },
    plant: (buy, month) => bill(buy, month, ['p1;310.00;;PO-OTHER']),
  },
  {
    ...{ kind: 'time_zone_cut', month: '2026-09', differences: ['7'] },
    plant: async (buy, month) => {
      await report(buy, [said(buy, month, 30, { spend: '17' })]);
      await bill(buy, month, ['p1;307.00;;']);
    },
  },
  {
    ...{ kind: 'window_mismatch', month: '2026-09', differences: ['-30'] },
    plant: async (buy, month) => {
      await bill(buy, month, ['p1;300.00;;']);
      await report(
        buy,
        daysOf(month).map((day) =>
          said(buy, month, day, { spend: '11', window: 'c7', sequenceNumber: 600 + day }),
        ),
      );
    },
  },
  {
    ...{ kind: 'late_report', month: '2026-09', differences: ['-25'] },
    plant: async (buy, month) => {
      await bill(buy, month, ['p1;300.00;;']);
      clock.advance(2 * dayMs);
      await report(buy, [
        said(buy, month, 20, { spend: '35', notificationType: 'adjusted', sequenceNumber: 700 }),
      ]);
    },
  },
];

const sellerOf = (kind: string): string => `break-${kind.replaceAll('_', '-')}`;
const shown = (found: readonly JsonObject[]) =>
  found.map((one) => ['kind', 'seller', 'difference'].map((name) => textIn(one, name)).join(' ')).toSorted();

const refusals = ['already_here', 'another_total', 'beyond_a_hundred_times'] as const;
const billingChecks = ['no_rule', 'capped', 'over_budget', 'open_difference'] as const;
const stops = ['not_approved', 'held', 'close_with_differences', 'issued_by_its_maker'] as const;

beforeAll(async () => {
  await select('update principal set permissions = $1 where id = any($2::uuid[])', [
    JSON.stringify(allPermissions),
    [anna.principalId, berta.principalId],
  ]);
  ids.client = textIn(await done('add_client', { body: { name: 'Nova Foods' } }), 'client_id');
  await done('add_brand', { body: { domain: 'nova.example', name: 'Nova', client_id: ids.client } });
  const campaign = {
    ...{ name: 'Summer', client_id: ids.client, brand: 'nova.example', currency: 'EUR', budget: '900' },
    ...{ from: '2026-07-01', to: '2026-10-31', po_number: 'PO-1' },
  };
  ids.campaign = textIn(await done('add_campaign', { body: campaign }), 'campaign_id');
}, 60_000);

describe('the faults of a quarter', () => {
  it.each(reportFaults.map((fault) => [fault.kind, fault] as const))(
    'in a report, %s, is found by its kind, and changes no figure',
    async (kind, { found }) => {
      expect(await found()).toContain(kind);
    },
  );

  it.each(fileFaults.map((fault) => [fault.kind, fault] as const))(
    'in a file, %s, is asked about by its kind, and the answer books it as it was meant or refuses it',
    async (kind, { found }) => {
      expect(await found()).toContain(kind);
    },
  );

  it('in a file that no answer can mend are refused, each with its reason', async () => {
    const seller = 'file-dates';
    const [order] = await select<{ id: string }>(
      `select b.seller_media_buy_id as id from seller_buy b join connection c on c.id = b.connection_id where c.slug = $1`,
      [seller],
    );
    const text = (number: string, amount: string): string =>
      `${head}\n${number},2026-08-02,EUR,2026-07,${order?.id ?? ''},${amount}\n`;
    const bring = (number: string, amount: string, more: JsonObject = {}) =>
      call(anna, 'import_invoice', {
        body: { seller, file: { name: 'a.csv', text: text(number, amount) }, ...more },
      });
    const found = {
      already_here: await bring('a 1', '310.00'),
      another_total: await bring('A-2', '12.00', { control_total: '13' }),
      beyond_a_hundred_times: await bring('A-3', '990000.00'),
    } satisfies Readonly<Record<(typeof refusals)[number], unknown>>;
    expect(found).toMatchObject({
      already_here: { ok: false, error: { code: 'CONFLICT' } },
      another_total: { value: { invoices: [], refused: [{ reason: expect.stringMatching(/You said 13/) }] } },
      beyond_a_hundred_times: {
        value: { invoices: [], refused: [{ reason: expect.stringMatching(/may still cost/) }] },
      },
    });
  });

  it('between figures and invoices are found in the month of each, by their kinds and amounts, and no other', async () => {
    for (const { kind, month, plant, packages, budget } of differences) {
      const more = { ...(packages && { packages }), ...(budget !== undefined && { budget }) };
      const buy = await bought(sellerOf(kind), more);
      await delivers(buy, month);
      await plant(buy, month);
    }
    for (const period of months) {
      const { breaks } = await done('reconcile', { body: { period } });
      const own = rows(breaks).filter((one) => textIn(one, 'seller').startsWith('break-'));
      expect([period, ...shown(own)]).toEqual([
        period,
        ...differences
          .filter(({ month }) => month === period)
          .flatMap((one) => one.differences.map((amount) => `${one.kind} ${sellerOf(one.kind)} ${amount}`))
          .concat(
            differences.flatMap(({ kind, also }) =>
              also?.month === period ? [`${also.kind} ${sellerOf(kind)} ${also.difference}`] : [],
            ),
          )
          .toSorted(),
      ]);
    }
  }, 120_000);

  it('in what a client is billed are named before anything is issued', async () => {
    await asked('set_legal_entity', {
      body: { name: 'Agency GmbH', address, tax_id: 'DE123456789', series: 'AG-', currency: 'EUR' },
    });
    const entity = textIn(rows((await done('list_legal_entities'))['entities'])[0], 'entity_id');
    const profile = { client_id: ids.client, entity_id: entity, name: 'Nova Foods AG', address };
    await done('set_billed_client', { body: { ...profile, tax_percent: '19' } });
    const fee = { kind: 'fixed_month', amount: '500', currency: 'EUR', starts_on: '2026-07-01' };
    await asked('set_billing_rule', { body: fee });
    const run = async (): Promise<readonly string[]> => {
      const made = await done('run_billing', { body: { client_id: ids.client, period: '2026-07' } });
      return rows(made['checks']).map((one) => textIn(one, 'code'));
    };
    const before = await run();
    const media = { kind: 'cost_plus', percent: '10', starts_on: '2026-07-01', cap: '3000' };
    await asked('set_billing_rule', { body: media });
    expect(new Set([...before, ...(await run())])).toEqual(new Set(billingChecks));
  });

  it('are each resolved, and stop what they should until then', async () => {
    expect(await call(berta, 'close_period', { params: { period: '2026-07' }, body: {} })).toMatchObject({
      ok: false,
      error: { message: expect.stringMatching(/Open breaks/) },
    });
    const breaks = async (period: Month) => rows((await done('reconcile', { body: { period } }))['breaks']);
    const [price] = (await breaks('2026-07')).filter((one) => one['kind'] === 'price');
    const body = { break_id: textIn(price, 'break_id'), reason: 'The price is 10, not 12.' };
    const dispute = textIn(await done('open_dispute', { body }), 'dispute_id');
    const [copy] = await select<{ id: string }>(`select id from invoice where number = 'INV-again'`);
    await asked('void_invoice', { params: { id: copy?.id ?? '' }, body: { reason: 'It came twice.' } });
    const open = await done('propose_payments', { body: { due_until: '2026-12-31' } });
    expect(JSON.stringify(open['held'])).toMatch(/approved/);
    await done('withdraw_payments', { params: { id: textIn(open, 'number') } });
    for (const { id } of await select<{ id: string }>(
      'select id from invoice where voided_at is null and approved_at is null',
    ))
      await agreed('approve_invoice', { params: { id } });
    const held = await done('propose_payments', { body: { due_until: '2026-12-31' } });
    expect(JSON.stringify(held['held'])).toContain('INV-break-price');
    await done('withdraw_payments', { params: { id: textIn(held, 'number') } });
    const end = { outcome: 'accepted', reason: 'Their contract says 12.' };
    await done('close_dispute', { params: { id: dispute }, body: end });
    const ways: Readonly<Record<string, string>> = {
      ...{ missing_package: 'expected', missing_invoice: 'expected', wrong_po: 'corrected' },
      ...{ unknown: 'write-off' },
    };
    for (const period of months)
      for (const one of await breaks(period)) {
        const as = ways[textIn(one, 'kind')] ?? 'accept';
        const params = { id: textIn(one, 'break_id') };
        await done('resolve_break', { params, body: { as, reason: 'Agreed by phone.' } });
      }
    for (const period of months) expect(await breaks(period)).toEqual([]);
  }, 120_000);

  it('leave a quarter that is paid, billed, closed by two people and exported, whose books balance and verify', async () => {
    const iban = 'DE89370400440532013000';
    for (const currency of ['EUR', 'CHF'])
      await asked('set_bank_account', { body: { currency, name: 'Agency', iban } });
    for (const { slug } of await select<{ slug: string }>('select slug from connection order by slug'))
      await asked('set_bank_account', {
        body: { seller: slug, name: slug, iban: 'FR1420041010050500013M02606' },
      });
    clock.advance(2 * dayMs);
    for (const from of ['EUR', 'CHF'])
      await asked('set_rate', {
        body: { from, to: 'USD', rate: '1.1', date: '2026-06-01', source: 'ECB' },
      });
    const run = await done('propose_payments', { body: { due_until: '2026-12-31' } });
    const id = textIn(run, 'number');
    await agreed('approve_payments', { params: { id } });
    await done('export_payments', { params: { id }, body: {} });
    for (const order of rows((await done('show_payment_run', { params: { id } }))['orders']))
      await done('record_payment', {
        params: { id: textIn(order, 'payment_id') },
        body: { date: '2026-10-05' },
      });
    expect(await select('select number from invoice where settled_on is null and voided_at is null')).toEqual(
      [],
    );
    for (const period of months) {
      const made = await done('run_billing', { body: { client_id: ids.client, period } });
      for (const draft of rows(made['invoices'])) {
        const request = { params: { id: textIn(draft, 'client_invoice_id') }, body: {} };
        expect((await call(anna, 'issue_client_invoice', request)).ok).toBe(false);
        const issued = await agreed('issue_client_invoice', request);
        const paid = { params: { id: textIn(issued, 'number') }, body: { date: '2026-10-05' } };
        await done('record_client_payment', paid);
      }
    }
    for (const period of months) {
      await done('reconcile', { body: { period } });
      expect(await agreed('close_period', { params: { period }, body: {} })).toMatchObject({
        state: 'closed',
      });
    }
    const balances = await select<{ amount: string }>(
      'select sum(amount_micros)::text as amount from ledger_posting group by currency',
    );
    expect(new Set(balances.map(({ amount }) => amount))).toEqual(new Set(['0']));
    for (const { account } of await select<{ account: string }>(
      'select distinct account from ledger_posting',
    ))
      await done('set_book_code', { body: { account, code: `4-${account}` } });
    for (const period of [...months, '2026-10']) {
      const { batch } = await done('export_journal', { body: { period, format: 'csv' } });
      const lines = textIn(batch, 'file').trim().split('\n').slice(1);
      const [debit, credit] = [11, 12].map((column) =>
        lines.reduce((sum, line) => sum + Math.round(Number(line.split(',')[column] ?? 0) * 100), 0),
      );
      expect([period, debit]).toEqual([period, credit]);
    }
    expect(await ledger.verify({ organizationId })).toMatchObject({ ok: true, problems: [] });
  }, 240_000);

  it('are at least thirty kinds, which the page of planted faults lists', () => {
    const kinds = [
      ...[...reportFaults, ...fileFaults, ...differences].map(({ kind }) => kind),
      ...[...refusals, ...billingChecks, ...stops],
    ];
    expect(new Set(kinds).size).toBeGreaterThanOrEqual(30);
    const page = readFileSync(new URL('../../../../docs/planted-faults.md', import.meta.url), 'utf8');
    const listed = [...page.matchAll(/^\| `(\w+)`/gm)].map(([, kind]) => kind);
    expect(listed.toSorted()).toEqual(kinds.toSorted());
  });
});
