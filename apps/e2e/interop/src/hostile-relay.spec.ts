import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startBrand, type Sealed, type ThirdPartyBrand } from './brand/start-brand.js';
import { changedHeaders, everyByte } from './hostile/every-byte.js';
import { startMiddleman, type Middleman } from './hostile/middleman.js';
import { startSwitchyard, type RunningSwitchyard } from './platform/start-switchyard.js';
import { startSeller, type ThirdPartySeller } from './sellers/start-sellers.js';
import { until } from './until.js';

const day = 86_400_000;
const token = 'gazette-token-0123456789';
const opened: (() => Promise<void>)[] = [];

let switchyard: RunningSwitchyard;
let brand: ThirdPartyBrand;
let seller: ThirdPartySeller;
let middleman: Middleman;
let principal: { readonly principal_id: string; readonly token: string };
let addresses: { readonly relay_mcp_url: string; readonly seller_mcp_url: string };

/** All bodies have the same length, so that an offset is valid for all of them. */
function buyOf(number: number): { readonly mark: string; readonly body: string } {
  const mark = `sealed-buy-${String(number).padStart(6, '0')}`;
  const args = {
    idempotency_key: mark,
    account: { brand: { domain: 'bikes.example' }, operator: 'agency.example' },
    brand: { domain: 'bikes.example' },
    start_time: new Date(Date.now() + day).toISOString(),
    end_time: new Date(Date.now() + 8 * day).toISOString(),
    packages: [{ product_id: 'sports', pricing_option_id: 'sports_cpm', budget: 300.25 }],
  };
  const params = { name: 'create_media_buy', arguments: args };
  return { mark, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }) };
}

let made = 0;
const nextBuy = async (): Promise<{ readonly mark: string; readonly sealed: Sealed }> => {
  const { mark, body } = buyOf((made += 1));
  return { mark, sealed: await brand.seal(addresses.seller_mcp_url, body) };
};

async function relayed({ headers, body }: Sealed): Promise<string> {
  const answer = await fetch(addresses.relay_mcp_url, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${principal.token}` },
    body,
  });
  const text = await answer.text();
  const challenge = (answer.headers.get('www-authenticate') ?? '').split(' ')[0] ?? '';
  // The relay's own refusals also name a record; they prove nothing about the seller's verifier.
  const isOurs = text.includes('custody_record');
  return `${String(answer.status)} ${challenge} ${isOurs ? 'by the relay' : 'by the seller'}`;
}

const command = async <T>(...args: readonly string[]): Promise<T> => {
  const done = await switchyard.command(...args);
  if (done.exitCode !== 0) throw new Error(done.stderr);
  return done.json as T;
};

beforeAll(async () => {
  for (const name of ['READS', 'WRITES', 'FAILURES'])
    process.env[`SWITCHYARD_RATE_${name}`] = '100000/1000000';
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
  middleman = await startMiddleman(seller.agentUrl);
  opened.push(() => middleman.close());
  const row = { slug: 'gazette', agent_url: middleman.url, token, jwks_uri: seller.jwksUri };
  const file = await switchyard.file('sellers.json', [{ ...row, protocol: 'mcp', dialect: 'adcp' }]);
  await command('sellers', 'import', file);
  const jwks = await switchyard.file('brand.jwks.json', { keys: [brand.publicJwk] });
  principal = await command('principals', 'add', 'bikes', '--kind', 'brand', '--jwks', jwks);
  await command(
    ...['delegations', 'grant', '--principal', principal.principal_id, '--seller', 'gazette'],
    ...['--tasks', 'create_media_buy', '--until', new Date(Date.now() + day).toISOString()],
    ...['--evidence', 'their letter'],
  );
  addresses = await command('relay', 'address', 'gazette', '--principal', principal.principal_id);
});

afterAll(async () => {
  for (const stop of opened.toReversed()) await stop();
});

describe('a hostile relay between Switchyard and a seller whose @adcp/sdk verifier is in required mode', () => {
  it('cannot change one byte of body, covered header or signature without the seller refusing the request', async () => {
    const first = await nextBuy();
    expect(await relayed(first.sealed)).toBe('200  by the seller');
    const before = (await seller.store()).buys.length;
    expect(before).toBe(1);
    const sample = { method: 'POST', path: '/mcp', headers: first.sealed.headers, body: first.sealed.body };
    const changes = everyByte(sample);
    const outcomes = new Map<string, Map<string, number>>();
    const jobs = changes.values();
    const work = async (): Promise<void> => {
      for (const { where, tamper } of jobs) {
        const { mark, sealed } = await nextBuy();
        middleman.tamperOnce(mark, tamper);
        const outcome = await relayed(sealed);
        const known = outcomes.get(where) ?? new Map<string, number>();
        outcomes.set(where, known.set(outcome, (known.get(outcome) ?? 0) + 1));
      }
    };
    await Promise.all(Array.from({ length: 8 }, work));
    const received = [...outcomes].map(
      ([where, counts]) => `${where}: ${[...counts].join('; ').replaceAll(',', ' x ')}`,
    );
    process.stderr.write(`hostile-relay: ${String(changes.length)} changes\n${received.join('\n')}\n`);

    const refused = '401 Signature by the seller';
    for (const where of ['body', ...changedHeaders, '@authority', '@target-uri'])
      expect([where, [...(outcomes.get(where)?.keys() ?? [])]]).toEqual([where, [refused]]);
    // Another method is refused too, by the first layer of the seller that reads it.
    expect([...(outcomes.get('@method')?.keys() ?? [])].every((text) => /^40[1-5] /.test(text))).toBe(true);
    expect(middleman.passed.changed).toBe(changes.length);
    expect((await seller.store()).buys).toHaveLength(before);

    // And not for another reason: unchanged, through the same middleman, it is accepted.
    expect(await relayed((await nextBuy()).sealed)).toBe('200  by the seller');
    expect((await seller.store()).buys).toHaveLength(before + 1);
    expect(middleman.passed.unchanged).toBe(2);
  }, 600_000);

  it('leaves the seller’s answer to each request in custody, and a chain that verifies', async () => {
    // Records are chained after the answers, in batches.
    const verdict = await until(
      () => command<{ ok: boolean; records: number }>('custody', 'verify'),
      ({ ok, records }) => !ok || records >= made,
    );
    expect(verdict).toMatchObject({ ok: true, records: made });
    const [record] = await command<readonly Readonly<Record<string, unknown>>[]>(
      'custody',
      'list',
      '--limit',
      '1',
    );
    expect(record).toMatchObject({ way: 'sealed', outcome: 'answered', seller: 'gazette' });
  });
});
