import { describe, expect, it } from '@jest/globals';
import { microsToDecimal } from '@switchyard/money';
import type { BookedInvoice, PackageFigures } from './compared-figures.js';
import type { InvoiceLine } from './invoice.js';
import { agreementsOf, faultOfAgreement, withAgreement, type Agreement } from './agreement.js';
import { finalCountDue } from './final-count.js';
import { reconcile, reconciliationWork } from './reconcile.js';

const micros = (amount: number): bigint => BigInt(Math.round(amount * 100)) * 10_000n;

/** A package with the same id as its buy, delivered evenly in November 2026. */
function pack(name: string, amount: number, more: Partial<PackageFigures> = {}): PackageFigures {
  return {
    seller: 'harbor',
    sellerMediaBuyId: name,
    packageRef: `${name}-p`,
    mediaBuyId: `mb_${name}`,
    clientId: 'c1',
    currency: 'EUR',
    spentInAllMicros: micros(amount),
    countedMicros: micros(amount),
    days: new Map([['2026-11-10', micros(amount)]]),
    windows: new Map(),
    evidence: [`v-${name}`],
    ...more,
  };
}

const line = (amount: number, more: Partial<InvoiceLine> = {}): InvoiceLine => ({
  line: 1,
  amountMicros: micros(amount),
  ...more,
});

const bill = (number: string, lines: readonly InvoiceLine[], more: Partial<BookedInvoice> = {}) =>
  ({
    id: number,
    seller: 'harbor',
    number,
    period: '2026-11',
    issuedOn: '2026-11-30',
    currency: 'EUR',
    totalMicros: lines.reduce((sum, { amountMicros }) => sum + amountMicros, 0n),
    lines,
    ...more,
  }) satisfies BookedInvoice;

const k = (more: Partial<PackageFigures> = {}) => pack('K', 2480, more);
const ofK = { sellerMediaBuyId: 'K' };

/** What a run found: how much agrees, and each break with its object and difference. */
function found(packages: readonly PackageFigures[], invoices: readonly BookedInvoice[]) {
  const { matched, breaks } = reconcile({
    from: '2026-11-01',
    to: '2026-12-01',
    packages,
    invoices,
    toleranceOf: () => ({ absoluteMicros: 10_000n, percentHundredths: 0, rule: 'default' }),
  });
  return [
    matched,
    ...breaks
      .map(({ kind, mediaBuyId, differenceMicros }) =>
        [kind, ...(mediaBuyId === undefined ? [] : [mediaBuyId]), microsToDecimal(differenceMicros)].join(
          ' ',
        ),
      )
      .sort(),
  ];
}

const thirdParty = (amount: number, terms?: PackageFigures['terms']) =>
  k({ thirdPartyMicros: micros(amount), thirdPartySource: 'counts', ...(terms !== undefined && { terms }) });
const theirs = { isThirdPartyBilled: true, maxVarianceHundredths: 1_000 };
const poOf = (name: string, poNumber: string, amount: number) =>
  pack(name, amount, { poNumber, clientId: name });

