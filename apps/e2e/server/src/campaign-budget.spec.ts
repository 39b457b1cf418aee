import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateSigningKey, publicJwk } from '@switchyard/signing';
import { buyRequest, Catalogue, list, type Json } from './harness/buy-request.js';
import { callTask, endpointNames, type TaskResponse } from './harness/call-task.js';
import { dataFolder } from './harness/data-folder.js';
import { send } from './harness/http-answer.js';
import type { Instance } from './harness/instance.js';
import { Market } from './harness/market.js';
import { admin } from './harness/own-everything.js';
import { waitUntil } from './harness/wait-until.js';
import { openOrganization } from './harness/shared-instance.js';
import { postSealed, seal, type Addresses } from './relay/brand-agent.js';

const folder = dataFolder();
const key = generateSigningKey('roaster-2026');
let instance: Instance;
let catalogue: Catalogue;
let trader: string;
let approver: string;

beforeAll(async () => {
  instance = await openOrganization(folder.path, ['prompt']);
  const made = async (name: string, grants: readonly Json[]): Promise<string> =>
    String((await admin(instance, 'POST', '/v1/principals', { name, kind: 'person', grants }))['token']);
  trader = await made('tina', [{ role: 'trader', scope: 'organization' }]);
  approver = await made('fred', [{ role: 'reviewer', scope: 'organization' }]);
  catalogue = await Catalogue.read({ url: instance.url, token: trader });
  const client = await admin(instance, 'POST', '/v1/clients', { name: 'Roaster Group' });
  const ids = { client_id: client['client_id'] };
  await admin(instance, 'POST', '/v1/brands', { ...ids, domain: 'roaster.example', name: 'Roaster' });
  await admin(instance, 'POST', '/v1/campaigns', {
    ...{ ...ids, name: 'Launch', brand: 'roaster.example', po_number: 'PO-42' },
    ...{ budget: '3000', currency: 'USD', from: '2026-11-01', to: '2099-12-31' },
  });
});

afterAll(async () => {
  await instance.stop();
  await folder.remove();
});

const aboveBudget = (product: Json): Json =>
  buyRequest([{ ...product, budget: 5_000 }], { idempotency_key: randomUUID(), po_number: 'PO-42' });

const waiting = async (): Promise<readonly Json[]> =>
  list((await admin(instance, 'GET', '/v1/approvals?state=open'))['approvals']);

/** Without the purchase that the gate made and canceled. */
const bought = async (): Promise<number> =>
  (await Market.of(folder.path).booksOf('prompt')).filter(({ status }) => status !== 'canceled').length;

describe('a buy above the budget of its campaign', () => {
  it('asks with the same words over REST, MCP and A2A, and is sent after another person approves it', async () => {
    const answers: TaskResponse[] = [];
    for (const endpoint of endpointNames) {
      const to = { url: instance.url, token: trader };
      const wanted = aboveBudget(catalogue.packageOf('prompt'));
      answers.push(await callTask(endpoint, to, 'create_media_buy', wanted));
    }
    const words = new Set(answers.map(({ body }) => body['message']));
    expect(answers.map(({ body }) => body['status'])).toEqual(['submitted', 'submitted', 'submitted']);
    expect([...words]).toEqual([expect.stringMatching(/approval.*budget of the campaign/s)]);
    const open = await waiting();
    expect(open.map(({ reason }) => reason)).toEqual(
      open.map(() =>
        expect.stringMatching(/^Over the budget of the campaign Launch, 3000 USD: 0 USD committed/),
      ),
    );
    expect([open.length, await bought()]).toEqual([3, 0]);
    for (const { approval_id: id } of open) {
      const decide = (token: string) =>
        send({ url: instance.url, token }, 'POST', `/v1/approvals/${String(id)}/approve`, {});
      expect([(await decide(trader)).status, (await decide(approver)).status]).toEqual([403, 200]);
    }
    for (const { body } of answers)
      await waitUntil('the buy is made', async () => {
        const status = { adcp_version: '3.1', task_id: body['task_id'] };
        const task = await callTask('REST', { url: instance.url, token: trader }, 'get_task_status', status);
        return task.body['status'] === 'completed' ? true : undefined;
      });
    expect(await bought()).toBe(3);
  });

  it('is refused sealed, because its signature would expire, and reaches no seller', async () => {
    const brand = await admin(instance, 'POST', '/v1/principals', {
      ...{ name: 'roaster', kind: 'brand', brand_domain: 'roaster.example', transitional: true },
      jwks: { keys: [publicJwk(key, ['ads_use', 'adcp_use'])] },
    });
    const [id, token] = [String(brand['principal_id']), String(brand['token'])];
    await admin(instance, 'POST', '/v1/delegations', {
      ...{ principal_id: id, seller: 'prompt', tasks: ['create_media_buy'] },
      ...{ until: '2100-01-01', evidence: 'letter of 1 November' },
    });
    const path = `/v1/relay/prompt/address?principal_id=${id}`;
    const to = (await admin(instance, 'GET', path)) as Addresses & Json;
    const product = (await Catalogue.read({ url: instance.url, token })).packageOf('prompt');
    const [, productId = ''] = String(product['product_id']).split(':');
    const before = await bought();
    const refused = await waitUntil('the quotes of the seller are on record', async () => {
      const wanted = aboveBudget({ ...product, product_id: productId });
      const reply = await postSealed(to, token, seal(key, to, 'create_media_buy', wanted));
      return reply.code === 'RELAY_SPEND_UNKNOWN' ? undefined : reply;
    });
    expect(refused.code).toBe('SPENDING_LIMIT_EXCEEDED');
    expect([await bought(), (await waiting()).length]).toEqual([before, 0]);
  });
});
