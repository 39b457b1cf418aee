import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dialects } from '@switchyard/protocol';
import { memoryReplayStore, noRevocations, verifySignature, webhookProfile } from '@switchyard/signing';
import { readBody, startServer } from '@switchyard/testing';
import { err, isJsonObject, ok } from '@switchyard/values';
import { buyRequest, Catalogue, list, type Json } from './harness/buy-request.js';
import { dataFolder } from './harness/data-folder.js';
import { callTask } from './harness/call-task.js';
import type { Instance } from './harness/instance.js';
import { waitUntil } from './harness/wait-until.js';
import { openOrganization } from './harness/shared-instance.js';

/** One of our POSTs, and its time by the receiver's clock. */
interface Delivery {
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
  readonly json: Json;
  readonly at: number;
}

/** A buyer's receiver that answers the first deliveries with 503 and later ones with 200. */
async function flakyReceiver(failures: number) {
  const deliveries: Delivery[] = [];
  const server = await startServer(async (request, response) => {
    const body = await readBody(request);
    const { rawHeaders } = request;
    deliveries.push({
      url: `${url}${request.url ?? ''}`,
      headers: rawHeaders.flatMap((name, index) =>
        index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as const] : [],
      ),
      body,
      json: JSON.parse(body.toString()) as Json,
      at: Date.now(),
    });
    response.writeHead(deliveries.length <= failures ? 503 : 200).end();
  });
  const url = server.url;
  return { url, deliveries, close: () => server.close() };
}

/** Returns the published keys: from brand.json to the key set of an agent. */
async function publishedKeys(instance: Instance): Promise<readonly Json[]> {
  const brand = (await (await fetch(`${instance.url}/.well-known/brand.json`)).json()) as Json;
  const address = list(brand['agents'])[0]?.['jwks_uri'];
  if (typeof address !== 'string') throw new Error('brand.json names no key set.');
  const keys = (await (await fetch(address)).json()) as Json;
  return list(keys['keys']);
}

const folder = dataFolder();
let instance: Instance;
let receiver: Awaited<ReturnType<typeof flakyReceiver>>;
let bought: Json;
let request: Json;

beforeAll(async () => {
  receiver = await flakyReceiver(3);
  instance = await openOrganization(folder.path, ['prompt', 'human'], 'paused');
  const catalogue = await Catalogue.read(instance);
  request = buyRequest([catalogue.packageOf('human')], {
    context: { campaign: 'autumn' },
    // The URL contains another id, to detect a sender that takes the id from it.
    push_notification_config: {
      url: `${receiver.url}/hooks/op-of-the-url?key=1`,
      operation_id: 'buyers-op-1',
    },
  });
  ({ body: bought } = await callTask('REST', instance, 'create_media_buy', request));
  await waitUntil('the receiver has taken an event that it had refused three times', () =>
    receiver.deliveries.length > 3 ? true : undefined,
  );
});

afterAll(async () => {
  await instance.stop();
  await receiver.close();
  await folder.remove();
});

