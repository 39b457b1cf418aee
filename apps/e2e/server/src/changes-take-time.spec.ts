import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startReceiver, type Receiver } from '@switchyard/testing';
import { buyRequest, Catalogue, list, type Json } from './harness/buy-request.js';
import { dataFolder } from './harness/data-folder.js';
import { callTask, endpointNames, type TaskResponse } from './harness/call-task.js';
import type { Instance } from './harness/instance.js';
import { Market } from './harness/market.js';
import { waitUntil } from './harness/wait-until.js';
import { openOrganization } from './harness/shared-instance.js';

/** Updates at a seller whose updates a person reviews, and further requests while the first is unfinished. */
const folder = dataFolder();
let instance: Instance;
let market: Market;
let catalogue: Catalogue;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  instance = await openOrganization(folder.path, ['prompt', 'deliberate', 'slow']);
  market = Market.of(folder.path);
  catalogue = await Catalogue.read(instance);
});

afterAll(async () => {
  await instance.stop();
  await receiver.close();
  await folder.remove();
});

const change = (id: unknown, more: Json): Json => ({
  adcp_version: '3.1',
  idempotency_key: randomUUID(),
  account: { brand: { domain: 'roaster.example' }, operator: 'agency.example' },
  media_buy_id: id,
  ...more,
});
/** A flight that does not end during the test. */
const endless = { end_time: '2099-01-01T00:00:00Z' };

async function bought(): Promise<{ readonly id: unknown; readonly packages: readonly Json[] }> {
  const creative_assignments = [{ creative_id: catalogue.creativeId }];
  const packages = ['prompt', 'deliberate'].map((seller) =>
    catalogue.packageOf(seller, { budget: 5000, creative_assignments }),
  );
  const { body } = await callTask('REST', instance, 'create_media_buy', buyRequest(packages, endless));
  return { id: body['media_buy_id'], packages: list(body['packages']) };
}

async function updates(): Promise<Readonly<Record<string, number>>> {
  const counted = Object.entries(await market.mutations()).filter(([name]) =>
    name.endsWith(' update_media_buy'),
  );
  return Object.fromEntries(counted.map(([name, count]) => [name.split(' ')[0] ?? '', count]));
}

async function statusOf(id: unknown): Promise<unknown> {
  const { body } = await callTask('REST', instance, 'get_media_buys', {
    adcp_version: '3.1',
    media_buy_ids: [id],
  });
  return list(body['media_buys'])[0]?.['status'];
}

/** Pauses a buy at both sellers. Returns the answer, and the sellers' calls before it. */
async function pausedAt(endpoint: (typeof endpointNames)[number]) {
  const { id } = await bought();
  const before = await updates();
  const operation_id = `op-${randomUUID()}`;
  const push_notification_config = { url: `${receiver.url}/${endpoint}`, operation_id };
  const requested = change(id, { paused: true, push_notification_config });
  const { body, errors } = await callTask(endpoint, instance, 'update_media_buy', requested);
  expect(errors).toEqual([]);
  return { id, body, before, operation_id };
}

describe('an update that a person at one seller reviews', () => {
  it.each(endpointNames)(
    'is submitted at %s, completed by the seller’s webhook, and reported to its buyer',
    async (endpoint) => {
      let paused = await pausedAt(endpoint);
      // On a busy machine the person may finish before the answer is sent: then another buy is paused.
      while (paused.body['status'] === 'completed') paused = await pausedAt(endpoint);
      const { id, body, before, operation_id } = paused;
      expect(body).toMatchObject({ status: 'submitted', task_id: expect.any(String) });
      const end = await waitUntil(
        'the buyer is told of the end',
        () =>
          receiver.received.find(
            ({ body }) => body['operation_id'] === operation_id && body['status'] === 'completed',
          )?.body,
      );
      expect(end).toMatchObject({
        task_id: body['task_id'],
        task_type: 'update_media_buy',
        result: { media_buy_id: id, media_buy_status: 'paused' },
      });
      expect(await statusOf(id)).toBe('paused');
      const task = await callTask('REST', instance, 'tasks/get', {
        adcp_version: '3.1',
        task_id: body['task_id'],
        include_result: true,
      });
      expect(task.body).toMatchObject({ status: 'completed', result: { media_buy_status: 'paused' } });
      const after = await updates();
      for (const seller of ['prompt', 'deliberate'])
        expect([seller, (after[seller] ?? 0) - (before[seller] ?? 0)]).toEqual([seller, 1]);
      expect(after['slow']).toBe(before['slow']);
    },
  );

  it('is sent only to the seller of its package', async () => {
    const { id, packages } = await bought();
    const before = await updates();
    const at = (seller: string): unknown =>
      packages.find(({ package_id: packageId }) => String(packageId).startsWith(`${seller}:`))?.[
        'package_id'
      ];
    const targeting_overlay = { geo_countries: ['DE'] };
    for (const more of [{ budget: 5500 }, { targeting_overlay }, { paused: true }, { canceled: true }]) {
      const part = { package_id: at('prompt'), ...more };
      const { errors } = await callTask(
        'REST',
        instance,
        'update_media_buy',
        change(id, { packages: [part] }),
      );
      expect([more, errors]).toEqual([more, []]);
    }
    const after = await updates();
    expect((after['prompt'] ?? 0) - (before['prompt'] ?? 0)).toBe(4);
    expect(after['deliberate']).toBe(before['deliberate']);
  });
});

describe('a request whose first copy is still in progress', () => {
  it.each(endpointNames)(
    'is a conflict at once with another body, and gets the first answer with the same body, at %s',
    async (endpoint) => {
      const creates = async (): Promise<number> => (await market.mutations())['slow create_media_buy'] ?? 0;
      const before = await creates();
      const requested = buyRequest([catalogue.packageOf('slow')], { idempotency_key: randomUUID() });
      const received: string[] = [];
      const send = async (name: string, args: Json): Promise<TaskResponse> => {
        const reply = await callTask(endpoint, instance, 'create_media_buy', args);
        received.push(name);
        return reply;
      };
      const first = send('first', requested);
      await waitUntil('the seller is at it', async () => ((await creates()) > before ? true : undefined));
      const duplicate = send('twin', requested);
      const [packed] = list(requested['packages']);
      const other = await send('other', { ...requested, packages: [{ ...packed, budget: 2000 }] });
      // It is answered first, because it does not wait for a seller.
      expect(received).toEqual(['other']);
      expect(other.errors).toEqual([expect.objectContaining({ code: 'IDEMPOTENCY_CONFLICT' })]);
      expect(Object.keys(other.errors[0] ?? {})).not.toEqual(expect.arrayContaining(['field', 'details']));
      const [made, again] = await Promise.all([first, duplicate]);
      expect([made.errors, again.errors]).toEqual([[], []]);
      expect(again.body['media_buy_id']).toBe(made.body['media_buy_id']);
      expect([made.body['replayed'], again.body['replayed']]).toEqual([undefined, true]);
      expect(await creates()).toBe(before + 1);
    },
  );
});
