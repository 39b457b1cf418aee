import { describe, expect, it } from '@jest/globals';
import type { BookedInvoice, PackageFigures } from './compared-figures.js';
import { reconcile } from './reconcile.js';
import type { InvoiceLine } from './invoice.js';

const dollars = (amount: number): bigint => BigInt(Math.round(amount * 100)) * 10_000n;

/** 30 days of September, 10 a day, and 4 on the last of August and 7 on the first of October. */
function days(): ReadonlyMap<string, bigint> {
  const each = Array.from({ length: 30 }, (_, at) => `2026-09-${String(at + 1).padStart(2, '0')}`);
  return new Map([
    ['2026-08-31', dollars(4)],
    ...each.map((day) => [day, dollars(10)] as const),
    ['2026-10-01', dollars(7)],
  ]);
}

const figures = (more: Partial<PackageFigures> = {}): PackageFigures => ({
  seller: 'acme',
  sellerMediaBuyId: 'a1',
  packageRef: 'p1',
  mediaBuyId: 'mb_1',
  currency: 'USD',
  orderedMicros: dollars(1000),
  spentInAllMicros: dollars(300),
  countedMicros: dollars(300),
  reportedMicros: dollars(300),
  polledMicros: dollars(300),
  days: days(),
  windows: new Map([['', dollars(300)]]),
  poNumber: 'PO-1',
  units: 30_000n,
  evidence: ['v1'],
  ...more,
});

const line = (amount: number, more: Partial<InvoiceLine> = {}): InvoiceLine => ({
  line: 1,
  sellerMediaBuyId: 'a1',
  packageRef: 'p1',
  amountMicros: dollars(amount),
  ...more,
});

const invoice = (lines: readonly InvoiceLine[], more: Partial<BookedInvoice> = {}): BookedInvoice => ({
  id: more.number ?? 'i1',
  seller: 'acme',
  number: 'INV-1',
  period: '2026-09',
  issuedOn: '2026-10-02',
  currency: 'USD',
  totalMicros: lines.reduce((sum, { amountMicros }) => sum + amountMicros, 0n),
  lines,
  ...more,
});

const run = (packages: readonly PackageFigures[], invoices: readonly BookedInvoice[]) =>
  reconcile({
    from: '2026-09-01',
    to: '2026-10-01',
    packages,
    invoices,
    toleranceOf: () => ({ absoluteMicros: dollars(0.5), percentHundredths: 50, rule: 'default' }),
  });

const second = { sellerMediaBuyId: 'a1', packageRef: 'p2' } as const;

const planted: readonly [name: string, kind: string, ReturnType<typeof run>][] = [
  ['an invoice that is not there', 'missing_invoice', run([figures()], [])],
  [
    'a package that no line names',
    'missing_package',
    run([figures(), figures({ ...second, countedMicros: dollars(50) })], [invoice([line(300)])]),
  ],
  [
    'a package without a line beside a line for the whole buy',
    'missing_package',
    run(
      [figures(), figures({ ...second, countedMicros: dollars(50), days: new Map() })],
      [invoice([{ line: 1, sellerMediaBuyId: 'a1', amountMicros: dollars(300) }])],
    ),
  ],
  [
    'an invoice in another currency',
    'currency',
    run([figures()], [invoice([line(300)], { currency: 'EUR' })]),
  ],
  ['a month cut a day later', 'time_zone_cut', run([figures()], [invoice([line(297)])])],
  ['a month cut a day earlier', 'time_zone_cut', run([figures()], [invoice([line(294)])])],
  [
    'another measurement window',
    'window_mismatch',
    run([figures({ windows: new Map([['c7', dollars(340)]]) })], [invoice([line(340)])]),
  ],
  [
    'figures received after the invoice',
    'late_report',
    run([figures({ countedAtIssueMicros: dollars(250) })], [invoice([line(250)])]),
  ],
  [
    'pushed figures that differ from pulled ones',
    'late_report',
    run(
      [figures({ bothWays: { reportedMicros: dollars(280), polledMicros: dollars(300) } })],
      [invoice([line(300)])],
    ),
  ],
  ['another price for the same units', 'price', run([figures()], [invoice([line(450, { units: 30_000n })])])],
  [
    'more than was ordered',
    'over_delivery',
    run([figures({ orderedMicros: dollars(200) })], [invoice([line(300)])]),
  ],
  [
    'the same lines twice',
    'duplicate_invoice',
    run([figures()], [invoice([line(300)]), invoice([line(300)], { number: 'INV-1b' })]),
  ],
  ['another PO', 'wrong_po', run([figures()], [invoice([line(300, { poNumber: 'PO-9' })])])],
  ['a buy that nobody knows', 'unknown', run([], [invoice([line(300)])])],
  ['an amount that nothing explains', 'unknown', run([figures()], [invoice([line(411)])])],
];

