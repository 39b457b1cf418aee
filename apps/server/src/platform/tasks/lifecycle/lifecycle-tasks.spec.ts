import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { AnswerCache, StoredAnswer } from '@switchyard/fanout';
import { releaseNames, type Form } from '@switchyard/protocol';
import { openBuyingHarness, schemasAreThere, schemasOf, type BuyingHarness } from '@switchyard/testing';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import { taskService } from '../../../main/testkit/task-service.js';
import { product } from '../../../conformance/testkit/product.js';
import { announceOperation } from '../../../buys/tasks/announce-operation.js';
import { harnessCall, harnessDeps } from '../testkit/harness-call.js';
import type { TaskReply } from '../call/task-call.js';

const [release = '3.2-beta.5' as const] = releaseNames;
const forms: readonly Form[] = ['service', '2.5', '3.0', '3.1'];
const account = { brand: { domain: 'brand.example' }, operator: 'agency.example' };
const flight = { start_time: '2026-03-01T00:00:00Z', end_time: '2026-04-01T00:00:00Z' };

/** Answers in memory: the contract of the cache is tested with its adapter. */
function answersInMemory(): AnswerCache {
  const stored = new Map<string, StoredAnswer>();
  return {
    store: (_scope, answer) => Promise.resolve(void stored.set(answer.id, answer)),
    claim: (_scope, answer, now) => {
      const isFree = (stored.get(answer.id)?.expiresAt ?? now) <= now;
      if (isFree) stored.set(answer.id, answer);
      return Promise.resolve(isFree);
    },
    find: (_scope, id, now) => {
      const found = stored.get(id);
      return Promise.resolve(found === undefined || found.expiresAt <= now ? undefined : found);
    },
  };
}

interface Market {
  readonly harness: BuyingHarness;
  readonly call: (task: string, args?: JsonObject, version?: string) => Promise<TaskReply>;
}

async function market(sellers: Parameters<typeof openBuyingHarness>[0]): Promise<Market> {
  const harness = await openBuyingHarness(sellers);
  const service = taskService(harnessDeps(harness, [], { answers: answersInMemory() }));
  return {
    harness,
    call: (task, args = {}, version = release) =>
      service.call(harnessCall(harness, task, { adcp_version: version, ...args })),
  };
}

const paths: Readonly<Record<string, string>> = {
  list_products: 'media-buy/list-products-response',
  request_proposals: 'media-buy/request-proposals-response',
  refine_proposals: 'media-buy/refine-proposals-response',
  decline_proposals: 'media-buy/decline-proposals-response',
  buy_products: 'media-buy/buy-products-response',
  accept_proposal: 'media-buy/accept-proposal-response',
  control_media_buy: 'media-buy/control-media-buy-response',
};

