import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Form } from '@switchyard/protocol';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { CoveredEndpoint } from './testkit/task-endpoints.js';
import { openStage, type Stage } from './testkit/stage.js';

/** Which sellers see a client's creative, at the endpoints and on the wire. */
let stage: Stage;

beforeAll(async () => {
  stage = await openStage('mcp');
});
afterAll(() => stage.close());
beforeEach(() => {
  stage.received('sync_creatives');
});

const format = { agent_url: 'https://creative.example', id: 'display_300x250' };
const assets = { main: { asset_type: 'image', url: 'https://cdn.example/1.png', width: 300, height: 250 } };
const secret = 'https://cdn.example/unreleased.png';
const creative = (id: string): JsonObject => ({
  creative_id: id,
  name: 'Unreleased',
  format_id: format,
  assets: { main: { ...assets.main, url: secret } },
});
const account = { brand: { domain: 'brand.example' }, operator: 'agency.example' };
const modern = (more: JsonObject): JsonObject => ({ idempotency_key: randomUUID(), account, ...more });
const send = (task: string, args: JsonObject, form: Form = '3.1', endpoint: CoveredEndpoint = 'rest') =>
  stage.call({ task, endpoint, dialect: form === 'service' ? 'ads' : 'adcp', form }, args, 'buyer');
const list = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];
const beside = ({ ext }: JsonObject): JsonObject =>
  isJsonObject(ext) && isJsonObject(ext['switchyard']) ? ext['switchyard'] : {};
const library = async (id: string): Promise<JsonObject | undefined> =>
  list((await send('list_creatives', { filters: { creative_ids: [id] } }))['creatives'])[0];

/** Names of the sellers that were shown the asset in a call of this task. */
const shownTo = (task: string): readonly string[] =>
  stage
    .received(task)
    .filter(({ args }) => JSON.stringify(args).includes(secret))
    .map(({ seller }) => seller)
    .toSorted();

const stored = async (id: string): Promise<void> => {
  await send('sync_creatives', modern({ creatives: [creative(id)] }));
  expect(shownTo('sync_creatives')).toEqual([]);
};

describe('an unassigned creative', () => {
  it.each(['mcp', 'a2a', 'rest'] as const)(
    'is stored and sent to no seller, at the %s endpoint',
    async (endpoint) => {
      const id = randomUUID();
      const answer = await send('sync_creatives', modern({ creatives: [creative(id)] }), '3.1', endpoint);
      expect(shownTo('sync_creatives')).toEqual([]);
      expect(list(answer['creatives'])).toMatchObject([{ creative_id: id, action: 'created' }]);
      expect(beside(answer)['findings']).toMatchObject([{ code: 'CREATIVE_WITHOUT_SELLER', field: id }]);
      expect(await library(id)).toMatchObject({ creative_id: id });
    },
  );

  it('goes to the sellers that the request names, and an unknown seller is refused', async () => {
    const sync = (sellers: string[]): Promise<JsonObject> =>
      send(
        'sync_creatives',
        modern({ creatives: [creative(randomUUID())], ext: { switchyard: { sellers } } }),
      );
    await sync(['v25', 'v31']);
    expect(shownTo('sync_creatives')).toEqual(['v25', 'v31']);
    expect(list((await sync(['v31', 'nobody']))['errors'])).toMatchObject([
      { code: 'AGENT_NOT_FOUND', field: 'ext.switchyard.sellers[1]' },
    ]);
    expect(shownTo('sync_creatives')).toEqual([]);
  });
});

