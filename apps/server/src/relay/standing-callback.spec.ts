import { describe, expect, it } from '@jest/globals';
import { ok, Secret, type JsonObject } from '@switchyard/values';
import { standingCallback } from './admission/admit-known.js';

const base = 'https://switchyard.example';
const ours = { url: `${base}/webhooks/standing` };
const theirs = { url: 'https://brand.example/hook' };

/** The standing callback of a sealed change with these arguments, over a connection with a key secret. */
async function addressFor(args: JsonObject, push?: JsonObject): Promise<string | undefined> {
  const connection = { id: 'c1', keyCredentialId: 'k1' };
  const keySecret = new Secret(Buffer.alloc(32, 7));
  type Request = Parameters<typeof standingCallback>[1];
  const received = await standingCallback(
    { callbackBase: () => base, lease: () => Promise.resolve(ok(new Map([['c1', { keySecret }]]))) },
    {
      caller: { principalId: 'p1' },
      path: { connection, scope: { organizationId: 'o1' } },
      sealed: { args, ...(push === undefined ? {} : { push }) },
      recordId: 'record',
    } as unknown as Request,
  );
  return received === 'unavailable' ? received : received.address;
}

describe('the standing address of a sealed request', () => {
  it.each<[string, JsonObject, JsonObject | undefined]>([
    ['for its task', { push_notification_config: ours }, undefined],
    ['for its reports', { reporting_webhook: ours }, undefined],
    ['among the updates of a buy, for its task', { updates: { push_notification_config: ours } }, undefined],
    ['among the updates of a buy, for reports', { updates: { reporting_webhook: ours } }, undefined],
    ['beside the message', {}, ours],
  ])('is known where it is named %s', async (_where, args, push) => {
    expect(await addressFor(args, push)).toEqual(expect.any(String));
  });

  it('is not created for a request that names only addresses of the brand, or none', async () => {
    for (const args of [{}, { push_notification_config: theirs }, { updates: { reporting_webhook: theirs } }])
      expect(await addressFor(args)).toBeUndefined();
  });
});
