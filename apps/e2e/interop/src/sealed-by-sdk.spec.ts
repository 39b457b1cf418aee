import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startBrand, type Sealed, type ThirdPartyBrand } from './brand/start-brand.js';
import { startSwitchyard, type RunningSwitchyard } from './platform/start-switchyard.js';
import { startSeller, type ThirdPartySeller } from './sellers/start-sellers.js';
import { until } from './until.js';

const day = 86_400_000;
const token = 'gazette-token-0123456789';

interface Addresses {
  readonly relay_mcp_url: string;
  readonly seller_mcp_url: string;
  readonly callback_url: string;
}
type Row = Readonly<Record<string, unknown>>;

let switchyard: RunningSwitchyard;
let brand: ThirdPartyBrand;
let seller: ThirdPartySeller;
let principal: { readonly principal_id: string; readonly token: string };
let addresses: Addresses;
const opened: (() => Promise<void>)[] = [];

/** A buy with the minimum of bytes that the seller's schemas accept. */
function buyOf(id: number, key: string, more: object = {}): string {
  const args = {
    idempotency_key: key,
    account: { brand: { domain: 'bikes.example' }, operator: 'agency.example' },
    brand: { domain: 'bikes.example' },
    start_time: new Date(Date.now() + day).toISOString(),
    end_time: new Date(Date.now() + 8 * day).toISOString(),
    packages: [{ product_id: 'sports', pricing_option_id: 'sports_cpm', budget: 300.25 }],
    ...more,
  };
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'create_media_buy', arguments: args },
  });
}

const relayed = (sealed: Sealed, to = addresses.relay_mcp_url): Promise<Response> =>
  fetch(to, {
    method: 'POST',
    headers: { ...sealed.headers, authorization: `Bearer ${principal.token}` },
    body: sealed.body,
  });

const command = async <T>(...args: readonly string[]): Promise<T> => {
  const done = await switchyard.command(...args);
  if (done.exitCode !== 0) throw new Error(done.stderr);
  return done.json as T;
};

beforeAll(async () => {
  [switchyard, brand] = await Promise.all([startSwitchyard('--no-sandbox'), startBrand()]);
  opened.push(
    () => switchyard.remove(),
    () => brand.stop(),
  );
  seller = await startSeller({
    slug: 'gazette',
    token,
    protocol: 'mcp',
    requests: 'warn',
    signedBy: [brand.publicJwk],
  });
  opened.push(() => seller.stop());
  const row = { slug: 'gazette', agent_url: seller.agentUrl, token, jwks_uri: seller.jwksUri };
  await command(
    'sellers',
    'import',
    await switchyard.file('sellers.json', [{ ...row, protocol: 'mcp', dialect: 'adcp' }]),
  );
  const jwks = await switchyard.file('brand.jwks.json', { keys: [brand.publicJwk] });
  principal = await command('principals', 'add', 'bikes', '--kind', 'brand', '--jwks', jwks);
  await command(
    ...['delegations', 'grant', '--principal', principal.principal_id, '--seller', 'gazette'],
    ...['--tasks', 'create_media_buy,get_media_buys', '--until', new Date(Date.now() + day).toISOString()],
  );
  addresses = await command('relay', 'address', 'gazette', '--principal', principal.principal_id);
});

afterAll(async () => {
  await Promise.all(opened.map((stop) => stop()));
});

describe('a request sealed by the signer of @adcp/sdk, for a seller with its verifier in required mode', () => {
  it('is accepted through the relay, byte for byte', async () => {
    const sealed = await brand.seal(addresses.seller_mcp_url, buyOf(1, 'sealed-by-the-brand-1'));
    const answer = await relayed(sealed);
    const text = await answer.text();
    expect({ status: answer.status, text }).toMatchObject({ status: 200 });
    expect(text).toContain('gazette_buy_1');
    const { createBodies } = await seller.store();
    expect(createBodies).toEqual([sealed.body]);
  });

  it('is recorded as a buy of its principal, under the operation that the record names', async () => {
    const [record] = await until(
      () => command<readonly Row[]>('custody', 'list'),
      ([row]) => row?.['in_chain'] === true,
    );
    expect(record).toMatchObject({ way: 'sealed', outcome: 'answered', task: 'create_media_buy' });
    const buys = await command<readonly Row[]>('buys');
    const shown = await command<{ readonly legs: readonly Row[] }>(
      'buys',
      'show',
      String(buys[0]?.['media_buy_id']),
    );
    expect(shown.legs).toMatchObject([{ seller: 'gazette', seller_media_buy_id: 'gazette_buy_1' }]);
  });

  it('is refused by the seller after a change to any byte of body or covered header', async () => {
    const sealed = await brand.seal(seller.agentUrl, buyOf(2, 'sealed-by-the-brand-2'));
    const before = await seller.store();
    // A hostile relay has the seller's credential and a request that the brand signed.
    const forged = everyChange(sealed);
    const outcomes = new Set<string>();
    for (let at = 0; at < forged.length; at += 16) {
      const answers = await Promise.all(forged.slice(at, at + 16).map(sendToSeller));
      for (const answer of answers) outcomes.add(answer);
    }
    expect([...outcomes]).toEqual(['401 Signature']);
    expect(forged.length).toBeGreaterThan(600);
    expect((await seller.store()).buys).toEqual(before.buys);
    // And not for another reason: unchanged, it is accepted.
    expect(await sendToSeller(sealed)).toMatch(/^200/);
  });

  it('leaves a chain that verifies, also offline', async () => {
    const export_ = await command<Row>('custody', 'export', '--principal', principal.principal_id);
    const file = await switchyard.file('chain.json', export_);
    const verdict = await command<Row>(
      ...[
        'custody',
        'verify',
        file,
        '--jwks',
        new URL('/.well-known/jwks.json', switchyard.access.mcp_url).href,
      ],
    );
    expect(verdict).toMatchObject({ ok: true, head: (export_['head'] as Row)['hash'] });
    expect(await command<Row>('custody', 'verify')).toMatchObject({ ok: true, records: verdict['records'] });
  });
});

async function sendToSeller({ headers, body }: Sealed): Promise<string> {
  const answer = await fetch(seller.agentUrl, {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream', ...headers, authorization: `Bearer ${token}` },
    body: Buffer.from(body, 'latin1'),
  });
  await answer.arrayBuffer();
  return `${answer.status} ${(answer.headers.get('www-authenticate') ?? '').split(' ')[0] ?? ''}`;
}

/** One request for each byte, with that byte replaced by another that HTTP allows. */
function everyChange(sealed: Sealed): readonly Sealed[] {
  const changed = (text: string): string[] =>
    text.split('').map((item, at) => `${text.slice(0, at)}${item === 'x' ? 'y' : 'x'}${text.slice(at + 1)}`);
  const covered = ['content-type', 'content-digest', 'signature-input'];
  return [
    ...changed(sealed.body).map((body) => ({ ...sealed, body })),
    ...covered.flatMap((name) =>
      changed(sealed.headers[name] ?? '').map((value) => ({
        ...sealed,
        headers: { ...sealed.headers, [name]: value },
      })),
    ),
  ];
}
