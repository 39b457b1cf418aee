import { afterAll, describe, expect, it } from '@jest/globals';
import { applyAndExplain, type Leg, type LegObservation, type OperationDraft } from '@switchyard/buys';
import { readCreative, type TaskStatus } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import {
  createConnection,
  createOrganization,
  draftedAt,
  makeOperation,
  openTestStore,
  testClock,
} from '@switchyard/testing';
import { openStore } from '../core/open-store.js';
import { creativeStore } from '../creatives/creative-store.js';
import { alarmRepository, raiseAlarm } from '../signing/alarm-repository.js';
import { operationStore } from './operation-store.js';

const counted: string[] = [];

const { store, stop } = await openTestStore((url) =>
  openStore(url, { onAlarm: (kind) => counted.push(kind) }),
);
afterAll(stop);

const made: JsonObject = {
  media_buy_id: 'their-1',
  media_buy_status: 'active',
  packages: [{ package_id: 'p1', product_id: 'ctv', budget: 1 }],
};
const seen = (
  status: TaskStatus,
  source: LegObservation['source'],
  after: number,
  payload: JsonObject = {},
): LegObservation => ({
  source,
  at: draftedAt + after,
  reply: { status, replayed: false, payload, errors: [] },
});

/** One buy with a creative at one seller, and its observations in order. */
async function stage() {
  const { id: organizationId } = await createOrganization(store);
  const scope = { organizationId };
  const { slug, id: connectionId } = await createConnection(store, organizationId);
  const options = { sellers: [slug], connectionIds: { [slug]: connectionId }, packagesPerLeg: 1 };
  const drafted = makeOperation(scope, options);
  const [first] = drafted.legs;
  if (first === undefined) throw new Error('There is no leg.');
  const spot = { creative_id: 'spot', name: 'Spot', assets: {} };
  const leg: Leg = {
    ...first,
    outbound: JSON.stringify({ packages: [{ product_id: 'ctv', creatives: [spot] }] }),
  };
  const draft: OperationDraft = {
    ...drafted,
    legs: [leg],
    creatives: {
      creatives: [{ creative: readCreative(spot, '3.1'), bodyHash: 'h' }],
      placements: [{ creativeId: 'spot', connectionId, seller: slug, legId: leg.id }],
      archived: [],
    },
  };
  const operations = operationStore(store);
  await operations.begin(scope, draft);
  const observe = (observation: LegObservation) =>
    operations.change(scope, leg.id, (state) => applyAndExplain(state, leg.id, observation).state);
  const alarms = () => alarmRepository(store, testClock()).list(scope, {});
  const placement = async () =>
    (await creativeStore(store).byIds(scope, ['spot'])).get('spot')?.placements[0];
  return { scope, leg, seller: slug, connectionId, observe, alarms, placement };
}

describe('an illegal transition of a task', () => {
  it('raises one alarm per reported state, and is counted each time', async () => {
    const { leg, seller, observe, alarms } = await stage();
    counted.length = 0;
    await observe(seen('completed', 'webhook', 10, made));
    expect([await alarms(), counted]).toEqual([[], []]);
    await observe(seen('failed', 'poll', 20));
    await observe(seen('failed', 'poll', 30));
    expect(await alarms()).toMatchObject([
      {
        kind: 'illegal_transition',
        subject: `task create_media_buy ${leg.id}`,
        count: 1,
        detail: { leg_id: leg.id, operation_id: leg.operationId, seller, code: 'TERMINAL_CONFLICT' },
      },
    ]);
    await observe(seen('canceled', 'webhook', 40));
    expect((await alarms()).map(({ count }) => count)).toEqual([2]);
    expect(counted).toEqual(['illegal_transition', 'illegal_transition']);
  });

  it('raises an alarm also in the answer to a poll', async () => {
    const { observe, alarms } = await stage();
    await observe(seen('working', 'poll', 10));
    await observe(seen('submitted', 'webhook', 20));
    expect(await alarms()).toEqual([]);
    await observe(seen('submitted', 'poll', 30));
    expect((await alarms()).map(({ detail }) => detail['code'])).toEqual(['TASK_REGRESSION']);
  });

  it('does not change the stored creatives of the request', async () => {
    const { scope, connectionId, seller, observe, placement } = await stage();
    await observe(seen('completed', 'webhook', 10, made));
    const approved = {
      creativeId: 'spot',
      connectionId,
      seller,
      status: 'approved',
      source: 'poll',
    } as const;
    await creativeStore(store).observe(scope, [approved], draftedAt + 20);
    await observe(seen('failed', 'poll', 30));
    expect(await placement()).toMatchObject({ status: 'approved', observedAt: draftedAt + 20 });
  });
});

describe('the count of alarms', () => {
  it('excludes rolled back transactions', async () => {
    const { scope } = await stage();
    counted.length = 0;
    const alarm = { kind: 'illegal_transition', subject: 'x', detail: {} } as const;
    const failing = store.inTenant(scope, async (client) => {
      await raiseAlarm(client, alarm, draftedAt);
      throw new Error('It broke.');
    });
    await expect(failing).rejects.toThrow('It broke.');
    expect(counted).toEqual([]);
    await store.inTenant(scope, (client) => raiseAlarm(client, alarm, draftedAt));
    expect(counted).toEqual(['illegal_transition']);
  });
});