const examples: readonly [string, readonly PackageFigures[], readonly BookedInvoice[], readonly unknown[]][] =
  [
    [
      'a fee without a name is not matched with a package of the same amount',
      [k(), pack('M', 310)],
      [bill('1', [line(2480, ofK), line(310, { line: 2, description: 'Data cost' })])],
      [1, 'missing_package mb_M -310', 'unordered_fee 310'],
    ],
    [
      'tax is no delivery',
      [k(), pack('M', 40)],
      [bill('1', [line(2480, ofK), line(471.2, { line: 2, description: 'VAT 19 %' })])],
      [1, 'missing_package mb_M -40'],
    ],
    [
      'numbers of purchase orders are compared by their letters and digits',
      [poOf('A', 'NF 88/1', 100), poOf('B', 'NF 88/2', 300)],
      [bill('1', [line(100, { poNumber: 'NF-88-1' }), line(300, { line: 2, poNumber: 'nf 88 2' })])],
      [2],
    ],
    [
      'two amounts on the purchase order of each other',
      [poOf('A', 'NF 88/1', 2000), poOf('B', 'NF 88/2', 235.5)],
      [bill('1', [line(235.5, { poNumber: 'NF-88-1' }), line(2000, { line: 2, poNumber: 'NF-88-2' })])],
      [0, 'exchanged mb_A -1764.5', 'exchanged mb_B 1764.5'],
    ],
    [
      'an amount net of the agreed commission',
      [k({ terms: { commissionHundredths: 1_250 } })],
      [bill('1', [line(2170, ofK)])],
      [0, 'gross_net mb_K -310'],
    ],
    [
      'an amount net of the usual commission, where none was agreed',
      [pack('A', 1000, { units: 100_000n })],
      [bill('1', [line(850, { sellerMediaBuyId: 'A', units: 100_000n })])],
      [0, 'gross_net mb_A -150'],
    ],
    [
      'an amount net of commission agrees where net was agreed',
      [k({ terms: { commissionHundredths: 1_250, isNet: true } })],
      [bill('1', [line(2170, ofK)])],
      [1],
    ],
    [
      'a gross amount and a commission line agree where net was agreed',
      [k({ terms: { commissionHundredths: 1_250, isNet: true } })],
      [bill('1', [line(2480, ofK), line(-310, { line: 2, type: 'commission' })])],
      [1],
    ],
    [
      'a commission line is no delivery where nothing was agreed',
      [k()],
      [bill('1', [line(2480, ofK), line(-310, { line: 2, type: 'commission' })])],
      [1],
    ],
    [
      'a fee that names what it is for was ordered as little',
      [k()],
      [bill('1', [line(2480, ofK), line(310, { ...ofK, line: 2, type: 'fee' })])],
      [1, 'unordered_fee 310'],
    ],
    [
      'a fee within what was agreed',
      [k({ terms: { feeHundredths: 1_250 } })],
      [bill('1', [line(2480, ofK), line(310, { line: 2, type: 'fee' })])],
      [1],
    ],
    [
      'a fee above what was agreed',
      [k({ terms: { feeHundredths: 500 } })],
      [bill('1', [line(2480, ofK), line(310, { line: 2, type: 'fee' })])],
      [1, 'unordered_fee 310'],
    ],
    [
      'one name for buys of two clients',
      [poOf('A', 'NF 88', 100), poOf('B', 'NF 88', 300)],
      [bill('1', [line(400, { poNumber: 'NF 88' })])],
      [1, 'unassigned_line 0'],
    ],
    [
      'what another month had and nobody billed',
      [k({ spentInAllMicros: micros(3720), otherMonths: new Map([['2026-10', micros(1240)]]) })],
      [bill('1', [line(3720, ofK)])],
      [0, 'other_months mb_K 1240'],
    ],
    [
      'the whole flight over two months',
      [pack('A', 600, { spentInAllMicros: micros(1000) })],
      [bill('1', [line(1000, { sellerMediaBuyId: 'A' })])],
      [0, 'other_months mb_A 400'],
    ],
    [
      'a third party that counts much less is told where the invoice agrees',
      [thirdParty(2132.8)],
      [bill('1', [line(2480, ofK)])],
      [1, 'third_party mb_K -347.2'],
    ],
    [
      'a third party whose count is agreed to be billed',
      [thirdParty(2405.6, theirs)],
      [bill('1', [line(2405.6, ofK)])],
      [1],
    ],
    [
      'the count of the seller where that of the third party is agreed',
      [thirdParty(2405.6, theirs)],
      [bill('1', [line(2480, ofK)])],
      [0, 'third_party mb_K 74.4'],
    ],
    [
      'the count of the third party where nothing is agreed is one difference',
      [pack('A', 1000, { thirdPartyMicros: micros(780), thirdPartySource: 'counts' })],
      [bill('1', [line(780, { sellerMediaBuyId: 'A' })])],
      [0, 'third_party mb_A -220'],
    ],
    [
      'two documents of a half each',
      [k()],
      [bill('1', [line(1240, ofK)]), bill('2', [line(1240, ofK)])],
      [1],
    ],
    [
      'two documents of the whole',
      [k()],
      [bill('1', [line(2480, ofK)]), bill('2', [line(2480, ofK)])],
      [1, 'duplicate_invoice 2480'],
    ],
    [
      'a second document with other lines for the same delivery',
      [k()],
      [bill('1', [line(2480, ofK)]), bill('2', [line(2000, ofK), line(480, { ...ofK, line: 2 })])],
      [1, 'duplicate_invoice 2480'],
    ],
    [
      'an over-delivery that is not billed is one difference',
      [k({ countedMicros: micros(2678.4), spentInAllMicros: micros(2678.4), orderedMicros: micros(2480) })],
      [bill('1', [line(2480, ofK)])],
      [0, 'billed_to_order mb_K -198.4'],
    ],
    [
      'nothing above the order is owed where that was agreed',
      [
        k({
          countedMicros: micros(2678.4),
          spentInAllMicros: micros(2678.4),
          orderedMicros: micros(2480),
          terms: { isCapped: true },
        }),
      ],
      [bill('1', [line(2480, ofK)])],
      [1],
    ],
    [
      'a credit that names nothing belongs to what its document bills',
      [k({ countedMicros: micros(2421.3) })],
      [bill('1', [line(2480, ofK), line(-58.7, { line: 2, description: 'Invalid traffic refund' })])],
      [1],
    ],
    [
      'the same units at another price',
      [k({ units: 620_000n })],
      [bill('1', [line(2604, { ...ofK, units: 620_000n })])],
      [0, 'price mb_K 124'],
    ],
    [
      'other units at the same price',
      [k({ units: 620_000n })],
      [bill('1', [line(2600, { ...ofK, units: 650_000n })])],
      [0, 'units mb_K 120'],
    ],
    [
      'ids in other letters and with other zeros',
      [pack('MB-007', 100, { packageRef: 'P1' })],
      [bill('1', [line(100, { sellerMediaBuyId: 'mb-7', packageRef: 'p1' })])],
      [1],
    ],
    [
      'our own id, a reference and a word of the description',
      [pack('A', 100), pack('B', 200, { names: ['IO-2026-77'] }), pack('CAMPAIGN9', 300)],
      [
        bill('1', [
          line(100, { sellerMediaBuyId: 'mb_A' }),
          line(200, { line: 2, sellerMediaBuyId: 'io 2026 77' }),
          line(300, { line: 3, description: 'Display, CAMPAIGN9, November' }),
        ]),
      ],
      [3],
    ],
    [
      'a line that names nothing beside one that does',
      [k()],
      [bill('1', [line(2480, ofK), line(75, { line: 2, description: 'Sonderleistung' })])],
      [1, 'unassigned_line 75'],
    ],
    [
      'half a cent for each line',
      [k({ countedMicros: micros(2480.02), spentInAllMicros: micros(2480.02) })],
      [
        bill(
          '1',
          [620, 620, 620, 620].map((amount, at) => line(amount, { ...ofK, line: at + 1 })),
        ),
      ],
      [1],
    ],
  ];

