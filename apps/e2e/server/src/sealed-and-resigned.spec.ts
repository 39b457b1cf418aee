import { randomBytes, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dialects } from '@switchyard/protocol';
import { generateSigningKey, publicJwk, signRequest } from '@switchyard/signing';
import { buyRequest, Catalogue, list, type Json } from './harness/buy-request.js';
import { dataFolder } from './harness/data-folder.js';
import { ownerView } from './harness/database.js';
import { callTask } from './harness/call-task.js';
import type { Instance } from './harness/instance.js';
import { admin } from './harness/own-everything.js';
import { Market, type BookedBuy } from './harness/market.js';
import { jsonOf } from './harness/run-switchyard.js';
import { openOrganization } from './harness/shared-instance.js';
import { waitUntil } from './harness/wait-until.js';

interface Principal {
  readonly principal_id: string;
  readonly token: string;
}
interface Addresses {
  readonly relay_mcp_url: string;
  readonly relay_a2a_url: string | null;
  readonly seller_mcp_url: string;
  readonly seller_a2a_url: string | null;
  readonly callback_url: string;
}

interface LedgerLine {
  readonly operation_id: string;
  readonly kind: string;
  readonly account: string;
  readonly currency: string;
  readonly media_buy_id: string;
  readonly seller_media_buy_id: string;
  readonly micros: string;
}

const folder = dataFolder();
const key = generateSigningKey('brand-2026');
let instance: Instance;
let brand: Principal;
let other: Principal;
let delegation: string;
let addresses: Addresses;
let wanted: Json;
let sealedId: string;
let resigned: Json;

const cli = <T>(...args: readonly string[]): Promise<T> => jsonOf<T>([...args, '--data', folder.path]);
const asBrand = () => ({ url: instance.url, token: brand.token });

/** Signs a request for the seller and posts it to the relay. */
function relay(tool: string, args: Json, as: Principal = brand): Promise<Response> {
  const body = Buffer.from(
    JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: tool, arguments: args } }),
  );
  const created = Math.floor(Date.now() / 1000);
  const signed = signRequest({
    method: 'POST',
    url: addresses.seller_mcp_url,
    headers: { 'Content-Type': 'application/json' },
    body,
    keyid: key.kid,
    alg: key.alg,
    privateKey: key.privateKey,
    tag: dialects.adcp.requestTag,
    created,
    expires: created + 200,
    nonce: randomBytes(16).toString('base64url'),
  });
  return fetch(addresses.relay_mcp_url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...signed, Authorization: `Bearer ${as.token}` },
    body,
  });
}

const codeOf = async (answer: Response): Promise<string> => {
  const body = (await answer.json()) as { error?: { data?: { errors?: readonly { code: string }[] } } };
  return body.error?.data?.errors?.[0]?.code ?? `none, HTTP ${String(answer.status)}`;
};

/** Returns the records of relayed requests, without those refused before the quotes were stored. */
async function records(): Promise<readonly Json[]> {
  const all = await admin(instance, 'GET', `/v1/custody?principal_id=${brand.principal_id}`);
  return list(all['records']).filter(({ code }) => code !== 'RELAY_SPEND_UNKNOWN');
}

/** Returns the seller's buys, without the one that the gate made in a sandbox account and canceled. */
async function boughtAtSeller(): Promise<readonly BookedBuy[]> {
  const all = await Market.of(folder.path).booksOf('prompt');
  return all.filter(({ status }) => status !== 'canceled');
}

beforeAll(async () => {
  instance = await openOrganization(folder.path, ['prompt']);
  const jwks = join(folder.path, 'brand.jwks.json');
  writeFileSync(jwks, JSON.stringify({ keys: [publicJwk(key, ['ads_use', 'adcp_use'])] }));
  brand = await cli('principals', 'add', 'roaster', '--kind', 'brand', '--jwks', jwks, '--transitional');
  other = await cli('principals', 'add', 'stranger', '--kind', 'brand', '--transitional');
  const { delegation_id: id } = await cli<{ delegation_id: string }>(
    ...['delegations', 'grant', '--principal', brand.principal_id, '--seller', 'prompt'],
    ...['--tasks', 'create_media_buy,update_media_buy,get_media_buys', '--until', '2100-01-01'],
    ...['--budget', '1500.00', '--currency', 'USD', '--evidence', 'letter'],
  );
  delegation = id;
  addresses = await cli('relay', 'address', 'prompt', '--principal', brand.principal_id);
  const catalogue = await Catalogue.read(asBrand());
  wanted = catalogue.packageOf('prompt');
  const [, productId = ''] = String(wanted['product_id']).split(':');
  const sealed = buyRequest([{ ...wanted, product_id: productId }], {
    push_notification_config: { url: addresses.callback_url, operation_id: 'of-the-brand-1' },
    reporting_webhook: { url: addresses.callback_url, reporting_frequency: 'daily' },
  });
  // Quotes are stored after the answer was sent; until then the commitment of a buy is unknown.
  const answer = await waitUntil('the quotes of the seller are on record', async () => {
    const tried = await relay('create_media_buy', sealed);
    return tried.status === 422 ? undefined : tried;
  });
  if (answer.status !== 200) throw new Error(await answer.text());
  sealedId = answer.headers.get('switchyard-custody-record') ?? '';
  resigned = (await callTask('REST', asBrand(), 'create_media_buy', buyRequest([wanted]))).body;
});

