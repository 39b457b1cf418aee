import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { buyRequest, list, type Json } from './harness/buy-request.js';
import { ownerUrlOf } from './harness/data-folder.js';
import { admin } from './harness/own-everything.js';
import { waitUntil } from './harness/wait-until.js';
import { postSealed, seal, type Addresses } from './relay/brand-agent.js';
import { sharedRelayStage, type Brand, type RelayStage } from './relay/relay-stage.js';
import { sealedSeller, type SealedSeller } from './relay/sealed-seller.js';
import { madeBuy, sealedBuy } from './relay/seller-answer.js';
import { postUpdate, reportUpdate } from './relay/seller-webhook.js';

/**
 * Sellers over both protocols, and beside each a stranger with the same protocol. Whatever is changed in our database,
 * the stranger never gets a seller's credential for us, and its signature is not accepted.
 */
let stage: RelayStage;
let brand: Brand;
let clerk: string;
const strangers = new Map<string, SealedSeller>();

const question: Json = {
  adcp_version: '3.1',
  buying_mode: 'brief',
  brief: 'x',
  brand: { domain: 'b.example' },
};

beforeAll(async () => {
  stage = await sharedRelayStage({
    mcp: { protocol: 'mcp' },
    a2a: { protocol: 'a2a' },
    news: { protocol: 'mcp' },
  });
  for (const protocol of ['mcp', 'a2a'] as const) strangers.set(protocol, await sealedSeller({ protocol }));
  brand = await stage.brand('bikes', ['mcp', 'a2a', 'news']);
  const added = await stage.cli<{ token: string }>(
    ...['principals', 'add', 'clerk', '--kind', 'service', '--allow', 'sellers:read,sellers:write'],
  );
  clerk = added.token;
});

afterAll(async () => {
  await stage.close();
  await Promise.all([...strangers.values()].map((seller) => seller.close()));
});

interface Answer {
  readonly status: number;
  readonly body: Json;
}

