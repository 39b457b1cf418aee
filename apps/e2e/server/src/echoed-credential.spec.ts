import { Buffer } from 'node:buffer';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buyRequest, list, type Json } from './harness/buy-request.js';
import { dataFolder } from './harness/data-folder.js';
import { ownerView } from './harness/database.js';
import { callTask, endpointNames, post } from './harness/call-task.js';
import type { Instance } from './harness/instance.js';
import { plainSeller, type PlainSeller } from './harness/plain-seller.js';
import { runSwitchyard } from './harness/run-switchyard.js';
import { waitUntil } from './harness/wait-until.js';
import { openOrganization } from './harness/shared-instance.js';

/*
 * A seller that includes our credential in all its answers. All buyers here share this account at the seller: no buyer,
 * no log and no table may get the credential, and the admins who own it are notified.
 */

const token = 'tok_of_ours_at_the_seller_0123456789';
const folder = dataFolder();
let instance: Instance;
let seller: PlainSeller;

const echo = `You are Bearer ${token}.`;
const product: Json = {
  product_id: 'plain_1',
  name: `Product of ${token}`,
  description: echo,
  publisher_properties: [{ publisher_domain: 'plain.example', selection_type: 'all' }],
  format_ids: [{ agent_url: 'https://creative.example/', id: 'display_300x250' }],
  delivery_type: 'non_guaranteed',
  pricing_options: [{ pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'USD', fixed_price: 5 }],
  delivery_measurement: { provider: 'plain' },
  reporting_capabilities: {
    available_reporting_frequencies: ['daily'],
    expected_delay_minutes: 60,
    timezone: 'UTC',
    supports_webhooks: false,
    available_metrics: ['impressions', 'spend'],
    date_range_support: 'date_range',
  },
  ext: { plain: { [token]: true } },
};

const metrics = async (): Promise<string> => (await fetch(`${instance.url}/metrics`)).text();
const alarmsIn = (text: string): number =>
  Number(/^switchyard_alarms_total\{kind="credential_echoed"\} (\d+)/m.exec(text)?.[1] ?? 0);
let alarmsBefore: number;

beforeAll(async () => {
  instance = await openOrganization(folder.path, ['prompt']);
  alarmsBefore = alarmsIn(await metrics());
  seller = await plainSeller((tool) =>
    tool === 'get_products'
      ? { json: JSON.stringify({ adcp_version: '3.1', status: 'completed', products: [product] }) }
      : {
          json: JSON.stringify({
            adcp_version: '3.1',
            status: 'failed',
            errors: [{ code: 'BUDGET_TOO_LOW', message: echo, field: token, details: { headers: [echo] } }],
          }),
        },
  );
  const row = { slug: 'plain', agent_url: seller.agentUrl, token, protocol: 'mcp', dialect: 'adcp' };
  const imported = await post('REST', instance, '/v1/sellers/import', JSON.stringify([row]));
  expect(imported.text).toContain('"live"');
});

afterAll(async () => {
  await instance.stop();
  await seller.close();
  await folder.remove();
});

const account = { brand: { domain: 'roaster.example' }, operator: 'agency.example' };

describe('Switchyard’s credential in a seller’s answer', () => {
  it.each(endpointNames)('reaches no buyer at %s, in answers or in errors', async (endpoint) => {
    const requested = { adcp_version: '3.1', buying_mode: 'brief', brief: 'x', account };
    const shown = await callTask(endpoint, instance, 'get_products', requested);
    const plain = list(shown.body['products']).find(({ product_id: id }) => id === 'plain:plain_1');
    expect(plain).toMatchObject({ name: 'Product of [secret]', description: 'You are Bearer [secret].' });
    expect(shown.text).not.toContain(token);

    const wanted = { product_id: 'plain:plain_1', pricing_option_id: 'cpm', budget: 100 };
    const bought = await callTask(endpoint, instance, 'create_media_buy', buyRequest([wanted]));
    expect(bought.text).toContain('You are Bearer [secret].');
    expect(bought.text).not.toContain(token);
  });

  it('is in no table and no log', async () => {
    const database = await ownerView(folder.path);
    const texts = await database.texts();
    await database.close();
    expect(new Set(texts.map(({ place }) => place)).size).toBeGreaterThan(30);
    const spellings = [token, Buffer.from(token).toString('hex')];
    const has = ({ text }: { readonly text: string }): boolean =>
      spellings.some((each) => text.includes(each));
    expect(texts.filter(has).map(({ place }) => place)).toEqual([]);
    expect(instance.stdout() + instance.stderr()).not.toContain(token);
  });

  it('raises an alarm that names the seller, and a metric of its kind', async () => {
    const admin = { headers: { authorization: `Bearer ${instance.token}` } };
    const alarm = await waitUntil('the alarm stands', async () => {
      const text = await (await fetch(`${instance.url}/v1/alarms`, admin)).text();
      return text.includes('credential_echoed') ? text : undefined;
    });
    expect(alarm).toContain('seller plain');
    expect(alarm).not.toContain(token);
    const figures = await waitUntil('the figure is there', async () => {
      const text = await metrics();
      return alarmsIn(text) > alarmsBefore ? text : undefined;
    });
    expect(figures).not.toContain(token);

    const listed = await runSwitchyard(['alarms', 'list', '--data', folder.path, '--json']);
    expect(listed.stdout).toContain('credential_echoed');
  });
});
