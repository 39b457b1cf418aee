/** Half a year of daily reports at 50 sellers, ten packages a buy, with an invoice of each seller for March. */
export const sellers = 50;
export const packages = 10;
export const days = 180;
/** Report rows of one buy. */
export const rowsOfBuy = packages * days;
export const period = '2026-03';
/** Thirty days before the last report. */
export const asOf = '2026-05-31T12:00:00Z';

const id = (kind) => `md5($1 || '${kind}' || n)::uuid`;
const seller = `'s' || lpad((n % ${sellers})::text, 2, '0')`;
const connection = `md5($1 || 'connection' || n % ${sellers})::uuid`;
const day = `timestamptz '2026-01-01Z' + day * interval '1 day'`;
const dayText = `to_char(date '2026-01-01' + day, 'YYYY-MM-DD')`;
const spend = `(1 + (n * 31 + day * 7 + place * 13) % 97) * 1000003::bigint`;
/** It begins with its time, like ids of entries: the row is in the partition of its day. */
const entry = `(lpad(to_hex((extract(epoch from ${day}) * 1000)::bigint), 12, '0') || '7'
  || substr(md5($1 || 'entry' || n || '/' || day), 14))::uuid`;
const ofDays = `cross join generate_series(0, ${days - 1}) day`;
const ofPackages = `cross join generate_series(1, ${packages}) place`;

/** The body of an entry, with its versions: a past state is read from them. */
const body = `(select jsonb_build_object('facts', jsonb_build_object(
    'report', jsonb_build_object('seller_buy_id', ${id('seller_buy')}, 'currency', 'EUR',
      'period_start', to_char(date '2026-01-01' + day, 'YYYY-MM-DD"T00:00:00.000Z"')),
    'versions', jsonb_agg(jsonb_build_object('id', md5(${entry}::text || place), 'package_ref', 'p' || place,
      'measurement_window', '', 'version', 1, 'notification_type', 'scheduled', 'is_final', null, 'spend_micros', (${spend})::text,
      'spend_text', '', 'impressions', '1000', 'clicks', null, 'counts', true)),
    'counts_again', '[]'::jsonb, 'no_longer_counts', '[]'::jsonb))::text from generate_series(1, ${packages}) place)`;

