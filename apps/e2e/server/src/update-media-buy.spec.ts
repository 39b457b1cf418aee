import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buyRequest, Catalogue, list, type Json } from './harness/buy-request.js';
import { dataFolder } from './harness/data-folder.js';
import { callTask, endpointNames } from './harness/call-task.js';
import type { Instance } from './harness/instance.js';
import { openOrganization } from './harness/shared-instance.js';

const folder = dataFolder();
let instance: Instance;
let catalogue: Catalogue;

beforeAll(async () => {
  instance = await openOrganization(folder.path, ['prompt', 'behind']);
  catalogue = await Catalogue.read(instance);
});

afterAll(async () => {
  await instance.stop();
  await folder.remove();
});

const change = (id: unknown, more: Json): Json => ({
  adcp_version: '3.1',
  idempotency_key: randomUUID(),
  account: { brand: { domain: 'roaster.example' }, operator: 'agency.example' },
  media_buy_id: id,
  ...more,
});

describe('update_media_buy', () => {
  it.each(endpointNames)(
    'pauses, resumes, increases and cancels a buy of two sellers, at %s',
    async (endpoint) => {
      const creative_assignments = [{ creative_id: catalogue.creativeId }];
      const packages = ['prompt', 'behind'].map((seller) =>
        catalogue.packageOf(seller, { budget: 5000, creative_assignments }),
      );
      // Long enough in the market's own time to be still running on any machine.
      const end_time = new Date(Date.now() + 365 * 86_400_000).toISOString();
      const made = await callTask(endpoint, instance, 'create_media_buy', buyRequest(packages, { end_time }));
      const id = made.body['media_buy_id'];
      const [first] = list(made.body['packages']);
      const update = async (more: Json): Promise<Json> =>
        (await callTask(endpoint, instance, 'update_media_buy', change(id, more))).body;
      expect(await update({ paused: true })).toMatchObject({ media_buy_status: 'paused', revision: 2 });
      expect(await update({ paused: false })).toMatchObject({ media_buy_status: 'active', revision: 3 });
      const grown = await update({ packages: [{ package_id: first?.['package_id'], budget: 4321.5 }] });
      expect(list(grown['affected_packages'])).toMatchObject([{ budget: 4321.5 }]);
      expect(await update({ canceled: true })).toMatchObject({ media_buy_status: 'canceled' });
      expect(list((await update({ canceled: true }))['errors'])[0]?.['code']).toBe('NOT_CANCELLABLE');
    },
  );
});
