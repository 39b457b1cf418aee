import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { Json } from './harness/buy-request.js';
import { dataFolder, ownerUrlOf, type DataFolder } from './harness/data-folder.js';
import { startInstance, type Instance } from './harness/instance.js';
import { waitUntil } from './harness/wait-until.js';
import { postSealed, seal, type Addresses, type RelayReply } from './relay/brand-agent.js';
import { relayStage, untilSealed, type Brand, type RelayStage } from './relay/relay-stage.js';
import { sealedSeller } from './relay/sealed-seller.js';
import { madeBuy, sealedBuy, sellerAnswer } from './relay/seller-answer.js';

let stage: RelayStage;
/** A second process on the same database with the same keys. */
let duplicate: Instance;
let folder: DataFolder;
let brand: Brand;

const question: Json = {
  adcp_version: '3.1',
  buying_mode: 'brief',
  brief: 'x',
  brand: { domain: 'b.example' },
};

beforeAll(async () => {
  stage = await relayStage({ paper: { protocol: 'mcp' } });
  folder = dataFolder();
  copyFileSync(join(stage.folder.path, 'keyring.json'), join(folder.path, 'keyring.json'));
  duplicate = await startInstance(folder.path, ['--no-sandbox'], {
    DATABASE_URL: ownerUrlOf(stage.folder.path),
  });
  brand = await stage.brand('bikes', []);
});

afterAll(async () => {
  await duplicate.stop();
  await stage.close();
  await folder.remove();
});

const bought = (): number =>
  stage.seller('paper').received.filter(({ tool, isSealed }) => isSealed && tool === 'create_media_buy')
    .length;

/** The URLs of the relay in both processes. */
async function http(): Promise<readonly [Addresses, Addresses]> {
  const to = await stage.address('paper', brand);
  const path = new URL(to.relay_mcp_url ?? '').pathname;
  return [to, { ...to, relay_mcp_url: `${duplicate.url}${path}` }];
}

const query = async (endpoint: Addresses, tool: string, args: Json): Promise<RelayReply> =>
  postSealed(endpoint, brand.token, seal(brand.key, endpoint, tool, args));

async function grant(...options: readonly string[]): Promise<string> {
  const granted = await stage.cli<{ delegation_id: string }>(
    ...['delegations', 'grant', '--principal', brand.id, '--seller', 'paper', '--until', '2100-01-01'],
    ...['--tasks', 'get_products,create_media_buy', '--evidence', 'letter', ...options],
  );
  return granted.delegation_id;
}

const listed = async (id: string): Promise<Json | undefined> =>
  (await stage.cli<readonly Json[]>('delegations', 'list')).find((row) => row['delegation_id'] === id);

describe('a delegation over two processes', () => {
  let id: string;

  it('limits the sum of all its buys, even if both use the rest at the same time', async () => {
    id = await grant('--budget', '5000', '--currency', 'USD');
    const both = await http();
    const [one, two] = both;
    // The seller's quotes are stored, and each process has cached the route.
    for (const endpoint of both) expect((await query(endpoint, 'get_products', question)).status).toBe(200);
    await waitUntil('the quote is kept', async () => {
      const rows = await stage.database.rows(`select product_id from offered_product`);
      return rows[0];
    });
    for (const endpoint of both) expect((await query(endpoint, 'get_products', question)).status).toBe(200);
    const replies = await Promise.all(
      Array.from({ length: 16 }, (_none, at) =>
        query(at % 2 === 0 ? one : two, 'create_media_buy', sealedBuy()),
      ),
    );
    const received = replies.map(({ status, code }) => code ?? String(status)).toSorted();
    expect(received).toEqual([
      ...Array.from({ length: 5 }, () => '200'),
      ...Array.from({ length: 11 }, () => 'DELEGATION_BUDGET_EXCEEDED'),
    ]);
    expect(bought()).toBe(5);
    await untilSealed(
      stage,
      replies.map(({ record }) => record),
    );
    expect(await listed(id)).toMatchObject({ state: 'active', budget: '5000', committed: '5000' });
    expect(await stage.cli('custody', 'verify', '--principal', brand.id)).toMatchObject({
      ok: true,
      records: 20,
    });
  });

  it('is revoked for the next request in either, and requests in progress continue', async () => {
    const free = await grant();
    const both = await http();
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    stage.seller('paper').says('create_media_buy', async (args) => {
      await held;
      return madeBuy('sb_under_way', args);
    });
    for (const endpoint of both) expect((await query(endpoint, 'get_products', question)).status).toBe(200);
    const before = bought();
    const underWay = both.map((endpoint) => query(endpoint, 'create_media_buy', sealedBuy()));
    await waitUntil('the seller has both', () => (bought() === before + 2 ? true : undefined));
    for (const text of [free, id]) await stage.cli('delegations', 'revoke', text);
    const late = await Promise.all(
      both.flatMap((endpoint) => [
        query(endpoint, 'create_media_buy', sealedBuy()),
        query(endpoint, 'get_products', question),
      ]),
    );
    expect(late.map(({ status, code }) => [status, code])).toEqual(
      late.map(() => [403, 'DELEGATION_REVOKED']),
    );
    expect(bought()).toBe(before + 2);
    answer();
    for (const done of await Promise.all(underWay)) {
      expect([done.status, done.text.includes('sb_under_way')]).toEqual([200, true]);
      await untilSealed(stage, [done.record]);
      const { record } = await stage.cli<{ record: Json }>('custody', 'show', done.record);
      expect(record).toMatchObject({ outcome: 'answered', delegationId: free });
    }
    expect(await listed(free)).toMatchObject({ state: 'revoked', revoked_at: expect.any(String) });
  });
});