afterAll(async () => {
  await instance.stop();
  await folder.remove();
});

const everyBuy = {
  adcp_version: '3.1',
  status_filter: ['pending_creatives', 'pending_start', 'active', 'completed'],
};

describe('the same buy, sealed and re-signed', () => {
  it('is in the chain of custody twice, with what was forwarded and the key that signed it', async () => {
    await waitUntil('both are sealed', async () => {
      const all = await records();
      return all.length >= 2 && all.every((row) => row['in_chain'] === true) ? true : undefined;
    });
    const all = await records();
    expect(all.map((row) => row['way']).toSorted()).toEqual(['resigned', 'sealed']);
    const shown = await Promise.all(
      all.map(
        async (row) => (await cli<{ record: Json }>('custody', 'show', String(row['record_id']))).record,
      ),
    );
    const sealed = shown.find((row) => row['way'] === 'sealed') as Record<string, Json>;
    const signed = shown.find((row) => row['way'] === 'resigned') as Record<string, Json>;
    expect(sealed).toMatchObject({ id: sealedId, outcome: 'answered', delegationId: delegation });
    expect(sealed['forwarded']?.['bodyHash']).toBe(sealed['arrived']?.['bodyHash']);
    expect(sealed['arrived']).toMatchObject({ keyid: 'brand-2026', signedUrl: addresses.seller_mcp_url });
    expect(signed['forwarded']?.['bodyHash']).not.toBe(signed['arrived']?.['bodyHash']);
    expect(signed['forwarded']?.['bodyChanges']).toEqual(
      expect.arrayContaining(['changed idempotency_key', 'changed packages']),
    );
    expect(signed['operationId']).toBe(resigned['operation_id'] ?? signed['operationId']);
    for (const row of [sealed, signed]) expect(row['answer']).toMatchObject({ complete: true });
    expect(await cli('custody', 'verify', '--principal', brand.principal_id)).toMatchObject({ ok: true });
  });

  it('is visible only to the brand', async () => {
    const own = await callTask('REST', asBrand(), 'get_media_buys', everyBuy);
    expect(list(own.body['media_buys'])).toHaveLength(2);
    const theirs = await callTask(
      'REST',
      { url: instance.url, token: other.token },
      'get_media_buys',
      everyBuy,
    );
    expect(list(theirs.body['media_buys'])).toEqual([]);
    const asOther = await jsonOf<readonly Json[]>([
      ...['custody', 'list', '--url', instance.url, '--token', other.token],
    ]);
    expect(asOther).toEqual([]);
  });

  it('reaches the ledger both ways: the spend that the seller reports for each is booked', async () => {
    const total = await waitUntil('the spend of both buys is booked', async () => {
      const buys = await boughtAtSeller();
      if (buys.length !== 2 || buys.some((buy) => !buy.settled || buy.spend_micros === '0')) return undefined;
      const reported = buys.reduce((sum, buy) => sum + BigInt(buy.spend_micros), 0n);
      const { spend } = await admin(instance, 'GET', '/v1/ledger/spend');
      const row = list(spend).find((item) => item['seller'] === 'prompt');
      const [units = '0', cents = ''] = String(row?.['spend']).split('.');
      const booked = BigInt(units) * 1_000_000n + BigInt(cents.padEnd(6, '0'));
      return booked === reported ? reported : undefined;
    });
    expect(total > 0n).toBe(true);
  });

  it('is in the ledger twice: on the same accounts, each under the operation that its record names', async () => {
    const all = await records();
    const operations = Object.fromEntries(all.map((row) => [row['way'], String(row['operation_id'])]));
    const books = await Market.of(folder.path).booksOf('prompt');
    const database = await ownerView(folder.path);
    const rows = await database.rows<LedgerLine>(
      `select e.operation_id, e.kind, p.account, p.currency, m.id as media_buy_id, s.seller_media_buy_id,
                sum(p.amount_micros)::text as micros
         from ledger_entry e join ledger_posting p on p.entry_id = e.id
         join media_buy m on m.id = e.media_buy_id join seller_buy s on s.media_buy_id = m.id
         where e.operation_id = any ($1::uuid[])
         group by 1, 2, 3, 4, 5, 6 order by 2, 3`,
      [Object.values(operations)],
    );
    await database.close();
    const linesOf = (way: string) => rows.filter((row) => row.operation_id === operations[way]);
    const accountsOf = (way: string) =>
      [...new Set(linesOf(way).map(({ account, currency }) => `${account} ${currency}`))].toSorted();
    expect(accountsOf('sealed')).toEqual(accountsOf('resigned'));
    const kinds = new Set(linesOf('sealed').map(({ kind }) => kind));
    expect(linesOf('resigned').some(({ kind }) => kinds.has(kind))).toBe(true);
    for (const way of ['sealed', 'resigned']) {
      const lines = linesOf(way);
      // The entries balance, and their spend equals that in the seller's own data of the buy.
      expect(lines.reduce((sum, { micros }) => sum + BigInt(micros), 0n)).toBe(0n);
      const spent = lines
        .filter(({ account }) => account === 'media_spend')
        .reduce((sum, { micros }) => sum + BigInt(micros), 0n);
      const theirs = books.find((book) => book.media_buy_id === lines[0]?.seller_media_buy_id);
      expect(spent.toString()).toBe(theirs?.spend_micros);
      // From the record to the buy and to its spend, without a query of tables.
      const shown = await cli<{ operation_id: string; packages: readonly Json[] }>(
        ...['buys', 'show', String(lines[0]?.media_buy_id)],
      );
      expect(shown.operation_id).toBe(operations[way]);
      expect(shown.packages).toMatchObject([{ seller: 'prompt', spend: expect.any(String) }]);
    }
  });

  it('leaves no credential of the brand at the seller, in tables or in texts', async () => {
    const calls = JSON.stringify(
      await fetch((await agentOf('prompt')).calls_url).then((response) => response.json()),
    );
    expect(calls).not.toContain(brand.token);
    expect(instance.stdout() + instance.stderr()).not.toContain(brand.token);
  });
});

