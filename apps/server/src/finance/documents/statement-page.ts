import { divideHalfEven, microsOf, moneyText } from '@switchyard/money';
import type { PageDocument, PageTable } from '@switchyard/tables';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { dayText, monthText } from './day-text.js';

const objects = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];
const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

/** The page of a signed statement: what it says, by names, with the digits of each currency and without internal ids. */
export function statementPage(statement: JsonObject, digest: string, checkAt: string): PageDocument {
  const period = text(statement['period']);
  const names = isJsonObject(statement['names']) ? statement['names'] : {};
  const sellers = isJsonObject(names['sellers']) ? names['sellers'] : {};
  const sellerOf = (row: JsonObject): string => text(sellers[text(row['seller'])]) || text(row['seller']);
  const totals = objects(statement['totals']);
  const lines = sumLines(objects(statement['lines']), sellerOf);
  const zones = Array.isArray(statement['zones']) ? statement['zones'].map(text).filter(Boolean) : [];
  const invoices = objects(statement['invoices']);
  const isClosed = statement['period_state'] === 'closed';
  const about = text(names['scope']) || 'All clients';
  const note = text(statement['note']);
  return {
    language: 'en',
    from: text(statement['organization']),
    title: `Report of ${monthText(period)}`,
    subtitle: about,
    mark: initials(about),
    madeAt: text(statement['made_at']),
    ...(note !== '' && { lead: note }),
    facts: [
      ['Days', `${dayText(`${period}-01`)} to ${dayText(lastDay(period))}`],
      ['Time zone', zones.length === 0 ? 'UTC' : `local days of each seller: UTC, ${zones.join(', ')}`],
      ['Month', isClosed ? 'closed' : 'open: figures may change'],
      ['Amounts', 'media, without tax'],
    ],
    figures: figuresOf(statement, lines),
    ...daysOf(statement),
    tables: [
      linesTable(lines, totals),
      ...plansTable(objects(statement['plans']), lines),
      ...(invoices.length === 0 ? [] : [invoicesTable(invoices, sellerOf)]),
    ],
    notes: ['Figures are those that sellers have reported. What nobody measured has no figure.'],
    proof: [
      `SHA-256 of the signed text of this statement (RFC 8785): ${digest}`,
      `Check it without signing in: ${checkAt}`,
      `Head of the ledger: block ${headOf(statement, 'number')}, ${headOf(statement, 'hash')}`,
      'The files, the page on the web and the signed text say the same.',
    ],
  };
}

/** The first letters of two words of a name. */
const initials = (name: string): string =>
  (name.match(/\p{L}+/gu) ?? [])
    .slice(0, 2)
    .map((word) => word.slice(0, 1).toUpperCase())
    .join('');

const amountText = (micros: bigint, currency: string): string => `${moneyText(micros, currency)} ${currency}`;
const countText = (count: bigint): string => count.toString().replaceAll(/\B(?=(\d{3})+$)/g, ',');

/** What a thousand impressions cost, or a dash where nobody counted any. */
const cpmText = (micros: bigint, impressions: bigint | undefined, currency: string): string =>
  impressions === undefined || impressions === 0n
    ? notMeasured
    : moneyText(divideHalfEven(micros * 1_000n, impressions), currency);

const notMeasured = 'not measured';

function figuresOf(statement: JsonObject, lines: readonly Sum[]): NonNullable<PageDocument['figures']> {
  const totals = objects(statement['totals']);
  const planned = new Map<string, bigint>();
  for (const plan of objects(statement['plans']))
    planned.set(
      text(plan['currency']),
      (planned.get(text(plan['currency'])) ?? 0n) + microsOf(text(plan['planned'])),
    );
  const counted = lines.filter(({ impressions }) => impressions !== undefined);
  const impressions = counted.reduce((sum, one) => sum + (one.impressions ?? 0n), 0n);
  const isWhole = counted.length === lines.length;
  const [only] = totals.length === 1 ? totals : [];
  const currency = text(only?.['currency']);
  const plan = planned.get(currency);
  return [
    ...totals.map((total) => {
      const own = planned.get(text(total['currency']));
      const micros = microsOf(text(total['spend']));
      const share = own === undefined || own <= 0n ? undefined : Number((micros * 100n) / own);
      return {
        name: 'Delivered',
        value: amountText(micros, text(total['currency'])),
        ...(share !== undefined && { note: `${String(share)} % of the plan` }),
      };
    }),
    ...(only === undefined || plan === undefined
      ? []
      : [{ name: 'Planned', value: amountText(plan, currency) }]),
    {
      name: 'Impressions',
      value: counted.length === 0 ? notMeasured : countText(impressions),
      ...(counted.length > 0 && !isWhole && { note: 'not measured everywhere' }),
    },
    ...(only === undefined || !isWhole || impressions === 0n
      ? []
      : [
          {
            name: 'CPM',
            value: `${cpmText(microsOf(text(only['spend'])), impressions, currency)} ${currency}`,
          },
        ]),
    { name: 'Sellers', value: String(new Set(lines.map(({ seller }) => seller)).size) },
  ].slice(0, 5);
}

