/** Buys with their rows: an operation, a leg, two packages, a report, two webhooks, and for one in ten a question. */
const principalId = '22222222-2222-4222-8222-222222222222';
const id = (kind) => `md5('${kind}' || n)::uuid`;
const at = `timestamptz '2026-01-01Z' + n * interval '1 minute'`;
const statements = [
  `insert into operation (id, organization_id, principal_id, task, task_id, request_hash, dialect, form, request, status,
     answer, created_at, updated_at, settled_at, insert_scope)
   select ${id('operation')}, $1::uuid, '${principalId}', 'create_media_buy', 'task_' || n, '', 'ads', 'service', '{}',
     'completed', '{}', ${at}, ${at}, ${at}, 'scope'`,
  `insert into leg (id, organization_id, operation_id, connection_id, seller, task, dialect, form, outbound, status,
     attempts, custody_at, created_at, updated_at)
   select ${id('leg')}, $1::uuid, ${id('operation')}, md5('connection' || $1::uuid || n % 40)::uuid, 'grown-' || n % 40, 'create_media_buy',
     'ads', 'service', '{}', 'completed', 1, ${at}, ${at}, ${at}`,
  `insert into media_buy (id, organization_id, operation_id, principal_id, brand, operator, currency, status, start_time,
     end_time, created_at, updated_at)
   select 'grown_' || n, $1::uuid, ${id('operation')}, '${principalId}', '{"domain":"brand.example"}', 'agency.example', 'EUR',
     case when n % 10 = 0 then 'active' else 'completed' end, 'asap', '2026-12-01T00:00:00Z', ${at}, ${at}`,
  `insert into seller_buy (id, organization_id, media_buy_id, leg_id, connection_id, seller, seller_media_buy_id, status,
     is_watched, created_at, updated_at)
   select ${id('seller_buy')}, $1::uuid, 'grown_' || n, ${id('leg')}, md5('connection' || $1::uuid || n % 40)::uuid, 'grown-' || n % 40,
     'theirs-' || n, 'active', true, ${at}, ${at}`,
  `insert into buy_package (id, organization_id, media_buy_id, leg_id, position, seller, product_id, pricing_option_id,
     currency, budget_micros, seller_package_id)
   select md5('package' || n || '/' || place)::uuid, $1::uuid, 'grown_' || n, ${id('leg')}, place, 'grown-' || n % 40,
     'product', 'cpm', 'EUR', 1000000000, 'p' || place`,
  `insert into report_version (id, organization_id, connection_id, seller, media_buy_id, seller_buy_id, package_ref,
     period_start, period_end, granularity, version, is_current, notification_type, stream, reported_at, received_at,
     source, operation_id, currency, spend_micros, spend_text, impressions)
   select uuidv7(), $1::uuid, md5('connection' || $1::uuid || n % 40)::uuid, 'grown-' || n % 40, 'grown_' || n, ${id('seller_buy')},
     'p1', '2026-01-01Z', '2026-01-02Z', 'daily', 1, true, 'scheduled', 'webhook', ${at}, ${at}, 'webhook',
     ${id('operation')}, 'EUR', 1000000, '1', 1000`,
  `insert into webhook_registration (id, organization_id, connection_id, leg_id, operation_id, kind, mode,
     seller_operation_id, created_at)
   select 'grown_' || n, $1::uuid, md5('connection' || $1::uuid || n % 40)::uuid, ${id('leg')}, ${id('operation')}, 'report', 'signed', '', ${at}`,
  `insert into inbox_event (id, organization_id, registration_id, connection_id, sender, kind, headers, body, body_hash,
     verdict, state, received_at, applied_at)
   select md5('event' || n || '/' || place)::uuid, $1::uuid, 'grown_' || n, md5('connection' || $1::uuid || n % 40)::uuid,
     'https://seller.example', 'delivery_report', '[]', '', '', '{}',
     case when n % 100 = 0 then 'quarantined' else 'applied' end, ${at}, ${at}`,
  `insert into approval (id, organization_id, operation_id, leg_id, connection_id, seller, task, round, question_hash,
     reason, question, errors, state, requested_at)
   select ${id('approval')}, $1::uuid, ${id('operation')}, ${id('leg')}, md5('connection' || $1::uuid || n % 40)::uuid, 'grown-' || n % 40,
     'create_media_buy', 1, '', '', '{}', '[]', case when n > $3::int - 500 then 'open' else 'answered' end, ${at}`,
];

/** Makes the buys numbered after `from` up to `to` and their sellers, and answers the owner. */
export async function growTo(owner, { organizationId }, { from, to }) {
  await owner.query(
    `insert into connection (id, organization_id, slug, name, agent_url, protocol, dialect, configured_form, form, kinds,
         state, created_at, updated_at)
       select md5('connection' || $1::uuid || n)::uuid, $1::uuid, 'grown-' || n, 'Grown', 'https://grown-' || n || '.example/mcp', 'mcp',
         'ads', 'auto', 'service', '{sales}', 'live', now(), now() from generate_series(0, 39) n`,
    [organizationId],
  );
  for (const text of statements) {
    const places = /\bplace\b/.test(text) ? ' cross join generate_series(1, 2) place' : '';
    const every = text.startsWith('insert into approval') ? ' where n % 10 = 0' : '';
    await owner.query(`${text} from generate_series($2::int, $3::int) n${places}${every}`, [
      organizationId,
      from + 1,
      to,
    ]);
  }
  await owner.query('vacuum analyze');
  return principalId;
}
