import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import { openLater, type LaterStage } from './testkit/later.js';
import type { SlowSlug } from './testkit/slow-sellers.js';

/** What sellers refuse a buy with, over MCP and A2A, as their buyers read it at every endpoint. */
let stage: LaterStage;

const sellers = ['mcp31', 'mcp30', 'a2a31'] as const;
const product: JsonObject = {
  product_id: 'p',
  name: 'One',
  description: 'A product of the suite',
  publisher_properties: [{ publisher_domain: 'news.example', selection_type: 'all' }],
  channels: ['display'],
  format_ids: [{ agent_url: 'https://creative.example', id: 'display_300x250' }],
  delivery_type: 'guaranteed',
  pricing_options: [{ pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'USD', fixed_price: 5 }],
};

beforeAll(async () => {
  stage = await openLater();
});
afterAll(() => stage.close());
beforeEach(async () => {
  stage.sellers.forget();
  for (const slug of sellers) stage.sellers.says(slug, { products: [product] });
  const question = {
    adcp_version: '3.1',
    buying_mode: 'brief',
    brief: 'coffee',
    brand: { domain: 'roaster.example' },
  };
  await stage.call('get_products', question);
});

const packageOf = (seller: SlowSlug, more: JsonObject = {}): JsonObject => ({
  product_id: `${seller}:p`,
  pricing_option_id: 'cpm',
  budget: 1_000,
  ...more,
});

/** The same buy as a buyer of either dialect writes it. */
const buys = {
  adcp: (slugs: readonly SlowSlug[]): JsonObject => ({
    adcp_version: '3.1',
    idempotency_key: randomUUID(),
    account: { brand: { domain: 'roaster.example' }, operator: 'agency.example' },
    brand: { domain: 'roaster.example' },
    start_time: '2090-01-01T00:00:00Z',
    end_time: '2090-02-01T00:00:00Z',
    packages: slugs.map((slug) => packageOf(slug)),
  }),
  ads: (slugs: readonly SlowSlug[]): JsonObject => ({
    buyer_ref: randomUUID(),
    brand_manifest: { name: 'Roaster', url: 'https://roaster.example' },
    start_time: { type: 'scheduled', datetime: '2090-01-01T00:00:00Z' },
    end_time: '2090-02-01T00:00:00Z',
    packages: slugs.map((slug) => packageOf(slug, { buyer_ref: `part of ${slug}`, creative_ids: ['cr_1'] })),
  }),
} as const;

const errorsOf = (answer: JsonObject): readonly JsonObject[] =>
  Array.isArray(answer['errors']) ? answer['errors'].filter(isJsonObject) : [];

const whole: JsonObject = {
  code: 'BUDGET_TOO_LOW',
  message: 'At least 5000 for this flight.',
  field: 'packages[0].budget',
  suggestion: 'Ask for more.',
  recovery: 'correctable',
  retry_after: 7,
  details: { minimum: 5_000 },
};

const http = ['mcp', 'a2a', 'rest'] as const;
const dialects = ['ads', 'adcp'] as const;
const cells = http.flatMap((endpoint) =>
  dialects.flatMap((dialect) => sellers.map((seller) => [endpoint, dialect, seller] as const)),
);

describe('a seller’s refusal of a buy', () => {
  it.each(cells)(
    'reaches a buyer at the %s endpoint in the dialect %s complete, from the seller %s, with its name',
    async (endpoint, dialect, seller) => {
      stage.sellers.says(seller, { errors: [whole], adcp_error: whole });
      const answer = await stage.call('create_media_buy', buys[dialect]([seller]), endpoint);
      expect(errorsOf(answer)).toEqual([
        {
          ...whole,
          details: { minimum: 5_000, seller },
        },
      ]);
      expect('adcp_error' in answer).toBe(dialect === 'adcp');
    },
  );

  it.each([
    ['none', undefined, 'transient', 502],
    ['one that it has', 'correctable', 'correctable', 422],
    ['one that nobody knows', 'perhaps', 'terminal', 502],
  ] as const)(
    'under an unknown code is classified by its recovery, and is not an error of ours: %s',
    async (_named, recovery, shown, status) => {
      const error = { code: 'MOON_IN_THE_WRONG_HOUSE', message: 'No.', ...(recovery && { recovery }) };
      stage.sellers.says('mcp31', { errors: [error] });
      // Together: where it may pass, each is tried again for a few seconds first.
      const answers = await Promise.all(
        http.map((endpoint) => stage.call('create_media_buy', buys.adcp(['mcp31']), endpoint)),
      );
      for (const answer of answers)
        expect(errorsOf(answer)).toMatchObject([
          { code: 'MOON_IN_THE_WRONG_HOUSE', recovery: shown, details: { seller: 'mcp31' } },
        ]);
      const { url, token } = stage.at();
      const answer = await fetch(`${url}/v1/tasks/create_media_buy`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(buys.adcp(['mcp31'])),
      });
      expect(answer.status).toBe(status);
    },
  );

  it('names each seller if several refuse, and waits no longer than an hour for any', async () => {
    stage.sellers.says('mcp31', {
      errors: [{ code: 'RATE_LIMITED', message: 'Slow.', retry_after: 999_999 }],
    });
    stage.sellers.says('a2a31', { errors: [whole] });
    const answer = await stage.call('create_media_buy', buys.adcp(['mcp31', 'a2a31']));
    const received = errorsOf(answer).map(({ code, details, retry_after: wait }) => [
      (details as JsonObject)['seller'],
      code,
      wait,
    ]);
    expect(received.toSorted()).toEqual([
      ['a2a31', 'BUDGET_TOO_LOW', 7],
      ['mcp31', 'RATE_LIMITED', 3_600],
    ]);
  });
});

