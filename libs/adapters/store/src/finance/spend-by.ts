import { groupBy, type MissingRate } from '@switchyard/ledger';
import { divideHalfEven } from '@switchyard/money';
import type { Reach, TenantScope } from '@switchyard/tenancy';
import { err, ok, type Instant, type Result } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import type { TenantClient } from '../core/tenant-client.js';
import { withinReach, type Condition } from '../core/within-reach.js';
import { packageMoves } from '../ledger/package-spend.js';
import { reportingCurrency } from './dated-rates.js';

/** Dimensions of spend. `account` is the billing account at the seller. */
export const spendDimensions = [
  'client',
  'brand',
  'campaign',
  'seller',
  'account',
  'buy',
  'package',
  'day',
  'week',
  'month',
  'period',
] as const;
export type SpendDimension = (typeof spendDimensions)[number];

export interface SpendQuestion {
  readonly by: readonly SpendDimension[];
  readonly reach: Reach;
  /** UTC days: `from` inclusive, `to` exclusive. */
  readonly from?: string;
  readonly to?: string;
  /** Only what was booked by this instant. */
  readonly asOf?: Instant;
  readonly clientId?: string;
  readonly brandDomain?: string;
  readonly campaignId?: string;
  readonly seller?: string;
}

/** One sum; ids are returned beside names. */
export type SpendRow = Readonly<Partial<Record<string, string>>> & {
  readonly currency: string;
  /** Micros as text. */
  readonly amount: string;
};

/**
 * Our account at a seller `s`: the seller's id of the one that the buy `m` was bought in for its client, else of the
 * connection's, else the brand and operator of the buy.
 */
export const accountText = `coalesce(
  (select own.account_id from seller_buy own where own.organization_id = m.organization_id and own.media_buy_id = m.id
     and own.connection_id = s.id and own.account_id is not null limit 1),
  s.account ->> 'account_id', s.account ->> 'accountId',
  coalesce(s.account #>> '{brand,domain}', m.brand ->> 'domain', '') || ' by ' ||
  coalesce(s.account ->> 'operator', m.operator, ''))`;

/** The columns of each dimension: an expression and its name in the answer. */
const columnsOf: Readonly<Record<SpendDimension, readonly (readonly [expression: string, name: string])[]>> =
  {
    client: [
      ['m.client_id::text', 'client_id'],
      ['c.name', 'client'],
    ],
    brand: [['m.brand_domain', 'brand']],
    campaign: [
      ['m.campaign_id::text', 'campaign_id'],
      ['k.name', 'campaign'],
    ],
    seller: [['p.seller', 'seller']],
    account: [
      ['p.seller', 'seller'],
      [accountText, 'account'],
    ],
    package: [
      ['p.media_buy_id', 'media_buy_id'],
      [`p.seller || ':' || nullif(p.package_ref, '')`, 'package_id'],
    ],
    buy: [
      ['p.media_buy_id', 'media_buy_id'],
      ['c.name', 'client'],
      ['m.brand_domain', 'brand'],
      ['k.name', 'campaign'],
    ],
    day: [['p.day', 'day']],
    week: [[`to_char(date_trunc('week', p.day::date), 'YYYY-MM-DD')`, 'week']],
    month: [['left(p.day, 7)', 'month']],
    period: [['left(p.day, 7)', 'period']],
  };

/** A rate that a sum was converted with. */
interface UsedRate {
  readonly from: string;
  readonly date: string;
  /** Decimal text, as entered. */
  readonly rate: string;
  readonly source: string;
}

/** A sum in the reporting currency, with the rates that were used. */
export interface ReportingRow {
  readonly row: SpendRow;
  readonly originals: readonly { readonly currency: string; readonly amount: string }[];
  /** By currency and date; empty if all of it was in the reporting currency. */
  readonly rates: readonly UsedRate[];
}

/** Limit of rows in an answer. */
export const spendRowsAtMost = 10_000;

/** Dimensions that `ledger_balance` has. */
const balanced: ReadonlySet<SpendDimension> = new Set(['seller', 'day', 'week', 'month', 'period']);

function isInBalances({ by, reach, asOf, clientId, brandDomain, campaignId }: SpendQuestion): boolean {
  return (
    reach.kind === 'everything' &&
    by.every((dimension) => balanced.has(dimension)) &&
    [asOf, clientId, brandDomain, campaignId].every((part) => part === undefined)
  );
}

/**
 * Spend added up by any of the dimensions: from the balances if they have the dimensions, else from the sums of
 * packages. For a past time, later bookings are subtracted, and sums of zero are left out.
 */