/** Spend by day against the plan, where all of it is in one currency. */
function daysOf(statement: JsonObject): Pick<PageDocument, 'bars'> {
  const days = objects(statement['days']);
  const currencies = new Set(days.map((row) => text(row['currency'])));
  if (days.length === 0 || currencies.size > 1) return {};
  return {
    bars: {
      name: 'Delivered by day',
      unit: [...currencies].join(''),
      bars: days.map((row) => ({
        label: text(row['day']),
        value: Number(text(row['spend'])),
        text: moneyText(microsOf(text(row['spend'])), text(row['currency'])),
        ...(typeof row['planned'] === 'string' && { planned: Number(row['planned']) }),
      })),
    },
  };
}

function linesTable(lines: readonly Sum[], totals: readonly JsonObject[]): PageTable {
  const isOfOne = new Set(lines.map(({ client }) => client)).size < 2;
  const own = <Cell>(client: Cell, ...others: readonly Cell[]): readonly Cell[] =>
    isOfOne ? others : [client, ...others];
  return {
    name: 'Delivered by campaign and seller',
    columns: own(
      { name: 'Client', share: 2.6 },
      { name: 'Campaign', share: 3 },
      { name: 'Seller', share: 2.6 },
      { name: 'Currency', share: 1.4 },
      { name: 'Impressions', share: 2, isFigure: true },
      { name: 'CPM', share: 1.8, isFigure: true },
      { name: 'Delivered', share: 2.2, isFigure: true },
    ),
    rows: lines.map(({ client, campaign, seller, currency, micros, impressions }) =>
      own(
        client,
        campaign,
        seller,
        currency,
        impressions === undefined ? notMeasured : countText(impressions),
        cpmText(micros, impressions, currency),
        moneyText(micros, currency),
      ),
    ),
    sums: totals.map((total) => {
      const amount = moneyText(microsOf(text(total['spend'])), text(total['currency']));
      const blanks = ['', text(total['currency']), '', '', amount];
      return isOfOne ? ['Total', ...blanks] : ['Total', '', ...blanks];
    }),
  };
}

function plansTable(plans: readonly JsonObject[], lines: readonly Sum[]): readonly PageTable[] {
  if (plans.length === 0) return [];
  return [
    {
      name: 'Plan of the month by campaign',
      columns: [
        { name: 'Campaign', share: 5 },
        { name: 'Currency', share: 1.4 },
        { name: 'Planned', share: 2.2, isFigure: true },
        { name: 'Delivered', share: 2.2, isFigure: true },
        { name: 'Of the plan', share: 1.8, isFigure: true },
      ],
      rows: plans.map((plan) => {
        const [campaign, client, currency] = [
          text(plan['campaign']),
          text(plan['client']),
          text(plan['currency']),
        ];
        const planned = microsOf(text(plan['planned']));
        const delivered = lines
          .filter(
            (one) =>
              one.campaign === campaign &&
              one.currency === currency &&
              (client === '' || one.client === client),
          )
          .reduce((sum, { micros }) => sum + micros, 0n);
        const share = planned > 0n ? `${((delivered * 100n) / planned).toString()} %` : '';
        return [campaign, currency, moneyText(planned, currency), moneyText(delivered, currency), share];
      }),
    },
  ];
}

const invoicesTable = (
  invoices: readonly JsonObject[],
  sellerOf: (row: JsonObject) => string,
): PageTable => ({
  name: 'Invoices of sellers',
  columns: [
    { name: 'Number', share: 3 },
    { name: 'Seller', share: 4 },
    { name: 'Currency', share: 1.4 },
    { name: 'Total', share: 2.2, isFigure: true },
  ],
  rows: invoices.map((row) => [
    ...[text(row['number']), sellerOf(row), text(row['currency'])],
    moneyText(microsOf(text(row['total'])), text(row['currency'])),
  ]),
});

const headOf = ({ ledger_head: head }: JsonObject, member: string): string =>
  isJsonObject(head) ? text(head[member]) : '';

interface Sum {
  readonly client: string;
  readonly campaign: string;
  readonly seller: string;
  readonly currency: string;
  readonly micros: bigint;
  /** Undefined where a part of it was not counted. */
  readonly impressions: bigint | undefined;
}

function sumLines(lines: readonly JsonObject[], sellerOf: (row: JsonObject) => string): readonly Sum[] {
  const sums = new Map<string, Sum>();
  for (const row of lines) {
    const [client, campaign] = [text(row['client']) || 'no client', text(row['campaign']) || 'no campaign'];
    const [seller, currency] = [sellerOf(row), text(row['currency'])];
    const key = JSON.stringify([client, campaign, seller, currency]);
    const known = sums.get(key);
    const micros = (known?.micros ?? 0n) + microsOf(text(row['spend']));
    const own = typeof row['impressions'] === 'string' ? BigInt(row['impressions']) : undefined;
    const before = known === undefined ? 0n : known.impressions;
    const impressions = own === undefined || before === undefined ? undefined : before + own;
    sums.set(key, { client, campaign, seller, currency, micros, impressions });
  }
  return [...sums].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, sum]) => sum);
}

function lastDay(period: string): string {
  const [year = 0, month = 0] = period.split('-').map(Number);
  return `${period}-${String(new Date(Date.UTC(year, month, 0)).getUTCDate()).padStart(2, '0')}`;
}