describe('lines of invoices are matched by their names', () => {
  it.each(examples)('%s', (_, packages, invoices, expected) => {
    expect(found(packages, invoices)).toEqual(expected);
    expect(found(packages.toReversed(), invoices.toReversed())).toEqual(expected);
  });
});

/** Figures whose days and evidence throw until they are looked at. */
function guarded(packages: readonly PackageFigures[]) {
  const looked = new Set<PackageFigures>();
  const figures = packages.map(({ days, evidence, ...amounts }): PackageFigures => {
    const seen = <T>(value: T): T => {
      if (looked.has(figure)) return value;
      throw new Error('This was not read.');
    };
    const figure: PackageFigures = {
      ...amounts,
      get days() {
        return seen(days);
      },
      get evidence() {
        return seen(evidence);
      },
    };
    return figure;
  });
  return { figures, looked };
}

it.each(examples)(
  'days and evidence are looked at after they were asked for: %s',
  (_, packages, invoices) => {
    const { figures, looked } = guarded(packages);
    const input = {
      ...{ from: '2026-11-01', to: '2026-12-01', invoices },
      toleranceOf: () => ({ absoluteMicros: 10_000n, percentHundredths: 0, rule: 'default' as const }),
    };
    const work = reconciliationWork({ ...input, packages: figures });
    for (let step = work.next(); ; step = work.next()) {
      if (step.done === true) {
        expect(step.value).toEqual(reconcile({ ...input, packages }));
        return;
      }
      for (const figure of step.value ?? []) looked.add(figure);
    }
  },
);