/** What a seller makes of a buy of so many packages: another buy each time. */
const made = (slug: SlowSlug, packages = 1, id: string = randomUUID()): JsonObject => ({
  media_buy_id: id,
  media_buy_status: 'active',
  confirmed_at: '2026-11-21T10:00:00Z',
  revision: 1,
  packages: Array.from({ length: packages }, (_, at) => ({
    package_id: `${slug}-p${at + 1}`,
    product_id: 'p',
    pricing_option_id: 'cpm',
    budget: 1_000,
  })),
});

const beside = (answer: JsonObject): JsonObject => {
  const ext = answer['ext'];
  return isJsonObject(ext) && isJsonObject(ext['switchyard']) ? ext['switchyard'] : answer;
};

describe('one seller’s refusal of its part of a buy', () => {
  it.each(http.flatMap((endpoint) => dialects.map((dialect) => [endpoint, dialect] as const)))(
    'is complete beside the other parts, at the %s endpoint in the dialect %s, with the buyer’s package',
    async (endpoint, dialect) => {
      stage.sellers.says('mcp31', made('mcp31'));
      stage.sellers.says('a2a31', { errors: [whole] });
      const answer = await stage.call('create_media_buy', buys[dialect](['mcp31', 'a2a31']), endpoint);
      expect(answer).toHaveProperty('media_buy_id');
      expect(answer).not.toHaveProperty('errors');
      expect(beside(answer)['seller_errors']).toEqual([
        { ...whole, field: 'packages[1].budget', details: { minimum: 5_000, seller: 'a2a31' } },
      ]);
    },
  );

  it('leads to the buyer’s own package if all refuse, in either notation, and never to an unknown one', async () => {
    const at = (field: string): JsonObject => ({ errors: [{ ...whole, field }] });
    stage.sellers.says('mcp31', at('/packages/1/budget'));
    stage.sellers.says('mcp30', at('packages[7].budget'));
    stage.sellers.says('a2a31', at('end_time'));
    const answer = await stage.call('create_media_buy', buys.adcp(['a2a31', 'mcp31', 'mcp30', 'mcp31']));
    const received = errorsOf(answer).map(({ field, details }) => {
      const { seller, seller_field: theirs } = details as JsonObject;
      return [seller, field, theirs];
    });
    expect(received.toSorted()).toEqual([
      ['a2a31', 'end_time', undefined],
      ['mcp30', undefined, 'packages[7].budget'],
      ['mcp31', '/packages/3/budget', undefined],
    ]);
  });

  it('of an update leads to the package that the buyer named', async () => {
    stage.sellers.says('mcp31', made('mcp31', 1, 'changed'));
    stage.sellers.says('a2a31', made('a2a31', 2));
    const bought = await stage.call('create_media_buy', buys.adcp(['mcp31', 'a2a31', 'a2a31']));
    stage.sellers.says('mcp31', { ...made('mcp31', 1, 'changed'), revision: 2 });
    stage.sellers.says('a2a31', { errors: [{ ...whole, field: 'packages[1].budget' }] });
    const { account } = buys.adcp([]);
    const answer = await stage.call('update_media_buy', {
      adcp_version: '3.1',
      idempotency_key: randomUUID(),
      account: account ?? {},
      media_buy_id: bought['media_buy_id'] ?? '',
      packages: ['a2a31:a2a31-p2', 'mcp31:mcp31-p1', 'a2a31:a2a31-p1'].map((id) => ({
        package_id: id,
        budget: 2_000,
      })),
    });
    expect(beside(answer)['seller_errors']).toMatchObject([
      { code: 'BUDGET_TOO_LOW', field: 'packages[2].budget', details: { seller: 'a2a31' } },
    ]);
  });
});

