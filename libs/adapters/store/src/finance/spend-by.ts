import { groupBy } from '@switchyard/ledger';
import { divideHalfEven } from '@switchyard/money';
import type { Reach, TenantScope } from '@switchyard/tenancy';
import { err, ok, type Instant, type Result } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import type { TenantClient } from '../core/tenant-client.js';
import { withinReach } from '../core/within-reach.js';
import { reportingCurrency, type MissingRate } from './dated-rates.js';

/** What spend can be added up by. `account` is the billing account at the seller. */
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
  /** UTC days: from inclusive, to exclusive. */
  readonly from?: string;
  readonly to?: string;
  /** Only what was booked by then. */
  readonly asOf?: Instant;
  readonly clientId?: string;
  readonly brandDomain?: string;
  readonly campaignId?: string;
  readonly seller?: string;
}

/** One sum; ids stand beside names. */
export type SpendRow = Readonly<Partial<Record<string, string>>> & {
  readonly currency: string;
  /** Micros as text. */
  readonly amount: string;
};

/** The account that we have at a seller `s`: its own id of it, else the pair of brand and operator of the buy `m`. */
export const accountText = `coalesce(s.account ->> 'account_id', s.account ->> 'accountId',
  coalesce(s.account #>> '{brand,domain}', m.brand ->> 'domain', '') || ' by ' ||
  coalesce(s.account ->> 'operator', m.operator, ''))`;

/** Each dimension as its columns: an expression and the name that it is answered under. */
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

/** What a sum was converted by. */
export interface UsedRate {
  readonly from: string;
  readonly date: string;
  /** Decimal text, as entered. */
  readonly rate: string;
  readonly source: string;
}

/** A sum in the reporting currency, with what it was made of. */
export interface ReportingRow {
  readonly row: SpendRow;
  readonly originals: readonly { readonly currency: string; readonly amount: string }[];
  /** By currency and date; empty where all of it was in the reporting currency. */
  readonly rates: readonly UsedRate[];
}

/** How many rows are answered. */
export const spendRowsAtMost = 10_000;

/** What running sums know: of these there is no need to read postings. */
const summed: ReadonlySet<SpendDimension> = new Set(['seller', 'day', 'week', 'month', 'period']);

/** Spend added up by any of the dimensions, from the running sums where they know enough, else from the postings. */
export function spendBy(
  store: Store,
  scope: TenantScope,
  question: SpendQuestion,
): Promise<readonly SpendRow[]> {
  return store.inTenant(scope, (client) => readSpend(client, question));
}

/**
 * The same in the organization's reporting currency: what was spent on a day counts by the rate of that day, or the last
 * one before it. The first pair and day that has none, where there is one: nothing is left out.
 */