/** `$1` is the organization, `$2` the number of buys. */
const statements = [
  `insert into connection (id, organization_id, slug, name, agent_url, protocol, dialect, configured_form, form, kinds,
     state, created_at, updated_at)
   select distinct ${connection}, $1::uuid, ${seller}, 'Seller', 'https://' || ${seller} || '.example/mcp', 'mcp', 'ads', 'auto',
     'service', '{sales}'::text[], 'live', now(), now() from generate_series(0, ${sellers - 1}) n where $2::int > 0`,
  `insert into client (id, organization_id, name, sellers, created_at, updated_at)
   select ${id('client')}, $1::uuid, 'Client ' || n, '{}', now(), now() from generate_series(0, 19) n where $2::int > 0`,
  `insert into media_buy (id, organization_id, operation_id, principal_id, brand, operator, currency, status, start_time,
     end_time, brand_domain, client_id, created_at, updated_at)
   select ${id('buy')}::text, $1::uuid, ${id('operation')}, $1::uuid, '{}', 'agency.example', 'EUR', 'active', 'asap',
     '2026-12-01T00:00:00Z', 'brand' || n % 40 || '.example', md5($1 || 'client' || n % 20)::uuid, now(), now()
   from generate_series(1, $2::int) n`,
  `insert into seller_buy (id, organization_id, media_buy_id, leg_id, connection_id, seller, seller_media_buy_id, status,
     created_at, updated_at)
   select ${id('seller_buy')}, $1::uuid, ${id('buy')}::text, ${id('leg')}, ${connection}, ${seller}, 'theirs-' || n, 'active',
     now(), now() from generate_series(1, $2::int) n`,
  `insert into buy_package (id, organization_id, media_buy_id, leg_id, position, seller, product_id, pricing_option_id,
     currency, budget_micros, seller_package_id)
   select gen_random_uuid(), $1::uuid, ${id('buy')}::text, ${id('leg')}, place, ${seller}, 'product', 'cpm', 'EUR',
     100000000000, 'p' || place from generate_series(1, $2::int) n ${ofPackages}`,
  `insert into report_version (id, organization_id, connection_id, seller, media_buy_id, seller_buy_id, package_ref,
     period_start, period_end, granularity, version, is_current, notification_type, sequence_number, stream, reported_at,
     received_at, source, operation_id, currency, spend_micros, spend_text, impressions, entry_id)
   select uuidv7(), $1::uuid, ${connection}, ${seller}, ${id('buy')}::text, ${id('seller_buy')}, 'p' || place,
     ${day}, ${day} + interval '1 day', 'daily', 1, true, 'scheduled', day + 1, 'webhook', ${day} + interval '25 hours',
     ${day} + interval '25 hours', 'webhook', ${id('operation')}, 'EUR', ${spend}, '', 1000, ${entry}
   from generate_series(1, $2::int) n ${ofDays} ${ofPackages}`,
  // In a separate stream, without hashes. Entries booked later are hashed.
  `insert into ledger_entry (id, organization_id, stream, block_number, position, kind, operation_id, media_buy_id, seller,
     occurred_at, body, hash)
   select ${entry}, $1::uuid, 'made', n * 1000 + day, 0, 'delivery', ${id('operation')}, ${id('buy')}::text, ${seller},
     ${day} + interval '25 hours', ${body}, '' from generate_series(1, $2::int) n ${ofDays}`,
  `insert into ledger_posting (entry_id, line, organization_id, account, seller, media_buy_id, day, currency, amount_micros)
   select ${entry}, line, $1::uuid, case line when 0 then 'media_spend' else 'seller_payable' end, ${seller},
     ${id('buy')}::text, ${dayText}, 'EUR', case line when 0 then 1 else -1 end * (select sum(${spend}) from generate_series(1, ${packages}) place)
   from generate_series(1, $2::int) n ${ofDays} cross join generate_series(0, 1) line`,
  `insert into ledger_balance (organization_id, account, seller, day, currency, amount_micros)
   select organization_id, account, seller, day, currency, sum(amount_micros) from ledger_posting
   where organization_id = $1::uuid and $2::int > 0 group by 1, 2, 3, 4, 5`,
  `insert into package_spend (organization_id, seller_buy_id, package_ref, month, currency, media_buy_id, seller, amount_micros, days)
   select organization_id, seller_buy_id, package_ref, to_char(period_start, 'YYYY-MM'), currency, media_buy_id, seller,
     sum(spend_micros), array_agg(spend_micros order by period_start) from report_version
   where organization_id = $1::uuid and $2::int > 0 group by 1, 2, 3, 4, 5, 6, 7`,
  `insert into invoice (id, organization_id, connection_id, seller, number, period, issued_on, currency, total_micros,
     file_name, original_hash, imported_by, imported_at, entry_id)
   select ${id('invoice')}, $1::uuid, ${connection}, ${seller}, 'INV-' || n, '${period}', '2026-04-02', 'EUR', 0, 'inv.csv', '',
     $1::uuid, now(), gen_random_uuid() from generate_series(0, ${sellers - 1}) n where $2::int > 0`,
  // One line in a hundred bills 5 % more than was delivered.
  `insert into invoice_line (organization_id, invoice_id, line, seller_media_buy_id, package_ref, amount_micros)
   select $1::uuid, md5($1 || 'invoice' || n % ${sellers})::uuid, n * 10 + place, 'theirs-' || n, 'p' || place,
     sum(${spend}) * case when (n * 10 + place) % 100 = 0 then 105 else 100 end / 100
   from generate_series(1, $2::int) n ${ofPackages} ${ofDays}
   where ${dayText} >= '${period}-01' and ${dayText} < '2026-04-01' group by n, place`,
  `update invoice i set total_micros = l.total
   from (select invoice_id, sum(amount_micros) as total from invoice_line where organization_id = $1::uuid group by 1) l
   where l.invoice_id = i.id and $2::int > 0`,
];

