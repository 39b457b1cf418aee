import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buyRequest, Catalogue, list, type Json } from './harness/buy-request.js';
import { dataFolder } from './harness/data-folder.js';
import { callTask, endpointNames, type TaskResponse } from './harness/call-task.js';
import type { Instance } from './harness/instance.js';
import { openOrganization } from './harness/shared-instance.js';

/** A seller that counters the terms of packages, and later changes packages itself. */
const folder = dataFolder();
let instance: Instance;
let catalogue: Catalogue;

beforeAll(async () => {
  instance = await openOrganization(folder.path, ['prompt', 'haggling'], 'paused');
  catalogue = await Catalogue.read(instance);
});

afterAll(async () => {
  await instance.stop();
  await folder.remove();
});

const measured = (most: number): Json => ({
  billing_measurement: { vendor: { domain: 'counts.example' }, max_variance_percent: most },
});
const terms = { pacing: 'asap', measurement_terms: measured(5) };
/** So that nothing ends during the test. */
const endless = { end_time: '2099-01-01T00:00:00Z' };

async function buy(endpoint: (typeof endpointNames)[number]): Promise<TaskResponse> {
  const packages = ['haggling', 'prompt', 'haggling', 'haggling'].map((seller, line) =>
    catalogue.packageOf(seller, { budget: 2_000 + line, context: { line: String(line) }, ...terms }),
  );
  return callTask(endpoint, instance, 'create_media_buy', buyRequest(packages, endless));
}

const ours = (item: Json | undefined): Json => {
  const ext = item?.['ext'] as Json | undefined;
  return (ext?.['switchyard'] ?? {}) as Json;
};
const inOrder = (packages: unknown): readonly Json[] =>
  [...list(packages)].sort((one, other) => lineOf(one) - lineOf(other));
const lineOf = ({ context }: Json): number => Number((context as Json)['line']);

async function look(id: unknown): Promise<Json | undefined> {
  const { body } = await callTask('REST', instance, 'get_media_buys', {
    adcp_version: '3.1',
    media_buy_ids: [id],
    include_history: 10,
  });
  return list(body['media_buys'])[0];
}

describe('a seller that counters terms', () => {
  it.each(endpointNames)(
    'is shown at %s with its terms beside the requested ones, and each term is reported once',
    async (endpoint) => {
      const { body } = await buy(endpoint);
      const [countered, kept] = inOrder(body['packages']);
      expect(countered).toMatchObject({ pacing: 'even', measurement_terms: measured(10) });
      expect(ours(countered)['asked']).toEqual(terms);
      // The other seller does not report the terms, which is no refusal.
      expect(kept).toMatchObject(terms);
      expect(ours(kept)['asked']).toBeUndefined();
      const differing = list(ours(body)['findings']).filter(({ code }) => code === 'TERMS_DIFFER');
      expect(differing.map(({ seller, field }) => [seller, field])).toEqual(
        [0, 2, 3].flatMap((line) =>
          Object.keys(terms).map((name) => ['haggling', `packages[${String(line)}].${name}`]),
        ),
      );
    },
  );
});

describe('a seller that changes packages by itself', () => {
  it('has its changes applied, shown with their author, in the history, and with the remaining actions', async () => {
    const { body } = await buy('REST');
    const id = body['media_buy_id'];
    const shown = await look(id);
    const [held, others, untouched, withdrawn] = inOrder(shown?.['packages']);
    expect(held).toMatchObject({ paused: true });
    expect(others?.['paused'] ?? false).toBe(false);
    expect(untouched?.['paused'] ?? false).toBe(false);
    expect(withdrawn).toMatchObject({
      canceled: true,
      cancellation: { canceled_by: 'seller', reason: 'The place was withdrawn.' },
    });
    // The budget of withdrawn packages is not counted.
    expect(shown?.['total_budget']).toBe(2_000 + 2_001 + 2_002);
    const history = list(shown?.['history']).filter(({ actor }) => actor === 'seller haggling');
    expect(history.map(({ action, package_id: at }) => [action, at])).toEqual(
      expect.arrayContaining([
        ['package_paused', held?.['package_id']],
        ['package_canceled', withdrawn?.['package_id']],
      ]),
    );
    expect(shown?.['available_actions']).toEqual(
      expect.arrayContaining([expect.objectContaining({ action: 'increase_budget' })]),
    );
    // A second read finds no change.
    expect((await look(id))?.['revision']).toBe(shown?.['revision']);

    const change = await callTask('REST', instance, 'update_media_buy', {
      adcp_version: '3.1',
      idempotency_key: randomUUID(),
      account: { brand: { domain: 'roaster.example' }, operator: 'agency.example' },
      media_buy_id: id,
      packages: [{ package_id: withdrawn?.['package_id'], budget: 5_000 }],
    });
    expect(list(change.body['errors'])).toMatchObject([{ code: 'INVALID_STATE' }]);
  });
});
