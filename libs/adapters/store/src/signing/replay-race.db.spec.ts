import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import {
  generateSigningKey,
  noRevocations,
  publicJwk,
  signRequest,
  verifySignature,
  webhookProfile,
  type ReplayStore,
} from '@switchyard/signing';
import { openTestStore, testClock } from '@switchyard/testing';
import { ok } from '@switchyard/values';
import { openStore } from '../core/open-store.js';
import { replayStore } from './replay-store.js';

/** Two instances with their own pools and no shared memory: they share only PostgreSQL. */
const { store: one, database, stop } = await openTestStore(openStore);
const stores = [one, openStore(database.appUrl)];
afterAll(() => stores[1]?.close());
afterAll(stop);

const clock = testClock();
const names = {
  requestTag: 'ads/request-signing/v1',
  webhookTag: 'ads/webhook-signing/v1',
  useMember: 'ads_use',
};

/** One signed webhook, and a function that verifies copies of it with any store of nonces. */
function signedOnce() {
  const key = generateSigningKey(`kid-${randomUUID()}`);
  const url = 'https://receiver.example/webhooks/x';
  const body = Buffer.from('{"a":1}');
  const seconds = Math.floor(clock.now() / 1000);
  const signature = signRequest({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json' },
    body,
    keyid: key.kid,
    alg: key.alg,
    privateKey: key.privateKey,
    tag: names.webhookTag,
    created: seconds,
    expires: seconds + 300,
    nonce: Buffer.from(randomUUID()).toString('base64url'),
  });
  const headers = Object.entries({
    host: 'receiver.example',
    'content-type': 'application/json',
    ...signature,
  });
  const jwk = publicJwk(key, ['ads_use']);
  return async (replays: ReplayStore): Promise<string> => {
    const verdict = await verifySignature(
      { method: 'POST', url, headers, body },
      webhookProfile(names),
      {
        keys: { resolve: () => Promise.resolve(ok({ jwk, agentUrl: 'https://seller.example/' })) },
        replays,
        revocations: noRevocations,
      },
      clock.now(),
    );
    return verdict.ok ? 'accepted' : verdict.code;
  };
}

describe('one signed message', () => {
  it.each([100_000, 500])(
    'is accepted once if 400 copies reach two instances at once, with a cap of %i',
    async (cap) => {
      const judge = signedOnce();
      const replays = stores.map((store) => replayStore(store, { clock, cap }));
      const received = await Promise.all(
        Array.from({ length: 400 }, (_, index) => judge(replays[index % 2] as ReplayStore)),
      );
      expect(received.filter((one) => one === 'accepted')).toHaveLength(1);
      expect(received.filter((one) => one === 'webhook_signature_replayed')).toHaveLength(399);
    },
  );

  it('is a replay to an instance that started after the first one had ended', async () => {
    const judge = signedOnce();
    const first = openStore(database.appUrl);
    expect(await judge(replayStore(first, { clock, cap: 100 }))).toBe('accepted');
    await first.close();
    const second = openStore(database.appUrl);
    expect(await judge(replayStore(second, { clock, cap: 100 }))).toBe('webhook_signature_replayed');
    await second.close();
  });
});

describe('the cap of a key', () => {
  it('is reached exactly by 400 messages to two instances at once', async () => {
    const keyid = randomUUID();
    const replays = stores.map((store) => replayStore(store, { clock, cap: 300 }));
    const received = await Promise.all(
      Array.from({ length: 400 }, (_, index) =>
        (replays[index % 2] as ReplayStore).claim(keyid, `nonce-${index}`, clock.now() + 300_000),
      ),
    );
    expect(received.filter((one) => one === 'claimed')).toHaveLength(300);
    expect(received.filter((one) => one === 'full')).toHaveLength(100);
    const stored = await stores[0]?.pool.query('select 1 from signature_nonce where keyid = $1', [keyid]);
    expect(stored?.rowCount).toBe(300);
  });
});