describe('a delegation', () => {
  it('limits the sum of all its buys: a cent more is refused, and the seller is not called', async () => {
    const [, productId = ''] = String(wanted['product_id']).split(':');
    const more = buyRequest([{ ...wanted, product_id: productId, budget: 500.01 }]);
    expect(await codeOf(await relay('create_media_buy', more))).toBe('DELEGATION_BUDGET_EXCEEDED');
    const ours = await cli<readonly Json[]>('buys');
    expect(await boughtAtSeller()).toHaveLength(ours.length);
  });

  it('belongs to its principal: a token and a signature of two parties are refused together', async () => {
    expect(await codeOf(await relay('get_media_buys', { adcp_version: '3.1' }, other))).toBe(
      'request_signature_key_unknown',
    );
  });

  it('shows nothing that another principal bought at the seller under the same credential', async () => {
    const { creatives: _broughtByTheBrand, ...withoutCreatives } = wanted;
    const theirs = await callTask(
      'REST',
      { url: instance.url, token: other.token },
      'create_media_buy',
      buyRequest([withoutCreatives]),
    );
    const shown = await cli<{ readonly legs: readonly Json[] }>(
      ...['buys', 'show', String(theirs.body['media_buy_id'])],
    );
    const id = String(shown.legs[0]?.['seller_media_buy_id']);
    const named = { adcp_version: '3.1', media_buy_ids: [id] };
    expect(await codeOf(await relay('get_media_buys', named))).toBe('RELAY_BUY_NOT_FOUND');
    expect(await codeOf(await relay('get_media_buys', { adcp_version: '3.1' }))).toBe('RELAY_BUYS_NOT_NAMED');
    const rest = { adcp_version: '3.1', creatives: [], delete_missing: true };
    expect(await codeOf(await relay('sync_creatives', rest))).toBe('RELAY_DELETES_THE_REST');
  });

  it('is revoked for the next request, which is recorded as refused', async () => {
    await cli('delegations', 'revoke', delegation);
    const [, productId = ''] = String(wanted['product_id']).split(':');
    const little = buyRequest([{ ...wanted, product_id: productId, budget: 1 }]);
    expect(await codeOf(await relay('create_media_buy', little))).toBe('DELEGATION_REVOKED');
    expect((await records())[0]).toMatchObject({ outcome: 'refused', code: 'DELEGATION_REVOKED' });
  });

  it('is granted by principals for themselves only, and by an admin with evidence', async () => {
    const grant = (to: string, token: string) =>
      fetch(`${instance.url}/v1/delegations`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({
          principal_id: to,
          seller: 'prompt',
          tasks: ['get_products'],
          until: '2100-01-01',
        }),
      });
    expect((await grant(brand.principal_id, other.token)).status).toBe(404);
    expect((await grant(randomUUID(), instance.token)).status).toBe(404);
    expect((await grant(brand.principal_id, brand.token)).status).toBe(200);
  });
});

async function agentOf(slug: string): Promise<{ readonly calls_url: string }> {
  const found = (await Market.of(folder.path).agents()).find((agent) => agent.slug === slug);
  if (found === undefined) throw new Error(`The market has no ${slug}.`);
  return found;
}
