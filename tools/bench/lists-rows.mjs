/** Buys of 200 brands of 40 clients, a few brands with most of them, each with an operation and a received webhook. */
const id = (kind) => `md5('${kind}' || $1::text || n)::uuid`;
const at = `timestamptz '2026-01-01Z' + n * interval '1 minute'`;
/** The brand of a row: the lower its number, the more rows it has. */
const brand = `floor(200 * (('x' || substr(md5(n::text), 1, 8))::bit(32)::bigint / 4294967296.0) ^ 2)::int`;
const clientOf = (number) => `md5('client' || $1::text || ${number} % 40)::uuid`;
const belonging = `'brand-' || ${brand} || '.example', ${clientOf(brand)}`;
const connection = `md5('connection' || $1::text || n % 20)::uuid`;

const statements = [
  `insert into operation (id, organization_id, principal_id, brand_domain, client_id, task, task_id, request_hash, dialect,
     form, request, status, answer, created_at, updated_at, settled_at)
   select ${id('operation')}, $1::uuid, md5('principal' || $1::text || n % 50)::uuid, ${belonging}, 'create_media_buy',
     'task_' || $1::text || n, '', 'ads', 'service', '{}', 'completed', '{}', ${at}, ${at}, ${at}`,
  `insert into media_buy (id, organization_id, operation_id, principal_id, brand_domain, client_id, brand, operator, currency,
     status, start_time, end_time, created_at, updated_at)
   select 'mb_' || $1::text || n, $1::uuid, ${id('operation')}, md5('principal' || $1::text || n % 50)::uuid, ${belonging},
     jsonb_build_object('domain', 'brand-' || ${brand} || '.example'), 'agency.example', 'EUR', 'active', 'asap',
     '2026-12-01T00:00:00Z', ${at}, ${at}`,
  `insert into webhook_registration (id, organization_id, connection_id, leg_id, operation_id, kind, mode,
     seller_operation_id, created_at)
   select 'in_' || $1::text || n, $1::uuid, ${connection}, ${id('leg')}, ${id('operation')}, 'report', 'signed', '', ${at}`,
  `insert into inbox_event (id, organization_id, registration_id, connection_id, sender, kind, headers, body, body_hash,
     verdict, state, received_at, applied_at)
   select ${id('event')}, $1::uuid, 'in_' || $1::text || n, ${connection}, 'https://seller.example', 'delivery_report', '[]',
     decode(repeat('ab', 600), 'hex'), '', '{}', case when n % 100 = 0 then 'quarantined' else 'applied' end, ${at}, ${at}`,
];
const auditRows = `insert into audit_event (organization_id, at, actor_id, actor_name, action, outcome, detail)
   select $1::uuid, ${at}, md5('principal' || $1::text || n % 50)::uuid, 'somebody', 'settle_leg', 'ok', '{}'`;

/** Makes `size` buys of one organization, its sellers and clients, and as many audit rows if `hasAudit`. */
export async function makeRows(owner, organizationId, size, hasAudit) {
  await owner.query(
    `insert into connection (id, organization_id, slug, name, agent_url, protocol, dialect, configured_form, form, kinds,
       state, created_at, updated_at)
     select ${connection}, $1::uuid, 'seller-' || n, 'Seller', 'https://seller-' || n || '.example/mcp', 'mcp', 'ads', 'auto',
       'service', '{sales}', 'live', now(), now() from generate_series(0, 19) n`,
    [organizationId],
  );
  await owner.query(
    `insert into client (id, organization_id, name, sellers, created_at, updated_at)
     select ${clientOf('n')}, $1::uuid, 'Client ' || n, '{}', now(), now() from generate_series(0, 39) n`,
    [organizationId],
  );
  for (const text of hasAudit ? [...statements, auditRows] : statements)
    await owner.query(`${text} from generate_series(1, $2::int) n`, [organizationId, size]);
}

/** The UUID of a client that `makeRows` made. */
export async function clientIdOf(owner, organizationId, number) {
  const { rows } = await owner.query(`select md5('client' || $1::text || $2::int)::uuid as id`, [
    organizationId,
    number,
  ]);
  return rows[0].id;
}