/** Faults of an answer by the schema of its release; none, and no comparison, where the schemas are absent. */
function faultsOf(task: string, body: JsonObject): readonly string[] {
  if (!schemasAreThere) return [];
  const validate = schemasOf(release).validatorOf(paths[task] ?? '');
  void validate(body);
  return (validate.errors ?? []).map(
    ({ instancePath, message = '', params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

const ours = (body: JsonObject): JsonObject => {
  const ext = isJsonObject(body['ext']) ? body['ext'] : {};
  return isJsonObject(ext['switchyard']) ? ext['switchyard'] : {};
};
const productsIn = (body: JsonObject): JsonObject[] =>
  Array.isArray(body['products']) ? body['products'].filter(isJsonObject) : [];
const key = () => randomUUID();

const plan = {
  proposal_id: 'plan',
  name: 'Plan',
  proposal_status: 'draft',
  expires_at: '2099-01-01T00:00:00Z',
  total_budget_guidance: { min: 100, recommended: 1000, currency: 'USD' },
  allocations: [{ product_id: 'ctv', pricing_option_id: 'cpm', allocation_percentage: 100 }],
};

const bought = (more: JsonObject = {}): JsonObject => ({
  media_buy_id: 'their-1',
  media_buy_status: 'active',
  confirmed_at: '2026-01-01T00:00:00.000Z',
  revision: 1,
  available_actions: [
    { action: 'pause', mode: 'self_serve' },
    { action: 'extend_flight', mode: 'requires_approval' },
    { action: 'replace_creative', mode: 'self_serve' },
  ],
  packages: [{ package_id: 'p1', product_id: 'ctv', pricing_option_id: 'cpm', budget: 500 }],
  ...more,
});

it('is compared with the published schemas, or the number of tasks that are not is printed', () => {
  if (!schemasAreThere)
    console.warn(`published schemas absent: answers of ${Object.keys(paths).length} tasks were not compared`);
  expect(Object.keys(paths)).toHaveLength(7);
});

describe('a task of a later release', () => {
  it('is refused in every other release, with the name of its own', async () => {
    const { call } = await market({ acme: { isIdempotent: true } });
    for (const version of ['3.0', '3.1']) {
      const { errors } = await call('list_products', {}, version);
      expect(errors).toMatchObject([{ code: 'UNSUPPORTED_FEATURE', field: 'task' }]);
      expect(errors[0]?.suggestion).toContain(release);
    }
  });

  it('is named in the capabilities for callers of its release, and for nobody else', async () => {
    const { call } = await market({ acme: { isIdempotent: true } });
    const named = async (version: string) => {
      const { body } = await call('get_adcp_capabilities', {}, version);
      return isJsonObject(body['media_buy']) ? body['media_buy']['lifecycle_tools'] : 'nothing';
    };
    expect(await named(release)).toEqual(Object.keys(paths));
    expect(await named('3.1')).toBeUndefined();
  });

  it('refuses members that it does not have, and parts of an account that would be ignored', async () => {
    const { call, harness } = await market({ acme: { isIdempotent: true } });
    const fieldsOf = async (task: string, args: JsonObject) =>
      (await call(task, args)).errors.map(({ code, field }) => [code, field]);
    expect(await fieldsOf('list_products', { brief: 'Cars' })).toEqual([['INVALID_REQUEST', 'brief']]);
    expect(await fieldsOf('list_products', { account: { ...account, currency: 'EUR' } })).toEqual([
      ['UNSUPPORTED_FEATURE', 'account.currency'],
    ]);
    expect(harness.seller('acme').received).toEqual([]);
  });

  it('refuses a criterion or constraint that it cannot read, by its own name, and never answers as if it were not there', async () => {
    const { call, harness } = await market({ acme: { isIdempotent: true } });
    const fields = async (task: string, args: JsonObject) =>
      (await call(task, args)).errors.map(({ field }) => field);
    const refused: readonly [JsonObject, string][] = [
      [{ product_ids: 'acme:ctv' }, 'criteria.product_ids'],
      [{ product_ids: [7] }, 'criteria.product_ids[0]'],
      [{ offer_filters: 0 }, 'criteria.offer_filters'],
      [{ offer_filters: { delivery_type: 3 } }, 'criteria.offer_filters.delivery_type'],
      [
        {
          offer_filters: {
            availability_horizon: { start_time: '2026-02-30T00:00:00Z', end_time: '2026-03-09T00:00:00Z' },
          },
        },
        'criteria.offer_filters.availability_horizon.start_time',
      ],
      [{ brief: 'Cars' }, 'criteria.brief'],
    ];
    for (const [criteria, field] of refused) {
      expect(await fields('list_products', { criteria })).toEqual([field]);
      const asked = { idempotency_key: key(), brief: 'Cars', criteria };
      expect(await fields('request_proposals', asked)).toEqual([field]);
    }
    const refine = (changes: JsonObject) =>
      fields('refine_proposals', {
        idempotency_key: key(),
        refinements: [{ proposal_id: 'acme:plan', action: 'revise', ...changes }],
      });
    expect(await refine({ constraints: { total_budget: { max: '1000', currency: 'USD' } } })).toEqual([
      'refinements[0].constraints.total_budget.max',
    ]);
    expect(await refine({ product_changes: { 'acme:ctv': 'maybe' } })).toEqual([
      'refinements[0].product_changes.acme:ctv',
    ]);
    expect(harness.seller('acme').received).toEqual([]);
  });
});

describe('list_products', () => {
  it.each(forms)(
    'lists the products of a seller of %s in its closed shape, page by page under one version',
    async (form) => {
      const { call, harness } = await market({ acme: { isIdempotent: true, form } });
      const older = form === 'service' || form === '2.5';
      const priced = {
        ...{ pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'USD' },
        ...(form === 'service' ? { price: 5 } : older ? { rate: 5, is_fixed: true } : { fixed_price: 5 }),
      };
      const of = (id: string) => ({
        ...product(id),
        ...(older ? { delivery_measurement: { provider: 'them' } } : {}),
        pricing_options: [priced],
      });
      harness
        .seller('acme')
        .fate('get_products', { says: { products: [of('ctv'), of('olv'), of('audio')] } });
      const first = await call('list_products', { max_results: 2, account });
      expect(faultsOf('list_products', first.body)).toEqual([]);
      expect(first.body).toMatchObject({ outcome: 'listed', cache_scope: 'account' });
      expect(productsIn(first.body).map((item) => item['product_id'])).toEqual(['acme:ctv', 'acme:olv']);
      expect(productsIn(first.body)[0]?.['pricing_options']).toEqual([
        { pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'USD', fixed_price: 5 },
      ]);
      // What the shape has no place for is named.
      expect(JSON.stringify(ours(first.body)['findings'])).toContain('products[].format_ids');
      const second = await call('list_products', {
        max_results: 2,
        account,
        cursor: first.body['next_cursor'] ?? '',
      });
      expect([second.body['feed_version'], productsIn(second.body).length]).toEqual([
        first.body['feed_version'],
        1,
      ]);
    },
  );

  it('says that nothing has changed to who names the version of the same list', async () => {
    const { call, harness } = await market({ acme: { isIdempotent: true } });
    const says = (price: number) =>
      harness.seller('acme').fate('get_products', {
        says: {
          products: [
            {
              ...product('ctv'),
              pricing_options: [
                { pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'USD', fixed_price: price },
              ],
            },
          ],
        },
      });
    says(5);
    const { body: first } = await call('list_products');
    const version = first['feed_version'] ?? '';
    says(5);
    const { body: again } = await call('list_products', { if_feed_version: version });
    expect(again).toMatchObject({ outcome: 'unchanged', feed_version: version });
    expect(faultsOf('list_products', again)).toEqual([]);
    says(6);
    const { body: changed } = await call('list_products', { if_feed_version: version });
    expect(changed['outcome']).toBe('listed');
    expect(changed['feed_version']).not.toBe(version);
  });
});

describe('request_proposals, refine_proposals and accept_proposal', () => {
  const horizon = { criteria: { offer_filters: { availability_horizon: flight } } };
  const asks = { brief: 'Cars', brand: { domain: 'brand.example' }, ...horizon };

  it('make, finalize and accept a proposal of a seller of 3.1, at the terms that were shown', async () => {
    const { call, harness } = await market({ acme: { isIdempotent: true } });
    const acme = harness.seller('acme');
    acme.fate('get_products', { says: { products: [product('ctv')], proposals: [plan] } });
    const made = await call('request_proposals', { ...asks, idempotency_key: key() });
    expect(faultsOf('request_proposals', made.body)).toEqual([]);
    expect(made.body).toMatchObject({
      outcome: 'proposed',
      proposals: [
        {
          proposal_id: 'acme:plan',
          proposal_status: 'draft',
          commercial_terms: {
            brand: { domain: 'brand.example' },
            purchases: [{ product_id: 'acme:ctv', pricing: { fixed_price: 5 }, ...flight }],
          },
        },
      ],
    });
    acme.fate('get_products', {
      says: {
        products: [product('ctv')],
        proposals: [{ ...plan, proposal_status: 'committed' }],
        refinement_applied: [{ scope: 'proposal', proposal_id: 'plan', status: 'applied' }],
      },
    });
    const refinements = [{ proposal_id: 'acme:plan', action: 'finalize' }];
    const held = await call('refine_proposals', { idempotency_key: key(), refinements });
    expect(faultsOf('refine_proposals', held.body)).toEqual([]);
    expect(acme.received.at(-1)?.args).toMatchObject({
      buying_mode: 'refine',
      refine: [{ scope: 'proposal', proposal_id: 'plan', action: 'finalize' }],
    });
    const [result] = held.body['results'] as { outcome: string; proposal: JsonObject }[];
    expect(result).toMatchObject({ outcome: 'finalized', proposal: { parent_proposal_id: 'acme:plan' } });
    const accepted = {
      idempotency_key: key(),
      account,
      proposal_id: 'acme:plan',
      proposal_terms_digest: result?.proposal['terms_digest'] ?? '',
      total_budget: { amount: 500, currency: 'USD' },
    };
    const other = await call('accept_proposal', {
      ...accepted,
      proposal_terms_digest: `sha256:${'A'.repeat(43)}`,
    });
    expect(other.errors).toMatchObject([{ code: 'CONFLICT', field: 'proposal_terms_digest' }]);
    acme.fate('create_media_buy', { says: bought() });
    const buy = await call('accept_proposal', accepted);
    expect(faultsOf('accept_proposal', buy.body)).toEqual([]);
    expect(buy.body).toMatchObject({
      status: 'completed',
      accepted_proposal: {
        proposal_id: 'acme:plan',
        proposal_status: 'accepted',
        commercial_terms: result?.proposal['commercial_terms'],
      },
      purchase_bindings: [{ purchase_index: 0, product_id: 'acme:ctv', package_id: 'acme:p1' }],
      available_actions: [
        { task: 'control_media_buy', action: 'pause' },
        { task: 'sync_creatives', action: 'replace_creative' },
      ],
    });
    expect(acme.received.at(-1)?.args).toMatchObject({ proposal_id: 'plan', ...flight });
    expect(acme.received.at(-1)?.args).not.toHaveProperty('switchyard_lifecycle');
    const again = await call('accept_proposal', accepted);
    expect(again.body).toEqual({ ...buy.body, replayed: true });
  });

  it('offer the products to buy where no seller proposes, and leave out a proposal without a flight, with a finding', async () => {
    const { call, harness } = await market({ acme: { isIdempotent: true } });
    harness.seller('acme').fate('get_products', { says: { products: [product('ctv')], proposals: [plan] } });
    const args = { brief: 'Cars', brand: { domain: 'brand.example' }, idempotency_key: key() };
    const { body } = await call('request_proposals', args);
    expect(faultsOf('request_proposals', body)).toEqual([]);
    expect(body).toMatchObject({
      outcome: 'products_available',
      purchase_continuation: { kind: 'listed_purchase', product_ids: ['acme:ctv'] },
    });
    expect(JSON.stringify(ours(body)['findings'])).toContain('proposals[0]');
  });

  it('answer a repetition as the first time, and another request under its key with a conflict', async () => {
    const { call, harness } = await market({ acme: { isIdempotent: true } });
    harness.seller('acme').fate('get_products', { says: { products: [product('ctv')], proposals: [plan] } });
    const args = { ...asks, idempotency_key: key() };
    const first = await call('request_proposals', args);
    const asked = harness.seller('acme').received.length;
    expect((await call('request_proposals', args)).body).toEqual({ ...first.body, replayed: true });
    expect((await call('request_proposals', { ...args, brief: 'Boats' })).errors).toMatchObject([
      { code: 'IDEMPOTENCY_CONFLICT' },
    ]);
    expect(harness.seller('acme').received).toHaveLength(asked);
  });

  it('ask the market once for ten copies that come at once under one key, and again after a failure', async () => {
    const { call, harness } = await market({ acme: { isIdempotent: true } });
    const acme = harness.seller('acme');
    acme.fate('get_products', { says: { products: [product('ctv')], proposals: [plan] } });
    const args = { ...asks, idempotency_key: key() };
    const copies = Promise.all(Array.from({ length: 10 }, () => call('request_proposals', args)));
    const other = call('request_proposals', { ...args, brief: 'Boats' });
    const ends: true[] = [];
    void copies.finally(() => ends.push(true));
    for (let step = 0; step < 100 && ends.length === 0; step += 1) {
      await new Promise(setImmediate);
      harness.clock.advance(50);
    }
    const bodies = (await copies).map(({ body }) => body);
    expect(acme.received).toHaveLength(1);
    expect(bodies.filter(({ replayed }) => replayed === true)).toHaveLength(9);
    expect(new Set(bodies.map((body) => JSON.stringify({ ...body, replayed: true }))).size).toBe(1);
    expect((await other).errors).toMatchObject([{ code: 'IDEMPOTENCY_CONFLICT' }]);
    const again = { ...asks, idempotency_key: key(), brief: '' };
    expect((await call('request_proposals', again)).isError).toBe(true);
    expect((await call('request_proposals', again)).errors).not.toMatchObject([
      { code: 'IDEMPOTENCY_IN_FLIGHT' },
    ]);
  });

  it('say what no seller can be asked for, instead of leaving it out', async () => {
    const { call, harness } = await market({ acme: { isIdempotent: true } });
    const { body } = await call('refine_proposals', {
      idempotency_key: key(),
      refinements: [{ proposal_id: 'acme:plan', action: 'revise', alternatives: { count: 2 } }],
    });
    expect(faultsOf('refine_proposals', body)).toEqual([]);
    expect(body['results']).toMatchObject([{ outcome: 'unable', reason_code: 'unsupported_dimension' }]);
    const declined = await call('decline_proposals', {
      idempotency_key: key(),
      declines: [{ proposal_id: 'acme:plan', reason: 'price' }],
    });
    expect(faultsOf('decline_proposals', declined.body)).toEqual([]);
    expect(declined.body['results']).toMatchObject([{ proposal_id: 'acme:plan', outcome: 'unable' }]);
    expect(harness.seller('acme').received).toEqual([]);
  });
});

describe('buy_products and control_media_buy', () => {
  const buyable = async (form: Form = '3.1') => {
    const made = await market({ acme: { isIdempotent: true, form } });
    made.harness.seller('acme').fate('get_products', { says: { products: [product('ctv')] } });
    const { body } = await made.call('list_products');
    const request = (purchase: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
      idempotency_key: key(),
      account,
      feed_version: body['feed_version'] ?? '',
      purchases: [{ product_id: 'acme:ctv', pricing_option_id: 'cpm', budget: 500, ...purchase }],
      ...flight,
      ...more,
    });
    return { ...made, request };
  };

  it('buy at the listed price and control the buy, at a seller of 3.1', async () => {
    const { call, harness, request } = await buyable();
    harness.seller('acme').fate('create_media_buy', { says: bought() });
    const { body } = await call('buy_products', request());
    expect(faultsOf('buy_products', body)).toEqual([]);
    expect(body).toMatchObject({
      status: 'completed',
      accepted_proposal: { commercial_terms: { purchases: [{ pricing: { fixed_price: 5 }, ...flight }] } },
      purchase_bindings: [{ purchase_index: 0, package_id: 'acme:p1' }],
    });
    const args = { account, media_buy_id: body['media_buy_id'] ?? '', revision: body['revision'] ?? 1 };
    harness.seller('acme').fate('update_media_buy', {
      says: { media_buy_id: 'their-1', media_buy_status: 'paused', revision: 2, affected_packages: [] },
    });
    const paused = await call('control_media_buy', { ...args, idempotency_key: key(), paused: true });
    expect(faultsOf('control_media_buy', paused.body)).toEqual([]);
    expect(paused.body).toMatchObject({ status: 'completed', media_buy_status: 'paused' });
    const removed = await call('control_media_buy', {
      ...args,
      idempotency_key: key(),
      daily_budget_cap: null,
    });
    expect(faultsOf('control_media_buy', removed.body)).toEqual([]);
    expect(removed.errors).toMatchObject([{ code: 'UNSUPPORTED_FEATURE', field: 'daily_budget_cap' }]);
  });

  /** A buy at these sellers, a package of each, and a way to change it. */
  const boughtAt = async (sellers: Parameters<typeof openBuyingHarness>[0], budgets: readonly number[]) => {
    const made = await market(sellers);
    const slugs = Object.keys(sellers);
    for (const [at, slug] of slugs.entries()) {
      made.harness.seller(slug).fate('get_products', { says: { products: [product('ctv')] } });
      const budget = budgets[at] ?? 0;
      const packages = [{ package_id: 'p1', product_id: 'ctv', pricing_option_id: 'cpm', budget }];
      const available_actions = ['increase_budget', 'update_packages'].map((action) => ({
        action,
        mode: 'self_serve',
      }));
      made.harness.seller(slug).fate('create_media_buy', { says: bought({ packages, available_actions }) });
    }
    const listed = await made.call('list_products');
    const { body } = await made.call('buy_products', {
      ...{ idempotency_key: key(), account, ...flight, feed_version: listed.body['feed_version'] ?? '' },
      purchases: slugs.map((slug, at) => ({
        ...{ product_id: `${slug}:ctv`, pricing_option_id: 'cpm', budget: budgets[at] ?? 0 },
      })),
    });
    const change = (task: string, more: JsonObject) => {
      for (const slug of slugs)
        made.harness.seller(slug).fate('update_media_buy', {
          says: { media_buy_id: 'their-1', media_buy_status: 'active', revision: 2, affected_packages: [] },
        });
      const { media_buy_id: id = '', revision = 1 } = body;
      return made.call(task, { account, media_buy_id: id, revision, idempotency_key: key(), ...more });
    };
    const changesAt = (slug: string) =>
      made.harness
        .seller(slug)
        .received.filter(({ tool }) => tool === 'update_media_buy' || tool === 'control_media_buy')
        .map(({ args }) => args);
    return { ...made, change, changesAt };
  };

  it.each(['control_media_buy', 'update_media_buy'])(
    '%s never says that a limit on what is spent was changed at a seller that cannot read it',
    async (task) => {
      const { change, changesAt } = await boughtAt({ acme: { isIdempotent: true } }, [500]);
      const limits: readonly (readonly [JsonObject, string])[] = [
        [{ daily_budget_cap: 5 }, 'daily_budget_cap'],
        [{ bidding: { strategy: 'automatic' } }, 'bidding'],
        [{ packages: [{ package_id: 'acme:p1', daily_budget_cap: 3 }] }, 'packages[].daily_budget_cap'],
      ];
      for (const [more, field] of limits)
        expect((await change(task, more)).errors).toMatchObject([{ code: 'UNSUPPORTED_FEATURE', field }]);
      expect(changesAt('acme')).toEqual([]);
    },
  );

  it.each(['control_media_buy', 'update_media_buy'])(
    '%s divides a new total among the packages at all sellers, in proportion to what they have',
    async (task) => {
      const sellers = { acme: { isIdempotent: true }, globex: { isIdempotent: true, form: '3.0' } } as const;
      const { change, changesAt } = await boughtAt(sellers, [500, 250]);
      const { body } = await change(task, { total_budget: { amount: 1000.01, currency: 'USD' } });
      expect(body).toMatchObject({ status: 'completed' });
      const [acme, globex] = [changesAt('acme'), changesAt('globex')];
      expect(acme).toMatchObject([{ packages: [{ package_id: 'p1', budget: 666.67 }] }]);
      expect(globex).toMatchObject([{ packages: [{ package_id: 'p1', budget: 333.34 }] }]);
      expect(JSON.stringify([acme, globex])).not.toContain('total_budget');
    },
  );

  it('refuse a total in another currency, one that the packages do not add up to, and a cap over several sellers', async () => {
    const sellers = { acme: { isIdempotent: true }, globex: { isIdempotent: true } };
    const { change, changesAt } = await boughtAt(sellers, [500, 250]);
    const packages = [{ package_id: 'acme:p1', budget: 600 }];
    const total = (amount: number, currency = 'USD') => ({ total_budget: { amount, currency } });
    const faults: readonly (readonly [JsonObject, string, string])[] = [
      [total(900, 'EUR'), 'INVALID_REQUEST', 'total_budget.currency'],
      [total(0), 'INVALID_REQUEST', 'total_budget.amount'],
      [total(900.001), 'INVALID_REQUEST', 'total_budget.amount'],
      [{ ...total(900), packages }, 'INVALID_REQUEST', 'total_budget.amount'],
      [{ daily_budget_cap: 5 }, 'UNSUPPORTED_FEATURE', 'daily_budget_cap'],
    ];
    for (const [more, code, field] of faults)
      expect((await change('update_media_buy', more)).errors).toMatchObject([{ code, field }]);
    expect([changesAt('acme'), changesAt('globex')]).toEqual([[], []]);
    expect((await change('update_media_buy', { ...total(850), packages })).body).toMatchObject({
      status: 'completed',
    });
  });

  it.each(['service', '2.5', '3.0'] as const)('reach a seller of %s in its own shape', async (form) => {
    const { call, harness, request } = await buyable(form);
    harness.seller('acme').fate('create_media_buy', { says: bought({ status: 'active', buyer_ref: 'b' }) });
    const { body } = await call('buy_products', request());
    expect(faultsOf('buy_products', body)).toEqual([]);
    const [sent] = harness.seller('acme').received.filter(({ tool }) => tool === 'create_media_buy');
    expect(sent?.args).toMatchObject({
      packages: [{ product_id: 'ctv', pricing_option_id: 'cpm', budget: 500 }],
    });
    expect(JSON.stringify(sent?.args)).not.toMatch(/purchases|feed_version|lifecycle/);
  });

  it('refuse another price, an unknown version and a budget that purchases share, by their own names', async () => {
    const { call, harness, request } = await buyable();
    const errorsOf = async (args: JsonObject) => {
      const { body, errors } = await call('buy_products', args);
      expect(faultsOf('buy_products', body)).toEqual([]);
      return errors.map(({ code, field }) => [code, field]);
    };
    const price = { pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'USD', fixed_price: 4 };
    expect(await errorsOf(request({ pricing: price }))).toEqual([
      ['INVALID_PRICING_OPTION', 'purchases[0].pricing'],
    ]);
    expect(await errorsOf(request({ product_id: 'acme:olv' }))).toEqual([
      ['PRODUCT_NOT_FOUND', 'purchases[0].product_id'],
    ]);
    expect(await errorsOf(request({}, { feed_version: 'another' }))).toEqual([['CONFLICT', 'feed_version']]);
    const one = { product_id: 'acme:ctv', pricing_option_id: 'cpm' };
    const shared = { purchases: [one, one], total_budget: { amount: 500, currency: 'USD' } };
    expect(await errorsOf(request({}, shared))).toEqual([
      ['UNSUPPORTED_FEATURE', 'purchases[0].budget'],
      ['UNSUPPORTED_FEATURE', 'purchases[1].budget'],
    ]);
    expect(await errorsOf(request({ daily_budget_cap: 5 }))).toEqual([
      ['UNSUPPORTED_FEATURE', 'purchases[].daily_budget_cap'],
    ]);
    expect(harness.seller('acme').received.map(({ tool }) => tool)).toEqual(['get_products']);
  });

  it('are announced by webhooks under the task that was called, in its shape', async () => {
    const { call, harness, request } = await buyable();
    harness.seller('acme').fate('create_media_buy', { says: bought() });
    await call('buy_products', request());
    const [operation] = harness.store.rowsOf(harness.scope).operations.values();
    const state =
      operation === undefined ? undefined : await harness.store.state(harness.scope, operation.id);
    if (state === undefined) throw new Error('There is no operation.');
    const { id, principalId, organizationId, profile } = state.operation;
    const registration = {
      ...{ id: key(), organizationId, principalId, operationId: id, profile, createdAt: 0 },
      ...({ channel: 'task', envelope: 'mcp', mode: 'signed' } as const),
      url: 'https://buyer.example/hook',
    };
    const [event] = announceOperation({ uuid: key })(state, [registration]);
    const sent = JSON.parse(String(event?.body)) as JsonObject;
    expect(sent).toMatchObject({ task_type: 'buy_products', status: 'completed' });
    expect(isJsonObject(sent['result']) ? faultsOf('buy_products', sent['result']) : 'nothing').toEqual([]);
    if (!schemasAreThere) return;
    const validate = schemasOf(release).validatorOf('core/mcp-webhook-payload');
    expect([validate(sent), validate.errors]).toEqual([true, null]);
  });

  it('answer later under the task that was called, in its shape', async () => {
    const { call, harness, request } = await buyable();
    harness.seller('acme').fate('create_media_buy', { says: { status: 'submitted', task_id: 't1' } });
    const { body, taskId = '' } = await call('buy_products', request());
    expect(faultsOf('buy_products', body)).toEqual([]);
    expect(body).toMatchObject({ status: 'submitted', task_id: taskId });
    const open = await call('get_task_status', { task_id: taskId });
    expect(open.body).toMatchObject({ task_type: 'buy_products', status: 'submitted' });
  });
});