describe('a creative that waits in the library', () => {
  it.each(['service', 'v25', 'v30', 'v31'])('goes to %s with its assignment to a package', async (seller) => {
    const id = randomUUID();
    await stored(id);
    const packageId = stage.world.packageAt[seller] ?? '';
    const assignments = [{ creative_id: id, package_id: packageId }];
    const other = randomUUID();
    const answer = await send('sync_creatives', modern({ creatives: [creative(other)], assignments }));
    const calls = stage.received('sync_creatives');
    expect(
      calls.map((call) => [call.seller, list(call.args['creatives']).map((row) => row['creative_id'])]),
    ).toEqual([[seller, [id]]]);
    expect(answer).not.toHaveProperty('errors');
    expect(await library(id)).toMatchObject({
      assignments: { assigned_packages: [{ package_id: packageId }] },
    });
  });

  it.each(['service', 'v25', 'v30', 'v31'])(
    'goes to %s with a buy that names it, and to nobody else',
    async (seller) => {
      const id = randomUUID();
      await stored(id);
      const packages = ['service', 'v25', 'v30', 'v31'].map((slug) => ({
        product_id: `${slug}:prod_1`,
        pricing_option_id: 'fixed',
        budget: 1000,
        ...(slug === seller
          ? { creative_assignments: [{ creative_id: id, weight: 40 }] }
          : { creatives: [{ ...creative(`other_${slug}_${id}`), assets }] }),
      }));
      const bought = await send('create_media_buy', {
        ...modern({ brand: { domain: 'brand.example' }, packages }),
        start_time: '2090-01-01T00:00:00Z',
        end_time: '2090-02-01T00:00:00Z',
      });
      expect(bought).not.toHaveProperty('errors');
      const call = stage.received('create_media_buy').find((received) => received.seller === seller);
      const [sent] = list(call?.args['packages']);
      expect(list(sent?.['creatives'])).toMatchObject([
        { creative_id: id, assets: { main: { url: secret } } },
      ]);
      // Named a second time by id, a seller that looks ids up first would refuse it.
      expect(sent).not.toHaveProperty('creative_ids');
      expect(sent).not.toHaveProperty('creative_assignments');
      if (seller === 'v31') expect(list(sent?.['creatives'])[0]).toMatchObject({ weight: 40 });
      const own = list(bought['packages']).find(({ package_id: packageId }) =>
        JSON.stringify(packageId).startsWith(`"${seller}:`),
      );
      const row = await library(id);
      expect(row).toMatchObject({
        assignments: { assigned_packages: [{ package_id: own?.['package_id'] }] },
      });
      expect(list(beside(row ?? {})['sellers'])).toMatchObject([
        { seller, packages: [{ package_id: own?.['package_id'], approval_status: 'pending_review' }] },
      ]);
    },
  );

  it('goes with a buy of the service description by its creative_ids', async () => {
    const id = randomUUID();
    await stored(id);
    const item = { product_id: 'service:prod_1', pricing_option_id: 'fixed', budget: 1000, buyer_ref: 'one' };
    await send(
      'create_media_buy',
      {
        buyer_ref: randomUUID(),
        brand_manifest: { name: 'Brand', url: 'https://brand.example' },
        start_time: { type: 'scheduled', datetime: '2090-01-01T00:00:00Z' },
        end_time: '2090-02-01T00:00:00Z',
        packages: [{ ...item, creative_ids: [id] }],
      },
      'service',
    );
    expect(shownTo('create_media_buy')).toEqual(['service']);
  });

  it.each(['service', 'v25', 'v30', 'v31'])('goes to %s with a change that names it', async (seller) => {
    const id = randomUUID();
    await stored(id);
    const { mediaBuyId, packageAt } = await stage.freshBuy();
    stage.received('create_media_buy');
    await send(
      'update_media_buy',
      modern({
        media_buy_id: mediaBuyId,
        packages: [{ package_id: packageAt[seller] ?? '', creative_assignments: [{ creative_id: id }] }],
      }),
    );
    expect(shownTo('update_media_buy')).toEqual([seller]);
    // The seller has it now: the next change names it by its id alone.
    const change = { package_id: packageAt[seller] ?? '', creative_assignments: [{ creative_id: id }] };
    await send(
      'update_media_buy',
      modern({ media_buy_id: mediaBuyId, packages: [{ ...change, budget: 1500 }] }),
    );
    expect(shownTo('update_media_buy')).toEqual([]);
  });
});

describe('the states of one creative at its sellers', () => {
  it('are reported for each assignment, and no approval hides another seller’s rejection', async () => {
    const id = randomUUID();
    const at = (seller: string): string => stage.world.packageAt[seller] ?? '';
    const assignments = ['v30', 'v31'].map((slug) => ({ creative_id: id, package_id: at(slug) }));
    const verdicts: Readonly<Record<string, JsonObject>> = {
      v30: {
        creative_id: id,
        action: 'created',
        status: 'rejected',
        errors: [{ code: 'CREATIVE_REJECTED', message: 'Too loud.' }],
      },
      v31: { creative_id: id, action: 'created', status: 'approved' },
    };
    stage.says('sync_creatives', (seller) => ({ creatives: [verdicts[seller] ?? {}] }));
    const answer = await send('sync_creatives', modern({ creatives: [creative(id)], assignments }));
    stage.says('sync_creatives');
    const [row] = list(answer['creatives']);
    expect(row).toMatchObject({ status: 'rejected', warnings: ['v30: Too loud.'] });
    const received = [
      {
        seller: 'v30',
        packages: [{ package_id: at('v30'), approval_status: 'rejected', rejection_reason: 'Too loud.' }],
      },
      { seller: 'v31', packages: [{ package_id: at('v31'), approval_status: 'approved' }] },
    ];
    expect(list(beside(row ?? {})['sellers'])).toMatchObject(received);
    const listed = await library(id);
    expect(listed).toMatchObject({ status: 'rejected' });
    expect(
      list(beside(listed ?? {})['sellers']).toSorted((a, b) =>
        JSON.stringify(a['seller']) < JSON.stringify(b['seller']) ? -1 : 1,
      ),
    ).toMatchObject(received);
  });
});