it('a proposal for a line without a name says what has the same amount', () => {
  const { breaks } = reconcile({
    from: '2026-11-01',
    to: '2026-12-01',
    packages: [k(), pack('M', 310)],
    invoices: [bill('1', [line(2480, ofK), line(310, { line: 2, description: 'Data cost' })])],
    toleranceOf: () => ({ absoluteMicros: 0n, percentHundredths: 0, rule: 'default' }),
  });
  expect(breaks.find(({ kind }) => kind === 'unordered_fee')?.cause).toContain('M-p');
});

it('names no other cause beside the count of the seller where nothing else changes that count', () => {
  const counted = { windows: new Map([['', micros(2480)]]), units: 620_000n };
  const { breaks } = reconcile({
    ...{ from: '2026-11-01', to: '2026-12-01' },
    packages: [{ ...thirdParty(2405.6, theirs), ...counted }],
    invoices: [bill('1', [line(2480, { ...ofK, units: 620_000n })])],
    toleranceOf: () => ({ absoluteMicros: 10_000n, percentHundredths: 0, rule: 'default' }),
  });
  expect(breaks.map(({ cause }) => cause)).toEqual(['It bills the count of the seller.']);
});

it.each([
  ['net of commission', { commissionHundredths: 1_250, isNet: true }, [line(2170, ofK)], ['gross_net -310']],
  ['the count of a third party', theirs, [line(2405.6, ofK)], ['third_party -74.4']],
  [
    'net, and the document takes the commission off itself',
    { commissionHundredths: 1_250, isNet: true },
    [line(2480, ofK), line(-310, { line: 2, type: 'commission' })],
    [],
  ],
  ['what was delivered', {}, [line(2480, ofK)], []],
] as const)(
  'what an agreement leaves of the delivery is settled without a decision: %s',
  (_, terms, lines, expected) => {
    const { settled } = reconcile({
      from: '2026-11-01',
      to: '2026-12-01',
      packages: [k({ terms, thirdPartyMicros: micros(2405.6), thirdPartySource: 'counts' })],
      invoices: [bill('1', lines)],
      toleranceOf: () => ({ absoluteMicros: 10_000n, percentHundredths: 0, rule: 'default' }),
    });
    expect(settled.map((one) => `${one.kind} ${microsToDecimal(one.differenceMicros)}`)).toEqual(expected);
  },
);