export async function spendBy(
  store: Store,
  scope: TenantScope,
  question: SpendQuestion,
): Promise<readonly SpendRow[]> {
  return store.inTenant(scope, (client) => readSpend(client, question));
}

/**
 * The same in the organization's reporting currency: spend of a day is converted with the rate of that day, or the last
 * one before it. If a rate is missing, returns the first such pair and day: nothing is left out.
 */
export async function spendInReporting(
  store: Store,
  scope: TenantScope,
  question: SpendQuestion,
): Promise<Result<readonly ReportingRow[], MissingRate>> {
  return store.inTenant(scope, async (client) => {
    const to = await reportingCurrency(client);
    const sums = await readSpend(client, question, to);
    const sorted = sums as readonly RatedRow[];
    const missing = sorted.find(({ missing_day: day }) => day !== null);
    if (missing?.missing_day) return err({ from: missing.currency, to, day: missing.missing_day });
    const names = [
      ...new Set(question.by.flatMap((dimension) => columnsOf[dimension].map(([, name]) => name))),
    ];
    const groups = groupBy(sorted, (row) => JSON.stringify(names.map((name) => row[name] ?? null)));
    return ok(
      [...groups.values()].map((rows) => ({
        row: {
          ...Object.fromEntries(names.map((name) => [name, rows[0]?.[name]])),
          currency: to,
          amount: rows.reduce((sum, { converted }) => sum + roundedHalfEven(converted), 0n).toString(),
        } as SpendRow,
        originals: rows.map(({ currency, amount }) => ({ currency, amount })),
        rates: rows.flatMap(({ currency, rates }) =>
          (rates ?? []).map((rate) => ({ from: currency, ...rate })),
        ),
      })),
    );
  });
}

type RatedRow = SpendRow & {
  /** Micros in the reporting currency, with all decimals of the product. */
  readonly converted: string;
  readonly missing_day: string | null;
  readonly rates: readonly Omit<UsedRate, 'from'>[] | null;
};

/** Rounds a decimal of PostgreSQL to a whole number, half to even. */
function roundedHalfEven(text: string): bigint {
  const [whole = '0', part = ''] = text.split('.');
  return divideHalfEven(BigInt(`${whole}${part}`), 10n ** BigInt(part.length));
}

async function readSpend(
  client: TenantClient,
  question: SpendQuestion,
  to?: string,
): Promise<readonly SpendRow[]> {
  const { text, values } = spendStatement(client.organizationId, question, to);
  return (await client.query<SpendRow>(text, values)).rows;
}

/**
 * The statement of a question of one organization (a UUID): in the booked currencies, or with each day converted to the
 * currency `to`.
 */
export function spendStatement(organizationId: string, question: SpendQuestion, to?: string): Condition {
  const named = new Map(
    question.by.flatMap((dimension) => columnsOf[dimension].map(([text, name]) => [name, text] as const)),
  );
  const columns = [...named].map(([name, text]) => [text, name] as const);
  const within = withinReach('m', question.reach, 9);
  const expressions = columns.map(([expression]) => `${expression}, `).join('');
  const names = columns.map(([expression, name]) => `${expression} as ${name}, `).join('');
  const sums = `${names}p.currency, sum(p.amount_micros)::text as amount`;
  const inGroups = `group by ${expressions}p.currency`;
  const inOrder = `order by ${expressions}p.currency limit ${spendRowsAtMost}`;
  const common = `p.organization_id = $1
      and ($2::text is null or p.day >= $2) and ($3::text is null or p.day < $3)`;
  if (isInBalances(question)) {
    const from = `ledger_balance p where ${common} and p.account = 'media_spend' and ($4::text is null or p.seller = $4)`;
    const values = [organizationId, question.from ?? null, question.to ?? null, question.seller ?? null];
    if (to !== undefined) return { text: inReporting([...named], from, 5), values: [...values, to] };
    // A balance is of one seller, day and currency: grouped by these, it is read in key order, without a sum.
    const isOfEach = question.by.includes('seller') && question.by.includes('day');
    const text = isOfEach
      ? `select ${names}p.currency, p.amount_micros::text as amount from ${from} ${inOrder}`
      : `select ${sums} from ${from} ${inGroups} ${inOrder}`;
    return { text, values };
  }
  // For a part of the organization, its buys are found first.
  const isOfPart =
    question.reach.kind !== 'everything' ||
    [question.clientId, question.brandDomain, question.campaignId].some((part) => part !== undefined);
  const sumsIn = (buy: string) => sumsOf(question, to !== undefined, buy);
  const from = `
    ${isOfPart ? `media_buy m cross join lateral ${sumsIn('m.id')} p` : `${sumsIn('')} p left join media_buy m on m.id = p.media_buy_id`}
    left join client c on c.id = m.client_id
    left join campaign k on k.id = m.campaign_id
    ${question.by.includes('account') ? 'left join connection s on s.organization_id = $1 and s.slug = p.seller' : ''}
    where ${common}
      and ($5::uuid is null or m.client_id = $5) and ($6::text is null or m.brand_domain = $6)
      and ($7::uuid is null or m.campaign_id = $7) and ($8::text is null or p.seller = $8) and ${within.text}`;
  const isLeft = 'having $4::timestamptz is null or sum(p.amount_micros) <> 0';
  const { asOf, clientId, brandDomain, campaignId, seller } = question;
  const values = [
    organizationId,
    question.from ?? null,
    question.to ?? null,
    asOf === undefined ? null : new Date(asOf),
    clientId ?? null,
    brandDomain ?? null,
    campaignId ?? null,
    seller ?? null,
    ...within.values,
  ];
  return to === undefined
    ? { text: `select ${sums} from ${from} ${inGroups} ${isLeft} ${inOrder}`, values }
    : { text: inReporting([...named], from, values.length + 1, isLeft), values: [...values, to] };
}

