import { describe, expect, it } from '@jest/globals';
import { microsOf, microsToDecimal } from '@switchyard/money';
import {
  billClient,
  billedKey,
  shownLines,
  type BilledSum,
  type BillingInput,
  type ClientFigure,
} from './bill-client.js';
import { faultOfRule, ruleFor, type BillingRule } from './billing-rule.js';
import { clientInvoicePostings, unbilledPostings } from './client-postings.js';

const tax = { taxHundredths: 1_900, taxCategory: 'S' } as const;

const rule = (more: Partial<BillingRule> = {}): BillingRule => ({
  ...{ id: 'r1', kind: 'cost_plus', basis: 'delivered', percentHundredths: 800, startsOn: '2026-01-01' },
  ...more,
});

const fee = (id: string, kind: 'fixed_month' | 'fixed_campaign', amount: string): BillingRule => ({
  ...{
    id,
    kind,
    basis: 'delivered',
    amountMicros: microsOf(amount),
    currency: 'EUR',
    startsOn: '2026-01-01',
  },
});

const figure = (delivered: string, more: Partial<ClientFigure> = {}): ClientFigure => ({
  ...{ campaignId: 'c1', seller: 'k', currency: 'EUR', deliveredMicros: microsOf(delivered) },
  ...{ invoicedMicros: 0n, thirdPartyMicros: microsOf(delivered), impressions: 0n, ...more },
});

const input = (more: Partial<BillingInput> = {}): BillingInput => ({
  ...{ clientId: 'n', period: '2026-11', isClosed: false, rules: [rule()], figures: [figure('2480')] },
  campaigns: [
    {
      ...{ id: 'c1', name: 'Winter', currency: 'EUR', startsOn: '2026-10-15', endsOn: '2026-12-31' },
      plannedMicros: microsOf('3000'),
    },
  ],
  ...{ billed: new Map(), billedEver: new Map(), free: [], tax, sellerNames: new Map([['k', 'Harbor']]) },
  ...more,
});

const shown = (given: BillingInput) =>
  billClient(given).drafts.map(({ kind, lines, ...sums }) => [
    kind,
    ...lines.map(({ description, netMicros }) => `${description}: ${microsToDecimal(netMicros)}`),
    ...[sums.netMicros, sums.taxMicros, sums.grossMicros].map(microsToDecimal),
  ]);

/** What a run has billed, as the next run finds it. */
const billedBy = (given: BillingInput): ReadonlyMap<string, BilledSum> =>
  new Map(
    billClient(given).drafts.flatMap(({ currency, lines }) =>
      lines.map(
        ({ key, netMicros }) => [billedKey(currency, key), { amountMicros: netMicros, tax }] as const,
      ),
    ),
  );

