import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startSwitchyard, type RunningSwitchyard } from './platform/start-switchyard.js';
import { startSeller, type ThirdPartySeller } from './sellers/start-sellers.js';
import { until } from './until.js';

const day = 86_400_000;
let switchyard: RunningSwitchyard;
let seller: ThirdPartySeller;
const opened: (() => Promise<void>)[] = [];

beforeAll(async () => {
  seller = await startSeller({
    slug: 'gazette',
    token: 'gazette-token-0123456789',
    protocol: 'mcp',
    requests: 'warn',
    answersLate: true,
  });
  opened.push(() => seller.stop());
  switchyard = await startSwitchyard('--no-sandbox');
  opened.push(() => switchyard.remove());
});

afterAll(async () => {
  await Promise.all(opened.map((stop) => stop()));
});

interface ShownLeg {
  readonly task_status: string;
  readonly seller_media_buy_id?: string;
}

async function legsOfOurBuy(): Promise<readonly ShownLeg[]> {
  const [buy] = (await switchyard.command('buys')).json as readonly { media_buy_id: string }[];
  const shown = await switchyard.command('buys', 'show', buy?.media_buy_id ?? '');
  return (shown.json as { legs: readonly ShownLeg[] }).legs;
}

it('a third-party seller books once when Switchyard is killed before its answer and sends the same bytes again', async () => {
  const row = { slug: 'gazette', agent_url: seller.agentUrl, token: seller.token, jwks_uri: seller.jwksUri };
  const file = await switchyard.file('sellers.json', [{ ...row, protocol: 'mcp', dialect: 'adcp' }]);
  expect(await switchyard.command('sellers', 'import', file)).toMatchObject({ exitCode: 0 });
  // Its quote is stored before the purchase, which waits five seconds at most for one.
  await until(
    () => switchyard.command('ask', 'sports'),
    ({ exitCode }) => exitCode === 0,
  );
  const brand = { domain: 'bikes.example' };
  const request = await switchyard.file('buy.json', {
    adcp_version: '3.0',
    idempotency_key: 'key-of-a-killed-buy-0123456789',
    account: { brand, operator: 'agency.example' },
    brand,
    start_time: new Date(Date.now() + day).toISOString(),
    end_time: new Date(Date.now() + 8 * day).toISOString(),
    packages: [{ product_id: 'gazette:sports', pricing_option_id: 'sports_cpm', budget: 700 }],
  });
  const cutOff = switchyard.command('buy', request);
  await until(
    () => seller.store(),
    (store) => store.buys.length === 1,
  );
  await switchyard.killAndRestart();
  expect((await cutOff).exitCode).toBe(1);
  await seller.release();

  // The lease of the interrupted send must expire first, after 45 seconds.
  // The answer is stored before what it books.
  const legs = await until(legsOfOurBuy, ([leg]) => leg?.seller_media_buy_id !== undefined);
  expect(legs).toMatchObject([
    { seller: 'gazette', task_status: 'completed', seller_media_buy_id: 'gazette_buy_1' },
  ]);
  const { buys, createCalls } = await seller.store();
  expect(buys).toMatchObject([{ packages: [{ product_id: 'sports', budget: 700 }] }]);
  expect(createCalls).toBeGreaterThan(1);
});
