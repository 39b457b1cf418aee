import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buyRequest, Catalogue, list, type Json } from './harness/buy-request.js';
import { dataFolder } from './harness/data-folder.js';
import { callTask } from './harness/call-task.js';
import type { Instance } from './harness/instance.js';
import { Market } from './harness/market.js';
import { waitUntil } from './harness/wait-until.js';
import { openOrganization } from './harness/shared-instance.js';

const folder = dataFolder();
let instance: Instance;
let market: Market;
let catalogue: Catalogue;

beforeAll(async () => {
  instance = await openOrganization(
    folder.path,
    ['prompt', 'behind', 'slow', 'signals-now', 'signals-later'],
    'paused',
  );
  market = Market.of(folder.path);
  catalogue = await Catalogue.read(instance, 3);
});

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

const sportsFans = {
  signal_ref: { scope: 'product', signal_id: 'sports_fans' },
  value_type: 'binary',
  value: true,
};
const targeting = (id: unknown): Json => ({
  signal_targeting_groups: {
    operator: 'all',
    groups: [{ operator: 'any', signals: [{ ...sportsFans, signal_agent_segment_id: id }] }],
  },
});

/** Returns the targeting in the last create or update request at a seller. */
async function targetedAt(slug: string, tool = 'create_media_buy'): Promise<string> {
  const calls = (await market.calls()).find((call) => call.slug === slug);
  const made = calls?.recent.filter((call) => call.tool === tool).at(-1);
  const changes = (made?.args['updates'] ?? made?.args ?? {}) as Json;
  return JSON.stringify(list(changes['packages'])[0]?.['targeting_overlay']);
}

const modern = (more: Json): Json => ({
  adcp_version: '3.1',
  idempotency_key: randomUUID(),
  account: { brand: { domain: 'roaster.example' }, operator: 'agency.example' },
  ...more,
});

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
      // One of the agents takes seconds, which is within the buyer's time budget.
      expect(activated.body).toMatchObject({
        deployments: [{ is_live: true, activation_key: { type: 'key_value' } }],
      });
      const args = buyRequest(
        [
          catalogue.packageOf('prompt', { targeting_overlay: targeting(id) }),
          catalogue.packageOf('behind', { targeting_overlay: targeting(id) }),
        ],
        // Runs longer than this test on any machine.
        { end_time: new Date(Date.now() + 365 * 86_400_000).toISOString() },
      );
      const { body, errors } = await callTask('REST', instance, 'create_media_buy', args);
      expect(errors).toEqual([]);
      const own = String(id).slice(agent.length + 1);
      const key = { key: 'audience', type: 'key_value', value: own };
      expect(await targetedAt('prompt')).toContain(JSON.stringify(key));
      expect(await targetedAt('prompt')).not.toContain(String(id));
      const received = JSON.stringify(body);
      expect(received).toContain('SIGNAL_NOT_LIVE');
      expect(received).toContain(await addressOf('behind'));
      // An update of the buy sends the key only to the seller that it concerns.
      const before = await market.mutations();
      const packages = list(body['packages']);
      const part = packages.find(({ package_id: packageId }) => String(packageId).startsWith('prompt:'));
      const changed = await callTask(
        'REST',
        instance,
        'update_media_buy',
        modern({
          media_buy_id: body['media_buy_id'],
          packages: [{ package_id: part?.['package_id'], targeting_overlay: targeting(id) }],
        }),
      );
      expect(changed.errors).toEqual([]);
      expect(JSON.stringify(changed.body)).not.toContain('SIGNAL_NOT_LIVE');
      expect(await targetedAt('prompt', 'update_media_buy')).toContain(JSON.stringify(key));
      const after = await market.mutations();
      expect(after['behind update_media_buy']).toBe(before['behind update_media_buy']);
      const replayed = await callTask('REST', instance, 'create_media_buy', args);
      expect(replayed.body['replayed']).toBe(true);
    },
  );

  it('is submitted with its remaining time if the caller does not wait, and ends by a webhook or a poll', async () => {
    const at = { type: 'platform', platform: 'slow-dsp' };
    const id = (await signalOf('signals-later', at))?.['signal_agent_segment_id'];
    const begun = await callTask(
      'REST',
      instance,
      'activate_signal',
      modern({
        signal_agent_segment_id: id,
        destinations: [at],
        // Enough for the agent to say that it has begun, and less than the activation takes.
        time_budget: { interval: 4, unit: 'seconds' },
      }),
    );
    expect(begun.body).toMatchObject({
      status: 'submitted',
      task_id: expect.any(String),
      deployments: [{ ...at, is_live: false, estimated_activation_duration_minutes: 1 }],
    });
    expect((await signalOf('signals-later', at))?.['deployments']).toMatchObject([
      { is_live: false, estimated_activation_duration_minutes: 1 },
    ]);
    const result = await waitUntil('its agent has made it live', async () => {
      const requested = { adcp_version: '3.1', task_id: begun.body['task_id'], include_result: true };
      const { body } = await callTask('REST', instance, 'tasks/get', requested);
      return body['status'] === 'completed' ? body['result'] : undefined;
    });
    expect(result).toMatchObject({
      deployments: [{ ...at, is_live: true, activation_key: { type: 'segment_id' } }],
    });
  });

  it('is a success with its key if it is already active, and disappears after its deactivation', async () => {
    const at = { type: 'platform', platform: 'twice' };
    const id = (await signalOf('signals-later', at))?.['signal_agent_segment_id'];
    const query = (more: Json = {}): ReturnType<typeof callTask> =>
      callTask(
        'MCP',
        instance,
        'activate_signal',
        modern({ signal_agent_segment_id: id, destinations: [at], ...more }),
      );
    const live = {
      status: 'completed',
      deployments: [{ ...at, is_live: true, activation_key: { type: 'segment_id' } }],
    };
    expect((await query()).body).toMatchObject(live);
    const again = await query();
    expect([again.errors, again.body]).toMatchObject([[], live]);
    expect(JSON.stringify(again.body)).toContain('ALREADY_ACTIVATED');

    const back = await query({ action: 'deactivate' });
    expect([back.errors, back.body]).toMatchObject([
      [],
      { status: 'completed', deployments: [{ is_live: false }] },
    ]);
    expect((await signalOf('signals-later', at))?.['deployments']).toMatchObject([{ is_live: false }]);
    expect((await query()).body).toMatchObject(live);
  });

  it('is not deactivated if its agent would read the request as an activation', async () => {
    const at = { type: 'platform', platform: 'the-trade-desk' };
    const signal = await signalOf('signals-now', at);
    const { errors } = await callTask('REST', instance, 'activate_signal', {
      adcp_version: '3.1',
      idempotency_key: randomUUID(),
      account: { brand: { domain: 'roaster.example' }, operator: 'agency.example' },
      signal_agent_segment_id: signal?.['signal_agent_segment_id'],
      destinations: [at],
      action: 'deactivate',
    });
    expect(errors).toMatchObject([{ code: 'UNSUPPORTED_FEATURE', field: 'action' }]);
    expect((await signalOf('signals-now', at))?.['deployments']).toMatchObject([{ is_live: false }]);
  });
});