export function spendInReporting(
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
    const names = [...new Set(question.by.flatMap((one) => columnsOf[one].map(([, name]) => name)))];
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

/** A decimal of PostgreSQL as a whole number. */
function roundedHalfEven(text: string): bigint {
  const [whole = '0', part = ''] = text.split('.');
  return divideHalfEven(BigInt(`${whole}${part}`), 10n ** BigInt(part.length));
}

async function readSpend(
  client: TenantClient,
  question: SpendQuestion,
  to?: string,
): Promise<readonly SpendRow[]> {
  const named = new Map(
    question.by.flatMap((dimension) => columnsOf[dimension].map(([text, name]) => [name, text] as const)),
  );
  const columns = [...named].map(([name, text]) => [text, name] as const);
  const within = withinReach('m', question.reach, 9);
  const expressions = columns.map(([expression]) => `${expression}, `).join('');
  const names = columns.map(([expression, name]) => `${expression} as ${name}, `).join('');
  const isSummed =
    question.reach.kind === 'everything' &&
    question.by.every((dimension) => summed.has(dimension)) &&
    [question.asOf, question.clientId, question.brandDomain, question.campaignId].every(
      (part) => part === undefined,
    );
  const rest = `group by ${expressions}p.currency order by ${expressions}p.currency limit ${spendRowsAtMost}`;
  const common = `p.organization_id = $1 and p.account = 'media_spend'
      and ($2::text is null or p.day >= $2) and ($3::text is null or p.day < $3)`;
  if (isSummed) {
    const from = `ledger_balance p where ${common} and ($4::text is null or p.seller = $4)`;
    const { rows } = await client.query<SpendRow>(
      to === undefined
        ? `select ${names}p.currency, sum(p.amount_micros)::text as amount from ${from} ${rest}`
        : inReporting([...named], from, 5),
      [
        client.organizationId,
        question.from ?? null,
        question.to ?? null,
        question.seller ?? null,
        ...(to === undefined ? [] : [to]),
      ],
    );
    return rows;
  }
  const lines = !question.by.includes('package')
    ? {
        rows: 'ledger_posting p',
        bookedBy: 'exists (select from ledger_entry e where e.id = p.entry_id and e.occurred_at <= $4)',
      }
    : to === undefined && isOfAllTime(question)
      ? { rows: `${countedByPackage} p`, bookedBy: 'true' }
      : { rows: `${bookedByPackage} p`, bookedBy: 'p.occurred_at <= $4' };
  const from = `
    ${lines.rows}
    left join media_buy m on m.id = p.media_buy_id
    left join client c on c.id = m.client_id
    left join campaign k on k.id = m.campaign_id
    ${question.by.includes('account') ? 'left join connection s on s.organization_id = $1 and s.slug = p.seller' : ''}
    where ${common}
      and ($4::timestamptz is null or ${lines.bookedBy})
      and ($5::uuid is null or m.client_id = $5) and ($6::text is null or m.brand_domain = $6)
      and ($7::uuid is null or m.campaign_id = $7) and ($8::text is null or p.seller = $8) and ${within.text}`;
  const { asOf, clientId, brandDomain, campaignId, seller } = question;
  const values = [
    client.organizationId,
    question.from ?? null,
    question.to ?? null,
    asOf === undefined ? null : new Date(asOf),
    clientId ?? null,
    brandDomain ?? null,
    campaignId ?? null,
    seller ?? null,
    ...within.values,
  ];
  const { rows } = await client.query<SpendRow>(
    to === undefined
      ? `select ${names}p.currency, sum(p.amount_micros)::text as amount from ${from} ${rest}`
      : inReporting([...named], from, values.length + 1),
    to === undefined ? values : [...values, to],
  );
  return rows;
}

const timeDimensions: ReadonlySet<SpendDimension> = new Set(['day', 'week', 'month', 'period']);

function isOfAllTime({ by, from, to, asOf }: SpendQuestion): boolean {
  return [from, to, asOf].every((part) => part === undefined) && !by.some((one) => timeDimensions.has(one));
}

/** What counts of each package, from its running sum: the same as all that was booked of it. */
const countedByPackage = `(
  select b.organization_id, 'media_spend' as account, b.seller, b.media_buy_id, n.package_ref, null::text as day,
    m.currency, n.spend_micros as amount_micros
  from counted_spend n join seller_buy b on b.id = n.seller_buy_id join media_buy m on m.id = b.media_buy_id
  where n.organization_id = $1)`;

/**
 * What each entry of a report booked of each package, from its own text: postings are sums over packages. What belongs to
 * a closed period counts on the first day that was open, as its posting does (docs/ledger.md#closing-a-period).
 */
const bookedByPackage = `(
  select e.organization_id, 'media_spend' as account, e.seller, e.media_buy_id, x.package_ref,
    case when e.facts -> 'closed_periods' ? left(x.day, 7) then e.open_from else x.day end as day,
    e.facts #>> '{report,currency}' as currency, x.amount_micros, e.occurred_at
  from (
    select l.*, l.body::jsonb -> 'facts' as facts,
      (select min(o.day) from ledger_posting o where o.entry_id = l.id and o.account = 'media_spend') as open_from
    from ledger_entry l
    where l.organization_id = $1 and l.kind in ('delivery', 'restatement', 'observation')
      and ($8::text is null or l.seller = $8)
  ) e
  cross join lateral (
    select v.one ->> 'package_ref' as package_ref, left(e.facts #>> '{report,period_start}', 10) as day,
      (v.one ->> 'spend_micros')::bigint as amount_micros
    from jsonb_array_elements(e.facts -> 'versions') v(one) where (v.one ->> 'counts')::boolean
    union all
    select r.package_ref, to_char(r.period_start at time zone 'UTC', 'YYYY-MM-DD'), r.spend_micros * moved.sign
    from (
      select id, 1 as sign from jsonb_array_elements_text(e.facts -> 'counts_again') again(id)
      union all
      select id, -1 from jsonb_array_elements_text(e.facts -> 'no_longer_counts') ended(id)
    ) moved join report_version r on r.id = moved.id::uuid
  ) x)`;

/** Sums by day, each at the rate of its day. The currency that they are converted to takes the place `place`. */
function inReporting(
  named: readonly (readonly [name: string, expression: string])[],
  from: string,
  place: number,
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
          from ${from} group by ${grouped}p.day, p.currency) d
    left join lateral (
      select x.date, x.rate, x.source from exchange_rate x
      where x.organization_id = $1 and x.from_currency = d.currency and x.to_currency = $${place}
        and d.currency <> $${place} and x.date <= d.spent_on order by x.date desc limit 1) r on true
    group by ${outer}d.currency order by ${outer}d.currency limit ${spendRowsAtMost}`;
}
