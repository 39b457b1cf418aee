import type { PackageMove } from '@switchyard/ledger';
import { arrayTexts } from '../core/array-text.js';
import type { TenantClient } from '../core/tenant-client.js';
import { ledgerStream } from './stream-head.js';

/**
 * `package_spend` has one row for each package, month and currency: the booked sum, and the sum of each day. Every
 * booking updates it in the same transaction, so limits are checked against it
 * (docs/ledger.md#spend-by-package-and-month).
 */
interface MonthSum extends Omit<PackageMove, 'day'> {
  amountMicros: bigint;
  /** Day 1 is first; null if nothing was booked. */
  readonly days: (bigint | null)[];
}

const types = {
  seller_buy_id: 'uuid',
  package_ref: 'text',
  month: 'text',
  currency: 'text',
  media_buy_id: 'text',
  seller: 'text',
  amount: 'bigint',
  days: 'text',
} as const;

/** Adds the bookings of a block. */
export async function addToPackages(client: TenantClient, moves: readonly PackageMove[]): Promise<void> {
  const sums = [...byMonth(moves)];
  if (sums.length === 0) return;
  await client.query({
    name: 'ledger_add_to_packages',
    text: `insert into package_spend as kept (organization_id, seller_buy_id, package_ref, month, currency, media_buy_id,
             seller, amount_micros, days)
           select $1::uuid, n.seller_buy_id, n.package_ref, n.month, n.currency, n.media_buy_id, n.seller, n.amount,
             n.days::bigint[]
           from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::text[])
             n(seller_buy_id, package_ref, month, currency, media_buy_id, seller, amount, days)
           on conflict (organization_id, seller_buy_id, package_ref, month, currency)
           do update set amount_micros = kept.amount_micros + excluded.amount_micros,
             days = array(select coalesce(d.before + d.more, d.before, d.more)
                          from unnest(kept.days, excluded.days) d(before, more))`,
    values: [
      client.organizationId,
      ...arrayTexts(
        types,
        sums.map(([month, sum]) => ({
          seller_buy_id: sum.sellerBuyId,
          package_ref: sum.packageRef,
          month,
          currency: sum.currency,
          media_buy_id: sum.mediaBuyId,
          seller: sum.seller,
          amount: sum.amountMicros.toString(),
          days: `{${Array.from(sum.days, (day) => day ?? 'NULL').join()}}`,
        })),
      ),
    ],
  });
}

/** One statement may touch a row only once. Days without a change are left out. */
function* byMonth(moves: readonly PackageMove[]): Generator<readonly [month: string, sum: MonthSum]> {
  const sums = new Map<string, readonly [month: string, sum: MonthSum]>();
  for (const { day, amountMicros, ...move } of moves) {
    const month = day.slice(0, 7);
    const key = [move.sellerBuyId, move.packageRef, month, move.currency].join('\u0000');
    const known = sums.get(key) ?? [month, { ...move, amountMicros: 0n, days: [] }];
    const [, sum] = known;
    const place = Number(day.slice(8)) - 1;
    sum.amountMicros += amountMicros;
    sum.days[place] = (sum.days[place] ?? 0n) + amountMicros;
    sums.set(key, known);
  }
  for (const sum of sums.values()) if (sum[1].days.some((day) => day !== null && day !== 0n)) yield sum;
}

/**
 * Booked amounts by package and day, from the texts of entries: postings are sums over packages. `$1` is the
 * organization, `chosen` the condition on entries `l`. A late figure is booked on the first open day; older entries do
 * not have that day in their text, so it is read from their postings (docs/ledger.md#closing-a-period). An entry whose
 * figures stand on other days than the UTC days of their starts states what it moves.
 */
export const packageMoves = (chosen: string): string => `(
  select e.organization_id, (e.facts #>> '{report,seller_buy_id}')::uuid as seller_buy_id, e.media_buy_id, e.seller,
    x.package_ref,
    case when not e.facts ? 'moves' and e.facts -> 'closed_periods' ? left(x.day, 7) then coalesce(e.facts ->> 'booked_on', (
      select min(o.day) from ledger_posting o where o.entry_id = e.id), x.day) else x.day end as day,
    e.facts #>> '{report,currency}' as currency, x.amount_micros
  from (
    select l.id, l.organization_id, l.media_buy_id, l.seller, l.body::jsonb -> 'facts' as facts from ledger_entry l
    where l.organization_id = $1 and l.kind in ('delivery', 'restatement', 'observation')
      and ${chosen} offset 0
  ) e
  cross join lateral (
    select v.version ->> 'package_ref' as package_ref, left(e.facts #>> '{report,period_start}', 10) as day,
      (v.version ->> 'spend_micros')::bigint as amount_micros
    from jsonb_array_elements(e.facts -> 'versions') v(version)
    where (v.version ->> 'counts')::boolean and not e.facts ? 'moves'
    union all
    select r.package_ref, to_char(r.period_start at time zone 'UTC', 'YYYY-MM-DD'), r.spend_micros * moved.sign
    from (
      select id, 1 as sign from jsonb_array_elements_text(e.facts -> 'counts_again') again(id)
      union all
      select id, -1 from jsonb_array_elements_text(e.facts -> 'no_longer_counts') ended(id)
    ) moved cross join lateral (
      select * from report_version v where v.id = moved.id::uuid and not e.facts ? 'moves' offset 0) r
    union all
    select s.one ->> 0, s.one ->> 1, (s.one ->> 2)::bigint
    from jsonb_array_elements(coalesce(e.facts -> 'moves', '[]'::jsonb)) s(one)
  ) x)`;

/** Packages of which a day, or the sum of a month, differs from the entries. */
export async function* packagesThatDiffer(client: TenantClient): AsyncGenerator<string> {
  const { rows } = await client.query<{ at: string }>(
    `with stored as (
       select s.seller_buy_id, s.media_buy_id, s.seller, s.package_ref, s.currency, s.month, s.amount_micros, s.days
       from package_spend s where s.organization_id = $1),
     by_day as (
       select s.seller_buy_id, s.media_buy_id, s.seller, s.package_ref, s.currency,
         s.month || '-' || lpad(d.place::text, 2, '0') as day, d.amount
       from stored s cross join lateral unnest(s.days) with ordinality d(amount, place) where d.amount <> 0),
     booked as (
       select x.seller_buy_id, x.media_buy_id, x.seller, x.package_ref, x.currency, x.day, sum(x.amount_micros) as amount
       from ${packageMoves(`l.stream = '${ledgerStream}'`)} x
       group by 1, 2, 3, 4, 5, 6 having sum(x.amount_micros) <> 0)
     select concat_ws(' ', seller_buy_id, package_ref, day, currency) as at
     from by_day s full join booked b using (seller_buy_id, media_buy_id, seller, package_ref, currency, day)
     where s.amount is distinct from b.amount
     union
     select concat_ws(' ', seller_buy_id, package_ref, month, currency) from stored
     where amount_micros <> (select coalesce(sum(d), 0) from unnest(days) d)
     order by at limit 1000`,
    [client.organizationId],
  );
  yield* rows.map(({ at }) => at);
}
