import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buyRequest, Catalogue, type Json } from './harness/buy-request.js';
import { callTask } from './harness/call-task.js';
import { admin } from './harness/own-everything.js';
import { waitUntil } from './harness/wait-until.js';
import type { Addresses } from './relay/brand-agent.js';
import { relayStage, untilSealed, type Brand, type RelayStage } from './relay/relay-stage.js';
import { madeBuy, sealedBuy } from './relay/seller-answer.js';
import { postUpdate, taskUpdate } from './relay/seller-webhook.js';

let stage: RelayStage;
let brand: Brand;
let to: Addresses;

beforeAll(async () => {
  stage = await relayStage({ paper: { protocol: 'mcp' } });
  brand = await stage.brand('bikes', ['paper']);
  to = await stage.address('paper', brand);
});
afterAll(() => stage.close());

/** Statements of Prisma's client so far, by table. */
async function modelStatements(): Promise<Readonly<Record<string, number>>> {
  const text = await (await fetch(`${stage.instance().url}/metrics`)).text();
  const lines = text.matchAll(/^switchyard_model_statements_total\{table="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries(Array.from(lines, ([, table = '', count]) => [table, Number(count)]));
}

/** Statements of Prisma's client while something runs, by table. */
async function modelsUsedBy(work: () => Promise<unknown>): Promise<Readonly<Record<string, number>>> {
  const before = await modelStatements();
  await work();
  const after = await modelStatements();
  return Object.fromEntries(
    Object.entries(after)
      .map(([table, count]) => [table, count - (before[table] ?? 0)] as const)
      .filter(([, count]) => count > 0),
  );
}

const asBuyer = () => ({ url: stage.instance().url, token: stage.instance().token });

/** Prisma's client costs three times a statement, so what each request and event passes has none (docs/decisions). */
describe("Prisma's client", () => {
  it('is counted where it is used', async () => {
    const used = await modelsUsedBy(() => admin(stage.instance(), 'POST', '/v1/teams', { name: 'desk' }));
    expect(used).toEqual({ team: 1 });
  });

  it('is not used by get_products', async () => {
    await Catalogue.read(asBuyer());
    expect(await modelsUsedBy(() => Catalogue.read(asBuyer()))).toEqual({});
  });

  it('is not used by create_media_buy', async () => {
    const catalogue = await Catalogue.read(asBuyer());
    const buy = async (): Promise<void> => {
      const { body } = await callTask(
        'REST',
        asBuyer(),
        'create_media_buy',
        buyRequest([catalogue.packageOf('paper')]),
      );
      expect(body).toMatchObject({ media_buy_id: expect.any(String) });
    };
    expect(await modelsUsedBy(buy)).toEqual({});
  });

  it('is not used by a relayed call and by the webhook that ends it', async () => {
    const update = (id: string): Json =>
      taskUpdate(id, {
        task_id: `task of ${id}`,
        status: 'completed',
        result: madeBuy(`sb of ${id}`, {
          packages: [{ product_id: 'p1', pricing_option_id: 'cpm', budget: 1000 }],
        }),
      });
    const relayed = async (id: string): Promise<void> => {
      stage
        .seller('paper')
        .says('create_media_buy', () => ({ status: 'submitted', task_id: `task of ${id}` }));
      const push = { push_notification_config: { url: to.callback_url, operation_id: id } };
      const { status, record } = await stage.relay(brand, 'paper', 'create_media_buy', sealedBuy(push));
      expect(status).toBe(200);
      await untilSealed(stage, [record]);
      await waitUntil('the seller’s task is known', async () =>
        (await stage.legs(record))[0]?.status === 'submitted' ? true : undefined,
      );
      expect(await postUpdate(to.callback_url, stage.seller('paper').key, update(id))).toBe(200);
      await waitUntil('the webhook is applied', async () =>
        (await stage.legs(record))[0]?.status === 'completed' ? true : undefined,
      );
    };
    await relayed('first');
    expect(await modelsUsedBy(() => relayed('second'))).toEqual({});
  });
});
