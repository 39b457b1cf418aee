import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buyRequest, Catalogue, list, type Json } from './harness/buy-request.js';
import { dataFolder } from './harness/data-folder.js';
import { callTask } from './harness/doors.js';
import { startInstance, type Instance } from './harness/instance.js';
import { Market } from './harness/market.js';
import { waitUntil } from './harness/wait-until.js';

const folder = dataFolder();
let instance: Instance;
let market: Market;
let catalogue: Catalogue;

beforeAll(async () => {
  instance = await startInstance(folder.path);
  market = Market.of(folder.path);
  catalogue = await Catalogue.read(instance, 3);
}, 60_000);

afterAll(async () => {
  await instance.stop();
  await folder.remove();
});

const addressOf = async (slug: string): Promise<string> =>
  (await market.agents()).find((agent) => agent.slug === slug)?.agent_url ?? '';

async function signalOf(agent: string, at: Json): Promise<Json | undefined> {
  const { body } = await callTask('REST', instance, 'get_signals', {
    signal_spec: 'sports fans',
    deliver_to: { deployments: [at], countries: ['US'] },
  });
  return list(body['signals']).find(({ signal_agent_segment_id: id }) => String(id).startsWith(`${agent}:`));
}

const targeting = (id: unknown): Json => ({
  signal_targeting_groups: {
    operator: 'all',
    groups: [
      { operator: 'any', signals: [{ signal_agent_segment_id: id, value_type: 'binary', value: true }] },
    ],
  },
});

/** What a seller was told to target when it was last bought from. */
async function targetedAt(slug: string): Promise<string> {
  const calls = (await market.calls()).find((one) => one.slug === slug);
  const made = calls?.recent.filter(({ tool }) => tool === 'create_media_buy').at(-1);
  return JSON.stringify(list(made?.args['packages'])[0]?.['targeting_overlay']);
}

describe('a signal and the buys that use it', () => {
  it.each(['signals-now', 'signals-later'])(
    'from %s reach the seller where it is live by that seller’s key, and leave a finding at another',
    async (agent) => {
      const at = { type: 'agent', agent_url: await addressOf('prompt') };
      const id = (await signalOf(agent, at))?.['signal_agent_segment_id'];
      expect(id).toEqual(expect.any(String));
      const activated = await callTask('REST', instance, 'activate_signal', {
        signal_agent_segment_id: id,
        deployments: [at],
      });
      expect(activated.errors).toEqual([]);
      const taskId = activated.body['task_id'];
      if (taskId !== undefined)
        await waitUntil('its agent has made it live', async () => {
          const asked = { task_id: taskId, include_result: true };
          const { body } = await callTask('REST', instance, 'get_task_status', asked);
          return body['status'] === 'completed' ? body : undefined;
        });
      const args = buyRequest([
        catalogue.packageOf('prompt', { targeting_overlay: targeting(id) }),
        catalogue.packageOf('behind', { targeting_overlay: targeting(id) }),
      ]);
      const { body, errors } = await callTask('REST', instance, 'create_media_buy', args);
      expect(errors).toEqual([]);
      const own = String(id).slice(agent.length + 1);
      const key = { key: 'audience', type: 'key_value', value: own };
      expect(await targetedAt('prompt')).toContain(JSON.stringify(key));
      expect(await targetedAt('prompt')).not.toContain(String(id));
      const told = JSON.stringify(body);
      expect(told).toContain('SIGNAL_NOT_LIVE');
      expect(told).toContain(await addressOf('behind'));
      const replayed = await callTask('REST', instance, 'create_media_buy', args);
      expect(replayed.body['replayed']).toBe(true);
    },
    60_000,
  );

  it('is not taken back where its agent would hear another request to activate it', async () => {
    const at = { type: 'platform', platform: 'the-trade-desk' };
    const signal = await signalOf('signals-now', at);
    const { errors } = await callTask('REST', instance, 'activate_signal', {
      adcp_version: '3.1',
      idempotency_key: randomUUID(),
      account: { brand: { domain: 'roaster.example' }, operator: 'localhost' },
      signal_agent_segment_id: signal?.['signal_agent_segment_id'],
      destinations: [at],
      action: 'deactivate',
    });
    expect(errors).toMatchObject([{ code: 'UNSUPPORTED_FEATURE', field: 'action' }]);
    expect((await signalOf('signals-now', at))?.['deployments']).toMatchObject([{ is_live: false }]);
  });
});
