import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { buyRequest, list, type Json } from './harness/buy-request.js';
import { callTask } from './harness/call-task.js';
import { dataFolder } from './harness/data-folder.js';
import type { Instance } from './harness/instance.js';
import { admin } from './harness/own-everything.js';
import { plainProduct, plainSeller, type PlainSeller } from './harness/plain-seller.js';
import { jsonOf } from './harness/run-switchyard.js';
import { waitUntil } from './harness/wait-until.js';
import { openOrganization } from './harness/shared-instance.js';

/**
 * A seller with the habits of the newest public SDK: it names a release only to who names one, takes no webhook address on
 * loopback, decides later, and answers questions about its tasks only in a release. It sells with nothing set by hand.
 */
const folder = dataFolder();
const polls: Json[] = [];
const purchases: Json[] = [];
let instance: Instance;
let seller: PlainSeller;

const refused = (code: string, message: string, field?: string): Json => ({
  adcp_version: '3.1',
  status: 'failed',
  errors: [{ code, message, ...(field !== undefined && { field }) }],
});

function buy(args: Json): Json {
  purchases.push(args);
  for (const name of ['push_notification_config', 'reporting_webhook'])
    if (args[name] !== undefined)
      return refused('VALIDATION_ERROR', 'The host of this url is a loopback address.', `${name}.url`);
  return { adcp_version: '3.1', status: 'submitted', task_id: 'theirs-1' };
}

function task(args: Json): Json {
  polls.push(args);
  if (args['adcp_version'] === undefined) return refused('VERSION_UNSUPPORTED', 'Name a release.');
  const result = { media_buy_id: 'b-1', media_buy_status: 'active', packages: [{ package_id: 'k-1' }] };
  const times = { created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' };
  const of = { task_id: 'theirs-1', task_type: 'create_media_buy', protocol: 'media-buy' };
  return { adcp_version: '3.1', ...of, ...times, status: 'completed', result };
}

beforeAll(async () => {
  instance = await openOrganization(folder.path, ['prompt']);
  const answers: Readonly<Record<string, (args: Json) => Json>> = {
    get_products: () => ({ adcp_version: '3.1', status: 'completed', products: [plainProduct] }),
    create_media_buy: buy,
    tasks_get: task,
  };
  seller = await plainSeller(
    (tool, args) => ({ json: JSON.stringify(answers[tool]?.(args) ?? { media_buys: [] }) }),
    {
      tools: ['tasks_get'],
      capabilities: (args) => ({
        adcp: { major_versions: [3], idempotency: { supported: true, replay_ttl_seconds: 86_400 } },
        ...('adcp_version' in args && { adcp_version: args['adcp_version'] }),
      }),
    },
  );
});
afterAll(async () => {
  await instance.stop();
  await seller.close();
  await folder.remove();
});

it('a seller with the habits of the newest SDK sells without a webhook, and its words reach the buyer and the record', async () => {
  const added = await jsonOf<Json>([
    ...['sellers', 'add', seller.agentUrl, '--slug', 'newest', '--data', folder.path],
  ]);
  expect(added).toMatchObject({ state: 'live' });
  expect(await admin(instance, 'GET', '/v1/sellers/newest')).toMatchObject({ form: '3.1' });
  const account = { brand: { domain: 'roaster.example' }, operator: 'agency.example' };
  await callTask('REST', instance, 'get_products', {
    ...{ adcp_version: '3.1', buying_mode: 'brief', brief: 'x', account },
  });
  const request = buyRequest([{ product_id: 'newest:p1', pricing_option_id: 'cpm', budget: 100 }]);
  const bought = await callTask('REST', instance, 'create_media_buy', request);
  const words = 'The host of this url is a loopback address.';
  // The address was refused, and the purchase went without it.
  const last = purchases.at(-1) ?? {};
  expect([last['push_notification_config'], last['reporting_webhook']]).toEqual([undefined, undefined]);
  expect(purchases.length).toBeGreaterThan(1);
  const { task_id } = bought.body;
  const answered = await waitUntil('the seller has decided', async () => {
    const asked = { adcp_version: '3.1', task_id, include_result: true };
    const answer = await callTask('REST', instance, 'tasks/get', asked);
    return answer.body['status'] === 'completed' ? answer.text : undefined;
  });
  // Its own words are in the answer to the buyer and in the record of the buy.
  expect(answered).toContain(words);
  const [row] = list((await admin(instance, 'GET', '/v1/buys'))['media_buys']);
  const id = row?.['media_buy_id'];
  const record = typeof id === 'string' ? await admin(instance, 'GET', `/v1/buys/${id}`) : {};
  expect(JSON.stringify(record)).toContain(words);
  expect(polls.length).toBeGreaterThan(0);
  expect(polls.every((args) => args['adcp_version'] === '3.1')).toBe(true);
}, 180_000);