/**
 * The sums of packages by day or, if the question is of whole months, by month, with its first day. Bookings after a
 * past time are subtracted: by package from the texts of their entries, else from their postings. `of`: only that buy.
 */
function sumsOf({ by, from = '', to = '', asOf }: SpendQuestion, isByRate: boolean, of: string): string {
  const isOfMonths =
    !isByRate &&
    !by.some((dimension) => dimension === 'day' || dimension === 'week') &&
    [from, to].every((day) => day === '' || day.endsWith('-01'));
  const columns = 's.organization_id, s.seller, s.media_buy_id, s.package_ref';
  const [day, amount, days] = isOfMonths
    ? [`s.month || '-01'`, 's.amount_micros', '']
    : [
        `s.month || '-' || lpad(d.place::text, 2, '0')`,
        'd.amount',
        'join lateral unnest(s.days) with ordinality d(amount, place) on d.amount is not null',
      ];
  const ofBuy = (row: string) => (of === '' ? '' : `and ${row}.media_buy_id = ${of}`);
  const later = by.includes('package')
    ? `select ${columns}, s.day, s.currency, -s.amount_micros from ${packageMoves(`l.occurred_at > $4 ${ofBuy('l')}`)} s`
    : `select o.organization_id, o.seller, o.media_buy_id, '', o.day, o.currency, -o.amount_micros
       from ledger_entry e join ledger_posting o on o.entry_id = e.id and o.account = 'media_spend'
       where e.organization_id = $1 and e.occurred_at > $4 ${ofBuy('e')}`;
  return `(
    select ${columns}, ${day} as day, s.currency, ${amount} as amount_micros from package_spend s ${days}
    where s.organization_id = $1 and ($2::text is null or s.month >= left($2, 7))
      and ($3::text is null or s.month <= left($3, 7)) ${ofBuy('s')}
    ${asOf === undefined ? '' : `union all ${later}`})`;
}

/** Sums by day, each converted with the rate of its day. The target currency is at placeholder `place`. */
function inReporting(
  named: readonly (readonly [name: string, expression: string])[],
  from: string,
  place: number,
  isLeft = '',
): string {
  const inner = named.map(([name, expression]) => `${expression} as ${name}, `).join('');
  const grouped = named.map(([, expression]) => `${expression}, `).join('');
  const outer = named.map(([name]) => `d.${name}, `).join('');
  return `
    select ${outer}d.currency, sum(d.amount)::text as amount,
      coalesce(sum(d.amount * case when d.currency = $${place} then 1 else r.rate::numeric end), 0)::text as converted,
      min(d.spent_on) filter (where d.currency <> $${place} and r.rate is null) as missing_day,
      json_agg(distinct jsonb_build_object('date', r.date, 'rate', r.rate, 'source', r.source))
        filter (where r.rate is not null) as rates
    from (select ${inner}p.day as spent_on, p.currency, sum(p.amount_micros) as amount
          from ${from} group by ${grouped}p.day, p.currency ${isLeft}) d
    left join lateral (
      select x.date, x.rate, x.source from exchange_rate x
      where x.organization_id = $1 and x.from_currency = d.currency and x.to_currency = $${place}
        and d.currency <> $${place} and x.date <= d.spent_on order by x.date desc limit 1) r on true
    group by ${outer}d.currency order by ${outer}d.currency limit ${spendRowsAtMost}`;
}