describe('a reconciliation', () => {
  it.each(planted)('finds %s as %s, and nothing else', (_, kind, { breaks }) => {
    expect(breaks.map((difference) => difference.kind)).toEqual([kind]);
  });

  it('reports unknown objects of an invoice separately', () => {
    const [x, y] = [{ sellerMediaBuyId: 'x' }, { sellerMediaBuyId: 'y' }];
    const { breaks } = run([], [invoice([line(10, x), line(20, y), line(5, { ...x, packageRef: 'p2' })])]);
    expect(breaks.map(({ differenceMicros }) => differenceMicros).sort()).toEqual(
      [10, 20, 5].map((amount) => dollars(amount)).sort(),
    );
    expect(new Set(breaks.map(({ fingerprint }) => fingerprint)).size).toBe(3);
    expect(breaks.map(({ cause }) => cause).join()).toContain('names: y');
  });

  it('R5: finds nothing where the amounts agree within the tolerance', () => {
    expect(run([figures()], [invoice([line(300.4)])])).toMatchObject({ matched: 1, breaks: [] });
    expect([...run([figures()], [invoice([line(300.4)])]).agreed.values()]).toEqual([400_000n]);
    expect(run([figures()], [invoice([line(301.5)])]).breaks).toEqual([]);
    expect(run([], [])).toMatchObject({ matched: 0, breaks: [] });
  });

  it('ignores a package with figures outside the period only', () => {
    const next = figures({ ...second, countedMicros: 0n, orderedMicros: dollars(200), isBeside: true });
    expect(run([figures(), next], [invoice([line(300)])])).toMatchObject({ matched: 1, breaks: [] });
  });

  it('reports no price difference if only the units differ', () => {
    const [difference] = run([figures()], [invoice([line(283.5, { units: 28_350n })])]).breaks;
    expect(difference).toMatchObject({
      kind: 'units',
      cause: expect.stringContaining('they billed 1650 fewer'),
    });
  });

  it('counts delivery once if some lines of a buy name a package and others do not', () => {
    const { packageRef: _none, ...ofBuy } = line(55.25, { line: 2 });
    const late = invoice([ofBuy], { id: 'i2', number: 'LATE-1' });
    const found = run(
      [figures(), figures({ ...second, countedMicros: dollars(100) })],
      [invoice([line(300), line(100, { packageRef: 'p2' })]), late],
    );
    expect(found.breaks.map(({ differenceMicros }) => differenceMicros)).toEqual([dollars(55.25)]);
  });

  it('R33: compares an invoice without lines with everything that its seller delivered', () => {
    const packages = [figures(), figures({ ...second, countedMicros: dollars(50) })];
    const total = invoice([{ line: 1, amountMicros: dollars(350) }]);
    expect(run(packages, [total])).toMatchObject({ matched: 1, breaks: [] });
  });

  it('has the same result for figures in any order', () => {
    const packages = [figures(), figures({ ...second, countedMicros: dollars(50) })];
    const bills = [invoice([line(300)]), invoice([line(300)], { number: 'INV-2' })];
    expect(
      run(packages.toReversed(), bills.toReversed()).breaks.map(({ fingerprint }) => fingerprint),
    ).toEqual(run(packages, bills).breaks.map(({ fingerprint }) => fingerprint));
  });

  it('shows the delivered and invoiced figures and their difference', () => {
    const [found] = run([figures()], [invoice([line(411)])]).breaks;
    expect(found).toMatchObject({
      invoicedMicros: dollars(411),
      polledMicros: dollars(300),
      differenceMicros: dollars(111),
      evidence: ['i1', 'v1'],
    });
  });
});

describe('lines in several currencies', () => {
  it('are never added up, even for the same unknown object', () => {
    const bills = [
      invoice([{ line: 1, sellerMediaBuyId: 'x', amountMicros: dollars(10.5) }], {
        number: 'J',
        currency: 'JPY',
      }),
      invoice([{ line: 1, sellerMediaBuyId: 'x', amountMicros: dollars(1.25) }], {
        number: 'K',
        currency: 'KWD',
      }),
    ];
    const { breaks } = run([], bills);
    expect(breaks.map(({ currency, differenceMicros }) => [currency, differenceMicros])).toEqual([
      ['JPY', dollars(10.5)],
      ['KWD', dollars(1.25)],
    ]);
  });

  it('do not match a delivery of the same number in another currency, even with other lines', () => {
    const euros = { sellerMediaBuyId: 'e1', mediaBuyId: 'mb_2', currency: 'EUR' };
    const mixed = invoice([line(300), line(300, { sellerMediaBuyId: 'e1' })], { currency: 'EUR' });
    const { matched, breaks } = run([figures(), figures(euros)], [mixed]);
    expect(matched).toBe(1);
    expect(breaks).toMatchObject([{ kind: 'currency', currency: 'EUR', differenceMicros: dollars(300) }]);
  });

  it('do not hide delivery that the seller has not invoiced', () => {
    const other = figures({ sellerMediaBuyId: 'b1', mediaBuyId: 'mb_2' });
    const { breaks } = run([figures(), other], [invoice([line(300)], { currency: 'EUR' })]);
    expect(breaks.map(({ kind, mediaBuyId }) => [kind, mediaBuyId])).toEqual([
      ['currency', undefined],
      ['missing_package', 'mb_2'],
    ]);
    const loose = invoice([line(300, { sellerMediaBuyId: 'who knows' })], { currency: 'EUR' });
    expect(run([figures(), other], [loose]).breaks.map(({ kind }) => kind)).toEqual(['currency']);
  });
});
