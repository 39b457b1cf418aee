import { amount, dayAfter, idOf, random, type Answer, type Answers } from './answers.js';

type Break = Answer<'GET /v1/breaks'>['breaks'][number];
type BySeller = Answer<'GET /v1/periods/{period}'>['sellers'][number];

const harborCause =
  'The invoice fits the days 2 to 31 October to the cent; 1 October is not in it. This seller did the same in September, and billed the day a month later.';

const rowOf = (
  at: number,
  kind: Break['kind'],
  seller: string,
  difference: string,
  cause: string,
  more: Partial<Break> = {},
): Break => ({
  break_id: idOf(3, 10 + at),
  period: '2026-10',
  kind,
  seller,
  client: 'Lakeside Bikes',
  brand: 'pedal.example',
  campaign: 'City bikes autumn',
  buy: 'SY-2026-0388',
  package: 'line-2',
  ordered: '9000',
  reported: '7534.86',
  polled: '7534.86',
  invoiced: '7291.80',
  currency: 'USD',
  difference,
  cause,
  evidence: [],
  age_days: 3,
  owner: at % 2 === 0 ? null : 'Fred Okafor',
  state: 'open',
  ...more,
});

const open: readonly Break[] = [
  rowOf(1, 'duplicate_invoice', 'lumen', '3004.92', 'LS-2210-B repeats LS-2210', {
    reported: '0',
    invoiced: '3004.92',
  }),
  rowOf(2, 'missing_invoice', 'meridian', '-1869.86', 'Delivered, no line names it', {
    invoiced: null,
    reported: '1869.86',
  }),
  rowOf(3, 'unknown', 'harbor', '-651.11', 'They count 35,100 fewer'),
  rowOf(4, 'window_mismatch', 'harbor', '-243.06', harborCause),
  rowOf(5, 'over_delivery', 'corvus', '168.93', '168.93 more than ordered'),
  rowOf(6, 'price', 'bluebird', '0.31', '0.31 over 12 lines'),
  rowOf(7, 'wrong_po', 'tortoise', '0', 'PO-2301-OLD, ours PO-2301', { currency: 'EUR' }),
];

const disputed: readonly Break[] = Array.from({ length: 6 }, (_, at) =>
  rowOf(20 + at, 'price', 'harbor', amount(-643.5), 'Another price than agreed', {
    state: 'disputed',
    resolution: 'dispute',
    resolved_by: 'Fred Okafor',
    resolved_at: '2026-11-12T09:00:00Z',
  }),
);
const resolved: readonly Break[] = Array.from({ length: 12 }, (_, at) =>
  rowOf(40 + at, 'window_mismatch', 'lumen', amount(-12.5), 'Billed a month later', {
    state: 'resolved',
    resolution: 'expected',
    resolved_by: 'Fred Okafor',
    resolved_at: '2026-11-25T09:00:00Z',
  }),
);

const daysOfOctober = (): NonNullable<Answer<'GET /v1/breaks/{id}/evidence'>['delivered']>['days'] => {
  const next = random(3);
  const raw = Array.from({ length: 31 }, () => 215 + next() * 80);
  const rest = raw.slice(1).reduce((a, b) => a + b, 0);
  return raw.map((value, at) => ({
    day: dayAfter('2026-10-01', at),
    amount: at === 0 ? '243.06' : amount((7_291.8 * value) / rest),
    is_invoiced: at !== 0,
  }));
};

const seller = (
  slug: string,
  delivered: string,
  invoiced: string,
  accrued: string,
  breaks: number,
  openAmount: string,
  more: Partial<BySeller> = {},
): BySeller => ({
  seller: slug,
  currency: 'USD',
  delivered,
  invoiced,
  accrued,
  disputed: '0',
  open_breaks: breaks,
  open_amount: openAmount,
  resolved_breaks: breaks === 0 ? 2 : 3,
  ...more,
});

const sellers: readonly BySeller[] = [
  seller('harbor', '61204.10', '60310.17', '0', 2, '894.17', { disputed: '3861.22' }),
  seller('lumen', '38011.40', '41016.32', '0', 1, '3004.92'),
  seller('meridian', '44120.88', '42251.02', '1869.86', 1, '1869.86'),
  seller('corvus', '9204.60', '9373.53', '0', 1, '168.93'),
  seller('bluebird', '4610.20', '4610.51', '0', 1, '0.31'),
  seller('fieldnotes', '20118.02', '20118.02', '0', 0, '0'),
  seller('citybeat', '6120', '6120', '0', 0, '0'),
  seller('alder-audience', '11401.90', '7932.49', '3469.41', 0, '0'),
  seller('ivory-lifestyle', '5830.40', '3480', '2350.40', 0, '0'),
  seller('kestrel', '3396.90', '2000', '1712.43', 0, '0'),
];