describe('a deadline for the final count', () => {
  const countsOf = (more: Partial<PackageFigures>, isTheirs: boolean, isOver: boolean, billed: number) => {
    const terms = { isThirdPartyBilled: isTheirs, finalCount: { dueOn: '2026-12-10', isOver } };
    const { settled, breaks } = reconcile({
      from: '2026-11-01',
      to: '2026-12-01',
      packages: [k({ terms, ...more })],
      invoices: [bill('1', [line(billed, ofK)])],
      toleranceOf: () => ({ absoluteMicros: 10_000n, percentHundredths: 0, rule: 'default' }),
    });
    const shown = (of: typeof breaks) =>
      of.map(({ differenceMicros, cause }) => [microsToDecimal(differenceMicros), cause]);
    return { settled: shown(settled), breaks: shown(breaks) };
  };
  const counted = { thirdPartyMicros: micros(2405.6), thirdPartySource: 'counts' };

  it('asks for a count of the third party that is owed and not here, until it is due', () => {
    expect(countsOf({}, true, false, 2480)).toEqual({
      settled: [],
      breaks: [['0', expect.stringContaining('it is due until 2026-12-10')]],
    });
    expect(countsOf(counted, true, false, 2405.6)).toEqual({
      settled: [['-74.4', expect.any(String)]],
      breaks: [],
    });
  });

  it('lets the other party count afterwards, and says so', () => {
    expect(countsOf({}, true, true, 2480)).toEqual({
      settled: [['0', expect.stringContaining('that of the seller has to be paid')]],
      breaks: [],
    });
    const unfinished = countsOf(counted, false, true, 2405.6);
    expect(unfinished).toEqual({
      settled: [['-74.4', expect.stringContaining('that of the third party has to be paid')]],
      breaks: [],
    });
    expect(countsOf({ ...counted, isFinal: true }, false, true, 2480)).toEqual({ settled: [], breaks: [] });
    expect(countsOf(counted, false, false, 2480)).toEqual({ settled: [], breaks: [] });
  });

  it.each([
    ['', 48, '2026-12-03'],
    ['live', 0, '2026-12-01'],
    ['c7', 240, '2026-12-18'],
    ['downloads_30d', 24, '2027-01-01'],
  ])('is counted from the close of the window %s', (window, hours, day) => {
    expect(finalCountDue({ window, hours }, Date.UTC(2026, 11, 1))).toBe(Date.parse(`${day}T00:00:00Z`));
  });

  it('is not known where nobody knows when the window closes', () => {
    expect(finalCountDue({ window: 'post_sivt', hours: 48 }, 0)).toBeUndefined();
  });
});

const agreement = (id: string, more: Partial<Agreement>): Agreement => ({
  ...{ id, seller: 'harbor', firstMonth: '2026-01' },
  ...more,
});

it('the agreement of a buy holds before that of its insertion order and of its seller, member by member', () => {
  const all = [
    agreement('1', { commissionHundredths: 1_500, bills: 'net', isCapped: true }),
    agreement('2', { insertionOrder: 'IO-7', feeHundredths: 300 }),
    agreement('3', { mediaBuyId: 'mb_K', isCapped: false }),
    agreement('4', { isCapped: true, lastMonth: '2026-10' }),
    agreement('5', { commissionHundredths: 1_000, bills: 'gross', firstMonth: '2026-12' }),
    agreement('6', { seller: 'north', countedBy: 'third_party' }),
  ];
  const of = agreementsOf(all, '2026-11');
  expect(withAgreement(theirs, of({ seller: 'harbor', mediaBuyId: 'mb_K', insertionOrder: 'IO-7' }))).toEqual(
    {
      ...theirs,
      ...{ commissionHundredths: 1_500, isNet: true, isCapped: false, feeHundredths: 300 },
    },
  );
  expect(withAgreement(undefined, of({ seller: 'harbor', mediaBuyId: 'mb_M' }))).toEqual({
    ...{ commissionHundredths: 1_500, isNet: true, isCapped: true },
  });
  expect(withAgreement(theirs, of({ seller: 'south', mediaBuyId: 'mb_M' }))).toEqual(theirs);
});

it.each([
  ['nothing', {}],
  ['commission', { commissionHundredths: 10_000, bills: 'net' }],
  ['bills', { bills: 'net' }],
  ['fee', { feeHundredths: 10_001 }],
  ['last_month', { isCapped: true, lastMonth: '2025-12' }],
  [undefined, { isCapped: true, lastMonth: '2026-01' }],
] as const)('an agreement that cannot be is named by its member: %s', (fault, more) => {
  expect(faultOfAgreement(agreement('1', more))).toBe(fault);
});