describe('a sealed buy that is sent again under a fresh signature', () => {
  const buyOf = (budget: number): Json =>
    sealedBuy({ packages: [{ product_id: 'p1', pricing_option_id: 'cpm', budget }] });

  async function endpoint(seller: string): Promise<Addresses> {
    const to = await stage.address(seller, brand);
    expect((await query(to, 'get_products', question)).status).toBe(200);
    await waitUntil('the quote is kept', async () => {
      const rows = await stage.database.rows(`select product_id from offered_product where seller = $1`, [
        seller,
      ]);
      return rows[0];
    });
    return to;
  }

  const committed = async (delegation: string): Promise<unknown> => (await listed(delegation))?.['committed'];

  it('is one commitment in either process, even if no budget is left', async () => {
    stage.seller('paper').says('create_media_buy', (args) => madeBuy('sb_retried', args));
    const id = await grant('--budget', '400', '--currency', 'USD');
    const to = await endpoint('paper');
    const [, there] = await http();
    const buy = buyOf(400);
    for (const at of [to, to, there, to]) expect((await query(at, 'create_media_buy', buy)).status).toBe(200);
    expect(await committed(id)).toBe('400');
    // The same key with another amount is another request.
    const other = { ...buyOf(1), idempotency_key: buy['idempotency_key'] };
    expect((await query(to, 'create_media_buy', other)).code).toBe('DELEGATION_BUDGET_EXCEEDED');
    expect((await query(to, 'create_media_buy', buyOf(1))).code).toBe('DELEGATION_BUDGET_EXCEEDED');
    await stage.cli('delegations', 'revoke', id);
  });

  it('is one commitment if the first copy made nothing, and if both are sent at once', async () => {
    const id = await grant('--budget', '1000', '--currency', 'USD');
    const to = await endpoint('paper');
    const buy = buyOf(400);
    stage.seller('paper').says('create_media_buy', () => ({
      errors: [{ code: 'POLICY_VIOLATION', message: 'Not this brand.' }],
    }));
    await query(to, 'create_media_buy', buy);
    await waitUntil('the refused copy holds nothing', async () =>
      (await committed(id)) === '0' ? true : undefined,
    );
    stage.seller('paper').says('create_media_buy', (args) => madeBuy('sb_again', args));
    const both = await Promise.all([to, to].map((at) => query(at, 'create_media_buy', buy)));
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect(await committed(id)).toBe('400');
    await stage.cli('delegations', 'revoke', id);
  });

  it('counts again at a seller that does not declare idempotency, because it may buy twice', async () => {
    const plain = await sealedSeller({ protocol: 'mcp' });
    plain.says('get_adcp_capabilities', (args) => ({
      ...sellerAnswer('get_adcp_capabilities', args, plain.requested),
      adcp: { major_versions: [3], supported_versions: ['3.1'], idempotency: { supported: false } },
    }));
    await stage.onboard('plain', plain);
    const granted = await stage.cli<{ delegation_id: string }>(
      ...['delegations', 'grant', '--principal', brand.id, '--seller', 'plain', '--until', '2100-01-01'],
      ...['--tasks', 'get_products,create_media_buy', '--evidence', 'letter', '--budget', '700'],
      ...['--currency', 'USD'],
    );
    const to = await endpoint('plain');
    const buy = buyOf(400);
    expect((await query(to, 'create_media_buy', buy)).status).toBe(200);
    expect((await query(to, 'create_media_buy', buy)).code).toBe('DELEGATION_BUDGET_EXCEEDED');
    expect(await committed(granted.delegation_id)).toBe('400');
  });
});

describe('a sealed buy under a budget', () => {
  it('of a product that was never quoted here is passed on once the seller was asked for its price', async () => {
    const other = await stage.brand('boats', []);
    await stage.cli(
      ...['delegations', 'grant', '--principal', other.id, '--seller', 'paper', '--until', '2100-01-01'],
      ...['--tasks', 'create_media_buy', '--evidence', 'letter', '--budget', '1000', '--currency', 'USD'],
    );
    const database = new pg.Client({ connectionString: ownerUrlOf(stage.folder.path) });
    await database.connect();
    await database.query('delete from offered_product');
    await database.end();
    const { received } = stage.seller('paper');
    const before = received.length;
    const to = await stage.address('paper', other);
    const reply = await postSealed(to, other.token, seal(other.key, to, 'create_media_buy', sealedBuy()));
    expect([reply.code, reply.status]).toEqual([undefined, 200]);
    const asked = received.slice(before).map(({ tool, isSealed }) => [tool, isSealed]);
    expect(asked).toEqual([
      ['get_products', false],
      ['create_media_buy', true],
    ]);
  });
});