const steps: Answer<'GET /v1/periods/{period}'>['steps'] = (
  [
    ['invoices', 6, 'Ines Vogel', '2026-11-27'],
    ['differences', 2, 'Fred Okafor', '2026-11-27'],
    ['held', 2, 'Fred Okafor', '2026-11-27'],
    ['accruals', 6, 'Ines Vogel', '2026-11-30'],
    ['closed', 7, 'Maya Ortiz', '2026-11-30'],
  ] as const
).map(([step, owner, name, day]) => ({ step, owner_id: idOf(1, owner), owner: name, due_on: day }));

const otherMonths: Readonly<Record<string, readonly [delivered: string, invoiced: string]>> = {
  '2026-07': ['171000', '168000'],
  '2026-08': ['182000', '180000'],
  '2026-09': ['196000', '195600'],
  '2026-11': ['158900', '41000'],
};

/** The differences of one server: those that were decided leave the open ones. */
export const financeAnswers = (decided: Set<string>): Answers => ({
  'GET /v1/aging': () => ({
    date: '2026-11-26',
    aging: [
      {
        seller: 'harbor',
        currency: 'USD',
        current: '171460',
        days_1_30: '9140',
        days_31_60: '3340',
        days_61_90: '0',
        over_90: '0',
        total: '183940',
        invoices: 21,
      },
    ],
  }),
  'GET /v1/breaks': ({ query }) => ({
    breaks: { open: open.filter(({ break_id: id }) => !decided.has(id)), disputed, resolved, gone: [] }[
      (query.get('state') ?? 'open') as Break['state']
    ].filter(({ seller }) => [null, seller].includes(query.get('seller'))),
  }),
  'POST /v1/breaks/{id}/resolve': ({ of }) => {
    decided.add(of);
    return { ...(open.find(({ break_id: id }) => id === of) ?? open[0]!), state: 'resolved', comments: [] };
  },
  'GET /v1/breaks/{id}': ({ of }) => ({
    ...(open.find(({ break_id: id }) => id === of) ?? open[3]!),
    comments: [],
  }),
  'GET /v1/breaks/{id}/evidence': ({ of }) => ({
    break_id: of,
    delivered: { amount: '7534.86', units: '406192', reports: 31, days: daysOfOctober() },
    lines: [{ invoice_id: idOf(4, 42), number: 'HM-2026-1042', line: 7, amount: '7291.80', units: '393089' }],
    proposal: { as: 'expected', because: '1 October is billed in November, as in September' },
    decisions: [
      { as: 'expected', postings: [] },
      {
        as: 'write-off',
        postings: [
          { account: 'Accrued, Harbor Media', amount: '-243.06' },
          { account: 'Seller differences', amount: '243.06' },
        ],
      },
    ],
  }),
  'GET /v1/disputes': () => ({
    disputes: Array.from({ length: 6 }, (_, at) => ({
      dispute_id: idOf(3, 20 + at),
      number: `D-2026-${at + 31}`,
      seller: 'harbor',
      invoice_id: idOf(4, 42),
      invoice: 'HM-2026-1042',
      period: '2026-10',
      lines: [at + 1],
      currency: 'USD',
      amount: at === 0 ? '856.30' : '600.98',
      held: at === 0 ? '856.30' : '600.98',
      reason: 'Another price than agreed',
      due_on: at < 2 ? '2026-11-24' : '2026-12-03',
      state: 'open' as const,
      opened_at: '2026-11-12T09:00:00Z',
    })),
  }),
  'GET /v1/periods': () => ({
    periods: [
      { period: '2026-10', state: 'open' },
      { period: '2026-09', state: 'closed', closed_by: idOf(1, 2), closed_at: '2026-11-25T08:20:00Z' },
      { period: '2026-08', state: 'closed', closed_by: idOf(1, 2), closed_at: '2026-09-22T08:00:00Z' },
      { period: '2026-07', state: 'closed', closed_by: idOf(1, 2), closed_at: '2026-08-21T08:00:00Z' },
    ],
  }),
  'GET /v1/periods/{period}': ({ of }) => {
    const whole = otherMonths[of];
    return {
      period: of,
      state: 'open',
      steps,
      compared: { at: '2026-11-26T06:10:00Z', matched: 1_184, found: 25 },
      sellers: whole === undefined ? sellers : [seller('harbor', whole[0], whole[1], '0', 0, '0')],
    };
  },
  'GET /v1/periods/{period}/checklist': () => ({
    open_breaks: 7,
    quarantined_events: 2,
    unassigned_buys: 0,
    reconciliation_due: false,
    open_disputes: [],
    split_evenly: [],
  }),
});
