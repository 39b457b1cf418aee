/**
 * The floor of a server in Node that makes the same promises for a read: a bearer token that is refused from the moment
 * it is revoked, a record of each use of a credential before the credential is used, which is written only if the
 * credential is still the same, and a quote of each product. HTTP by fastify and undici, three bare tables. Token and
 * sellers are one statement, the record is one, and quotes are written ten times a second. It knows one task, one release
 * and one kind of answer, and judges nothing: no schema, no limit, no stop, no breaker, no deadline, no translation.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import fastify from 'fastify';
import pg from 'pg';
import { Agent, request } from 'undici';
import { liveMb } from '../live-memory.mjs';

const dispatcher = new Agent({ connections: 8, keepAliveTimeout: 60_000 });
const app = fastify();
const secrets = new Map();
const quotes = new Map();
let pool;
let calls = 0;

const tables = `
  drop table if exists bench_token, bench_seller, bench_use, bench_quote;
  create table bench_token (hash bytea primary key, organization_id uuid not null, revoked_at timestamptz);
  create table bench_seller (organization_id uuid, id uuid, slug text not null, version int not null,
    primary key (organization_id, id));
  create table bench_use (id bigint generated always as identity primary key, seller_id uuid not null,
    version int not null, used_at timestamptz not null);
  create table bench_quote (seller_id uuid, product_id text, offer jsonb not null, offered_at timestamptz not null,
    primary key (seller_id, product_id))`;

const sellersOf = (authorization) =>
  pool.query({
    name: 'sellers',
    text: `select s.id, s.slug, s.version from bench_token t join bench_seller s using (organization_id)
           where t.hash = $1 and t.revoked_at is null order by s.slug`,
    values: [createHash('sha256').update(authorization.slice('Bearer '.length)).digest()],
  });

/** Written only for those whose version is still the one that is in memory. */
const recordUses = (sellers) =>
  pool.query({
    name: 'uses',
    text: `insert into bench_use (seller_id, version, used_at)
           select s.id, s.version, now() from unnest($1::uuid[], $2::int[]) as u (id, version)
           join bench_seller s using (id, version)`,
    values: [sellers.map(({ id }) => id), sellers.map(({ version }) => version)],
  });

async function writeQuotes() {
  if (quotes.size === 0) return;
  const written = [...quotes.values()];
  quotes.clear();
  await pool.query({
    name: 'quotes',
    text: `insert into bench_quote select * from unnest($1::uuid[], $2::text[], $3::jsonb[], $4::timestamptz[])
           on conflict (seller_id, product_id) do update set offer = excluded.offer, offered_at = excluded.offered_at`,
    values: ['seller', 'product', 'offer', 'at'].map((member) => written.map((quote) => quote[member])),
  });
}

async function askSeller({ id, slug }, { brief, buying_mode }) {
  const { url, token } = secrets.get(id);
  const answer = await request(url, {
    method: 'POST',
    dispatcher,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: (calls += 1),
      method: 'tools/call',
      params: { name: 'get_products', arguments: { brief, buying_mode } },
    }),
  });
  const { result } = await answer.body.json();
  return { id, slug, products: result.structuredContent.products };
}

app.post('/v1/tasks/get_products', async (asked, reply) => {
  const { rows } = await sellersOf(asked.headers.authorization ?? '');
  if (rows.length === 0) return reply.code(401).send({ errors: [{ code: 'AUTH_INVALID' }] });
  await recordUses(rows);
  const legs = await Promise.all(rows.map((seller) => askSeller(seller, asked.body)));
  const at = new Date();
  for (const { id, products } of legs)
    for (const { product_id: product, pricing_options } of products)
      quotes.set(`${id} ${product}`, { seller: id, product, offer: JSON.stringify(pricing_options), at });
  return {
    status: 'completed',
    products: legs.flatMap(({ slug, products }) =>
      products.map((product) => ({ ...product, product_id: `${slug}:${product.product_id}` })),
    ),
    sellers: legs.map(({ slug }) => ({ seller: slug, status: 'answered' })),
  };
});

async function start({ sellers, ownerUrl }) {
  pool = new pg.Pool({ connectionString: ownerUrl, max: 12 });
  const organization = randomUUID();
  const token = randomBytes(32).toString('base64url');
  const rows = sellers.map((seller) => ({ ...seller, id: randomUUID() }));
  for (const { id, url, token: secret } of rows) secrets.set(id, { url, token: secret });
  await pool.query(tables);
  const hash = createHash('sha256').update(token).digest();
  await pool.query('insert into bench_token values ($1, $2)', [hash, organization]);
  await pool.query(
    'insert into bench_seller select $1, id, slug, 1 from unnest($2::uuid[], $3::text[]) as s (id, slug)',
    [organization, rows.map(({ id }) => id), rows.map(({ slug }) => slug)],
  );
  await pool.query('analyze bench_token, bench_seller');
  setInterval(writeQuotes, 100);
  return { url: await app.listen({ host: '127.0.0.1', port: 0 }), token };
}

process.on('message', async (message) => process.send(message.live ? liveMb() : await start(message)));
process.on('disconnect', () => process.exit(0));