describe('a receiver that fails three times and then answers', () => {
  const ofFirst = (): readonly Delivery[] =>
    receiver.deliveries.filter(
      ({ json }) => json['idempotency_key'] === receiver.deliveries[0]?.json['idempotency_key'],
    );

  it('gets the same bytes and the same key each time', () => {
    const deliveries = ofFirst();
    expect(bought['status']).toBe('submitted');
    expect(deliveries).toHaveLength(4);
    expect(new Set(deliveries.map(({ body }) => body.toString('base64'))).size).toBe(1);
    expect(deliveries[0]?.json).toMatchObject({
      idempotency_key: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
      operation_id: 'buyers-op-1',
      task_id: bought['task_id'],
      task_type: 'create_media_buy',
      context: { campaign: 'autumn' },
    });
  });

  it('gets another nonce each time, and signatures that the published keys verify', async () => {
    const keys = await publishedKeys(instance);
    const profile = webhookProfile({
      requestTag: dialects.adcp.requestTag,
      webhookTag: dialects.adcp.webhookTag,
      useMember: dialects.adcp.keyUseMember,
    });
    // One store for all four: a repeated nonce is a replay.
    const replays = memoryReplayStore(100, () => Date.now());
    for (const { url, headers, body, at } of ofFirst()) {
      const verdict = await verifySignature(
        { method: 'POST', url, headers, body },
        profile,
        {
          keys: {
            resolve: (keyid) => {
              const jwk = keys.find((key) => key['kid'] === keyid);
              return Promise.resolve(
                isJsonObject(jwk) ? ok({ jwk, agentUrl: instance.url }) : err('key_unknown'),
              );
            },
          },
          replays,
          revocations: noRevocations,
        },
        at,
      );
      expect(verdict).toMatchObject({ ok: true });
    }
    const nonces = ofFirst().map(({ headers }) => {
      const input = headers.find(([name]) => name.toLowerCase() === 'signature-input')?.[1] ?? '';
      return /nonce="([^"]+)"/.exec(input)?.[1];
    });
    expect(new Set(nonces).size).toBe(4);
    expect(nonces).not.toContain(undefined);
  });

  it('is shown as four attempts of one event to the buyer that registered it', async () => {
    const mediaBuyId = await waitUntil('the end of the task is told', () => {
      const end = receiver.deliveries.find(({ json }) => json['status'] === 'completed');
      return (end?.json['result'] as Json | undefined)?.['media_buy_id'];
    });
    // Task events have no notification type, and 3.1 records require one: the service form shows them.
    const { body } = await callTask('REST', instance, 'get_media_buys', {
      media_buy_ids: [mediaBuyId],
      include_webhook_activity: true,
    });
    expect(list(body['media_buys'])).toHaveLength(1);
    const activity = list(list(body['media_buys'])[0]?.['webhook_activity']);
    const first = receiver.deliveries[0]?.json['idempotency_key'];
    expect(
      activity
        .filter(({ idempotency_key: key }) => key === first)
        .map(({ attempt, status, http_status_code: code }) => [attempt, status, code]),
    ).toEqual([
      [4, 'success', 200],
      [3, 'failed', 503],
      [2, 'failed', 503],
      [1, 'failed', 503],
    ]);
    expect(activity.every(({ url }) => url === `${receiver.url}/hooks/op-of-the-url`)).toBe(true);
  });
});

describe('an outcome that was already answered', () => {
  const eventsOf = (taskId: unknown): readonly unknown[] => [
    ...new Set(
      receiver.deliveries
        .filter(({ json }) => json['task_id'] === taskId)
        .map(({ json }) => json['idempotency_key']),
    ),
  ];

  it('is not sent by webhook, for a repeated request or for one that ended in its answer', async () => {
    await waitUntil('the end of the first task is told', () =>
      receiver.deliveries.some(({ json }) => json['status'] === 'completed') ? true : undefined,
    );
    const before = eventsOf(bought['task_id']);
    const again = await callTask('REST', instance, 'create_media_buy', request);
    expect(again.body).toMatchObject({ replayed: true, task_id: bought['task_id'] });

    const catalogue = await Catalogue.read(instance);
    const registered = (operation: string): Json => ({
      push_notification_config: { url: `${receiver.url}/hooks`, operation_id: operation },
    });
    const inline = await callTask(
      'REST',
      instance,
      'create_media_buy',
      buyRequest([catalogue.packageOf('prompt')], registered('buyers-op-inline')),
    );
    expect(inline.body['status']).toBe('completed');
    // Webhooks for these two would be sent before the later one.
    const later = await callTask(
      'REST',
      instance,
      'create_media_buy',
      buyRequest([catalogue.packageOf('human')], registered('buyers-op-later')),
    );
    await waitUntil('the end of a later task is told', () => {
      const received = receiver.deliveries.filter(({ json }) => json['task_id'] === later.body['task_id']);
      return received.some(({ json }) => json['status'] === 'completed') ? true : undefined;
    });
    expect(eventsOf(bought['task_id'])).toEqual(before);
    expect(receiver.deliveries.filter(({ json }) => json['operation_id'] === 'buyers-op-inline')).toEqual([]);
  });
});
