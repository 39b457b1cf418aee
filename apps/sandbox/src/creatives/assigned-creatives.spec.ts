import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isObject, listOf, textOf, type JsonObject } from '../json.js';
import { startSandbox, type Sandbox } from '../start-sandbox.js';
import { callAgent } from '../testkit/call-agent.js';
import { buyRequest, withPackage } from '../testkit/requests.js';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, seed: 'assigned', dayMs: 25, scale: 0.02 });
});
afterAll(() => sandbox.stop());

const account = { brand: { domain: 'acme.example' }, operator: 'agency.example' };
const first = (body: JsonObject, list: string): JsonObject => {
  const item = listOf(body[list])?.[0];
  if (!isObject(item)) throw new Error(`no ${list} in ${JSON.stringify(body)}`);
  return item;
};

/** Asks until the buy is in a state that is none of `passed`. */
async function stateAfter(slug: string, id: string, passed: readonly string[]): Promise<string> {
  for (;;) {
    const buys = first(
      (await callAgent(agentOf(slug), 'get_media_buys', { account, media_buy_ids: [id] })).body,
      'media_buys',
    );
    const status = textOf(buys['status']) ?? '';
    if (!passed.includes(status)) return status;
    await new Promise(setImmediate);
  }
}

const agentOf = (slug: string) => {
  const agent = sandbox.agents.find((each) => each.slug === slug);
  if (agent === undefined) throw new Error(`no agent ${slug}`);
  return agent;
};

describe('a buy that waits for creatives', () => {
  it.each(['prompt', 'courier', 'behind'])(
    'of %s begins once creatives with an assignment to each of its packages were synced',
    async (slug) => {
      const request = await buyRequest(agentOf(slug));
      const [creative] = listOf(first(request, 'packages')['creatives']) ?? [];
      const { creatives: _none, ...bare } = first(request, 'packages');
      const requested = withPackage({ ...request, packages: [bare] }, {});
      const { body } = await callAgent(agentOf(slug), 'create_media_buy', requested);
      const id = textOf(body['media_buy_id']) ?? '';
      expect(await stateAfter(slug, id, ['pending'])).toBe('pending_creatives');

      const packageId = textOf(first(body, 'packages')['package_id']) ?? '';
      const assignments = [{ creative_id: 'cr_1', package_id: packageId }];
      const given = {
        account,
        idempotency_key: `assigned-${slug}-0123456789`,
        creatives: [creative ?? {}],
        assignments,
      };
      await callAgent(agentOf(slug), 'sync_creatives', given);
      const begun = await stateAfter(slug, id, ['pending_creatives', 'pending_start']);
      expect(['active', 'completed']).toContain(begun);
    },
  );

  it('can be paused before its start, and waits again once it is resumed', async () => {
    const request = await buyRequest(agentOf('prompt'));
    const { creatives: _none, ...bare } = first(request, 'packages');
    const requested = withPackage({ ...request, packages: [bare] }, {});
    const { body } = await callAgent(agentOf('prompt'), 'create_media_buy', requested);
    const id = textOf(body['media_buy_id']) ?? '';
    const set = async (paused: boolean) => {
      const key = `held-${id}-${String(paused)}`.padEnd(20, '0');
      const args = { account, idempotency_key: key, media_buy_id: id, paused };
      return (await callAgent(agentOf('prompt'), 'update_media_buy', args)).body;
    };
    expect(await set(true)).toMatchObject({ media_buy_status: 'paused' });
    expect(await set(false)).toMatchObject({ media_buy_status: 'pending_creatives' });
  });
});