/** The buys of one organization, in the form that booking reports needs. */
export async function makeMonths(owner, { organizationId }, buys) {
  for (const text of statements)
    await owner.query(text.replaceAll('$1 ||', '$1::text ||'), [organizationId, buys]);
  await owner.query('vacuum analyze');
  const { rows } = await owner.query(
    `select connection_id as "connectionId", seller_media_buy_id as "sellerMediaBuyId", leg_id as "legId"
     from seller_buy where organization_id = $1 order by id`,
    [organizationId],
  );
  return rows.map((buy) => ({ ...buy, packages: Array.from({ length: packages }, (_, at) => `p${at + 1}`) }));
}

/** Plain SQL over the raw rows, for each question: the time without a ledger. */
export const floors = {
  'spend by seller and day': `select seller, period_start::date, currency, sum(spend_micros) from report_version
    where organization_id = $1 and is_current group by 1, 2, 3 order by 1, 2, 3`,
  'spend by client, brand and month': `select m.client_id, m.brand_domain, date_trunc('month', v.period_start), v.currency,
      sum(v.spend_micros) from report_version v join media_buy m on m.id = v.media_buy_id
    where v.organization_id = $1 and v.is_current group by 1, 2, 3, 4`,
  'spend of one client by day': `select v.period_start::date, v.currency, sum(v.spend_micros)
    from report_version v join media_buy m on m.id = v.media_buy_id
    where v.organization_id = $1 and v.is_current and m.client_id = md5($1::text || 'client' || 3)::uuid group by 1, 2`,
  'spend by package, in March': `select v.media_buy_id, v.package_ref, v.currency, sum(v.spend_micros) from report_version v
    where v.organization_id = $1 and v.is_current and v.period_start >= '${period}-01Z' and v.period_start < '2026-04-01Z'
    group by 1, 2, 3 limit 10000`,
  'spend by client and month, 30 days ago': `select m.client_id, date_trunc('month', v.period_start), v.currency,
      sum(v.spend_micros) from report_version v join media_buy m on m.id = v.media_buy_id
    where v.organization_id = $1 and v.is_current and v.received_at <= '${asOf}' group by 1, 2, 3`,
  'spend by package, 30 days ago': `select v.media_buy_id, v.package_ref, v.currency, sum(v.spend_micros)
    from report_version v where v.organization_id = $1 and v.is_current and v.received_at <= '${asOf}'
    group by 1, 2, 3 order by 1, 2, 3 limit 10000`,
  'reconcile a month': `select * from (
      select b.seller, b.seller_media_buy_id, v.package_ref, sum(v.spend_micros) as delivered
      from report_version v join seller_buy b on b.id = v.seller_buy_id
      where v.organization_id = $1 and v.is_current and v.period_start >= '${period}-01Z' and v.period_start < '2026-04-01Z'
      group by 1, 2, 3) d
    full join (
      select i.seller, x.seller_media_buy_id, x.package_ref, sum(x.amount_micros) as billed
      from invoice i join invoice_line x on x.invoice_id = i.id where i.organization_id = $1 and i.period = '${period}'
      group by 1, 2, 3) e using (seller, seller_media_buy_id, package_ref)
    where d.delivered is distinct from e.billed`,
  'statement of a month': `select m.client_id, m.brand_domain, v.seller, v.media_buy_id, v.currency, sum(v.spend_micros)
    from report_version v join media_buy m on m.id = v.media_buy_id
    where v.organization_id = $1 and v.is_current and v.period_start >= '${period}-01Z' and v.period_start < '2026-04-01Z'
    group by 1, 2, 3, 4, 5`,
};