describe('the bill of a client', () => {
  it('has media at cost, the markup on it, a fee and their tax, and posts them to accounts of their own', () => {
    const given = input({ rules: [rule(), fee('f', 'fixed_month', '500')] });
    expect(shown(given)).toEqual([
      [
        ...['invoice', 'Media, Winter, Harbor: 2480', 'Markup 8 %, Winter, Harbor: 198.4'],
        ...['Fee for 2026-11: 500', '3178.4', '603.9', '3782.3'],
      ],
    ]);
    const [draft] = billClient(given).drafts;
    const posted = draft && clientInvoicePostings(draft, '2026-11-30');
    expect(posted?.map(({ account, amountMicros }) => [account, microsToDecimal(amountMicros)])).toEqual([
      ['client_receivable', '3782.3'],
      ['client_media', '-2480'],
      ['markup_income', '-198.4'],
      ['fee_income', '-500'],
      ['output_tax', '-603.9'],
    ]);
  });

  it('bills late figures of a billed month by their difference, and a smaller figure by a credit note', () => {
    const billed = billedBy(input());
    expect(shown(input({ billed, billedEver: billed }))).toEqual([]);
    expect(shown(input({ billed, figures: [figure('2500')] }))).toEqual([
      ['invoice', 'Media, Winter, Harbor: 20', 'Markup 8 %, Winter, Harbor: 1.6', '21.6', '4.1', '25.7'],
    ]);
    expect(shown(input({ billed, figures: [figure('2380')] }))).toEqual([
      [
        'credit_note',
        'Media, Winter, Harbor: -100',
        'Markup 8 %, Winter, Harbor: -8',
        '-108',
        '-20.52',
        '-128.52',
      ],
    ]);
  });

  it('credits media that belongs to another client now, with the tax that it was billed with', () => {
    const billed = billedBy(input());
    const other = { taxHundredths: 0, taxCategory: 'AE' } as const;
    const { drafts } = billClient(input({ billed, figures: [], tax: other }));
    expect(drafts).toMatchObject([{ kind: 'credit_note', taxMicros: microsOf('-508.9') }]);
  });

  it('bills a plan while the month is open, and the difference to what was delivered once it is closed', () => {
    const rules = [rule({ basis: 'planned' })];
    const planned = input({ rules });
    expect(shown(planned)[0]?.[1]).toBe('Media, Winter: 3000');
    const billed = billedBy(planned);
    expect(shown(input({ rules, billed, isClosed: true }))[0]?.slice(0, 3)).toEqual([
      ...['credit_note', 'Media, Winter: -520', 'Markup 8 %, Winter: -41.6'],
    ]);
    expect(shown(input({ rules, billed, isClosed: true, figures: [] }))[0]?.[1]).toBe('Media, Winter: -3000');
  });

  it('bills what sellers have billed, or what a third party has counted, where the rule says so', () => {
    const figures = [
      figure('2480', { invoicedMicros: microsOf('2400'), thirdPartyMicros: microsOf('2132.8') }),
    ];
    expect(shown(input({ figures, rules: [rule({ basis: 'invoiced' })] }))[0]?.[1]).toMatch(/: 2400$/);
    expect(shown(input({ figures, rules: [rule({ basis: 'third_party' })] }))[0]?.[1]).toMatch(/: 2132.8$/);
  });

  it('adds a commission so that it is its percentage of media and commission together', () => {
    const rules = [rule({ kind: 'commission', percentHundredths: 1_500 })];
    expect(shown(input({ rules, figures: [figure('85')] }))[0]?.slice(1, 4)).toEqual([
      ...['Media, Winter, Harbor: 85', 'Commission 15 %, Winter, Harbor: 15', '100'],
    ]);
  });

  it('bills no media above the cap of a campaign, over all its months and sellers, and says what it left out', () => {
    const rules = [rule({ capMicros: microsOf('3000') })];
    const before = new Map([['EUR media c1 z', { amountMicros: microsOf('700'), tax }]]);
    const given = input({
      rules,
      billedEver: before,
      figures: [figure('2000'), figure('500', { seller: 'm' })],
    });
    expect(billClient(given).checks).toMatchObject([{ code: 'capped', amountMicros: microsOf('200') }]);
    expect(shown(given)[0]).toEqual(expect.arrayContaining(['Media, Winter, m: 300']));
  });

  it('bills the fee of a campaign once, and one for impressions by thousands', () => {
    const cpm: BillingRule = { ...fee('i', 'fixed_month', '0.5'), kind: 'cpm' };
    const rules = [rule({ percentHundredths: 0 }), fee('f', 'fixed_campaign', '250'), cpm];
    const figures = [figure('10', { impressions: 620_000n })];
    expect(shown(input({ rules, figures }))[0]).toEqual(
      expect.arrayContaining(['Fee, Winter: 250', '620000 impressions, Winter, Harbor: 310']),
    );
    const billedEver = new Map([['EUR campaign c1', { amountMicros: microsOf('250'), tax }]]);
    expect(shown(input({ rules, figures, billedEver, period: '2026-12' }))[0]).not.toContain(
      'Fee, Winter: 250',
    );
  });

  it('names media that no rule bills, and a campaign that is billed above its budget', () => {
    const figures = [figure('40', { campaignId: 'other' })];
    expect(billClient(input({ figures, rules: [rule({ campaignId: 'c1' })] })).checks).toMatchObject([
      { code: 'no_rule', amountMicros: microsOf('40') },
    ]);
    const campaigns = input().campaigns.map((campaign) => ({ ...campaign, budgetMicros: microsOf('2000') }));
    expect(billClient(input({ campaigns })).checks).toMatchObject([
      { code: 'over_budget', amountMicros: microsOf('480') },
    ]);
  });

  it('shows media and markup as one amount to a client with closed books, and the same sums', () => {
    const [draft] = billClient(input({ rules: [rule(), fee('f', 'fixed_month', '500')] })).drafts;
    expect(
      shownLines(draft?.lines ?? [], 'closed').map(({ description, netMicros }) => [
        description,
        microsToDecimal(netMicros),
      ]),
    ).toEqual([
      ['Media, Winter, Harbor', '2678.4'],
      ['Fee for 2026-11', '500'],
    ]);
  });

  it('accrues what is delivered and not billed, and takes it back on the next day', () => {
    const days = { currency: 'EUR', lastDay: '2026-11-30', firstDay: '2026-12-01' };
    expect(
      unbilledPostings(5n, days).map(({ account, day, amountMicros }) => [account, day, amountMicros]),
    ).toEqual([
      ['unbilled', '2026-11-30', 5n],
      ['client_media', '2026-11-30', -5n],
      ['unbilled', '2026-12-01', -5n],
      ['client_media', '2026-12-01', 5n],
    ]);
  });
});

describe('rules', () => {
  it('hold by how much they name, and among equal ones by their first day', () => {
    const rules = [
      rule({ id: 'all' }),
      rule({ id: 'seller', seller: 'k' }),
      rule({ id: 'client', clientId: 'n' }),
      rule({ id: 'newer', clientId: 'n', startsOn: '2026-06-01' }),
      rule({ id: 'campaign', campaignId: 'c1' }),
      rule({ id: 'other', clientId: 'm' }),
    ];
    const idOf = (place: Parameters<typeof ruleFor>[1]) => ruleFor(rules, place)?.id;
    expect(idOf({ clientId: 'n', campaignId: 'c1', seller: 'k' })).toBe('campaign');
    expect(idOf({ clientId: 'n', campaignId: 'c2', seller: 'k' })).toBe('newer');
    expect(idOf({ clientId: 'x', seller: 'k' })).toBe('seller');
    expect(idOf({ clientId: 'x', seller: 'z' })).toBe('all');
  });

  it('cannot stand with members of another kind', () => {
    expect(faultOfRule(rule())).toBeUndefined();
    expect(faultOfRule(fee('f', 'fixed_month', '5'))).toBeUndefined();
    expect(faultOfRule(rule({ amountMicros: 5n, currency: 'EUR' }))).toBe('amount');
    expect(faultOfRule(rule({ kind: 'commission', percentHundredths: 10_000 }))).toBe('percent');
    expect(faultOfRule(rule({ basis: 'planned', seller: 'k' }))).toBe('basis');
    expect(faultOfRule(rule({ tax: { taxHundredths: 1_900, taxCategory: 'AE' } }))).toBe('tax');
    expect(faultOfRule(rule({ endsOn: '2025-01-01' }))).toBe('ends_on');
  });
});