describe('our account at a seller that blocks buying', () => {
  const suspended = {
    account_id: 'ours there',
    name: 'Ours',
    status: 'suspended',
    billing: 'operator',
    brand: { domain: 'roaster.example' },
    operator: 'agency.example',
  };

  it.each(http)('stops a buy over several sellers for all of them, at the %s endpoint', async (endpoint) => {
    stage.sellers.keepsAccounts('mcp30', [suspended]);
    for (const slug of sellers) stage.sellers.says(slug, made(slug));
    const answer = await stage.call('create_media_buy', buys.adcp(['mcp31', 'mcp30']), endpoint);
    expect(errorsOf(answer)).toMatchObject([
      {
        code: 'ACCOUNT_SUSPENDED',
        field: 'packages[1].product_id',
        details: { seller: 'mcp30', account_status: 'suspended' },
      },
    ]);
    const requested = sellers.flatMap((slug) => stage.sellers.received(slug).map(({ tool }) => tool));
    expect(requested).not.toContain('create_media_buy');
    stage.sellers.keepsAccounts('mcp30', [{ ...suspended, status: 'active' }]);
    expect(await stage.call('create_media_buy', buys.adcp(['mcp31', 'mcp30']), endpoint)).toHaveProperty(
      'media_buy_id',
    );
  });
});

describe('an all-or-nothing buy that fails', () => {
  // Longer than there is until the flight begins: notice always comes too late.
  const notice_period = { interval: 36_500, unit: 'days' };
  const policy = {
    cancellation_policy: { notice_period, cancellation_fee: { type: 'fixed_fee', amount: 250 } },
  };
  const fee = {
    seller: 'mcp31',
    code: 'CANCELLATION_FEE',
    message: 'A fixed fee is due: 250 USD.',
    field: 'packages[1]',
  };

  it.each(http)(
    'reports at the %s endpoint the cost of undoing at the seller that had made its part, now and in its task',
    async (endpoint) => {
      stage.sellers.says('mcp31', { products: [{ ...product, ...policy }] });
      await stage.call('get_products', { adcp_version: '3.1', buying_mode: 'wholesale' });
      stage.sellers.says('mcp31', [
        made('mcp31', 1, `undone at ${endpoint}`),
        { media_buy_id: `undone at ${endpoint}`, media_buy_status: 'canceled', revision: 2 },
      ]);
      stage.sellers.says('a2a31', { errors: [whole] });
      const options = { ext: { switchyard: { all_or_nothing: true } } };
      const answer = await stage.call(
        'create_media_buy',
        { ...buys.adcp(['a2a31', 'mcp31']), ...options },
        endpoint,
      );
      expect(errorsOf(answer)).toMatchObject([{ code: 'BUDGET_TOO_LOW', details: { seller: 'a2a31' } }]);
      expect(beside(answer)['findings']).toContainEqual(fee);
      const operation = beside(answer)['operation_id'] ?? answer['operation_id'];
      const task = await stage.call('tasks/get', { adcp_version: '3.1', task_id: operation ?? '' });
      expect(beside(task['result'] as JsonObject)['findings']).toContainEqual(fee);
    },
  );
});

describe('a seller’s refusal of a query', () => {
  const ours = (answer: JsonObject): JsonObject =>
    isJsonObject(answer['ext']) ? (answer['ext']['switchyard'] as JsonObject) : answer;
  const audience = {
    ads: {
      signal_spec: 'coffee drinkers',
      deliver_to: { deployments: [{ type: 'platform', platform: 'dsp.example' }], countries: ['US'] },
    },
    adcp: {
      adcp_version: '3.1',
      signal_spec: 'coffee drinkers',
      destinations: [{ type: 'platform', platform: 'dsp.example' }],
    },
  } satisfies Record<'ads' | 'adcp', JsonObject>;

  it.each(http.flatMap((endpoint) => dialects.map((dialect) => [endpoint, dialect] as const)))(
    'is complete beside the answers of the others at the %s endpoint in the dialect %s',
    async (endpoint, dialect) => {
      stage.sellers.says('mcp30', { signals: [] });
      stage.sellers.says('a2a31', { signals: [] });
      stage.sellers.says('mcp31', { errors: [whole] });
      const answer = await stage.call('get_signals', audience[dialect], endpoint);
      expect(answer['signals']).toEqual([]);
      expect(ours(answer)['seller_errors']).toEqual([
        { ...whole, details: { minimum: 5_000, seller: 'mcp31' } },
      ]);
    },
  );

  it('is also reported for a later answer', async () => {
    stage.sellers.says('mcp30', { signals: [] });
    stage.sellers.says('a2a31', { signals: [] });
    stage.sellers.says('mcp31', undefined);
    const { operation_id: id } = await stage.call('get_signals', audience.adcp);
    stage.sellers.ends('mcp31', { errors: [whole] });
    await stage.due();
    for (;;) {
      const ext = { switchyard: { operation_id: id ?? '' } };
      const received = ours(await stage.call('get_signals', { ...audience.adcp, ext }))['seller_errors'];
      if (received === undefined) continue;
      expect(received).toMatchObject([{ code: 'BUDGET_TOO_LOW', details: { seller: 'mcp31' } }]);
      break;
    }
  });
});