async function api(path: string, body: unknown, token = stage.instance().token): Promise<Answer> {
  const answer = await fetch(`${stage.instance().url}/v1/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Json };
}

const rowOf = (slug: string, at: SealedSeller, more: Json = {}): Json => ({
  slug,
  agent_url: at.agentUrl,
  protocol: at.requested.protocol,
  dialect: 'adcp',
  jwks_uri: `${at.origin}/jwks.json`,
  ...more,
});

async function sql(text: string, values: readonly unknown[]): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrlOf(stage.folder.path) });
  await client.connect();
  await client.query(text, [...values]);
  await client.end();
}

const stranger = (protocol: string): SealedSeller => {
  const found = strangers.get(protocol);
  if (found === undefined) throw new Error(protocol);
  return found;
};

/** Returns the market's row of one seller. */
async function sellerRow(slug: string): Promise<Json> {
  const { body } = await api('tasks/get_products', question);
  return list(body['sellers']).find(({ seller }) => seller === slug) ?? {};
}

async function sealedRequest(slug: string, args: Json, tool = 'get_products'): Promise<string> {
  const to = await stage.cli<Addresses>('relay', 'address', slug, '--principal', brand.id);
  const { status, code } = await postSealed(to, brand.token, seal(brand.key, to, tool, args));
  return code ?? String(status);
}

describe.each(['mcp', 'a2a'] as const)('the token of a seller over %s', (protocol) => {
  const slug = protocol;

  it('is not sent to another origin that an import or an addition names without a token of its own', async () => {
    const moved = rowOf(slug, stranger(protocol));
    const imported = await api('sellers/import', [moved]);
    expect(imported.body['sellers']).toEqual([
      { slug, state: 'failed', code: 'CREDENTIAL_REQUIRED', reason: expect.any(String) },
    ]);
    // A seller that is not live.
    await sql(`update connection set state = 'failed' where slug = $1`, [slug]);
    const added = await api('sellers', moved);
    expect(added).toMatchObject({
      status: 422,
      body: { errors: [{ code: 'CREDENTIAL_REQUIRED', field: 'token' }] },
    });
    await sql(`update connection set state = 'live' where slug = $1`, [slug]);
    expect(await sellerRow(slug)).toMatchObject({ status: 'answered' });
    expect([...stranger(protocol).credentials]).toEqual([]);
    const { token } = stage.seller(slug);
    expect([...stage.seller(slug).credentials]).toEqual([`Bearer ${token}`]);
  });

  it('is not sent to another origin that somebody writes into the tables, by any task or sealed request', async () => {
    // The cached route for sealed requests is in use.
    for (let at = 0; at < 2; at += 1) expect(await sealedRequest(slug, question)).toBe('200');
    const { agentUrl } = stage.seller(slug);
    const bought = await api('tasks/get_products', question);
    const product = list(bought.body['products']).find(({ product_id: id }) =>
      String(id).startsWith(`${slug}:`),
    );
    await sql('update connection set agent_url = $2 where slug = $1', [slug, stranger(protocol).agentUrl]);
    try {
      expect(await sellerRow(slug)).toMatchObject({ status: 'failed', code: 'CREDENTIAL_UNAVAILABLE' });
      const packages = [{ product_id: product?.['product_id'], pricing_option_id: 'cpm', budget: 1000 }];
      const buy = await api('tasks/create_media_buy', buyRequest(packages));
      expect(JSON.stringify(buy.body)).toContain('credential');
      expect(await sealedRequest(slug, question)).toBe('RELAY_CREDENTIAL_UNAVAILABLE');
      expect(await sealedRequest(slug, sealedBuy(), 'create_media_buy')).toBe('RELAY_CREDENTIAL_UNAVAILABLE');
      expect([...stranger(protocol).credentials]).toEqual([]);
      expect(stranger(protocol).received.map(({ tool }) => tool)).not.toContain('create_media_buy');
    } finally {
      await sql('update connection set agent_url = $2 where slug = $1', [slug, agentUrl]);
    }
    expect(await sellerRow(slug)).toMatchObject({ status: 'answered' });
    expect(await sealedRequest(slug, question)).toBe('200');
  });

  it('cannot be decrypted for an origin that somebody writes beside the seal', async () => {
    const { agentUrl, origin } = stage.seller(slug);
    const move = async (to: string, at: string): Promise<void> => {
      await sql('update connection set agent_url = $2 where slug = $1', [slug, to]);
      await sql(`update credential set destination = $2 where seller = $1 and destination is not null`, [
        slug,
        at,
      ]);
    };
    await move(stranger(protocol).agentUrl, stranger(protocol).origin);
    try {
      expect(await sellerRow(slug)).toMatchObject({ status: 'failed', code: 'CREDENTIAL_UNAVAILABLE' });
      expect(await sealedRequest(slug, question)).toBe('RELAY_CREDENTIAL_UNAVAILABLE');
      expect([...stranger(protocol).credentials]).toEqual([]);
    } finally {
      await move(agentUrl, origin);
    }
    expect(await sellerRow(slug)).toMatchObject({ status: 'answered' });
  });

  it('is not sent to the new address of a moved seller that has another one, and the seller is onboarded again', async () => {
    const { token } = stage.seller(slug);
    const there = stranger(protocol);
    const moved = await api('sellers/import', [rowOf(slug, there, { token: there.token })]);
    expect(moved.body).toEqual({ sellers: [{ slug, state: 'live' }] });
    expect(await sellerRow(slug)).toMatchObject({ status: 'answered' });
    expect(there.received.map(({ tool }) => tool)).toContain('get_adcp_capabilities');
    expect([...there.credentials]).toEqual([`Bearer ${there.token}`]);
    expect([...stage.seller(slug).credentials]).toEqual([`Bearer ${token}`]);
    const live = await stage.database.rows<{ destination: string }>(
      `select destination from credential where seller = $1 and kind = 'bearer' and retired_at is null`,
      [slug],
    );
    expect(live).toEqual([{ destination: there.origin }]);
  });
});

describe('trust in the signatures of a known seller', () => {
  let forger: SealedSeller;
  let to: Addresses;

  beforeAll(async () => {
    forger = await sealedSeller({ protocol: 'mcp' });
    to = await stage.address('news', brand);
    stage.seller('news').says('create_media_buy', (args) => madeBuy('sb_news', args));
    expect(await sealedRequest('news', question)).toBe('200');
    const reporting = { reporting_webhook: { url: to.callback_url, reporting_frequency: 'daily' } };
    expect(await sealedRequest('news', sealedBuy(reporting), 'create_media_buy')).toBe('200');
    await waitUntil('the buy is confirmed', async () => (await bookedBuys())[0]);
  });

  afterAll(() => forger.close());

  const bookedBuys = () =>
    stage.database.rows(`select id from seller_buy where seller_media_buy_id = 'sb_news'`);

  const report = (spend: number, sequence: number): Json =>
    reportUpdate({ mediaBuyId: 'sb_news', day: '2026-11-21', spend, sequence });

  it.each<[string, (live: SealedSeller) => Json]>([
    ['key set', () => ({ jwks_uri: `${forger.origin}/jwks.json` })],
    ['brand.json', ({ origin }) => ({ brand_json_url: `${origin}/brand.json` })],
    ['webhook mode', () => ({ legacy_webhooks: 'hmac-sha256' })],
    ['pinned key set taken away', () => ({ jwks_uri: undefined })],
    ['address', ({ agentUrl, token }) => ({ agent_url: `${agentUrl}/other`, token })],
  ])('cannot be changed without the permission to approve: its %s', async (_what, change) => {
    const live = stage.seller('news');
    const before = await stage.database.rows(`select * from connection where slug = 'news'`);
    const refused = await api('sellers/import', [rowOf('news', live, change(live))], clerk);
    expect(refused.body['sellers']).toEqual([
      {
        slug: 'news',
        state: 'failed',
        code: 'INSUFFICIENT_PERMISSIONS',
        reason: expect.stringContaining('approve'),
      },
    ]);
    expect(await stage.database.rows(`select * from connection where slug = 'news'`)).toEqual(before);
    expect(await postUpdate(to.callback_url, forger.key, report(10, 1))).toBe(401);
  });

  it('is unchanged by an import of known values, which needs only write permission', async () => {
    const live = stage.seller('news');
    const again = await api('sellers/import', [rowOf('news', live)], clerk);
    expect(again.body).toEqual({ sellers: [{ slug: 'news', state: 'live' }] });
    expect(await sellerRow('news')).toMatchObject({ status: 'answered' });
  });

  it('can be changed with the permission to approve', async () => {
    const live = stage.seller('news');
    const changed = await api('sellers/import', [
      rowOf('news', live, { jwks_uri: `${forger.origin}/jwks.json` }),
    ]);
    expect(changed.body).toEqual({ sellers: [{ slug: 'news', state: 'live' }] });
    expect((await api('sellers/import', [rowOf('news', live)])).body).toEqual({
      sellers: [{ slug: 'news', state: 'live' }],
    });
  });

  it('does not book spend above 150 % of the bought budget until a person admits it', async () => {
    const { key } = stage.seller('news');
    const far = report(1_501, 1);
    const spent = async (): Promise<string> => {
      const { spend } = await admin(stage.instance(), 'GET', '/v1/ledger/spend');
      const row = list(spend).find(({ seller }) => seller === 'news');
      return row === undefined ? '0' : String(row['spend']);
    };
    expect(await postUpdate(to.callback_url, key, far)).toBe(200);
    const event = await waitUntil('it is judged', async () => {
      const rows = await stage.database.rows<{ id: string; state: string; reason: string }>(
        `select id, state, reason from inbox_event where idempotency_key = $1 and state <> 'received'`,
        [far['idempotency_key']],
      );
      return rows[0];
    });
    expect(event).toMatchObject({ state: 'quarantined', reason: 'beyond_budget' });
    expect(await spent()).toBe('0');
    const admitted = await api(`events/${event.id}/admit`, { reason: 'The seller has sent the log.' });
    expect(admitted.status).toBe(200);
    expect(await spent()).toBe('1501');
  });
});
