import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Form } from '@switchyard/protocol';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { CoveredEndpoint } from './testkit/task-endpoints.js';
import { wires } from './testkit/recording-sellers.js';
import { openStage, type Stage } from './testkit/stage.js';

/** What sellers say beside the answer that was asked for, as their buyers read it. */
const account = { brand: { domain: 'brand.example' }, operator: 'agency.example' };
const modern = (more: JsonObject): JsonObject => ({ idempotency_key: randomUUID(), account, ...more });
const list = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];
const beside = (answer: JsonObject): JsonObject => {
  const { ext } = answer;
  return isJsonObject(ext) && isJsonObject(ext['switchyard']) ? ext['switchyard'] : answer;
};
const buyAt = (seller: string): JsonObject => ({
  ...modern({ brand: { domain: 'brand.example' } }),
  start_time: '2090-01-01T00:00:00Z',
  end_time: '2090-02-01T00:00:00Z',
  packages: [{ product_id: `${seller}:prod_1`, pricing_option_id: 'fixed', budget: 1000 }],
});

describe.each(wires)('sellers over %s', (wire) => {
  let stage: Stage;
  const send = (task: string, args: JsonObject, form: Form = '3.1', endpoint: CoveredEndpoint = 'rest') =>
    stage.call({ task, endpoint, dialect: form === 'service' ? 'ads' : 'adcp', form }, args, 'buyer');
  beforeAll(async () => {
    stage = await openStage(wire);
  });
  afterAll(() => stage.close());

  it('show their progress and message in the task', async () => {
    const words = { message: 'Checking inventory.', percentage: 10, current_step: 'inventory' };
    stage.says('create_media_buy', () => ({ status: 'working', task_id: randomUUID(), ...words }));
    const answer = await send('create_media_buy', buyAt('v31'));
    stage.says('create_media_buy');
    const row = list(beside(answer)['sellers']).find(({ seller }) => seller === 'v31');
    expect(row?.['reason']).toMatch(/working.*10 %.*inventory.*Checking inventory\./);
    const task = await send('tasks/get', { task_id: answer['task_id'] ?? '' });
    expect(task).toMatchObject({ progress: { percentage: 10 } });
    expect(JSON.stringify(task['progress'])).toContain('Checking inventory.');
  });

  it('give the reason of an approval in their own words', async () => {
    const taskId = randomUUID();
    stage.says('create_media_buy', () => ({
      status: 'input-required',
      task_id: taskId,
      reason: 'APPROVAL_REQUIRED',
      message: 'approve please',
    }));
    const answer = await send('create_media_buy', buyAt('v31'));
    stage.says('create_media_buy');
    const listed = await fetch(`${stage.at.url}/v1/approvals?state=open`, {
      headers: { authorization: `Bearer ${stage.at.token}` },
    });
    const { approvals } = (await listed.json()) as { approvals: JsonObject[] };
    expect(approvals.map(({ reason }) => reason)).toContain('approve please');
    const row = list(beside(answer)['sellers']).find(({ seller }) => seller === 'v31');
    expect(row?.['reason']).toContain('approve please');
    expect(answer).toMatchObject({ status: 'input-required' });
    expect(JSON.stringify(answer['message'])).toContain('approve please');
  });

  it('show the insertion order of a proposal that they finalized', async () => {
    const order = { io_id: 'io_1', requires_signature: true, terms: { currency: 'USD' } };
    const question = { buying_mode: 'brief', brief: 'coffee', brand: { domain: 'brand.example' } };
    const first = await send('get_products', question);
    const plan = list(first['proposals']).find(({ proposal_id: id }) => id === 'v31:plan_1') ?? {};
    const products = [
      {
        product_id: 'prod_1',
        name: 'Homepage',
        description: 'Top',
        delivery_type: 'guaranteed',
        publisher_properties: [{ publisher_domain: 'news.example', selection_type: 'all' }],
        format_ids: [{ agent_url: 'https://creative.example', id: 'b' }],
        pricing_options: [
          { pricing_option_id: 'fixed', pricing_model: 'cpm', currency: 'USD', fixed_price: 5 },
        ],
      },
    ];
    const allocations = [{ product_id: 'prod_1', pricing_option_id: 'fixed', allocation_percentage: 100 }];
    stage.says('get_products', () => ({
      products,
      proposals: [
        {
          proposal_id: 'plan_1',
          name: 'All',
          proposal_status: 'committed',
          expires_at: '2090-01-01T00:00:00Z',
          allocations,
          insertion_order: order,
        },
      ],
      cache_scope: 'account',
    }));
    const refine = [{ scope: 'proposal', proposal_id: plan['proposal_id'] ?? '', action: 'finalize' }];
    for (const form of ['3.0', '3.1'] as const) {
      const answer = await send(
        'get_products',
        { buying_mode: 'refine', refine, brand: { domain: 'brand.example' } },
        form,
      );
      expect(list(answer['proposals'])).toMatchObject([{ insertion_order: order }]);
    }
    stage.says('get_products');
  });

  it.each(['v25', 'v30', 'v31'])(
    'report in affected_packages the creatives that %s has on them',
    async (seller) => {
      const id = randomUUID();
      const { mediaBuyId, packageAt } = await stage.freshBuy();
      const packageId = packageAt[seller] ?? '';
      const creative = {
        creative_id: id,
        name: 'One',
        format_id: { agent_url: 'https://creative.example', id: 'display_300x250' },
        assets: {},
      };
      const assignments = [{ creative_id: id, package_id: packageId }];
      await send('sync_creatives', modern({ creatives: [creative], assignments }));
      stage.says('update_media_buy', (_seller, { media_buy_id: buy = '' }) => ({
        media_buy_id: buy,
        revision: 2,
        affected_packages: [
          {
            package_id: 'pkg_1',
            product_id: 'prod_1',
            budget: 1000,
            creative_assignments: [{ creative_id: id }],
          },
        ],
      }));
      const answer = await send(
        'update_media_buy',
        modern({
          media_buy_id: mediaBuyId,
          packages: [{ package_id: packageId, creative_assignments: [{ creative_id: id }] }],
        }),
      );
      stage.says('update_media_buy');
      expect(list(answer['affected_packages'])).toMatchObject([
        { package_id: packageId, creative_assignments: [{ creative_id: id }] },
      ]);
    },
  );

  it.each(['cpm-auction', 'per_wish'])(
    'with a pricing model of no release cause a finding, and the rest is valid: %s',
    async (model) => {
      const option = { pricing_option_id: 'fixed', pricing_model: 'cpm', currency: 'USD', fixed_price: 5 };
      const odd = { pricing_option_id: 'odd', pricing_model: model, currency: 'USD', floor_price: 2 };
      const product = (id: string, options: JsonObject[]): JsonObject => ({
        product_id: id,
        name: id,
        description: 'Top',
        delivery_type: 'guaranteed',
        publisher_properties: [{ publisher_domain: 'news.example', selection_type: 'all' }],
        format_ids: [{ agent_url: 'https://creative.example', id: 'b' }],
        pricing_options: options,
      });
      const sold = { products: [product('p1', [option, odd]), product('p2', [option])] };
      stage.says('get_products', (seller) => (seller === 'v31' ? sold : { products: [] }));
      for (const form of ['3.0', '3.1'] as const) {
        const answer = await send('get_products', { buying_mode: 'wholesale' }, form);
        const products = list(answer['products']);
        expect(products.map(({ product_id: id }) => id)).toEqual(['v31:p1', 'v31:p2']);
        const models = products.flatMap((row) =>
          list(row['pricing_options']).map((each) => each['pricing_model']),
        );
        expect(new Set(models)).toEqual(new Set(['cpm']));
        expect(models).toHaveLength(model === 'cpm-auction' ? 3 : 2);
        expect(list(beside(answer)['findings'])).toContainEqual(
          expect.objectContaining({
            seller: 'v31',
            code: 'PRICING_MODEL_UNKNOWN',
            message: expect.stringContaining(model) as unknown as string,
          }),
        );
      }
      stage.says('get_products');
    },
  );
});
